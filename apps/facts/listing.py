"""The console's list of facts: pages in an order, under any filter, at a cost that does not grow with the project.

A page walks the index of its order, which knows nearly all that a filter asks, and looks at so many facts at most; a page
that is not full by then goes on from where it stopped. Of what is rare there is another index, and all of it is taken.
"""

from collections.abc import Mapping, Sequence
from dataclasses import replace
from datetime import timedelta
from functools import cached_property
from typing import Any

from django.db import connection
from django.db.models import F, Q, QuerySet, Value
from django.db.models.functions import Greatest

from apps.core.clock import now
from apps.core.keyset import Page, keyset_page, positions
from apps.core.together import Tally, together
from apps.facts.facets import Count
from apps.facts.models import Fact
from apps.facts.queries import FactFilter, asked, filtered
from apps.facts.querysets import FactQuerySet, that_say

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
_ANY = Q(id__isnull=False)


class Saying:
    """The facts that say some words, looked up at most once. ``ids`` is as of `saying_ids`; ``asked``, whether anybody had
    to know."""

    def __init__(self, words: str) -> None:
        self.words = words
        self.asked = False

    @cached_property
    def ids(self) -> list[int] | None:
        self.asked = True
        return saying_ids(self.words)


def fact_page(
    project_id: int,
    wanted: FactFilter,
    *,
    order: str,
    cursor: str | None,
    limit: int,
    context: str,
    said: Saying | None = None,
) -> Page[Fact]:
    """At most ``limit`` facts of a filter in one of ORDERS. The page is `short` where it is not full and there may be more.
    ``context`` says whose cursor it is; ``said`` are the facts of the filter's words, for who asks for more of them. Two statements at most, three with words. Raises Malformed
    `invalid_cursor`.

    Those that are just being erased are left out: of the page and not of the walk, whose index does not know why a fact is held.
    """
    page = _walked(
        project_id,
        wanted,
        said or Saying(wanted.query),
        order,
        {"order": ORDERS[order], "cursor": cursor, "limit": limit, "context": context},
    )
    return replace(page, rows=tuple(fact for fact in page.rows if fact.restricted_reason != "erasure"))


def _walked(project_id: int, wanted: FactFilter, said: Saying, order: str, walk: dict[str, Any]) -> Page[Fact]:
    facts = filtered(project_id, wanted)
    among = _within(Fact.objects.in_project(project_id), wanted)
    if order == "ending":
        # What has ended already is found by its status. From a cursor on the index begins there and not at this moment.
        end = F("expires_at") if walk["cursor"] is None else Greatest("expires_at", "expires_at")
        facts, among = (
            rows.annotate(end=end).filter(expires_at__isnull=False, end__gt=now()) for rows in (facts, among)
        )
    if order in {"sure", "unsure"} and in_index(wanted):
        # Rows of equal confidence lie anywhere: to find out where to stop would cost more than to go on.
        return keyset_page(facts, **walk, few=is_rare(project_id, wanted))
    if _has_index(wanted, order):
        return keyset_page(facts, **walk)
    most = WALKED_ROWS if not in_index(wanted, order) else WALKED_SCOPES if order == "scope" else WALKED
    if wanted.query:

        def rather() -> FactQuerySet | None:
            return None if said.ids is None else facts.filter(id__in=said.ids)

        hit = that_say(wanted.query) & asked(wanted)
        return keyset_page(facts, **walk, among=among, most=most, hit=hit, rather=rather)
    # From where to where to look, and whether there is anything to look for that an index has all of: one statement.
    walked = positions(among, **_of_walk(walk)).values(*_names(order))
    start, edge, *few = together(walked[:1], walked[most - 1 : most], *_rare(project_id, wanted))
    if any(len(rows) <= FEW for rows in few):
        return keyset_page(facts, **walk, few=True)
    if wanted.further_within and edge and order in {"newest", "oldest"}:
        ends = sorted((start[0]["id"], edge[0]["id"]))
        within = replace(wanted, further=wanted.further_within(*ends))
        facts = filtered(project_id, within)
    return keyset_page(facts, **walk, edge=list(edge[0].values()) if edge else [])


def _within(facts: FactQuerySet, wanted: FactFilter) -> FactQuerySet:
    """What is looked through for a filter: a project's facts, or those of one scope id."""
    return facts.filter(scope=wanted.scope, scope_id=wanted.scope_id) if wanted.scope and wanted.scope_id else facts


def _names(order: str) -> list[str]:
    return [name.removeprefix("-") for name in ORDERS[order]]


def _of_walk(walk: dict[str, Any]) -> dict[str, Any]:
    return {name: walk[name] for name in ("order", "cursor", "context")}


def _has_index(wanted: FactFilter, order: str) -> bool:
    """Whether one condition at most is put, with an index in the order of the list."""
    plain = FactFilter(sensitivities=wanted.sensitivities)
    put = {name for name, value in vars(wanted).items() if value and value != getattr(plain, name)}
    if order == "ending":
        return put <= {"expiring"}
    one = not any(isinstance(value, tuple) and len(value) > 1 for value in (wanted.source, wanted.category))
    own = one if put in ({"source"}, {"category"}) else put == {"status"} and wanted.status == "held"
    own = own or put == {"scope", "scope_id"}
    return not put or (own and order in {"newest", "oldest"})


def in_index(wanted: FactFilter, order: str = "newest") -> bool:
    """Whether the index that the list walks knows all that is asked, so that no row is fetched in vain."""
    timed = wanted.status in {"active", "expired"}
    return not (wanted.query or wanted.further or wanted.attribute or timed or order == "ending")


def is_rare(project_id: int, wanted: FactFilter) -> bool:
    """Whether few facts pass one condition of the filter that has an index of its own. One statement, or none."""
    return any(len(rows) <= FEW for rows in together(*_rare(project_id, wanted)))


def _rare(project_id: int, wanted: FactFilter) -> "list[QuerySet[Any, Any]]":
    """For each condition of the filter that has an index of its own, the facts that pass it, up to one over FEW."""
    facts = Fact.objects.in_project(project_id)
    rare: list[FactQuerySet] = []
    if wanted.scope:
        rare.append(facts.filter(scope=wanted.scope, **({"scope_id": wanted.scope_id} if wanted.scope_id else {})))
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
    return [rows.order_by().values(one=Value(1))[: FEW + 1] for rows in rare]


def saying_ids(words: str, most: int = FEW_SAYING) -> list[int] | None:
    """Ids of the bound project's facts that contain every one of the words, newest first; None where they are more than
    ``most``, or where the index can't find them."""
    patterns = [f"%{_literal(word.upper())}%" for word in words.split()[:20]]
    with connection.cursor() as cursor:
        cursor.execute("SELECT facts_saying(%s, %s)", [patterns, most])
        found: list[int] | None = cursor.fetchone()[0]
    return found


def counting(project_id: int, wanted: FactFilter, page: Page[Fact]) -> Tally | None:
    """What `count_of` has to know of the facts that a list may look at, as a part of a statement; None where the filter's
    first page says it all."""
    if not page.older or page.short or wanted.query or wanted.further:
        return None
    looked = _within(Fact.objects.in_project(project_id), wanted)
    return Tally(looked.annotate(hit=asked(wanted) or _ANY).order_by("-id").values("hit")[:COUNTED])


def count_of(page: Page[Fact], counted: Sequence[Mapping[str, Any]]) -> Count:
    """How many facts the filter of this first page matches, with the row of `counting`, as far as a list may look."""
    if not page.older:
        return Count(len(page.rows))
    if not counted:
        return Count(len(page.rows), more=True)
    (tally,) = counted
    return Count(max(tally["n"], len(page.rows)), more=tally["of"] >= COUNTED)


def closing(project_id: int, wanted: FactFilter, said: Saying) -> Tally | None:
    """How many facts would be found if closed versions were asked for too, as far as a list may look; None where there are
    none. For a list that finds nothing."""
    looked, hit, most = (
        _within(Fact.objects.in_project(project_id), wanted),
        asked(replace(wanted, superseded=True)),
        COUNTED,
    )
    if wanted.query and said.asked:
        if not said.ids:
            return None
        looked = looked.filter(id__in=said.ids)
    elif wanted.query:
        # All were looked at, and are as few.
        hit, most = hit & that_say(wanted.query), WALKED_ROWS
    return Tally(looked.annotate(hit=hit or _ANY).order_by("-id").values("hit")[:most])


def _literal(word: str) -> str:
    return word.replace("\\", "\\\\").replace("%", "\\%").replace("_", "\\_")
