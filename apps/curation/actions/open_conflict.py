"""A person says that facts which are told can't all hold."""

from collections.abc import Collection

from django.db.models import Q

from apps.access.actor import Actor
from apps.access.policies import require
from apps.audit.actions.record import record
from apps.core.errors import Conflict as Moved
from apps.core.errors import Invalid, NotFound
from apps.core.transactions import bind
from apps.curation.changes import record_change
from apps.curation.conflicts import NAMED_BY_ID, change_of, contest
from apps.curation.locks import lock_places
from apps.curation.models import Change, Conflict, ConflictSide
from apps.facts.locks import locked_facts
from apps.facts.models import Fact

MOST = 20


def open_conflict(*, actor: Actor, project_id: int, fact_ids: Collection[int]) -> tuple[Conflict, Change]:
    """Put current facts of one place against each other; they go on being told, and that they are disputed with them.

    Where one of them is in an open conflict already, the others join it. Raises NotFound, Invalid for fewer than two
    or more than twenty facts, and for facts of more than one place, and Conflict ``fact_moved`` and
    ``in_conflict`` where two of them stand in conflicts of their own.
    """
    require(actor, "conflicts.open", project_id=project_id)
    ids = sorted(set(fact_ids))
    if not 2 <= len(ids) <= MOST:
        raise Invalid("two_sides", f"A conflict has two to {MOST} sides.", pointer="/facts")
    with bind(project_id):
        places = Fact.objects.in_project(project_id).filter(id__in=ids).values_list("scope", "scope_id").distinct()
        lock_places(project_id, places)
        facts = locked_facts(project_id, ids)
        if len(facts) != len(ids):
            raise NotFound("not_found", "There is no such fact in this project.")
        if not all(fact.is_current for fact in facts.values()):
            raise Moved("fact_moved", "One of them was changed by somebody else; nothing was saved.")
        if len({(fact.scope, fact.scope_id) for fact in facts.values()}) > 1:
            raise Invalid("other_scope", "They are told to different readers, so both can hold.", pointer="/facts")
        conflict, opened = _conflict(actor, project_id, [facts[fact_id] for fact_id in ids])
        there = ConflictSide.objects.filter(project_id=project_id, conflict=conflict, fact_id__in=ids)
        added = [fact_id for fact_id in ids if fact_id not in set(there.values_list("fact_id", flat=True))]
        ConflictSide.objects.bulk_create(
            [ConflictSide(project_id=project_id, conflict=conflict, fact_id=fact_id) for fact_id in added]
        )
        contest(project_id, ids)
        data = {"facts": ids, "opened": opened}
        record(actor=actor, verb="conflicts.open", object_type="conflict", object_id=conflict.id, data=data)
        item = {"facts": ids, "added": added, "conflict": conflict.id}
        change = record_change(actor=actor, verb="conflicts.open", items=[item])
    return conflict, change


def _conflict(actor: Actor, project_id: int, facts: list[Fact]) -> tuple[Conflict, bool]:
    """The open one that has one of them on a side, else a new one on their attribute; and whether it is new."""
    on_side = Q(sides__fact__in=facts) | Q(sides__proposal__fact__in=facts)
    found = list(Conflict.objects.filter(on_side, project_id=project_id, settled_at=None).distinct().order_by("id")[:2])
    if len(found) > 1:
        raise Moved("in_conflict", "They stand in open conflicts of their own; settle these first.")
    first = facts[0]
    attributes = {fact.attribute for fact in facts}
    named = first.scope in NAMED_BY_ID
    key = {
        "project_id": project_id,
        "subject_id": None if named else first.subject_id,
        "agent_id": first.agent_id if first.scope == "agent" else None,
        "scope": first.scope if named else "",
        "scope_id": first.scope_id if named else "",
        "attribute": first.attribute if len(attributes) == 1 and first.attribute else change_of(first),
        "settled_at": None,
    }
    conflict = found[0] if found else Conflict.objects.filter(**key).first()
    if conflict is None:
        return Conflict.objects.create(**key, opened_by=actor.name), True
    if not conflict.opened_by:
        conflict.opened_by = actor.name
        conflict.save(update_fields=["opened_by"])
    return conflict, False
