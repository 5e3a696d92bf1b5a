"""One subject in words: the numbers of the head, the tabs with their rows, and what a reader may see of each."""

from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any
from urllib.parse import urlencode

from django.urls import reverse

from apps.access.policies import allowed
from apps.console.hx import ConsoleRequest
from apps.console.masking import said
from apps.console.subjects import Head, capped, next_to_drop, of_those
from apps.console.views.facts.shape import Tag, tags
from apps.core.text import storable
from apps.facts.models import Fact
from apps.recall.models import ReadLedger
from apps.recall.queries import Served

SENSITIVITIES = {"public": "Public", "internal": "Internal", "personal": "Personal", "special": "Special category"}
WITH_WORDS = 40
"""Of the facts told on one page of reads, so many are shown with their words."""
NAMED = 3
HIDDEN = "••••••"


@dataclass(frozen=True)
class Tab:
    """A view of the subject: what it is called in the address, its label, and its count."""

    name: str
    label: str
    count: str
    href: str
    hot: bool = False
    current: bool = False


def tabs_of(request: ConsoleRequest, head: Head, chosen: str, visible: tuple[str, ...]) -> list[Tab]:
    """The tabs that the reader's roles open; the first is what he gets for an unknown name."""
    actor, page = request.actor, reverse("subject", args=[request.project.slug, head.id])
    pending = of_those(head.pending, visible)
    found = [("now", "Now", of_those(head.current, visible), False)]
    if allowed(actor, "proposals.read"):
        found.append(("pending", "Pending", pending, pending > 0))
    found.append(("history", "History", of_those(head.past, visible), False))
    if allowed(actor, "traces.read"):
        found.append(("traces", "Traces", head.traces, False))
    if allowed(actor, "facts.read_personal"):
        found.append(("served", "Served", head.reads, False))
    names = [name for name, *_ in found]
    current = chosen if chosen in names else "now"
    return [
        Tab(
            name,
            label,
            f"{capped(count)} in 7 d" if name == "served" else capped(count),
            page + (f"?tab={name}" if name != "now" else ""),
            hot,
            name == current,
        )
        for name, label, count, hot in found
    ]


def stats_of(head: Head, tabs: list[Tab], visible: tuple[str, ...]) -> list[dict[str, Any]]:
    """The numbers of the head; each leads to the tab that makes it up."""
    labels = {"now": "Current facts", "pending": "Pending", "history": "Superseded, retired", "traces": "Traces"}
    stats: list[dict[str, Any]] = [
        {"label": labels[tab.name], "value": tab.count, "href": tab.href} for tab in tabs if tab.name in labels
    ]
    served = next((tab for tab in tabs if tab.name == "served"), None)
    if served:
        stats.append({"label": "Reads, 7 days", "value": capped(head.reads), "href": served.href})
    return stats


@dataclass(frozen=True)
class CapUse:
    """How much of the cap on learned facts is used. ``most`` is null where there is none; ``next`` is the fact that
    would go first, null where the reader may not see it or there is none."""

    used: int
    used_text: str
    most: int | None
    left: int
    next: Fact | None
    next_hidden: bool

    @property
    def is_full(self) -> bool:
        return self.most is not None and self.used >= self.most

    @property
    def is_tight(self) -> bool:
        return self.most is not None and self.used >= 0.9 * self.most


def cap_use(project_id: int, head: Head, visible: tuple[str, ...]) -> CapUse:
    """What the cap keeps and would let go next; one more statement where there is a cap and something learned."""
    fact = next_to_drop(project_id, head.id) if head.max_learned is not None and head.learned else None
    seen = fact if fact and fact.sensitivity in visible else None
    left = max(0, head.max_learned - head.learned) if head.max_learned is not None else 0
    return CapUse(head.learned, capped(head.learned), head.max_learned, left, seen, fact is not None and seen is None)


@dataclass(frozen=True)
class Share:
    """One sensitivity of the current facts. ``at`` and ``width`` are its place in a bar: "12.50%"."""

    name: str
    label: str
    count: str
    at: str
    width: str
    href: str


def mix_of(request: ConsoleRequest, head: Head, visible: tuple[str, ...]) -> list[Share]:
    """The sensitivities that the reader may know of, mildest first."""
    total = of_those(head.current, visible) or 1
    shares, at = [], 0.0
    base = {"scope": "user", "scope_id": head.external_id}
    facts = reverse("facts", args=[request.project.slug])
    for name in visible:
        count = head.current.get(name, 0)
        width = 100 * count / total
        if count:
            href = f"{facts}?{urlencode(base | {'sensitivity': name})}"
            shares.append(Share(name, SENSITIVITIES[name], capped(count), f"{at:.2f}%", f"{width:.2f}%", href))
        at += width
    return shares


@dataclass(frozen=True)
class FactRow:
    """A fact in the tab Now or History. ``served`` is None for one that no read told."""

    fact: Fact
    tags: list[Tag]
    href: str
    trace_href: str
    served: Served | None
    successor_href: str


def fact_rows(
    request: ConsoleRequest, head: Head, facts: Iterable[Fact], served: dict[int, Served], visible: tuple[str, ...]
) -> list[FactRow]:
    slug, may_trace = request.project.slug, allowed(request.actor, "traces.read")
    back = urlencode({"scope": "user", "scope_id": head.external_id})
    rows = []
    for fact in facts:
        follow = fact.superseded_by_id and getattr(fact, "successor_sensitivity", None) in visible
        rows.append(
            FactRow(
                fact,
                tags(fact),
                f"{reverse('fact', args=[slug, fact.id])}?{back}",
                reverse("trace", args=[slug, fact.source_trace_id]) if fact.source_trace_id and may_trace else "",
                served.get(fact.id),
                reverse("fact", args=[slug, fact.superseded_by_id]) if follow else "",
            )
        )
    return rows


@dataclass(frozen=True)
class ToldOne:
    """One fact of a read; ``words`` is empty where there are none to show."""

    rank: int
    fact_id: int
    words: str
    href: str


@dataclass(frozen=True)
class ReadRow:
    """One read that named the subject: by which agent, with which key, what was told first, and what else."""

    read: ReadLedger
    agent: str
    agent_href: str
    key: str
    told: list[ToldOne]
    rest: list[ToldOne]
    count: int


def read_rows(request: ConsoleRequest, reads: Iterable[ReadLedger], visible: tuple[str, ...]) -> list[ReadRow]:
    """The reads with the words of the facts told first, one statement for all of them."""
    slug, reads = request.project.slug, list(reads)
    wanted = dict.fromkeys(fact_id for read in reads for fact_id in read.fact_ids[:NAMED])
    facts = (
        Fact.objects.in_project(request.project.id)
        .filter(sensitivity__in=visible)
        .only("id", "content", "sensitivity")
        .in_bulk(list(wanted)[:WITH_WORDS])
        if wanted
        else {}
    )

    def told(rank: int, fact_id: int) -> ToldOne:
        words = said(facts[fact_id]) if fact_id in facts else ""
        return ToldOne(rank, fact_id, words, reverse("fact", args=[slug, fact_id]))

    rows = []
    for read in reads:
        ranked = [told(rank, fact_id) for rank, fact_id in zip(read.ranks, read.fact_ids, strict=True)]
        agent = getattr(read, "agent_name", None)
        rows.append(
            ReadRow(
                read=read,
                agent=agent or ("a deleted agent" if read.agent_id else "a list, for no agent"),
                agent_href=reverse("agent", args=[slug, read.agent_id]) if agent and read.agent_id else "",
                key=getattr(read, "key_name", None) or "a deleted key",
                told=ranked[:NAMED],
                rest=ranked[NAMED:],
                count=len(ranked),
            )
        )
    return rows


def beginning_of(text: str) -> str:
    """What is searched for, as it can be compared with stored ids."""
    return storable(text)[0].strip()[:255]
