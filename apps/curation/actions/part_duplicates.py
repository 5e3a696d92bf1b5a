"""A person says that facts which look alike are not the same."""

from collections.abc import Collection
from itertools import combinations

from apps.access.actor import Actor
from apps.access.policies import require
from apps.audit.actions.record import record
from apps.core.errors import Conflict, Invalid
from apps.core.transactions import bind
from apps.curation.changes import record_change
from apps.curation.models import Change, DuplicateMember, NotDuplicates
from apps.facts.locks import locked_facts

MOST = 20


def part_duplicates(*, actor: Actor, project_id: int, fact_ids: Collection[int]) -> Change:
    """Keep each two of these facts of one group apart for good. What is left of the group is looked at anew.

    Raises Invalid for fewer than two or more than twenty, and Conflict ``not_together`` where they are no longer in
    one group.
    """
    require(actor, "duplicates.part", project_id=project_id)
    ids = sorted(set(fact_ids))
    if not 2 <= len(ids) <= MOST:
        raise Invalid("two_facts", f"Two to {MOST} facts can be told apart at once.", pointer="/facts")
    with bind(project_id):
        facts = locked_facts(project_id, ids)
        members = DuplicateMember.objects.filter(project_id=project_id, fact_id__in=facts)
        groups = dict(members.values_list("fact_id", "group_id"))
        if len(groups) != len(ids) or len(set(groups.values())) != 1:
            raise Conflict("not_together", "These changed since you read them; nothing was saved.")
        pairs = list(combinations(ids, 2))
        NotDuplicates.objects.bulk_create(
            [
                NotDuplicates(project_id=project_id, first_id=first, second_id=second, said_by=actor.name)
                for first, second in pairs
            ],
            ignore_conflicts=True,
        )
        members.delete()
        record(
            actor=actor,
            verb="duplicates.part",
            object_type="fact",
            object_id=ids[0],
            data={"facts": ids},
        )
        return record_change(actor=actor, verb="duplicates.part", items=[{"facts": ids}])
