"""A dream run as its page shows it: phases with what they cost, and its changes as before and after."""

from collections.abc import Collection, Mapping
from dataclasses import dataclass, field
from datetime import datetime
from typing import Any

from django.template.defaultfilters import pluralize
from django.urls import reverse

from apps.console.diff import changes
from apps.console.masking import hides
from apps.console.shaping import dream_words as words
from apps.console.shaping.quotes import shortened
from apps.core.clock import now
from apps.dreaming.actions.undo_dream import UNDO_FOR
from apps.dreaming.diff import GROUP_OF, Count, facts_of, how_many, moment
from apps.dreaming.models import DreamChange, DreamRun
from apps.dreaming.states import CALLS, PHASES, UNDECIDED

NEVER_TICKED = {"conflict", "resolve", "archive"}
"""What somebody ticks himself: it chooses between statements, or goes beyond a limit."""
NOUNS = {"duplicate", "contradiction"}
QUOTE = 300
Pieces = list[tuple[str, str]]


@dataclass(frozen=True)
class Line:
    """A fact on one side of a change; no pieces where its text is masked."""

    pieces: Pieces
    fact: int | None = None
    href: str = ""
    masked: bool = False


@dataclass(frozen=True)
class Quote:
    text: str
    who: str
    href: str


@dataclass(frozen=True)
class Row:
    """``ticked``: its box is, when the page is opened. ``may``: what can be done with it now."""

    change: DreamChange
    before: list[Line]
    after: list[Line]
    becomes: str
    reason: str
    flags: list[str]
    quotes: list[Quote]
    facts: list[tuple[int, str]]
    state: tuple[str, str, str] | None
    by: str
    why: str
    moved: list[tuple[int, str, int | None, str]]
    masked: bool
    ticked: bool
    may: frozenset[str]
    problem: str = ""

    @property
    def number(self) -> int:
        return self.change.id


@dataclass(frozen=True)
class Group:
    name: str
    label: str
    total: int
    note: str
    rows: list[Row] = field(default_factory=list)


@dataclass(frozen=True)
class Phase:
    """``at`` and ``share`` are of the run's time, 0..100."""

    label: str
    work: str
    state: str
    seconds: int | None
    at: int
    share: int
    calls: int
    most_calls: int
    tokens: int
    cost: Any
    note: str

    @property
    def at_limit(self) -> bool:
        return self.calls >= self.most_calls


def phases_of(run: DreamRun) -> list[Phase]:
    """All four, those that have not begun as well."""
    rows = {row["name"]: row for row in run.shown["phases"]}  # type: ignore[attr-defined]
    began = [moment(row["started_at"]) for row in rows.values()]
    start = min((at for at in began if at), default=now())
    end = run.finished_at or now()
    whole = max((end - start).total_seconds(), 0.001)
    return [_phase(name, rows.get(name), start, end, whole) for name in PHASES]


def _phase(name: str, row: Mapping[str, Any] | None, start: datetime, end: datetime, whole: float) -> Phase:
    label, work = words.PHASE_WORDS[name]
    if row is None:
        return Phase(label, work, "", None, 0, 0, 0, CALLS[name], 0, None, "")
    began, ended = moment(row["started_at"]) or start, moment(row["finished_at"]) or end
    at = min(99, int(100 * (began - start).total_seconds() / whole))
    share = max(1, min(100 - at, round(100 * (ended - began).total_seconds() / whole)))
    return Phase(
        label=label,
        work=_found(name, row["output"]) or work,
        state=row["state"],
        seconds=int((ended - began).total_seconds()),
        at=at,
        share=share,
        calls=row["tool_calls"],
        most_calls=CALLS[name],
        tokens=row["prompt_tokens"] + row["completion_tokens"],
        cost=row["cost"],
        note=words.error_words(row["error_code"]) if row["error_code"] else "",
    )


def _found(name: str, output: Mapping[str, Any]) -> str:
    """What a phase reported, in a line."""
    if name == "orient" and "count" in output:
        issues = [
            f"{n:,} {kind}{pluralize(n) if kind in NOUNS else ''}" for kind, n in output.get("issues", {}).items() if n
        ]
        return f"{output['count']:,} fact{pluralize(output['count'])}" + (f"; {', '.join(issues)}" if issues else "")
    if name == "gather" and "signals" in output:
        found, read = len(output["signals"]), output.get("read", 0)
        return f"{found:,} signal{pluralize(found)} in {read:,} message{pluralize(read)}"
    if name in ("consolidate", "prune") and "staged" in output:
        refused = sum(output.get("refused", {}).values())
        return f"{output['staged']:,} proposed" + (f", {refused:,} refused by the rules" if refused else "")
    return ""


def retires(run: DreamRun, counts: Collection[Count]) -> str:
    """How much of a place the run would retire, beside what it may."""
    wanted = sum(one.n for one in counts if one.op == "retire")
    if not run.facts_before:
        return ""
    limit = run.shown["retire_percent"]  # type: ignore[attr-defined]
    limit = 10 if limit is None else limit
    share = 100 * wanted / run.facts_before
    return f"{wanted:,} of {run.facts_before:,} facts would be retired ({share:.1f} %; at most {limit} %, or three)."


def rows_of(
    run: DreamRun,
    found: Collection[DreamChange],
    *,
    slug: str,
    names: Mapping[str, str],
    ticked: Collection[int] | None,
    problems: Mapping[int, str],
    decides: bool,
) -> list[Row]:
    """``ticked`` are those that the reader ticked so far, none when he has just come; ``decides``: he may."""
    return [_row(run, change, slug, names, ticked, problems, decides) for change in found]


def _row(
    run: DreamRun,
    change: DreamChange,
    slug: str,
    names: Mapping[str, str],
    ticked: Collection[int] | None,
    problems: Mapping[int, str],
    decides: bool,
) -> Row:
    labels = [change.sensitivity, *(one["sensitivity"] for one in facts_of(change))]
    masked = any(hides(label) for label in labels)
    before, after, becomes = _sides(change, slug, masked)
    may = _may(run, change) if decides else frozenset()
    suggested = change.state == "accepted" or (
        change.state == "pending" and change.op not in NEVER_TICKED and not change.flags and not masked
    )
    return Row(
        change=change,
        before=before,
        after=after,
        becomes=becomes,
        reason=("" if masked else change.reason) or words.RULES.get(change.rule, ""),
        flags=[words.FLAGS[flag] for flag in change.flags],
        quotes=[] if masked else _quotes(change, slug),
        facts=[(number, _fact(slug, number)) for number in _beside(change)],
        state=words.CHANGE_STATES.get(change.state),
        by=names.get(change.decided_by, "") if change.decided_by and change.state != "conflicted" else "",
        why=words.why_words(change.why) if change.why and change.state in ("accepted", "conflicted") else "",
        moved=_moved(change, slug),
        masked=masked,
        ticked="tick" in may and (suggested if ticked is None else change.id in ticked),
        may=may,
        problem=problems.get(change.id, ""),
    )


def _may(run: DreamRun, change: DreamChange) -> frozenset[str]:
    if run.state not in ("proposed", "settled"):
        return frozenset()
    if change.state in UNDECIDED:
        able = {"reject"} | ({"accept"} if change.state == "pending" else {"reopen"})
        return frozenset(able | (set() if run.dry_run else {"tick"}))
    if change.state == "rejected":
        return frozenset(["reopen"])
    recent = change.decided_at is not None and now() - change.decided_at <= UNDO_FOR
    return frozenset(["undo"] if change.state == "applied" and recent else [])


def _fact(slug: str, number: int) -> str:
    return reverse("fact", args=[slug, number])


def _sides(change: DreamChange, slug: str, masked: bool) -> tuple[list[Line], list[Line], str]:
    """What it says now, what it would say, and what becomes of it where that is no statement."""

    def line(one: Mapping[str, Any], pieces: Pieces) -> Line:
        return Line([] if masked else pieces, one["fact"], _fact(slug, one["fact"]), masked)

    def whole(tag: str, one: Mapping[str, Any]) -> Line:
        return line(one, [(tag, one["content"])])

    keeps, sources, sides = (facts_of(change, role) for role in ("keep", "source", "side"))
    if change.content and sources:
        made = change.fact_id if change.state == "applied" else None
        before = [line(one, _of("del", one["content"], change.content)) for one in sources]
        after = Line(
            [] if masked else _of("ins", sources[0]["content"], change.content),
            made,
            _fact(slug, made) if made else "",
            masked,
        )
        return before, [after], ""
    if change.content:
        made = change.fact_id if change.state == "applied" else None
        said = Line([] if masked else [("ins", change.content)], made, _fact(slug, made) if made else "", masked)
        return [], [said], ""
    if keeps:
        return (
            [whole("span", one) for one in keeps] + [whole("del", one) for one in sources],
            [whole("span", one) for one in keeps],
            "",
        )
    if change.op == "conflict":
        return [whole("span", one) for one in sides or sources], [], "Put before a person as a conflict; all stay told"
    return [whole("del", one) for one in sources], [], "Retired, kept in history"


def _of(side: str, old: str, new: str) -> Pieces:
    """One side of the change from old to new: without what only the other has."""
    return [(tag, text) for tag, text in changes(old, new) if tag in ("span", side)]


def _quotes(change: DreamChange, slug: str) -> list[Quote]:
    found = []
    for one in change.shown["evidence"]:  # type: ignore[attr-defined]
        if not one["text"]:
            continue
        href = ""
        if one["trace"]:
            href = f"{reverse('trace', args=[slug, one['trace']])}#m{one['message']}"
        found.append(Quote(shortened(one["text"], QUOTE), one["role"], href))
    return found


def _beside(change: DreamChange) -> list[int]:
    """Facts that it rests on beside those that it is about."""
    about = {one["fact"] for one in facts_of(change)}
    return [one["fact"] for one in change.shown["evidence"] if one["fact"] and one["fact"] not in about]  # type: ignore[attr-defined]


def _moved(change: DreamChange, slug: str) -> list[tuple[int, str, int | None, str]]:
    """Facts of a change that can't be applied which are not current any more, with what replaced them."""
    if change.state != "conflicted":
        return []
    return [
        (
            one["fact"],
            _fact(slug, one["fact"]),
            one["superseded_by"],
            _fact(slug, one["superseded_by"]) if one["superseded_by"] else "",
        )
        for one in facts_of(change)
        if not one["current"]
    ]


def grouped(rows: Collection[Row], counts: Collection[Count]) -> list[Group]:
    """The rows of a page under their headings."""
    found: dict[str, list[Row]] = {}
    for row in rows:
        found.setdefault(GROUP_OF[row.change.op], []).append(row)
    return [
        Group(name, words.GROUP_LABELS[name], how_many(counts, group=name), _note(name, mine), mine)
        for name, mine in found.items()
    ]


def _note(name: str, rows: list[Row]) -> str:
    open_ones = [row for row in rows if "tick" in row.may]
    if not open_ones:
        return ""
    if name == "conflicts":
        return "never ticked for you"
    ticked = sum(row.ticked for row in open_ones)
    return "all ticked" if ticked == len(open_ones) else f"{ticked} of {len(open_ones)} ticked"
