"""Keep one of several facts that say the same."""

from collections.abc import Collection
from dataclasses import dataclass
from typing import Any

from apps.access.actor import Actor
from apps.access.policies import require
from apps.core.errors import Conflict, Invalid
from apps.core.transactions import bind
from apps.curation.changes import record_change, state_of
from apps.curation.keeping import keep_one
from apps.curation.models import Change, DuplicateMember
from apps.facts.locks import locked_facts
from apps.facts.models import Fact

MOST = 50
"""Groups of one call."""


@dataclass(frozen=True)
class Merge:
    """In favour of ``keep``, close ``others``."""

    keep: int
    others: tuple[int, ...]


def merge_duplicates(*, actor: Actor, project_id: int, merges: Collection[Merge]) -> tuple[list[Fact], Change]:
    """Supersede facts by the one of their group that is kept; it gets their evidence, and a dispute about them becomes
    one about it. Returns the kept facts in the order given.

    All or nothing. Raises Invalid for no group or too many, and Conflict ``not_together`` where they are not, or no
    longer, in one group of duplicates: closed, forgotten and parted facts are in none.
    """
    require(actor, "duplicates.merge", project_id=project_id)
    if not 1 <= len(merges) <= MOST or not all(merge.others for merge in merges):
        raise Invalid("nothing_chosen", "Choose which one is kept.", pointer="/keep")
    with bind(project_id):
        facts = locked_facts(project_id, {fact_id for merge in merges for fact_id in (merge.keep, *merge.others)})
        groups = dict(
            DuplicateMember.objects.filter(project_id=project_id, fact_id__in=facts).values_list("fact_id", "group_id")
        )
        items: list[dict[str, Any]] = []
        for merge in merges:
            ids = {merge.keep, *merge.others}
            found = {groups.get(fact_id) for fact_id in ids}
            if merge.keep in merge.others or len(found) != 1 or None in found:
                raise Conflict("not_together", "These changed since you read them; nothing was saved.")
            settled = keep_one(actor, facts[merge.keep], [facts[fact_id] for fact_id in sorted(merge.others)])
            item = {"keep": merge.keep, "closed": sorted(merge.others), "facts": sorted(ids)}
            items.append(item | ({"settled": settled} if settled else {}))
        kept = Fact.objects.in_project(project_id).in_bulk([merge.keep for merge in merges])
        for item in items:
            item["now"] = state_of(kept[item["keep"]])
        change = record_change(actor=actor, verb="duplicates.merge", items=items)
    return [kept[merge.keep] for merge in merges], change
