"""The extractor that works offline: a table of patterns over the user's own sentences.

It knows what its table says and no more: no model, no guess, no word of the assistant. The same conversation gives the
same result, always. It misses much, on purpose; what it keeps it can quote.
"""

import re
from bisect import bisect_right
from dataclasses import dataclass, replace

from apps.core.text import longest_mark_run, norm_hash
from apps.extraction import languages as words
from apps.extraction import wording
from apps.extraction.attributes import SINGLE
from apps.extraction.candidates import MAX_PER_TRACE, Candidate, Conversation, Extraction, Turn
from apps.extraction.clauses import clauses
from apps.extraction.corrections import misgives, mocks, put_right, retracts
from apps.extraction.filing import asked_rule, filed
from apps.extraction.guards import is_order, secret_spans
from apps.extraction.rulebook import RULES, SPOILERS
from apps.extraction.sentences import Span, plain, sentences, trim
from apps.extraction.voices import own_words, quoted

MAX_CLAUSE = 500  # code points: longer is a story, and a reviewer can't check it at a glance
MAX_SENTENCE = 2000
MAX_WORD = 60  # longer is a blob, an encoded payload or noise

_I = re.IGNORECASE
_FILLER = re.compile(words.FILLER, _I)
_REMEMBER = re.compile(words.REMEMBER, _I)
_REMEMBER_THAT = re.compile(rf"{words.REMEMBER_THAT}[\s.!,]*", _I)
_TRAILING_WISH = re.compile(rf"(?<=\w)\s*[,;–—-]\s*{words.REMEMBER_THAT}[\s.!]*$", _I)
_UNCERTAIN = re.compile(words.UNCERTAIN, _I)
_JOKE = re.compile(words.JOKE, _I)
_STAND_IN = re.compile(words.STAND_IN, _I)
# "We lost a client over it, so now there's a rota": what came of it makes an event worth telling.
_LASTING_EFFECT = re.compile(
    words.joined(r"""
        ,? (?:that's why|that is why|which is why|hence)\b|,? (?:and )?so (?!please|can|could|would|will you|don't|
        never|always|only)[^.!?]{0,60}?\b(?:now|never|always|no longer|only|nobody|since then|don't|can't|won't)\b
    """),
    _I,
)
_CHANGES = re.compile(words.CHANGES, _I)


class RulesExtractor:
    """See ``Extractor``. Needs no user id: whether a statement about the speaker may be kept is curation's to say."""

    name = "rules"
    version = "2"

    def extract(self, conversation: Conversation) -> Extraction:
        """Candidates of the user's turns and the reasons for every sentence or clause left out. Never raises."""
        reading = _Reading(conversation)
        for turn in conversation.turns:
            if turn.role == "user":
                reading.read(turn)
        return Extraction(tuple(item.candidate for item in reading.kept), dict(sorted(reading.dropped.items())))


@dataclass(frozen=True)
class _Kept:
    candidate: Candidate
    sentence: int  # running number of the sentence it came from, over the whole conversation


@dataclass(frozen=True)
class _Opening:
    """Where a clause's first words stand: all of them, and those after "Hi," and "Actually,"."""

    all: int
    words: int


class _Reading:
    """One pass over one conversation."""

    def __init__(self, conversation: Conversation) -> None:
        self.conversation = conversation
        self.kept: list[_Kept] = []
        self.dropped: dict[str, int] = {}
        self.number = 0
        self.stand_in = False
        self.mocked = -1  # number of the sentence last spoilt by sarcasm
        self.quoted: list[tuple[int, int]] = []
        self.seen: set[bytes] = set()

    def leave_out(self, reason: str) -> None:
        self.dropped[reason] = self.dropped.get(reason, 0) + 1

    def read(self, turn: Turn) -> None:
        view = plain(turn.text)
        spans = sentences(turn.text)
        if is_order(turn.text):
            # Not even the harmless half: an order to the assistant spoils the message it stands in.
            for _ in spans:
                self.leave_out("instruction")
            return
        secrets = secret_spans(turn.text)
        own_end, foreign = own_words(turn.text)
        self.quoted = quoted(turn.text)
        self.stand_in = self.stand_in or _STAND_IN.search(view) is not None
        self.mocked = -1
        for index, span in enumerate(spans):
            self.number += 1
            following = view[spans[index + 1].start : spans[index + 1].end] if index + 1 < len(spans) else ""
            if any(start < span.end and span.start < end for start, end in secrets):
                self.leave_out("secret")
            elif span.reason or span.start >= own_end:
                self.leave_out(span.reason or foreign)
            else:
                own = trim(turn.text, Span(span.start, min(span.end, own_end)))
                self.read_sentence(turn, view, own, asked=_REMEMBER_THAT.fullmatch(following) is not None)

    def read_sentence(self, turn: Turn, view: str, span: Span, asked: bool) -> None:
        said = view[span.start : span.end]
        reason = self.unfit(said)
        if reason:
            self.leave_out(reason)
            return
        if self.mocked == self.number - 1 and said[-1] not in "?？؟":
            self.leave_out("joke")
            return
        if _JOKE.search(said):
            if mocks(said):
                self.take_back("joke", sentences=2)
            self.leave_out("joke")
            return
        if self.corrected(turn, view, span):
            return
        if spoiler := next((rule for rule in SPOILERS if rule.pattern.search(said)), None):
            if spoiler.id == "sarcasm":
                self.mocked = self.number
            self.leave_out(spoiler.drop)
            return
        start = self.after_filler(view, span.start, span.end)
        body, wished = self.after_wish(view, start, span.end)
        asked = asked or wished
        end = span.end
        if trailing := _TRAILING_WISH.search(view, body, end):
            asked, end = True, trailing.start()
        parts = clauses(view, Span(body, end))
        if self.doubtful([view[part.start : part.end] for part in parts]):
            self.leave_out("uncertain")
            return
        for index, part in enumerate(parts):
            if part.reason and self.kept and self.kept[-1].sentence == self.number:
                self.leave_out("no-durable")
                continue
            opening = _Opening(span.start, start) if index == 0 else _Opening(part.start, part.start)
            after = view[part.end : span.end] if index + 1 < len(parts) else ""
            explains = _LASTING_EFFECT.match(after) is not None
            self.read_clause(turn, view, trim(turn.text, part), opening, asked, explains)

    @staticmethod
    def unfit(said: str) -> str | None:
        """Why the sentence can't be a statement at all, or null."""
        if not any(character.isalpha() for character in said):
            return "small-talk"
        if len(said) > MAX_SENTENCE:
            return "too-long"
        if said[0] in "\"“«„'‹「『" and said.rstrip(".!?")[-1:] in "\"”»“'›」』":
            return "code-or-quote"
        if max(map(len, said.split())) > MAX_WORD or longest_mark_run(said) > 8:
            return "code-or-quote"
        return None

    @staticmethod
    def doubtful(parts: list[str]) -> bool:
        """Doubt that opens a sentence spoils it, and so does a clause that only doubts: "I live in Porto, I think"."""
        unsure = [part for part in parts if _UNCERTAIN.search(part)]
        return len(parts) > 1 and (parts[0] in unsure or any(len(part.split()) <= 4 for part in unsure))

    def is_quoted(self, part: Span) -> bool:
        """Whether the clause begins in a quotation, or two fifths of it are one: then it is about what was said."""
        upto = bisect_right(self.quoted, (part.end, 0))
        # At most two stretches overlap, so that the last few are all that can touch the clause.
        return any(
            begin <= part.start < end
            or (part.start < begin and 5 * (min(end, part.end) - begin) >= 2 * (part.end - part.start))
            for begin, end in self.quoted[max(0, upto - 4) : upto]
        )

    @staticmethod
    def after_filler(view: str, start: int, end: int) -> int:
        while (match := _FILLER.match(view, start, end)) and match.end() < end:
            start = match.end()
        return start

    @staticmethod
    def after_wish(view: str, start: int, end: int) -> tuple[int, bool]:
        match = _REMEMBER.match(view, start, end)
        return (match.end(), True) if match and match.end() < end else (start, False)

    def read_clause(
        self, turn: Turn, view: str, part: Span, opening: _Opening, asked: bool, explains: bool = False
    ) -> None:
        if self.is_quoted(part):
            self.leave_out("code-or-quote")
            return
        start = self.after_filler(view, part.start, part.end)
        body, wished = self.after_wish(view, start, part.end)
        asked = asked or wished
        if part.end - body > MAX_CLAUSE:
            self.leave_out("too-long")
            return
        said = wording.tidy(view[body : part.end])
        judged = wording.spelt_out(said) + (", hence" if explains else "")
        if asked:
            judged = judged.rstrip("?？ ")  # "Can you remember my bins go out on Monday?" asks for nothing but that
        rule = next((rule for rule in RULES if rule.pattern.search(judged)), None)
        if rule is None or (asked and rule.drop in {"greeting", "small-talk"}):
            rule = asked_rule(said) if asked and len(said.split()) >= 3 and not said.endswith("?") else None
        if rule is None or rule.drop:
            self.leave_out(rule.drop if rule else "no-durable")
        elif rule.about == "speaker" and self.stand_in:
            self.leave_out("other-person")
        else:
            start = min(opening.words, start) if wished or body == part.start else start
            changes = _CHANGES.search(view, opening.all, part.end) is not None
            self.add(filed(turn, view, rule, Span(start, part.end), body, asked=asked, changes=changes))

    def add(self, candidate: Candidate) -> None:
        hashes = {
            norm_hash(form)
            for text in (candidate.statement, candidate.quote)
            for form in (text, wording.tidy(text), wording.sentence(text))
        }
        if hashes & self.conversation.served:
            self.leave_out("served")
        elif norm_hash(candidate.statement) in self.seen:
            self.leave_out("repeated")
        else:
            self.seen.add(norm_hash(candidate.statement))
            if candidate.changes_known and candidate.attribute in SINGLE:
                self.replace_earlier(candidate)
            if len(self.kept) >= MAX_PER_TRACE:
                self.leave_out("cap")
            else:
                self.kept.append(_Kept(candidate, self.number))

    def replace_earlier(self, later: Candidate) -> None:
        for item in [
            item
            for item in self.kept
            if item.candidate.attribute == later.attribute and item.candidate.about == later.about
        ]:
            self.kept.remove(item)
            self.leave_out("corrected")

    def corrected(self, turn: Turn, view: str, span: Span) -> bool:
        """ "No wait, it's 14 days not 30": the statement just made is said again with the new value, or taken back."""
        said = view[span.start : span.end]
        last = self.kept[-1] if self.kept and self.number - self.kept[-1].sentence <= 2 else None
        if retracts(said):
            self.take_back("corrected")
            self.leave_out("command")
            return True
        statement = put_right(last.candidate.statement, said) if last else None
        if last is None or statement is None:
            if misgives(said):
                self.take_back("corrected")
            return False
        self.kept.remove(last)
        self.leave_out("corrected")
        self.add(
            replace(
                last.candidate,
                statement=statement,
                message_id=turn.message_id,
                quote=turn.text[span.start : span.end],
                start=span.start,
                end=span.end,
                observed_at=turn.at,
                rule="correction",
                changes_known=True,
            )
        )
        return True

    def take_back(self, reason: str, sentences: int = 1) -> None:
        """Leaves out what the sentences right before this one had given."""
        for item in [item for item in self.kept if self.number - sentences <= item.sentence < self.number]:
            self.kept.remove(item)
            self.leave_out(reason)
