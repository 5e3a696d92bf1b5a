"""One page of a trace's conversation, with the words marked that facts and proposals rest on."""

from dataclasses import dataclass
from datetime import datetime
from uuid import UUID

from django.db.models import Q

from apps.console.queries import Quoted, quoted_spans, speaking_spans
from apps.console.shaping.quotes import marked_spans
from apps.console.shaping.rows import speaker
from apps.console.templatetags.console import Part
from apps.traces.models import Message, Trace
from apps.traces.queries import outermost

TURNS = 40
MAX_TURN = 20_000


@dataclass(frozen=True)
class Turn:
    """One message. ``inner`` is said inside the run, by one agent to another, and not to the user; ``facts`` and
    ``proposals`` rest on its words; ``cut`` says by how many characters it is shortened."""

    id: int
    number: int | None
    who: str
    at: datetime
    parts: list[Part]
    cut: int
    inner: bool
    facts: list[int]
    proposals: list[UUID]


@dataclass(frozen=True)
class Talk:
    """Some turns in order; ``earlier`` and ``later`` are the message ids from which other pages go on, null at an end."""

    turns: list[Turn]
    earlier: int | None
    later: int | None
    first_page: bool

    @property
    def marked(self) -> bool:
        return any(part.mark for turn in self.turns for part in turn.parts)


def talk_of(
    trace: Trace, sensitivities: tuple[str, ...], *, turn: int | None = None, before: int | None = None
) -> Talk:
    """Forty messages from the message ``turn`` on, or those ``before`` one; the first forty without either. Three
    statements, however long the trace is."""
    messages = Message.objects.filter(project_id=trace.project_id, trace_id=trace.trace_id)
    if trace.message_count <= TURNS:
        turn = before = None
    start = turn if turn is not None else before
    mark = messages.filter(id=start).values("at") if start is not None else None
    backwards = before is not None and turn is None
    if mark is not None and backwards:
        found = list(
            messages.filter(Q(at__lt=mark) | Q(id__lt=before), at__lte=mark).order_by("-at", "-id")[: TURNS + 1]
        )
        more, rows = len(found) > TURNS, found[:TURNS][::-1]
        earlier, later = (rows[0].id if more and rows else None), before
    else:
        if mark is not None:
            messages = messages.filter(Q(at__gt=mark) | Q(id__gte=start), at__gte=mark)
        found = list(messages.order_by("at", "id")[: TURNS + 1])
        rows = found[:TURNS]
        earlier, later = (start if rows else None), (found[TURNS].id if len(found) > TURNS else None)
    quoted = quoted_spans(trace.project_id, trace.trace_id, sensitivities) if rows else {}
    outer = _outer(trace, rows)
    first = start is None or (backwards and earlier is None)
    return Talk(
        [
            _turn(message, number if first else None, quoted.get(message.id, []), message.span_id not in outer)
            for number, message in enumerate(rows, 1)
        ],
        earlier,
        later,
        first,
    )


def _outer(trace: Trace, rows: list[Message]) -> set[str]:
    """The spans whose words are the conversation: all where there is but one."""
    speaking = {message.span_id for message in rows}
    if len(speaking) < 2 and trace.message_count <= len(rows):
        return speaking
    return outermost(*speaking_spans(trace.project_id, trace.trace_id))


def _turn(message: Message, number: int | None, quoted: list[Quoted], inner: bool) -> Turn:
    return Turn(
        id=message.id,
        number=number,
        who=speaker(message),
        at=message.at,
        parts=marked_spans(message.content[:MAX_TURN], [(one.start, one.end) for one in quoted]),
        cut=max(0, len(message.content) - MAX_TURN),
        inner=inner,
        facts=sorted({one.fact_id for one in quoted if one.fact_id is not None}),
        proposals=list(dict.fromkeys(one.proposal_id for one in quoted if one.proposal_id is not None)),
    )
