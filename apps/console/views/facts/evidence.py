"""The words a fact rests on, inside the message they come from."""

from dataclasses import dataclass
from datetime import datetime

from django.urls import reverse

from apps.console.masking import MASKED, hides
from apps.console.shaping.quotes import marked_spans
from apps.console.templatetags.console import Part
from apps.console.views.facts.shown import Around, Shown
from apps.facts.models import FactSource
from apps.traces.models import Message

AROUND = 160
"""Code points of the message shown on each side of a quote."""
MOST = 10


@dataclass(frozen=True)
class Quote:
    """Part of a message with the evidence marked. ``role`` is empty when the message is gone; ``before`` and ``after`` are
    the turns around it."""

    parts: list[Part]
    role: str
    at: datetime
    trace_id: str
    href: str
    before: Around | None
    after: Around | None


def quotes_of(shown: Shown, slug: str) -> tuple[list[Quote], int]:
    """The evidence of a fact, oldest first, and how many more quotes there are than are given. The first one stands
    between the turns around it. Where the fact is masked, so are the words it rests on."""
    masked = hides(shown.fact.sensitivity)
    groups = _together(shown.sources)
    quotes: list[Quote] = []
    for group in groups[:MOST]:
        first = group[0]
        message = shown.messages.get(first.message_id) if first.message_id else None
        href = reverse("trace", args=[slug, first.trace_id])
        around = shown.around if message and not quotes and not masked else []
        quotes.append(
            Quote(
                parts=[Part(MASKED, False)] if masked else _parts(message, group),
                role=message.role if message else "",
                at=first.observed_at,
                trace_id=first.trace_id,
                href=f"{href}?turn={message.id}#m{message.id}" if message else href,
                before=next((turn for turn in around if not turn.after), None),
                after=next((turn for turn in around if turn.after), None),
            )
        )
    return quotes, max(0, len(groups) - MOST)


def _parts(message: Message | None, group: list[FactSource]) -> list[Part]:
    return _excerpt(message.content, group) if message else [Part(group[0].quote, True)]


def _together(sources: list[FactSource]) -> list[list[FactSource]]:
    """Quotes near each other in one message make one excerpt."""
    groups: list[list[FactSource]] = []
    for source in sources:
        last = groups[-1][-1] if groups else None
        near = last and last.message_id and last.message_id == source.message_id
        if last and near and source.start - last.end <= 2 * AROUND:
            groups[-1].append(source)
        else:
            groups.append([source])
    return groups


def _excerpt(content: str, group: list[FactSource]) -> list[Part]:
    if any(content[source.start : source.end] != source.quote for source in group):
        # The span does not fit the message as it is stored; the quote is what was read.
        return [Part(" … ".join(source.quote for source in group), True)]
    begin, end = group[0].start, max(source.end for source in group)
    left, right = max(0, begin - AROUND), min(len(content), end + AROUND)
    # Cut between words, where there are any.
    if left:
        left = content.find(" ", left, begin) + 1 or left
    if right < len(content):
        right = max(content.rfind(" ", end, right), end)
    parts = marked_spans(content[left:right], [(source.start - left, source.end - left) for source in group])
    before = [Part("… ", False)] if left else []
    return before + parts + ([Part(" …", False)] if right < len(content) else [])
