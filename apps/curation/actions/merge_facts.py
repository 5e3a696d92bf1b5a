"""Say in one fact what several say: the merged row first, then its sources are closed in favour of it."""

from collections.abc import Callable, Iterable, Sequence
from dataclasses import replace
from datetime import datetime
from typing import Any

from apps.access.actor import Actor
from apps.access.models import SENSITIVITIES
from apps.access.policies import require
from apps.audit.actions.record import record
from apps.core.errors import Conflict, Invalid, NotFound
from apps.core.text import norm_hash
from apps.core.transactions import bind
from apps.curation.changes import record_change, state_of
from apps.curation.models import Change
from apps.facts.append import Origin, append_fact, next_fact_id, place, supersede
from apps.facts.evidence import evidence_of
from apps.facts.handling import require_current
from apps.facts.keyed import Slot
from apps.facts.locks import locked_facts
from apps.facts.models import Fact, FactDerivation
from apps.facts.statement import Statement, narrowest, statement_of

MOST = 20
"""Facts merged at once."""


def merge_facts(
    *, actor: Actor, project_id: int, fact_ids: Sequence[int], content: str, source: str = "manual"
) -> tuple[Fact, Change]:
    """Append ``content`` as one fact with the evidence of all, and supersede them by it; returns it and the change that
    undo takes back. ``source`` is where the words come from if none of the facts says them.

    What is written down is told no wider and no longer than each source, is as sensitive as the most sensitive, and as
    sure and as trusted as the weakest. Raises NotFound; Invalid: ``too_few``, ``too_many``, ``other_scope`` for facts
    told to different readers, ``no_audience`` where purposes or tasks have nothing in common, and words that can't be
    stored; Conflict: ``fact_moved``, ``restricted``, ``contested``, and ``fact_exists`` when another current fact says
    this already.
    """
    require(actor, "facts.merge", project_id=project_id)
    ids = sorted(set(fact_ids))
    if len(ids) < 2:
        raise Invalid("too_few", "Merging takes two facts or more.", pointer="/ids")
    if len(ids) > MOST:
        raise Invalid("too_many", f"At most {MOST} facts are merged at once.", pointer="/ids")
    with bind(project_id):
        found = locked_facts(project_id, ids)
        if len(found) < len(ids):
            raise NotFound("not_found", "One of these facts is not in this project any more.")
        sources = [found[fact_id] for fact_id in ids]
        check_mergeable(sources)
        statement = merged_statement(sources, content).cleaned()
        placed = place(project_id, statement.scope, statement.scope_id, statement.agent_name)
        digest, new_id = norm_hash(statement.content), next_fact_id()
        # The merged row comes before its sources go, but for one that says the same: the index allows one row of it.
        same = [fact for fact in sources if bytes(fact.norm_hash) == digest]
        if same:
            supersede(same, new_id)
        fact, created = append_fact(
            project_id=project_id,
            statement=statement,
            placed=placed,
            origin=_origin(sources, same, source),
            approved_by=actor.name,
            evidence=evidence_of(project_id, ids),
            fact_id=new_id,
            slot=Slot(label=sources[0].label),
        )
        if not created:
            raise Conflict("fact_exists", f"Fact #{fact.id} says this already; merge it with these instead.")
        rest = [source for source in sources if source not in same]
        if rest:
            supersede(rest, new_id)
        if any(source.pinned for source in sources):
            fact.pinned = True
            fact.save(update_fields=["pinned"])
        FactDerivation.objects.bulk_create(
            FactDerivation(project_id=project_id, child_id=fact.id, parent_id=fact_id) for fact_id in ids
        )
        record(actor=actor, verb="facts.merge", object_type="fact", object_id=fact.id, data={"supersedes": ids})
        item = {"facts": ids, "new": fact.id, "now": state_of(fact)}
        return fact, record_change(actor=actor, verb="facts.merge", items=[item])


def check_mergeable(sources: Sequence[Fact]) -> None:
    """Raises Conflict or Invalid, as `merge_facts`, unless these facts may become one."""
    for fact in sources:
        require_current(fact)
        if fact.restricted_at is not None:
            raise Conflict("restricted", f"#{fact.id} is restricted, so it is merged into nothing.")
        if fact.contested_at is not None:
            raise Conflict("contested", f"#{fact.id} stands in an open conflict. Settle that first.")
        if fact.key is not None:
            raise Invalid("not_a_statement", f"#{fact.id} is a value under a key, which says nothing to merge.")
    if len({(fact.scope, fact.scope_id, fact.agent_id, fact.label) for fact in sources}) > 1:
        raise Invalid("other_scope", "These are told to different readers. Move them to one scope first.")
    for name in ("purposes", "task_types"):
        if narrowest(getattr(fact, name) for fact in sources) == []:
            raise Invalid("no_audience", "No read may be told all of these: their purposes or tasks differ.")


def merged_statement(sources: Sequence[Fact], content: str) -> Statement:
    """``content`` with the marks that hold for all of the sources."""
    first = sources[0]
    return replace(
        statement_of(first),
        content=content,
        attribute=first.attribute if len({fact.attribute for fact in sources}) == 1 else None,
        confidence=min(fact.confidence for fact in sources),
        importance=max(fact.importance for fact in sources),
        sensitivity=max((fact.sensitivity for fact in sources), key=SENSITIVITIES.index),
        expires_at=_one_of(min, (fact.expires_at for fact in sources)),
        valid_from=_one_of(max, (fact.valid_from for fact in sources)),
        valid_to=_one_of(min, (fact.valid_to for fact in sources)),
        purposes=narrowest(fact.purposes for fact in sources),
        task_types=narrowest(fact.task_types for fact in sources),
    )


def _one_of(which: Callable[[list[datetime]], datetime], moments: Iterable[datetime | None]) -> datetime | None:
    known = [moment for moment in moments if moment is not None]
    return which(known) if known else None


def _origin(sources: Sequence[Fact], same: Sequence[Fact], source: str) -> Origin:
    """Where the merged words come from: the source that says them, or whoever wrote them down."""
    shared: dict[str, Any] = {
        "trust": min(fact.trust for fact in sources),
        "observed_at": max(fact.observed_at for fact in sources),
    }
    if not same:
        return Origin(source=source, speaker="curator" if source == "manual" else "unknown", **shared)
    fact = same[0]
    return Origin(
        source=fact.source,
        speaker=fact.speaker,
        source_trace_id=fact.source_trace_id,
        proposal_id=fact.proposal_id,
        **shared,
    )
