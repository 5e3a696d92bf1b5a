"""The console's list of facts: pages in an order, under any filter, at a cost that does not grow with the project.

A page walks the index of its order, which knows nearly all that a filter asks, and looks at so many facts at most; a page
that is not full by then goes on from where it stopped. Of what is rare there is another index, and all of it is taken.
"""

from dataclasses import replace
from datetime import timedelta

from django.db import connection
from django.db.models import Count as CountRows
from django.db.models import F, Value
from django.db.models.functions import Greatest

from apps.core.clock import now
from apps.core.keyset import Page, keyset_page
from apps.facts.facets import Count
from apps.facts.models import Fact
from apps.facts.queries import FactFilter, asked, filtered
from apps.facts.querysets import FactQuerySet

ORDERS: dict[str, tuple[str, ...]] = {
    "newest": ("-id",),
    "oldest": ("id",),
    "unsure": ("confidence", "id"),
    "sure": ("-confidence", "-id"),
    "ending": ("expires_at", "id"),
    "scope": ("scope", "scope_id", "id"),
}
WALKED, WALKED_SCOPES, WALKED_ROWS = 4_000, 2_000, 500
"""Entries of an index that a page looks at, in the order of scopes, whose rows lie apart, and rows where the index can't say
what is asked."""
COUNTED = 2_000
"""Of them so many are counted: a list says "1,000+" at most."""
FEW, FEW_SAYING = 150, 1_000
"""So many matches of one condition are few enough to be taken all."""


def fact_page(
    project_id: int, wanted: FactFilter, *, order: str, cursor: str | None, limit: int, context: str
) -> Page[Fact]:
    """At most ``limit`` facts of a filter in one of ORDERS. The page is `short` where it is not full and there may be more.
    Each has the ``successor_sensitivity`` of what replaced it. ``context`` says whose cursor it is; Raises Malformed `invalid_cursor`.

    Those that are just being erased are left out: of the page and not of the walk, whose index does not know why a fact is held.
    """
    page = _walked(project_id, wanted, order=order, cursor=cursor, limit=limit, context=context)
    return replace(page, rows=tuple(fact for fact in page.rows if fact.restricted_reason != "erasure"))


def _walked(
    project_id: int, wanted: FactFilter, *, order: str, cursor: str | None, limit: int, context: str
) -> Page[Fact]:
    facts = filtered(project_id, wanted).annotate(successor_sensitivity=F("superseded_by__sensitivity"))
    among = Fact.objects.in_project(project_id)
    if order == "ending":
        # What has ended already is found by its status. From a cursor on the index begins there and not at this moment.
        end = F("expires_at") if cursor is None else Greatest("expires_at", "expires_at")
        facts, among = (
            rows.annotate(end=end).filter(expires_at__isnull=False, end__gt=now()) for rows in (facts, among)
        )
    if wanted.scope and wanted.scope_id:
        among = among.filter(scope=wanted.scope, scope_id=wanted.scope_id)
    walk = {"order": ORDERS[order], "cursor": cursor, "limit": limit, "context": context}
    if order in {"sure", "unsure"} and in_index(wanted):
        # Rows of equal confidence lie anywhere: to find out where to stop would cost more than to go on.
        return keyset_page(facts, **walk, few=is_rare(project_id, wanted))  # type: ignore[arg-type]
    if _has_index(wanted, order):
        return keyset_page(facts, **walk)  # type: ignore[arg-type]
    most = WALKED_ROWS if not in_index(wanted, order) else WALKED_SCOPES if order == "scope" else WALKED
    page = keyset_page(facts, **walk, among=among, most=most)  # type: ignore[arg-type]
    if not page.short:
        return page
    if wanted.query and (said := saying_ids(wanted.query)) is not None:
        few = facts.filter(id__in=said) if said else facts.none()
        return keyset_page(few, **walk)  # type: ignore[arg-type]
    return keyset_page(facts, **walk, few=True) if is_rare(project_id, wanted) else page  # type: ignore[arg-type]


def _has_index(wanted: FactFilter, order: str) -> bool:
    """Whether one condition at most is put, with an index in the order of the list."""
    plain = FactFilter(sensitivities=wanted.sensitivities)
    put = {name for name, value in vars(wanted).items() if value and value != getattr(plain, name)}
    if order == "ending":
        return put <= {"expiring"}
    one = not any(isinstance(value, tuple) and len(value) > 1 for value in (wanted.source, wanted.category))
    own = one if put in ({"source"}, {"category"}) else put == {"status"} and wanted.status == "held"
    return not put or (own and order in {"newest", "oldest"})


def in_index(wanted: FactFilter, order: str = "newest") -> bool:
    """Whether the index that the list walks knows all that is asked, so that no row is fetched in vain."""
    timed = wanted.status in {"active", "expired"}
    return not (wanted.query or wanted.further or wanted.attribute or timed or order == "ending")


def is_rare(project_id: int, wanted: FactFilter) -> bool:
    """Whether few facts pass one condition of the filter that has an index of its own. One statement, or none."""
    facts = Fact.objects.in_project(project_id)
    rare: list[FactQuerySet] = []
    if wanted.scope and wanted.scope_id:
        rare.append(facts.filter(scope=wanted.scope, scope_id=wanted.scope_id))
    elif wanted.scope:
        rare.append(facts.filter(scope=wanted.scope))
    if wanted.expiring:
        rare.append(facts.filter(expires_at__gt=now(), expires_at__lte=now() + timedelta(days=wanted.expiring)))
    if not wanted.closed_too:
        values = {"source": wanted.source, "category": wanted.category}
        for name, value in values.items():
            if value:
                one_of = [value] if isinstance(value, str) else value
                rare.append(facts.current().filter(**{f"{name}__in": one_of}))
        if wanted.status == "held":
            rare.append(facts.current().filter(restricted_at__isnull=False))
    if not rare:
        return False
    first, *others = [
        rows.annotate(which=Value(number)).order_by().values_list("which")[: FEW + 1]
        for number, rows in enumerate(rare)
    ]
    found = [which for (which,) in first.union(*others, all=True)]
    return any(found.count(number) <= FEW for number in range(len(rare)))


def saying_ids(words: str, most: int = FEW_SAYING) -> list[int] | None:
    """Ids of the bound project's facts that contain every one of the words, newest first; None where they are more than
    ``most``, or where the index can't find them."""
    patterns = [f"%{_literal(word.upper())}%" for word in words.split()[:20]]
    with connection.cursor() as cursor:
        cursor.execute("SELECT facts_saying(%s, %s)", [patterns, most])
        found: list[int] | None = cursor.fetchone()[0]
    return found


def count_of(project_id: int, wanted: FactFilter, page: Page[Fact]) -> Count:
    """How many facts the filter of this first page matches, as far as a list may look. One statement, or none."""
    if not page.older:
        return Count(len(page.rows))
    if page.short or wanted.query or wanted.further:
        return Count(len(page.rows), more=True)
    looked = Fact.objects.in_project(project_id)
    if wanted.scope and wanted.scope_id:
        looked = looked.filter(scope=wanted.scope, scope_id=wanted.scope_id)
    counted = looked.order_by("-id")[:COUNTED].aggregate(n=CountRows("id", filter=asked(wanted)), of=CountRows("id"))
    return Count(max(counted["n"], len(page.rows)), more=counted["of"] >= COUNTED)


def _literal(word: str) -> str:
    return word.replace("\\", "\\\\").replace("%", "\\%").replace("_", "\\_")
