"""The overview of a project: what it comes to, each number with where it leads."""

from dataclasses import dataclass
from datetime import datetime
from typing import Any
from urllib.parse import urlencode

from django.urls import reverse

from apps.access.actor import Actor
from apps.access.policies import allowed
from apps.console.hx import visible_sensitivities
from apps.console.masking import MASKED, hides
from apps.console.shaping.charts import Chart, Part, chart
from apps.console.shaping.health import span
from apps.core.clock import now
from apps.core.counting import MOST
from apps.facts.models import SOURCES, Fact
from apps.insight.queries import PERIODS, Decided, Kept, News, kept_figures, news
from apps.tenancy.models import Project

FEW = 50
"""How far what is new is counted."""
SLOW_REVIEW = 48 * 3_600
"""Seconds after which what waits for a curator waits too long."""
SOURCE_NAMES = {"learned": "Learned", "manual": "Manual", "dream": "Dream", "import": "Import", "agent": "Agent"}
ORIGIN_NAMES = {"extraction": "Extraction", "dream": "Dream", "import": "Import", "api": "API", "person": "People"}


@dataclass(frozen=True)
class Told:
    """A fact in a short list, with what is said beside it."""

    number: int
    href: str
    text: str
    beside: str = ""
    at: datetime | None = None


@dataclass(frozen=True)
class Overview:
    """The page. ``stats`` are tiles of `_stats.html`; ``fresh`` what is new: (words, where); ``empty`` says that nothing has
    come in yet, so that the page shows how to begin."""

    days: int
    periods: list[dict[str, Any]]
    stats: list[dict[str, Any]]
    since: datetime | None
    fresh: list[tuple[str, str]]
    counted: Kept | None
    growth: Chart | None
    most: list[Told]
    idle: list[Told]
    never_href: str
    decided: list[Decided]
    spent: list[dict[str, Any]]
    cost: Chart | None
    empty: bool


def overview(project: Project, actor: Actor, days: int) -> Overview:
    """In three statements at most: the kept figures, what waits and what is new, and the words of a few facts."""
    seen = visible_sensitivities(actor)
    reviews, health = allowed(actor, "proposals.read"), allowed(actor, "health.read")
    kept = kept_figures(project.id, days=days, personal="special" in seen)
    fresh = news(
        project.id,
        int(actor.id),
        sensitivities=seen,
        proposals=reviews,
        dreams=allowed(actor, "dreams.read"),
        most=MOST + 1,
        few=FEW + 1,
    )
    facts = reverse("facts", args=[project.slug])
    never = f"{facts}?served=never"
    words = _words(project.id, [*dict(kept.most), *kept.idle], seen) if kept else {}

    def told(fact_id: int, **beside: Any) -> Told:
        return Told(
            number=fact_id, href=reverse("fact", args=[project.slug, fact_id]), text=words[fact_id][0], **beside
        )

    return Overview(
        days=days,
        periods=[
            {"href": f"?days={choice}", "label": f"{choice} days", "count": None, "current": choice == days}
            for choice in PERIODS
        ],
        stats=_stats(project, kept, fresh, reviews=reviews, health=health),
        since=fresh.since,
        fresh=_fresh(project, fresh),
        counted=kept,
        growth=_growth(kept, facts) if kept else None,
        most=[told(fact, beside=f"{reads:,}") for fact, reads in kept.most if fact in words] if kept else [],
        idle=[told(fact, at=words[fact][1]) for fact in kept.idle if fact in words] if kept else [],
        never_href=never,
        decided=kept.decided if kept and reviews else [],
        spent=_spent(kept) if kept and health else [],
        cost=_cost(kept) if kept and health and len(kept.spent_by_day) > 1 else None,
        empty=not fresh.anything,
    )


def _words(project_id: int, ids: list[int], seen: tuple[str, ...]) -> dict[int, tuple[str, datetime]]:
    """What is still to see of these, by id."""
    rows = Fact.objects.in_project(project_id).filter(id__in=ids, sensitivity__in=seen) if ids else Fact.objects.none()
    return {
        fact_id: (MASKED if hides(sensitivity) else content, at)
        for fact_id, content, sensitivity, at in rows.values_list("id", "content", "sensitivity", "created_at")
    }


def _stats(project: Project, kept: Kept | None, fresh: News, *, reviews: bool, health: bool) -> list[dict[str, Any]]:
    slug = project.slug
    tiles = _of_facts(kept, reverse("facts", args=[slug])) if kept else []
    if reviews:
        review = reverse("review", args=[slug])
        if kept:
            tiles += _of_decisions(kept, review)
        tiles += [_review_age(fresh, review), _conflicts(fresh, reverse("conflicts", args=[slug]))]
    if fresh.dreams:
        tiles.append(_dreams(fresh.dreams, reverse("dreams", args=[slug])))
    if kept and health:
        tiles.append(_of_cost(kept, reverse("health", args=[slug])))
    return tiles


def _of_facts(kept: Kept, facts: str) -> list[dict[str, Any]]:
    share = f"{kept.never / kept.facts:.0%} of them" if kept.facts else "nothing to tell yet"
    return [
        {
            "label": "Facts told",
            "value": f"{kept.served:,}",
            "unit": f"of {kept.facts:,}",
            "note": f"in {kept.days} days; {kept.reads:,} times in all",
            "href": f"{facts}?served={kept.days}",
        },
        {
            "label": "Never told",
            "value": f"{kept.never:,}",
            "unit": "facts",
            "note": share,
            "href": f"{facts}?served=never",
        },
    ]


def _of_decisions(kept: Kept, review: str) -> list[dict[str, Any]]:
    applied, rejected = (sum(getattr(one, name) for one in kept.decided) for name in ("applied", "rejected"))
    junk, every = sum(one.junk for one in kept.decided), applied + rejected
    return [
        {
            "label": "Approval rate",
            "value": f"{applied / every:.0%}" if every else "–",
            "note": f"{applied:,} of {every:,} decided" if every else f"none decided in {kept.days} days",
            "href": f"{review}?state=applied&days={kept.days}",
        },
        {
            "label": "Junk rate",
            "value": f"{junk / every:.1%}" if every else "–",
            "note": f"{rejected:,} rejected, {junk - rejected:,} retired within a week"
            if every
            else "of what is decided",
            "href": f"{review}?state=rejected&days={kept.days}",
        },
    ]


def _review_age(fresh: News, review: str) -> dict[str, Any]:
    waiting = fresh.waiting or 0
    tile: dict[str, Any] = {"label": "Review age", "href": review}
    if not fresh.middle or not fresh.oldest:
        return tile | {"value": "–", "note": "nothing waits"}
    oldest = (now() - fresh.oldest).total_seconds()
    return tile | {
        "value": span((now() - fresh.middle).total_seconds()),
        "unit": "median",
        "note": f"{_capped(waiting)} wait, the oldest {span(oldest)}",
        "warn": oldest > SLOW_REVIEW,
    }


def _conflicts(fresh: News, conflicts: str) -> dict[str, Any]:
    number = fresh.conflicts or 0
    tile = {"label": "Conflicts", "value": _capped(number), "unit": "open", "href": conflicts}
    if not fresh.conflict_since:
        return tile | {"note": "nothing contradicts"}
    return tile | {"note": f"the oldest for {span((now() - fresh.conflict_since).total_seconds())}", "warn": True}


def _dreams(number: int, dreams: str) -> dict[str, Any]:
    return {
        "label": "Dream runs",
        "value": _capped(number),
        "unit": "to decide",
        "note": "nothing changes until then",
        "href": f"{dreams}?state=proposed",
    }


def _of_cost(kept: Kept, health: str) -> dict[str, Any]:
    prices = [one.cost for one in kept.spent if one.cost is not None]
    tokens = sum(one.tokens_in + one.tokens_out for one in kept.spent)
    note = f"{_short(tokens)} tokens in {kept.days} days" if tokens else "reading by rules is free"
    return {"label": "Cost", "value": f"{sum(prices):,.2f}" if prices else "–", "note": note, "href": f"{health}#cost"}


def _fresh(project: Project, fresh: News) -> list[tuple[str, str]]:
    slug = project.slug
    facts, review = reverse("facts", args=[slug]), reverse("review", args=[slug])
    numbers = [
        (fresh.new_facts, "new fact", facts),
        (fresh.changed_facts, "changed fact", f"{facts}?superseded=1"),
        (fresh.new_proposals, "new proposal", review),
        (fresh.decided, "decided proposal", f"{review}?state=applied"),
        (fresh.new_conflicts, "new conflict", reverse("conflicts", args=[slug])),
    ]
    return [
        (f"{_capped(number, FEW)} {words}{'' if number == 1 else 's'}", href)
        for number, words, href in numbers
        if number
    ]


def _growth(kept: Kept, facts: str) -> Chart:
    weeks = kept.days > 31
    shown = [source for source in SOURCES if any(kept.growth.get(source, ())) or kept.sources.get(source)]
    shown.sort(key=lambda source: -sum(kept.growth.get(source, [0])))
    parts = [
        Part(
            SOURCE_NAMES[source],
            kept.growth.get(source, [0] * len(kept.starts)),
            f"{facts}?{urlencode({'source': source})}",
            f"{kept.sources.get(source, 0):,}",
        )
        for source in shown
    ]
    return chart(
        "growth",
        "Growth by source",
        [f"{day:%-d %b}" for day in kept.starts],
        parts,
        unit="facts by the week they were said in" if weeks else "facts by the day they were said on",
        axis="week from" if weeks else "day",
    )


def _spent(kept: Kept) -> list[dict[str, Any]]:
    whole = sum(one.cost for one in kept.spent if one.cost is not None)
    return [
        {
            "name": one.model or "Rules",
            "runs": f"{one.runs:,}",
            "tokens": _short(one.tokens_in + one.tokens_out),
            "cost": "free" if not one.model else "no price" if one.cost is None else f"{one.cost:,.2f}",
            "share": float(one.cost / whole) if one.cost and whole else 0.0,
        }
        for one in kept.spent
    ]


def _cost(kept: Kept) -> Chart:
    days = dict(kept.spent_by_day)
    first = kept.starts[0].toordinal()
    width = kept.starts[1].toordinal() - first if len(kept.starts) > 1 else 1
    values = [0.0] * len(kept.starts)
    for day, cost in days.items():
        values[(day.toordinal() - first) // width] += float(cost)
    labels = [f"{day:%-d %b}" for day in kept.starts]
    return chart("cost", "Cost", labels, [Part("models", values)], unit="a week" if width > 1 else "a day", digits=2)


def _capped(number: int, most: int = MOST) -> str:
    return f"{most:,}+" if number > most else f"{number:,}"


def _short(number: int) -> str:
    """1,284 as "1.3k", 9,400,000 as "9.4M"."""
    for size, letter in ((1_000_000, "M"), (1_000, "k")):
        if number >= size:
            return f"{number / size:.1f}{letter}"
    return str(number)
