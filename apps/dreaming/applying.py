"""One change put into effect by the verbs of curation and facts, and what taking it back needs."""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any

from apps.access.actor import Actor
from apps.core.errors import Conflict
from apps.curation.actions.merge_facts import merge_facts
from apps.curation.actions.open_conflict import open_conflict
from apps.curation.changes import marks_seen, state_of
from apps.curation.conflicts import settle, touching
from apps.curation.keeping import keep_one
from apps.dreaming.models import DreamChange, DreamRun, DreamTarget
from apps.facts.actions.add_fact import add_fact
from apps.facts.actions.retire_fact import retire_fact
from apps.facts.actions.revise_fact import revise_fact
from apps.facts.append import Origin
from apps.facts.corroborate import corroborate
from apps.facts.evidence import Evidence
from apps.facts.locks import locked_facts
from apps.facts.models import Fact
from apps.facts.statement import Statement, statement_of
from apps.tenancy.tombstones import buried, fact_digest
from apps.traces.models import Message

Item = dict[str, Any]


class Moved(Exception):
    """What the change is about is not as the run saw it."""

    def __init__(self, code: str) -> None:
        super().__init__(code)
        self.code = code


@dataclass(frozen=True)
class Rows:
    """The targets of some changes, and their facts, locked."""

    targets: dict[int, list[DreamTarget]]
    facts: dict[int, Fact]


def rows_of(run: DreamRun, changes: Sequence[DreamChange]) -> Rows:
    """In one order, whatever the changes are."""
    targets: dict[int, list[DreamTarget]] = {}
    found = DreamTarget.objects.filter(project_id=run.project_id, change_id__in=[change.id for change in changes])
    for target in found.order_by("id"):
        targets.setdefault(target.change_id, []).append(target)
    ids = {target.fact_id for rows in targets.values() for target in rows}
    return Rows(targets, locked_facts(run.project_id, ids))


def apply_one(actor: Actor, run: DreamRun, change: DreamChange, rows: Rows) -> None:
    """Set ``fact`` and ``done`` of the change, which the caller saves. Raises Moved, and what its verb raises."""
    targets = rows.targets.get(change.id, [])
    if len(targets) != change.targets_count:
        raise Moved("gone")
    for target in targets:
        fact = rows.facts.get(target.fact_id)
        if fact is None or not fact.is_current or marks_seen(fact) != target.seen:
            raise Moved("moved")
    if change.content and _forgotten(run, change):
        raise Moved("forgotten")
    keep = next((rows.facts[target.fact_id] for target in targets if target.role == "keep"), None)
    others = [rows.facts[target.fact_id] for target in targets if target.role != "keep"]
    _VERBS[change.op](actor, run, change, keep, others)


def _forgotten(run: DreamRun, change: DreamChange) -> bool:
    """Whether these very words may not be learned again."""
    digest = fact_digest(run.project_id, run.scope, run.scope_id, change.content)
    return bool(change.observed_at and buried(run.project_id, [(digest, change.observed_at)]))


def _merge(actor: Actor, run: DreamRun, change: DreamChange, keep: Fact | None, others: list[Fact]) -> None:
    if keep is not None:
        _keep(actor, change, keep, others, same=True)
        return
    ids = [fact.id for fact in others]
    fact, noted = merge_facts(
        actor=actor, project_id=run.project_id, fact_ids=ids, content=change.content, source="dream"
    )
    _done(change, fact, "facts.merge", noted.items[0])
    # It is taken back with the run it belongs to, and in no other way.
    noted.delete()


def _resolve(actor: Actor, run: DreamRun, change: DreamChange, keep: Fact | None, others: list[Fact]) -> None:
    if keep is None:
        raise Moved("gone")
    _keep(actor, change, keep, others, same=False)


def _keep(actor: Actor, change: DreamChange, keep: Fact, others: list[Fact], *, same: bool) -> None:
    settled = keep_one(actor, keep, others, same=same, verb="duplicates.merge" if same else "dreams.resolve")
    kept = Fact.objects.in_project(keep.project_id).get(id=keep.id)
    closed = sorted(fact.id for fact in others)
    item = {"keep": keep.id, "closed": closed, "facts": sorted([keep.id, *closed]), "now": state_of(kept)}
    item["settled"] = settled
    _done(change, kept, "duplicates.merge", item)


def _reword(actor: Actor, run: DreamRun, change: DreamChange, keep: Fact | None, others: list[Fact]) -> None:
    old = others[0]
    new = revise_fact(
        actor=actor,
        project_id=run.project_id,
        fact_id=old.id,
        statement=replace(statement_of(old), content=change.content),
        # A date worked out, or fewer words, are still what was said by whoever said it.
        source="dream" if change.op == "supersede" else "",
        trust=change.trust,
    )
    if evidence := _said(run, change):
        corroborate(new, evidence)
    _done(change, new, "facts.revise", {"fact": old.id, "new": new.id, "now": state_of(new)})


def _conflict(actor: Actor, run: DreamRun, change: DreamChange, keep: Fact | None, others: list[Fact]) -> None:
    _, noted = open_conflict(actor=actor, project_id=run.project_id, fact_ids=[fact.id for fact in others])
    _done(change, None, "conflicts.open", noted.items[0])
    noted.delete()


def _retire(actor: Actor, run: DreamRun, change: DreamChange, keep: Fact | None, others: list[Fact]) -> None:
    reason = "expired" if change.rule == "expired" else "stale"
    fact = retire_fact(actor=actor, project_id=run.project_id, fact_id=others[0].id, reason=reason)
    settled = settle(run.project_id, touching(run.project_id, [fact.id], []), by=actor.name)
    _done(change, fact, "facts.retire", {"fact": fact.id, "now": state_of(fact), "settled": settled})


def _add(actor: Actor, run: DreamRun, change: DreamChange, keep: Fact | None, others: list[Fact]) -> None:
    evidence = _said(run, change)
    if change.source_trace_id and not evidence:
        raise Moved("gone")
    added = add_fact(
        actor=actor,
        project_id=run.project_id,
        statement=Statement(
            content=change.content,
            scope=run.scope,
            scope_id="" if run.scope in {"project"} else run.scope_id,
            attribute=change.attribute,
            category=change.category or "general",
            memory_type=change.memory_type,
            confidence=change.confidence,
            sensitivity=change.sensitivity,
        ),
        origin=Origin(
            source="dream",
            speaker="user",
            trust=change.trust,
            observed_at=change.observed_at,
            source_trace_id=change.source_trace_id,
        ),
        evidence=evidence,
    )
    if not added.created:
        raise Conflict("fact_exists", f"Fact #{added.fact.id} says this already.")
    _done(change, added.fact, "dreams.add", {"fact": added.fact.id, "now": state_of(added.fact)})


def _said(run: DreamRun, change: DreamChange) -> list[Evidence]:
    """The messages that it rests on, whole, as a fact keeps them; what a session held has no trace to be quoted from."""
    ids = [one["message"] for one in change.evidence if "message" in one]
    rows = Message.objects.filter(project_id=run.project_id, id__in=ids).order_by("id") if ids else []
    return [
        Evidence(
            trace_id=row.trace_id,
            message_id=row.id,
            quote=row.content[:QUOTE],
            start=0,
            end=min(QUOTE, len(row.content)),
            observed_at=row.at,
        )
        for row in rows
    ]


QUOTE = 2_000
"""Code points of a message that are quoted."""


def _done(change: DreamChange, fact: Fact | None, verb: str, item: Item) -> None:
    change.fact, change.done = fact, {"verb": verb, **item}


_VERBS = {
    "merge": _merge,
    "supersede": _reword,
    "redate": _reword,
    "shorten": _reword,
    "resolve": _resolve,
    "conflict": _conflict,
    "retire": _retire,
    "archive": _retire,
    "add": _add,
}
