"""The messages of a session as its page shows them: those that a client sent of its agent's working memory, else what was said
in the session's traces, with the summaries that these told of."""

from collections.abc import Callable, Iterable
from dataclasses import dataclass
from datetime import datetime
from typing import Any

from django.db.models import Case, QuerySet, Value, When
from django.db.models.functions import Left, Length

from apps.traces.keeping import NAMED
from apps.traces.models import Message, SessionMessage, Span, Trace
from apps.traces.queries import outermost
from apps.traces.working_memory import Remembered

LOOKED_AT = 2_000
"""Messages of a session up to the moment that is looked at; the newest so many."""
TRACES = 40
"""Of a session of which no client sent messages, the newest so many traces."""
LETTERS = 1_200


@dataclass(frozen=True)
class Line:
    """A message by its number on the page. ``head`` is what it says, of a trace its first LETTERS characters; ``trace_id`` and ``turn`` say where it stands when it is from a trace."""

    number: int
    role: str
    at: datetime
    head: str
    letters: int
    stands_for: int = 0
    trace_id: str = ""
    turn: int = 0

    @property
    def tokens(self) -> int:
        """An estimate: one for four characters, one at least."""
        return max(1, self.letters // 4)


@dataclass(frozen=True)
class Held:
    """``messages``, oldest first, by what matters, and ``lines`` of some of them by number. ``more``: there are older ones."""

    messages: list[Remembered]
    lines: Callable[[Iterable[int]], dict[int, Line]]
    more: bool


def held_of(project_id: int, session_id: int, *, at: int | None) -> Held:
    """Those up to the number ``at``, if one is given. How long a tool's output is at most is seen without reading it."""
    messages = SessionMessage.objects.filter(project_id=project_id, session_id=session_id)
    told = Case(When(external_id__startswith=NAMED, then=Left("content", LETTERS)), default=Value(""))
    rows = list(
        (messages.filter(id__lte=at) if at else messages)
        .order_by("-id")
        .annotate(letters=Length("content"), head=told)
        .values_list("id", "external_id", "role", "letters", "stands_for", "stands_for_said", "at", "head")[:LOOKED_AT]
    )[::-1]
    if all(row[1].startswith(NAMED) for row in rows):
        return _from_traces(project_id, session_id, rows, at)
    found = [
        Remembered(number, role, letters, tuple(stands_for), letters if role == "tool_result" else 0)
        for number, _, role, letters, stands_for, _, _, _ in rows
    ]
    return Held(found, lambda numbers: _lines(messages, numbers), len(rows) == LOOKED_AT)


def _lines(messages: QuerySet[SessionMessage], numbers: Iterable[int]) -> dict[int, Line]:
    return {
        row.id: Line(
            row.id, row.role, row.at, row.content, len(row.content), len(row.stands_for) + len(row.stands_for_said)
        )
        for row in messages.filter(id__in=list(numbers))
    }


def _from_traces(project_id: int, session_id: int, summaries: list[Any], at: int | None) -> Held:
    """Messages of traces have even numbers and summaries odd ones: two tables on one page."""
    of_session = Trace.objects.filter(project_id=project_id, session_id=session_id, origin="")
    traces = of_session.order_by("-started_at", "-id").values("trace_id")[:TRACES]
    said = list(
        Message.objects.filter(project_id=project_id, trace_id__in=traces)
        .order_by("-at", "-id")
        .annotate(letters=Length("content"), head=Left("content", LETTERS))
        .values_list("id", "trace_id", "span_id", "role", "at", "letters", "head")[:LOOKED_AT]
    )
    spans = Span.objects.filter(project_id=project_id, trace_id__in=traces) if said else Span.objects.none()
    parents: dict[str, dict[str, str | None]] = {}
    for trace_id, span_id, parent in spans.values_list("trace_id", "span_id", "parent_span_id"):
        parents.setdefault(trace_id, {})[span_id] = parent
    speaking: dict[str, set[str]] = {}
    for _, trace_id, span_id, *_ in said:
        speaking.setdefault(trace_id, set()).add(span_id)
    outer = {trace_id: outermost(spans_of, parents.get(trace_id, {})) for trace_id, spans_of in speaking.items()}
    lines = [
        Line(2 * number, role, moment, head, letters, 0, trace_id, number)
        for number, trace_id, span_id, role, moment, letters, head in said
        if span_id in outer[trace_id]
    ]
    stands_for: dict[int, tuple[int, ...]] = {}
    for number, _, role, letters, earlier, spoken, moment, head in summaries:
        stands_for[2 * number + 1] = (*(2 * one + 1 for one in earlier), *(2 * one for one in spoken))
        lines.append(Line(2 * number + 1, role, moment, head, letters, len(earlier) + len(spoken)))
    lines.sort(key=lambda line: (line.at, line.role != "user", line.number))
    last = next((place for place, line in enumerate(lines) if line.number == at), len(lines) - 1)
    lines = lines[: last + 1]
    by_number = {line.number: line for line in lines}
    found = [Remembered(line.number, line.role, line.letters, stands_for.get(line.number, ())) for line in lines]
    return Held(
        found, lambda numbers: {one: by_number[one] for one in numbers}, len(outer) == TRACES or len(said) == LOOKED_AT
    )
