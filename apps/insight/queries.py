"""Reading kept figures, what is new to a member, and the views he can choose from."""

from collections import defaultdict
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from datetime import date, datetime, timedelta
from decimal import Decimal
from typing import Any

from django.db import connection
from django.db.models import Q, QuerySet

from apps.core.clock import now
from apps.core.sqlfiles import load
from apps.insight.models import Figures, SavedView

PERIODS = (7, 30, 90)
"""Days that figures look back."""

SHARED = 100
"""Views of others that are offered."""


@dataclass(frozen=True)
class View:
    """A saved view as it is offered. ``by`` names whose it is where it is not the reader's own."""

    id: int
    name: str
    query: dict[str, Any]
    shared: bool
    is_default: bool
    by: str
    made_at: datetime


def view_rows(project_id: int, user_id: int) -> "QuerySet[SavedView, Any]":
    """A member's own views and what others share, as a statement that can be sent with others (`views_of` reads its rows)."""
    theirs = SavedView.objects.filter(project_id=project_id, shared=True).exclude(user_id=user_id)
    shown = Q(user_id=user_id) | Q(id__in=theirs.order_by("-id").values("id")[:SHARED])
    return SavedView.objects.filter(shown, project_id=project_id).values(
        "id", "name", "query", "shared", "is_default", "user_id", "user__name", "user__email", "made_at"
    )


def views_of(rows: Iterable[Mapping[str, Any]], user_id: int) -> list[View]:
    """The member's own by name, then what others share by name."""
    found = [
        View(
            id=row["id"],
            name=row["name"],
            query=row["query"],
            shared=row["shared"],
            is_default=row["is_default"],
            by="" if row["user_id"] == user_id else row["user__name"] or row["user__email"],
            made_at=at if isinstance(at := row["made_at"], datetime) else datetime.fromisoformat(at),
        )
        for row in rows
    ]
    return sorted(found, key=lambda view: (bool(view.by), view.name.casefold(), view.id))


def due(at_most: int) -> list[int]:
    """Ids of projects whose figures should be counted now; works while none is bound."""
    with connection.cursor() as cursor:
        cursor.execute("SELECT projects_to_count(%s)", [at_most])
        return [row[0] for row in cursor.fetchall()]


@dataclass(frozen=True)
class Spent:
    """What one model took in a period; ``cost`` is null where no run had a price. An empty ``model`` are the rules."""

    model: str
    runs: int
    tokens_in: int
    tokens_out: int
    cost: Decimal | None


@dataclass(frozen=True)
class Decided:
    """Proposals of one origin that were decided in a period; ``junk`` were rejected, or what they said was retired as
    wrong, stale or a duplicate within a week."""

    origin: str
    applied: int
    rejected: int
    junk: int

    @property
    def all(self) -> int:
        return self.applied + self.rejected


@dataclass(frozen=True)
class Kept:
    """A project's figures as of ``at``, for a period of ``days``. ``served`` current facts were told to an agent in the
    period and ``never`` ones to none at all; ``most`` are (fact, reads) and ``idle`` the oldest never told. ``growth`` has
    for each source the facts that were said in each of ``starts``: days, or weeks where the period is long. ``wait`` is the median of
    how long what was decided in the period had waited, in seconds."""

    at: datetime
    days: int
    facts: int
    served: int
    never: int
    reads: int
    most: list[tuple[int, int]]
    idle: list[int]
    sources: dict[str, int]
    starts: list[date]
    growth: dict[str, list[int]]
    decided: list[Decided]
    wait: float | None
    spent: list[Spent]
    spent_by_day: list[tuple[date, Decimal]]


def kept_figures(project_id: int, *, days: int, personal: bool) -> Kept | None:
    """One statement; None until a worker has counted. ``personal`` counts what is personal or special too. Raises
    ValueError for a period that is not kept."""
    if days not in PERIODS:
        raise ValueError(f"Figures are kept for {PERIODS} days.")
    row = Figures.objects.filter(project_id=project_id).first()
    if row is None:
        return None
    counted: dict[str, Any] = row.counted
    who = "all" if personal else "open"
    today = row.at.date()
    first = today - timedelta(days=days - 1)
    starts = [first + timedelta(days=step) for step in range(0, days, 7 if days > 31 else 1)]
    growth: dict[str, list[int]] = {}
    for day, source, open_facts, all_facts in counted["growth"]:
        at = (date.fromisoformat(day) - first).days
        if at >= 0:
            place = at // (7 if days > 31 else 1)
            growth.setdefault(source, [0] * len(starts))[place] += all_facts if personal else open_facts
    seconds = counted["wait"].get(str(days))
    spent, by_day = _spent(counted["spent"], first)
    return Kept(
        at=row.at,
        days=days,
        facts=counted["facts"][who],
        served=counted["served"][str(days)][who],
        never=counted["never"][who],
        reads=counted["reads"],
        most=[(fact, reads) for fact, reads in counted["most"][who]],
        idle=counted["idle"][who],
        sources={source: n[who] for source, n in counted["sources"].items() if n[who]},
        starts=starts,
        growth=growth,
        decided=_decided(counted["decided"], first),
        wait=None if seconds is None else float(seconds),
        spent=spent,
        spent_by_day=by_day,
    )


def _decided(rows: Iterable[list[Any]], first: date) -> list[Decided]:
    found: dict[str, list[int]] = defaultdict(lambda: [0, 0, 0])
    for day, origin, *numbers in rows:
        if date.fromisoformat(day) >= first:
            found[origin] = [one + more for one, more in zip(found[origin], numbers, strict=True)]
    return [Decided(origin, *numbers) for origin, numbers in sorted(found.items(), key=lambda item: -sum(item[1]))]


def _spent(rows: Iterable[list[Any]], first: date) -> tuple[list[Spent], list[tuple[date, Decimal]]]:
    models: dict[str, Spent] = {}
    days: dict[date, Decimal] = defaultdict(Decimal)
    for day, model, runs, tokens_in, tokens_out, cost, _ in rows:
        if date.fromisoformat(day) < first:
            continue
        so_far = models.get(model, Spent(model, 0, 0, 0, None))
        price = so_far.cost if cost is None else (so_far.cost or Decimal(0)) + Decimal(cost)
        models[model] = Spent(
            model, so_far.runs + runs, so_far.tokens_in + tokens_in, so_far.tokens_out + tokens_out, price
        )
        if cost is not None:
            days[date.fromisoformat(day)] += Decimal(cost)
    return sorted(models.values(), key=lambda one: (-(one.cost or 0), -one.runs)), sorted(days.items())


@dataclass(frozen=True)
class News:
    """What waits now, and what came since ``since``, each number up to its cap and one more. Null where the reader may
    not know. ``anything``: a trace or a fact has ever come in."""

    since: datetime | None
    waiting: int | None
    oldest: datetime | None
    middle: datetime | None
    conflicts: int | None
    conflict_since: datetime | None
    new_facts: int
    changed_facts: int
    new_proposals: int | None
    decided: int | None
    new_conflicts: int | None
    dreams: int | None
    anything: bool


def news(
    project_id: int, user_id: int, *, sensitivities: Iterable[str], proposals: bool, dreams: bool, most: int, few: int
) -> News:
    """One statement, within bounds: what waits is counted up to ``most``, what is new up to ``few``."""
    asked: dict[str, Any] = {
        "project": project_id,
        "user": user_id,
        "sensitivities": list(sensitivities),
        "proposals": proposals,
        "dreams": dreams,
        "most": most,
        "few": few,
        "now": now(),
    }
    with connection.cursor() as cursor:
        cursor.execute(load("apps.insight", "news"), asked)
        return News(*cursor.fetchone())
