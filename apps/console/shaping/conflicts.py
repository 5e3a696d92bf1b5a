"""A conflict as its page shows it: one column a side, the same rows in each, and what differs."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from django.urls import reverse

from apps.console.conflicts import SideRow
from apps.console.masking import MASKED, hides, said
from apps.console.shaping.choices import trust_in_words
from apps.console.shaping.quotes import excerpt, shortened
from apps.console.shaping.rows import STATE_LABELS
from apps.console.templatetags.console import Part, unslug
from apps.console.views.facts.shape import Tag, status
from apps.curation.models import Conflict
from apps.curation.standing import Side, Suggestion, suggestion

SETTLED = {
    "kept_one": "One was kept",
    "kept_both": "All were kept",
    "wrote_new": "A third was written",
    "moot": "Nothing left to decide",
}
SPEAKERS = {
    "user": "the user", "assistant": "the agent, in its answer", "tool": "a tool's result", "curator": "a curator",
    "agent": "an agent, outside a conversation", "unknown": "nobody knows",
}  # fmt: skip
RULES = {
    "pinned": "a person pinned it",
    "trust": "its source has more authority",
    "newer": "it was said later",
    "corroborated": "more conversations say it",
    "approved": "a person approved it",
}


@dataclass(frozen=True)
class Cell:
    """``kind`` names how the template draws ``value``; ``plus`` is what speaks for this side here. Where ``value`` is masked,
    sides are compared by ``real``, which no template draws."""

    kind: str
    value: Any
    plus: str = ""
    real: Any = None


@dataclass(frozen=True)
class Line:
    label: str
    cells: list[Cell]

    @property
    def differs(self) -> bool:
        return len({repr(cell.value if cell.real is None else cell.real) for cell in self.cells}) > 1


@dataclass(frozen=True)
class Column:
    """A side's heading, and what choosing it would do."""

    key: int
    side: Side
    where: str
    href: str
    tag: Tag
    suggested: bool
    effect: str


@dataclass(frozen=True)
class Compared:
    columns: list[Column]
    lines: list[Line] = field(default_factory=list)
    suggested: str = ""
    because: str = ""


def about(conflict: Conflict) -> str:
    """Whose it is, in words."""
    if conflict.subject:
        return conflict.subject.external_id
    if conflict.agent:
        return conflict.agent.name
    return conflict.scope_id or "the project"


def topic(conflict: Conflict) -> str:
    """What it is about, in words: an attribute, or the fact that one side says it changes."""
    head, _, number = conflict.attribute.partition("fact-")
    return f"what #{number} says" if not head and number.isdecimal() else unslug(conflict.attribute)


def compared(rows: Sequence[SideRow], slug: str, names: Mapping[str, str]) -> Compared:
    """The sides that stand, side by side."""
    sides = [row.side for row in rows]
    found = suggestion(sides)
    columns = [
        Column(
            key=number,
            side=row.side,
            where=("Left" if number == 1 else "Right") if len(rows) == 2 else f"Side {number}",
            href=_href(row.side, slug),
            tag=_tag(row),
            suggested=found is not None and found.ref == row.side.ref,
            effect=_effect(row.side, sides),
        )
        for number, row in enumerate(rows, start=1)
    ]
    chosen = next((column for column in columns if column.suggested), None)
    return Compared(
        columns,
        _lines(rows, slug, names) if len(rows) > 1 else [],
        f"{chosen.where.lower() if len(rows) == 2 else chosen.where}, {chosen.side.name}" if chosen else "",
        _because(found, sides) if found else "",
    )


def _lines(rows: Sequence[SideRow], slug: str, names: Mapping[str, str]) -> list[Line]:
    newest = max(row.side.said_at for row in rows)
    others = {row.side.ref: max(o.side.said_at for o in rows if o is not row) for row in rows}
    top = {name: _top(rows, name) for name in ("trust", "confidence")}

    def line(label: str, cell: Any) -> Line:
        return Line(label, [cell(row) for row in rows])

    def at(row: SideRow) -> Cell:
        days = (row.side.said_at - others[row.side.ref]).days
        later = row.side.said_at == newest and days > 0
        return Cell("when", row.side.said_at, f"newer by {days:,} day{'' if days == 1 else 's'}" if later else "")

    lines = [
        line("Statement", lambda row: Cell("statement", said(row.side.row), real=row.side.row.content)),
        line("Said", at),
        line("Evidence", lambda row: Cell("quotes", _quotes(row, slug), real=row.quotes)),
        line(
            "Said by",
            lambda row: Cell("text", SPEAKERS[row.side.row.speaker], "more authority" if top["trust"] is row else ""),
        ),
        line("Authority", lambda row: Cell("text", trust_in_words(row.side.row.trust))),
        line("Source", lambda row: Cell("trace", _trace(row.side, slug))),
        line(
            "Confidence",
            lambda row: Cell("confidence", row.side.row.confidence, "higher" if top["confidence"] is row else ""),
        ),
        line("Heard", lambda row: Cell("text", _heard(row.side))),
        line("Told", lambda row: Cell("told", (row.reads, row.more, row.last_at))),
        line("Approved by", lambda row: Cell("approved", (_by(row, names), row.at if row.by else None))),
        line("Scope", lambda row: Cell("scope", (row.side.row.scope, row.side.row.scope_id))),
        line("Sensitivity", lambda row: Cell("text", row.side.row.sensitivity)),
        line("Holds", lambda row: Cell("span", (row.side.row.valid_from, row.side.row.valid_to))),
    ]
    # What differs comes first, in the same order.
    return sorted(lines, key=lambda one: not one.differs)


def _top(rows: Sequence[SideRow], name: str) -> SideRow | None:
    first, second, *_ = sorted(rows, key=lambda row: getattr(row.side.row, name), reverse=True)
    return first if getattr(first.side.row, name) > getattr(second.side.row, name) else None


def _because(found: Suggestion, sides: Sequence[Side]) -> str:
    said = RULES[found.rule].capitalize()
    if found.rule == "newer":
        said = (
            f"It was said {found.days:,} day{'' if found.days == 1 else 's'} later, and its source is trusted no less"
        )
    elif found.rule == "trust":
        side = next(side for side in sides if side.ref == found.ref)
        said = f"Its source has more authority: {trust_in_words(side.row.trust)}"
    other = "the other" if len(sides) == 2 else "another"
    against = (
        f" For {other} speaks that {' and that '.join(RULES[rule] for rule in found.against)}." if found.against else ""
    )
    return f"{said}.{against}"


def _effect(side: Side, sides: Sequence[Side]) -> str:
    facts = [other.name for other in sides if other is not side and other.fact]
    waiting = [other.name for other in sides if other is not side and other.proposal]
    said = []
    if facts:
        said.append(f"{_and(facts)} {'is' if len(facts) == 1 else 'are'} superseded")
    if waiting:
        said.append(f"{_and(waiting)} {'is' if len(waiting) == 1 else 'are'} rejected")
    rest = f"agents go on being told {side.name}" if side.fact else f"agents are told {side.name} from their next turn"
    return f"{' and '.join(said)}; {rest}."


def _and(names: Sequence[str]) -> str:
    return " and ".join([", ".join(names[:-1]), names[-1]] if len(names) > 1 else list(names))


def _href(side: Side, slug: str) -> str:
    row = side.proposal
    return reverse("proposal", args=[slug, row.id]) if row else reverse("fact", args=[slug, side.row.id])


def _tag(row: SideRow) -> Tag:
    proposal = row.side.proposal
    if proposal:
        return Tag("warn" if row.stands else "", "clock" if row.stands else "x", STATE_LABELS[proposal.state])
    assert row.side.fact is not None
    found = status(row.side.fact)
    return Tag(found.css, found.icon, f"{found.text}, told") if found.text == "Active" and row.reads else found


def _quotes(row: SideRow, slug: str) -> list[dict[str, Any]]:
    """Masked with the statement that rests on them."""
    found = [_quote(quote, slug) for quote in row.quotes]
    if hides(row.side.row.sensitivity):
        return [quote | {"parts": [Part(MASKED, False)]} for quote in found]
    return found


def _quote(quote: dict[str, Any], slug: str) -> dict[str, Any]:
    around, at, words = quote["around"] or "", quote["at"] or 0, quote["quote"]
    href = reverse("trace", args=[slug, quote["trace_id"]])
    return {
        "parts": excerpt(around, at, at + len(words), shortened(words, 600) if not around else words),
        "role": quote["role"] or "",
        "href": f"{href}#m{quote['message_id']}" if quote["message_id"] else href,
    }


def _trace(side: Side, slug: str) -> tuple[str, str, str]:
    """The source's name, the trace it came from, and where that is."""
    row = side.row
    source = side.fact.source if side.fact else "learned" if row.source_trace_id else side.proposal.origin  # type: ignore[union-attr]
    href = reverse("trace", args=[slug, row.source_trace_id]) if row.source_trace_id else ""
    return source, row.source_trace_id or "", href


def _heard(side: Side) -> str:
    more = side.fact.corroborations if side.fact else 0
    return "once" if not more else f"in {more + 1:,} conversations"


def _by(row: SideRow, names: Mapping[str, str]) -> str:
    return names.get(row.by, "") if row.by else "nobody yet"


@dataclass(frozen=True)
class Told:
    """One agent, and which of the statements it is told now."""

    agent: str
    kept: list[Side]
    gone: list[Side]


def told_now(rows: Sequence[SideRow], agents: Sequence[str]) -> list[Told]:
    """What each agent is told of a settled conflict's sides, and what no longer; agents that read none are left out."""
    found = []
    for agent in agents:
        mine = [row for row in rows if _reads(agent, row.side)]
        kept = [row.side for row in mine if row.stands and row.side.fact and status(row.side.fact).text == "Active"]
        gone = [row.side for row in mine if row.side not in kept and row.side.fact]
        if kept or gone:
            found.append(Told(agent, kept, gone))
    return found


def _reads(agent: str, side: Side) -> bool:
    return side.row.scope != "agent" or side.row.scope_id == agent
