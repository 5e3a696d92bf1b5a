"""The words around a quote: the sentence and the clauses it stands in, and whether they are the speaker's own."""

import re
from dataclasses import dataclass
from functools import cached_property, lru_cache

from apps.extraction import languages as words
from apps.extraction import wording
from apps.extraction.clauses import clauses
from apps.extraction.rulebook import RULES, Rule
from apps.extraction.sentences import Span, plain, sentences

_FILLER = re.compile(words.FILLER, re.IGNORECASE)
_REMEMBER = re.compile(words.REMEMBER, re.IGNORECASE)
_REMEMBER_THAT = re.compile(rf"{words.REMEMBER_THAT}[\s.!,]*", re.IGNORECASE)
_QUOTED = re.compile(r"[\"“„«‘](?=\S)[^\"”»’]{3,600}[\"”»“’]|(?<!\w)'(?=\S)[^']{12,600}'(?!\w)")
_TRAILING_WISH = re.compile(rf"[,;–—-]\s*{words.REMEMBER_THAT}[\s.!]*$", re.IGNORECASE)


@dataclass(frozen=True)
class Passage:
    """``clauses`` are the clauses a quote touches, without openings that carry nothing; ``sentence`` all sentences it
    touches as they stand; ``lead`` what stands before them in the same paragraph.

    ``reason`` is set where the words are not the speaker's own: ``served`` or ``code-or-quote``. ``asked``: the speaker
    wants it remembered. ``quoted``: they stand between quotation marks.
    """

    clauses: tuple[str, ...]
    sentence: str
    lead: str
    reason: str | None
    asked: bool
    quoted: bool

    @cached_property
    def rules(self) -> tuple[Rule | None, ...]:
        """What the rulebook makes of each clause; null where it knows none."""
        return tuple(map(_rule_of, self.clauses))


def passage(text: str, start: int, end: int) -> Passage:
    """The passage of ``text[start:end]``."""
    view, spans = _cut(text)
    touched = [span for span in spans if span.start < end and start < span.end]
    if not touched:
        touched = [Span(start, end)]
    reason = next((span.reason for span in touched if span.reason), None)
    after = next((span for span in spans if span.start >= touched[-1].end), None)
    sentence = view[touched[0].start : touched[-1].end]
    asked = _TRAILING_WISH.search(sentence) is not None
    if after is not None and _REMEMBER_THAT.fullmatch(view, after.start, after.end):
        asked = True
    found: list[str] = []
    for span in touched:
        begin, wished = _opening(view, span.start, span.end)
        asked = asked or wished
        for part in clauses(view, Span(begin, span.end)):
            if part.start < end and start < part.end and _shared(view, part, start, end):
                part = _narrowed(view, part, start, end)
                body, wished = _opening(view, part.start, part.end)
                asked = asked or wished
                # The question mark stays: it says what the clause is.
                said = view[body : part.end].rstrip()
                found.append(wording.tidy(said) + ("?" if said.endswith(("?", "？", "؟")) else ""))
    lead = view[max(text.rfind("\n\n", 0, touched[0].start) + 1, touched[0].start - 400, 0) : touched[0].start]
    quoted = any(match.start() < start and end <= match.end() for match in _QUOTED.finditer(text))
    return Passage(tuple(filter(None, found)), sentence, lead, reason, asked, quoted)


def _narrowed(view: str, part: Span, start: int, end: int) -> Span:
    """The clause cut to the quote where a comma stands at the quote's edge: "I live in Braga, how long does it take?"."""
    if end < part.end and (cut := re.compile(r"\s*[,;:–—]\s").match(view, end, part.end)):
        part = Span(part.start, cut.start())
    if part.start < start and re.search(r"[,;:–—]\s*$", view[part.start : start]):
        part = Span(start, part.end)
    return part


def _opening(view: str, start: int, end: int) -> tuple[int, bool]:
    """Where the words begin after "Hi," and "please remember that", and whether the latter was there."""
    asked = False
    while (match := _FILLER.match(view, start, end)) and match.end() < end:
        start = match.end()
    if (match := _REMEMBER.match(view, start, end)) and match.end() < end:
        start, asked = match.end(), True
    return start, asked


def _shared(view: str, part: Span, start: int, end: int) -> bool:
    """Whether the quote and the clause share a word, not a comma alone."""
    return any(char.isalnum() for char in view[max(part.start, start) : min(part.end, end)])


# The candidates of a message often stand in one clause, and a clause can be as long as the message.
@lru_cache(maxsize=64)
def _rule_of(clause: str) -> Rule | None:
    return next((rule for rule in RULES if rule.pattern.search(clause)), None)


@lru_cache(maxsize=64)
def _cut(text: str) -> tuple[str, tuple[Span, ...]]:
    return plain(text), tuple(sentences(text))
