"""A client writes a statement down: told at once, or put before a person, as its key's setting says."""

from dataclasses import dataclass, replace

from apps.access.actor import Actor
from apps.access.policies import require
from apps.audit.actions.record import record
from apps.core.errors import Conflict
from apps.core.text import norm_hash
from apps.core.transactions import bind
from apps.curation.actions.propose import propose
from apps.curation.models import Proposal
from apps.curation.waiting import draft, note_writer
from apps.curation.wishes import Wish
from apps.curation.writing import (
    TRUST,
    Word,
    looks_like_an_order,
    place_of,
    refuse_forgotten,
    screened,
    writes_directly,
)
from apps.facts.append import Origin, Placed, append_fact
from apps.facts.keyed import check_room
from apps.facts.models import Fact
from apps.facts.querysets import FactQuerySet
from apps.recall.clients import within_reach
from apps.recall.queries import Reader
from apps.tenancy.models import Agent, Subject
from apps.traces.models import Trace

ENDED_BY_ITSELF = ["expired", "undone", "removed"]
"""Reasons of a retirement after which the same words are told anew when they are said again."""

DROPPED = {
    "forgotten": "This was forgotten after it was said; it is not kept again.",
    "refused_before": "A person looked at this and said no.",
    "restricted": "It is held for now; nothing was changed.",
}


@dataclass(frozen=True)
class Written:
    """``fact`` says it, or ``proposal`` waits, never both. ``created`` is false where it stood there already."""

    fact: Fact | None = None
    proposal: Proposal | None = None
    created: bool = False


def write_fact(*, actor: Actor, project_id: int, word: Word, reader: Reader | None = None) -> Written:
    """Idempotent by its words in its place and partition. With a key that writes directly it is told at once, at an agent's
    trust; with any other, and where it reads like an order to an agent, a person looks first and its writer alone sees it.

    Where a fact of these words stands there that the ``reader`` may not know of, a person looks first too, and the answer is
    that of any proposal. Words that were closed there, because something else holds or a person took them out, are not told again by saying
    them again: the closed row is the answer. Raises Refused, Invalid with one error a field, and Conflict ``forgotten``,
    ``refused_before``; nothing is written then.
    """
    require(actor, "facts.write", project_id=project_id)
    word, order = screened(word)
    with bind(project_id):
        placed = place_of(actor, project_id, word.statement)
        check_room(placed.scope_id, word.slot)
        refuse_forgotten(project_id, word, placed)
        word = replace(word, source_trace_id=_trace(project_id, word.source_trace_id))
        rows = _of_words(project_id, word, placed)
        if reader is not None and _hides(rows, reader, actor):
            made, created = draft(actor, project_id, word, placed, op="add", flags=set(), target=None)
            return Written(proposal=made, created=created)
        known = _known(rows)
        if known is not None:
            return Written(fact=known)
        if looks_like_an_order(order) or not writes_directly(actor):
            return _proposed(actor, project_id, word, placed, order=looks_like_an_order(order))
        fact, created = append_fact(
            project_id=project_id,
            statement=word.statement,
            placed=placed,
            origin=Origin(
                source=word.source,
                speaker="agent",
                trust=TRUST,
                observed_at=word.observed_at,
                source_trace_id=word.source_trace_id,
            ),
            approved_by=actor.name,
            evidence=[],
            slot=word.slot,
        )
        if created:
            record(actor=actor, verb="facts.add", object_type="fact", object_id=fact.id)
    return Written(fact=fact, created=created)


def _of_words(project_id: int, word: Word, placed: Placed) -> FactQuerySet:
    """Every version of these words there."""
    return Fact.objects.in_project(project_id).filter(
        agent_id=placed.agent_id,
        scope=word.statement.scope,
        scope_id=placed.scope_id,
        label=word.slot.label,
        key=None,
        norm_hash=norm_hash(word.statement.content),
    )


def _hides(rows: FactQuerySet, reader: Reader, actor: Actor) -> bool:
    """Whether one of these that would be the answer, or in the way, is beyond the reader's grants."""
    found = [row for row in (rows.current().first(), _known(rows)) if row is not None]
    known = within_reach(reader, actor.name).filter(id__in=[row.id for row in found])
    return bool(found) and known.count() < len({row.id for row in found})


def _known(rows: FactQuerySet) -> Fact | None:
    """The current row, or the one that was closed last and is not to come back."""
    # One whose time is over gives way: `append_fact` sees to that.
    if rows.active().exists():
        return rows.active().first()
    if rows.current().exists():
        return None
    last = rows.order_by("-id").first()
    return None if last is None or last.retired_reason in ENDED_BY_ITSELF else last


def _trace(project_id: int, trace_id: str | None) -> str | None:
    there = trace_id and Trace.objects.filter(project_id=project_id, trace_id=trace_id).exists()
    return trace_id if there else None


def _proposed(actor: Actor, project_id: int, word: Word, placed: Placed, *, order: bool) -> Written:
    flags = {"injection"} if order else set[str]()
    if word.slot.label or (placed.agent_id is not None and word.statement.scope != "agent"):
        # A partition of a client's own: nothing elsewhere says the same or contradicts it.
        made, created = draft(actor, project_id, word, placed, op="add", flags=flags, target=None)
        return Written(proposal=made, created=created)
    wish = Wish(
        statement=replace(word.statement, scope_id=placed.scope_id),
        agent=Agent.objects.get(project_id=project_id, id=placed.agent_id) if placed.agent_id else None,
        subject=Subject.objects.get(project_id=project_id, id=placed.subject_id) if placed.subject_id else None,
        speaker="agent",
        trust=TRUST,
        observed_at=word.observed_at,
        flags=tuple(flags),
        source_trace_id=word.source_trace_id,
    )
    done = propose(actor=actor, project_id=project_id, origin="api", wishes=[wish])
    outcome = done.outcomes[0]
    if outcome.kind == "dropped":
        raise Conflict(outcome.rule, DROPPED[outcome.rule])
    if outcome.fact_id is not None:
        return Written(fact=Fact.objects.in_project(project_id).get(id=outcome.fact_id))
    assert outcome.proposal is not None
    note_writer(actor, outcome.proposal, word)
    created = outcome.kind != "same"
    if created:
        record(
            actor=actor,
            verb="proposals.propose",
            object_type="proposal",
            object_id=outcome.proposal.id,
            data={
                "op": outcome.proposal.op,
                "origin": "api",
                "conflicts": done.conflicts,
                "capped": [str(one.id) for one in done.capped],
            },
        )
    return Written(proposal=outcome.proposal, created=created)
