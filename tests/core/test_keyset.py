from datetime import UTC, datetime, timedelta
from decimal import Decimal
from typing import Any
from uuid import UUID

import pytest
from django.core import signing
from django.db import connection
from django.db.models import F, FloatField, Q, QuerySet
from django.db.models.functions import Cast
from django.test.utils import CaptureQueriesContext

from apps.core import keyset
from apps.core.errors import Malformed
from apps.core.keyset import Page, decode_cursor, encode_cursor, keyset_page
from apps.tenancy.models import Project

NEWEST = ("-created_at", "-id")
WHEN = datetime(2026, 3, 1, 12, 0, 0, 123457, UTC)


def test_a_cursor_gives_back_its_position() -> None:
    ident = UUID("0190a1b2-c3d4-7e5f-8a9b-0c1d2e3f4a5b")
    text = encode_cursor([1, "é", 0.1, None, WHEN, ident, Decimal("1.50")], context="p1")
    assert decode_cursor(text, context="p1") == [
        1,
        "é",
        0.1,
        None,
        "2026-03-01T12:00:00.123457+00:00",
        str(ident),
        "1.50",
    ]


def test_a_cursor_can_stand_in_a_url() -> None:
    text = encode_cursor([1, "é/?&"], context="p1")
    assert text.isascii()
    assert not set(text) & set(" /?&#+%")


@pytest.mark.parametrize("context", ["", "p2", "p1 ", "p1 by -id"])
def test_a_cursor_of_another_context_is_refused(context: str) -> None:
    with pytest.raises(Malformed) as caught:
        decode_cursor(encode_cursor([1], context="p1"), context=context)
    assert (caught.value.code, caught.value.parameter, caught.value.status) == (
        "invalid_cursor",
        "cursor",
        400,
    )


def test_a_cut_or_edited_cursor_is_refused() -> None:
    text = encode_cursor([17, "x"], context="p1")
    edited = [text[:cut] for cut in range(len(text))]
    edited += [text[:at] + ("A" if text[at] != "A" else "B") + text[at + 1 :] for at in range(len(text) - 1)]
    edited += [text + "A", " " + text, "é", "\ud800", "\x00", "::", "x" * 10_000]
    for wrong in edited:
        with pytest.raises(Malformed, match="invalid_cursor"):
            decode_cursor(wrong, context="p1")


def test_a_signed_text_that_is_no_position_is_refused() -> None:
    text = signing.dumps({"a": 1}, salt="memoryplane.cursor:p1")
    with pytest.raises(Malformed, match="invalid_cursor"):
        decode_cursor(text, context="p1")


def test_a_cursor_is_good_for_a_day(monkeypatch: pytest.MonkeyPatch) -> None:
    text = encode_cursor([1], context="p1")
    now = signing.time.time()  # type: ignore[attr-defined]
    monkeypatch.setattr(signing.time, "time", lambda: now + keyset.MAX_AGE - 5)  # type: ignore[attr-defined]
    assert decode_cursor(text, context="p1") == [1]
    monkeypatch.setattr(signing.time, "time", lambda: now + keyset.MAX_AGE + 5)  # type: ignore[attr-defined]
    with pytest.raises(Malformed, match="invalid_cursor"):
        decode_cursor(text, context="p1")


@pytest.fixture
def projects(db: None) -> QuerySet[Project]:
    """Eleven projects, 1 the oldest; 4 to 7 were made in one instant."""
    moments = [1, 2, 3, 4, 4, 4, 4, 8, 9, 10, 11]
    for number, moment in enumerate(moments, 1):
        Project.objects.create(
            slug=f"keyset-{number}", name=f"{number}", created_at=WHEN + timedelta(microseconds=moment)
        )
    return Project.objects.filter(slug__startswith="keyset-")


def names(page: Page[Project]) -> str:
    return " ".join(row.name for row in page.rows)


def page(
    rows: QuerySet[Project], cursor: str | None = None, limit: int = 3, order: tuple[str, ...] = NEWEST
) -> Page[Project]:
    return keyset_page(rows, order=order, cursor=cursor, limit=limit, context="projects")


def test_pages_go_down_and_up_again(projects: QuerySet[Project]) -> None:
    down = [page(projects)]
    while down[-1].older:
        down.append(page(projects, down[-1].older))
    assert [names(one) for one in down] == ["11 10 9", "8 7 6", "5 4 3", "2 1"]
    assert down[0].newer is None

    up = [down[-1]]
    while up[-1].newer:
        up.append(page(projects, up[-1].newer))
    assert [names(one) for one in up] == ["2 1", "5 4 3", "8 7 6", "11 10 9"]
    assert names(page(projects, up[-1].older)) == "8 7 6"


def test_ascending_orders_work_alike(projects: QuerySet[Project]) -> None:
    first = page(projects, order=("created_at", "id"), limit=5)
    second = page(projects, first.older, order=("created_at", "id"), limit=5)
    assert (names(first), names(second)) == ("1 2 3 4 5", "6 7 8 9 10")
    assert names(page(projects, second.newer, order=("created_at", "id"), limit=5)) == "1 2 3 4 5"


def test_one_page_has_no_neighbours(projects: QuerySet[Project]) -> None:
    whole = page(projects, limit=11)
    assert (len(whole.rows), whole.newer, whole.older) == (11, None, None)
    none = page(projects.none())
    assert none == Page((), None, None)


def test_rows_that_come_or_go_move_nothing(projects: QuerySet[Project]) -> None:
    first = page(projects)
    Project.objects.create(slug="keyset-12", name="12", created_at=WHEN + timedelta(seconds=1))
    projects.filter(name__in=["9", "8"]).delete()
    second = page(projects, first.older)
    assert names(second) == "7 6 5"
    back = page(projects, second.newer)
    assert names(back) == "12 11 10"
    assert back.newer is None


@pytest.mark.parametrize("order", [NEWEST, ("created_at", "id")])
def test_rows_of_any_of_several_filters_come_as_of_one(projects: QuerySet[Project], order: tuple[str, ...]) -> None:
    some = projects.filter(name__in=["1", "4", "5", "8", "9", "11"])
    # Each row once, though two of them have it.
    parts = [
        projects.filter(name__in=[*"148"]),
        projects.filter(name__in=[*"45"]),
        projects.filter(name__in=["9", "11"]),
    ]

    def walk(rows: QuerySet[Project], **asked: Any) -> list[tuple[str, bool, bool]]:
        found, cursor = [], None
        for side in ("older", "older", "older", "newer", "newer", ""):
            one = keyset_page(rows, order=order, cursor=cursor, limit=2, context="projects", **asked)
            found.append((names(one), one.newer is None, one.older is None))
            cursor = getattr(one, side, None) or cursor
        return found

    assert walk(some, any_of=parts) == walk(some) == walk(Project.objects.all(), any_of=parts, scattered=True)


@pytest.mark.parametrize("order", [NEWEST, ("created_at", "id")])
def test_bounds_hold_on_every_page(projects: QuerySet[Project], order: tuple[str, ...]) -> None:
    between = (WHEN + timedelta(microseconds=3), WHEN + timedelta(microseconds=10))

    def walk(rows: QuerySet[Project], **asked: Any) -> list[tuple[str, bool, bool]]:
        found, cursor = [], None
        for side in ("older", "older", "newer", "newer", "older", ""):
            one = keyset_page(rows, order=order, cursor=cursor, limit=3, context="projects", **asked)
            found.append((names(one), one.newer is None, one.older is None))
            cursor = getattr(one, side, None) or cursor
        return found

    inside = projects.filter(created_at__gte=between[0], created_at__lt=between[1])
    assert walk(projects, between=between) == walk(inside)
    assert {name for found, _, _ in walk(inside) for name in found.split()} == set("3456789")
    with CaptureQueriesContext(connection) as queries:
        first = keyset_page(projects, order=order, cursor=None, limit=3, context="projects", between=between)
        keyset_page(projects, order=order, cursor=first.older, limit=3, context="projects", between=between)
    # From a position on, the bound behind it is not asked again.
    assert [query["sql"].count('created_at" <') + query["sql"].count('created_at" >') for query in queries] == [2, 1]


def test_an_empty_page_leads_back(projects: QuerySet[Project]) -> None:
    first = page(projects, limit=9)
    projects.filter(name__in=["1", "2"]).delete()
    gone = page(projects, first.older, limit=9)
    assert (names(gone), gone.older) == ("", None)
    assert names(page(projects, gone.newer, limit=9)) == "11 10 9 8 7 6 5 4 3"

    second = page(projects, page(projects, limit=2).older, limit=2)
    assert names(second) == "9 8"
    projects.filter(name__in=["11", "10"]).delete()
    above = page(projects, second.newer, limit=2)
    assert (names(above), above.newer) == ("", None)
    assert names(page(projects, above.older, limit=2)) == "9 8"


def test_dictionaries_and_annotations_can_be_paged(projects: QuerySet[Project]) -> None:
    rows = projects.annotate(half=Cast("id", FloatField()) / 7.0).values("id", "half", label=F("name"))
    first = keyset_page(rows, order=("-half", "-id"), cursor=None, limit=4, context="x")
    second = keyset_page(rows, order=("-half", "-id"), cursor=first.older, limit=4, context="x")
    assert [row["label"] for row in (*first.rows, *second.rows)] == ["11", "10", "9", "8", "7", "6", "5", "4"]


def test_the_position_is_one_row_value_and_one_query(projects: QuerySet[Project]) -> None:
    cursor = page(projects).older
    with CaptureQueriesContext(
        connection,
    ) as queries:
        page(projects, cursor)
    assert len(queries) == 1
    sql = queries[0]["sql"]
    assert '("tenancy_project"."created_at", "tenancy_project"."id") < (' in sql
    assert " OR " not in sql
    assert "LIMIT 4" in sql


@pytest.mark.parametrize(
    ("order", "context"), [(("-id",), "projects"), (("created_at", "id"), "projects"), (NEWEST, "other")]
)
def test_a_cursor_of_another_list_is_refused(projects: QuerySet[Project], order: tuple[str, ...], context: str) -> None:
    cursor = page(projects).older
    with pytest.raises(Malformed, match="invalid_cursor"):
        keyset_page(projects, order=order, cursor=cursor, limit=3, context=context)


@pytest.mark.parametrize("position", [[], ["x", 1, 2], ["o", 1], ["o", "no date", 1], ["o", 5, {}], [["o"], 1, 2]])
def test_a_signed_position_of_another_shape_is_refused(projects: QuerySet[Project], position: list[object]) -> None:
    cursor = encode_cursor(position, context="projects by -created_at,-id")
    with pytest.raises(Malformed, match="invalid_cursor"):
        page(projects, cursor)


@pytest.mark.parametrize(("order", "limit"), [(("-created_at", "id"), 3), (("id", "-name"), 3), (NEWEST, 0)])
def test_orders_that_have_no_position_are_a_defect(
    projects: QuerySet[Project], order: tuple[str, ...], limit: int
) -> None:
    with pytest.raises(ValueError, match="one direction"):
        page(projects, order=order, limit=limit)


def test_a_null_in_the_order_is_a_defect(projects: QuerySet[Project]) -> None:
    with pytest.raises(ValueError, match="null"):
        page(projects, order=("-archived_at", "-id"))


def test_a_filter_looks_at_so_many_rows_and_goes_on(projects: QuerySet[Project]) -> None:
    def walk(cursor: str | None) -> Page[Project]:
        odd = projects.filter(name__in=["11", "9", "2"])
        return keyset_page(odd, order=NEWEST, cursor=cursor, limit=2, context="odd", among=projects, most=4)

    first = walk(None)
    assert (names(first), first.short, first.newer) == ("11 9", True, None)
    second = walk(first.older)
    assert (names(second), second.short) == ("", True)
    third = walk(second.older)
    assert (names(third), third.short, third.older) == ("2", False, None)


def test_what_passes_is_found_among_the_rows_looked_at_and_read_alone(projects: QuerySet[Project]) -> None:
    asked: list[int] = []

    def walk(
        wanted: list[str], rather: list[str] | None = None, cursor: str | None = None, limit: int = 2
    ) -> tuple[Page[Project], list[str]]:
        def others() -> QuerySet[Project] | None:
            asked.append(1)
            return None if rather is None else projects.filter(name__in=rather)

        with CaptureQueriesContext(connection) as queries:
            found = keyset_page(
                projects.filter(name__in=wanted),
                order=NEWEST,
                cursor=cursor,
                limit=limit,
                context="some",
                among=projects,
                most=5,
                hit=Q(name__in=wanted),
                rather=others,
            )
        return found, [query["sql"] for query in queries]

    full, sent = walk(["11", "9", "8", "1"])
    assert (names(full), full.short, len(sent), asked) == ("11 9", False, 2, [])
    assert '"id" IN (' in sent[1]
    # Too few among the first five: others are named, or what was found is a short page.
    named, sent = walk(["11", "1"], ["11", "1"])
    assert (names(named), named.short, named.older, len(sent), asked) == ("11 1", False, None, 2, [1])
    short, sent = walk(["11", "1"])
    assert (names(short), short.short, len(sent), asked) == ("11", True, 2, [1, 1])
    none, sent = walk(["1"])
    assert (names(none), none.short, len(sent)) == ("", True, 1)
    second, _ = walk(["1"], cursor=none.older)
    third, _ = walk(["1"], cursor=second.older)
    assert (names(third), third.short, third.older) == ("1", False, None)
    # Upwards too.
    steps = [walk(["11", "10", "5"])[0]]
    steps.append(walk(["11", "10", "5"], cursor=steps[0].older)[0])
    for _ in range(2):
        steps.append(walk(["11", "10", "5"], cursor=steps[-1].newer)[0])
    assert [names(one) for one in steps] == ["11 10", "5", "10", "11"]
    assert [one.short for one in steps] == [True, True, True, False]
