"""The console's list of facts by how often agents were told them."""

from dataclasses import replace

from django.db.models import F

from apps.core.keyset import Page, keyset_page
from apps.facts.models import Fact
from apps.facts.queries import FactFilter, filtered
from apps.recall.models import FactTold
from apps.recall.queries import Served

LOOKED_AT = 60
"""So many counts a page looks at: the fact of each is read from another place."""
PAGE = 25


def most_told(
    project_id: int, wanted: FactFilter, *, cursor: str | None, context: str
) -> tuple[Page[Fact], dict[int, Served]]:
    """At most PAGE facts of a filter that reads of agents told, the most told first, and how often, by fact. The page is
    `short` where it is not full and there may be more. Raises Malformed `invalid_cursor`."""
    facts = filtered(project_id, wanted).filter(told__project_id=project_id)
    page = keyset_page(
        facts.annotate(
            reads=F("told__reads"),
            told_id=F("told__fact_id"),
            told_at=F("told__last_at"),
        ),
        order=("-reads", "-told_id"),
        cursor=cursor,
        limit=PAGE,
        context=context,
        among=FactTold.objects.filter(project_id=project_id).annotate(told_id=F("fact_id")),
        most=LOOKED_AT,
    )
    # As in the other lists, what is just being erased is left out of the page and not of the walk.
    rows = tuple(fact for fact in page.rows if fact.restricted_reason != "erasure")
    return replace(page, rows=rows), {fact.id: Served(fact.reads, fact.told_at) for fact in rows}
