"""One candidate before the write policy: everything a rule may ask about it, each answered once."""

import re
from dataclasses import dataclass, replace
from functools import cached_property

from apps.core.text import norm_hash, normalise
from apps.extraction import signs, wording
from apps.extraction.candidates import Candidate, Conversation, Scope, Sensitivity, Turn
from apps.extraction.dates import absolute
from apps.extraction.passage import Passage, passage
from apps.extraction.rulebook import Rule
from apps.extraction.sentences import plain
from apps.extraction.witness import locate, strangers, words_of
from apps.screening.findings import QUARANTINE, REJECT, Screening
from apps.screening.screen import screen
from apps.screening.secrets import MARK

_ORDER: tuple[Sensitivity, ...] = ("public", "internal", "personal", "special")
_SINGULAR = re.compile(r"(?:i|i'm|i've|i'd|my)\b", re.IGNORECASE)
_SHINGLE = 4
_WORDS = re.compile(r"[^\W\d_]+")
_NEGATED = re.compile(r"\b(?:not|never|no longer|no|without|nobody|none|neither|cannot)\b|n['’]t\b", re.IGNORECASE)
_SHORTEST_ECHO = 3  # words; two of them anybody says again
# Signs that a clause the rulebook knows to be lasting is let off: it looked at the whole clause, they at a word or two.
_LET_OFF = frozenset({"ONE_OFF", "HAPPENING", "ORDER", "GENERAL", "ACKNOWLEDGEMENT", "REFUSAL", "PAST"})
# Signs that speak for all that follows them in a paragraph.
_LEADING = frozenset({"RECALLED", "REPORTED", "HYPOTHETICAL", "SYSTEM_TEXT"})


class Papers:
    """What all candidates of a conversation are held against, each looked up once."""

    def __init__(self, conversation: Conversation) -> None:
        self.conversation = conversation
        self.turns = {turn.message_id: turn for turn in conversation.turns}
        self._screened: dict[str, Screening] = {}
        self._echoes: dict[str, tuple[str, frozenset[str]]] = {}

    def screened(self, text: str) -> Screening:
        if text not in self._screened:
            self._screened[text] = screen(text)
        return self._screened[text]

    @cached_property
    def words(self) -> set[str]:
        """What a name may come from."""
        talk = self.conversation
        texts = [turn.text for turn in (*talk.earlier, *talk.turns)]
        facts = (fact.content for fact in talk.known)
        return words_of((*texts, talk.agent_name or "", talk.user_id or "", *facts))

    def echoes(self, said: str, source: str) -> bool:
        """Whether ``said`` (normalised) is a run of ``source``'s words, or most of it is."""
        if source not in self._echoes:
            plain = normalise(source)
            self._echoes[source] = (f" {plain} ", frozenset(_shingles(plain)))
        plain, known = self._echoes[source]
        if len(said.split()) < _SHORTEST_ECHO:
            return False
        if f" {said} " in plain or f" {said.rstrip('.!?,;:')}" in plain:
            return True
        mine = _shingles(said)
        return len(mine) >= 3 and sum(shingle in known for shingle in mine) >= 0.8 * len(mine)


@dataclass(frozen=True)
class Case:
    """One candidate with its papers. ``said`` are the digests of what was kept of this conversation so far, ``raised`` is
    the least injection score it has, whatever the rules find."""

    candidate: Candidate
    papers: Papers
    said: frozenset[bytes]
    raised: float = 0.0

    QUARANTINE = QUARANTINE
    REFUSE = REJECT

    @cached_property
    def turn(self) -> Turn | None:
        return self.papers.turns.get(self.candidate.message_id)

    @cached_property
    def span(self) -> tuple[int, int] | None:
        """Where the quote stands in the message, or null: then nobody said it."""
        candidate, turn = self.candidate, self.turn
        if turn is None:
            return None
        if candidate.quote and turn.text[candidate.start : candidate.end] == candidate.quote:
            return candidate.start, candidate.end
        return locate(candidate.quote, turn.text)

    @cached_property
    def passage(self) -> Passage:
        assert self.turn is not None and self.span is not None
        return passage(self.turn.text, *self.span)

    @cached_property
    def quote(self) -> str:
        assert self.turn is not None and self.span is not None
        return self.turn.text[self.span[0] : self.span[1]]

    @property
    def is_matched(self) -> bool:
        """Whether the offline rules gave it: they have judged its clause already."""
        return bool(self.candidate.rule)

    @cached_property
    def is_known_kind(self) -> bool:
        """Whether the rulebook would keep one of the clauses."""
        return self.is_matched or any(rule is not None and not rule.drop for rule in self.passage.rules)

    @cached_property
    def strangers(self) -> list[str]:
        if self.is_matched:
            return []
        dated = [moment for moment in (self.candidate.valid_from, self.candidate.valid_to) if moment]
        parts = {str(part) for moment in dated for part in (moment.day, moment.year)}
        if re.search(r"\b20\d\d\b", self.statement) and signs.RELATIVE.search(self.quote):
            # "Last Monday" became a date, worked out from the day of the message.
            year = self.candidate.observed_at.year
            parts |= {str(year + step) for step in (-1, 0, 1)} | {str(day) for day in range(1, 32)}
        return strangers(self.statement, self.papers.words, parts)

    @property
    def statement(self) -> str:
        return self.candidate.statement

    @cached_property
    def has_secret(self) -> bool:
        assert self.turn is not None and self.span is not None
        start, end = self.span
        if any(found.start < end and start < found.end for found in self.papers.screened(self.turn.text).secrets):
            return True
        texts = [text for text in (self.statement, self.candidate.subject) if text]
        return any(MARK.search(text) for text in (*texts, self.quote)) or any(
            self.papers.screened(text).secrets for text in texts
        )

    @cached_property
    def injection(self) -> float:
        """The score of the whole message: an order spoils the harmless half it stands beside."""
        assert self.turn is not None
        found = (self.papers.screened(text).injection_score for text in (self.turn.text, self.statement))
        return max(self.raised, *found)

    @cached_property
    def sensitivity(self) -> Sensitivity:
        found = {self.candidate.sensitivity, self.papers.screened(self.statement).sensitivity}
        if self.turn is not None and self.span is not None:
            start, end = self.span
            kinds = self.papers.screened(self.turn.text).findings
            if any(one.kind == "special" and one.start < end and start < one.end for one in kinds):
                found.add("special")
        if self.scope == "user":
            found.add("personal")
        return max(found, key=_ORDER.index)

    @cached_property
    def is_served(self) -> bool:
        """What the plane told the agent and is said back, with or without the SDK's heading."""
        if self.passage.reason == "served":
            return True
        told = (self.statement, self.quote, *self.passage.clauses)
        forms = {form for text in told for form in (text, wording.sentence(text))}
        return bool({norm_hash(form) for form in forms} & self.papers.conversation.served)

    @cached_property
    def restates_prompt(self) -> bool:
        said = normalise(wording.tidy(self.quote))
        return any(self.papers.echoes(said, prompt) for prompt in self.papers.conversation.prompts)

    @cached_property
    def restates_turn(self) -> bool:
        """Somebody repeats what the other said before: the fact is the first speaker's. A user who takes up a few words
        of the agent's makes them his own."""
        assert self.turn is not None
        said = normalise(wording.tidy(self.quote))
        talk = self.papers.conversation
        before = [*talk.earlier, *talk.turns[: talk.turns.index(self.turn)]]
        shortest = 8 if self.turn.role == "user" else _SHORTEST_ECHO
        others = [turn for turn in before if turn.role != self.turn.role]
        if len(said.split()) >= shortest and any(self.papers.echoes(said, turn.text) for turn in others):
            return True
        return any(self.papers.echoes(said, turn.text) for turn in talk.earlier if turn.role == self.turn.role)

    @cached_property
    def is_repeated(self) -> bool:
        return norm_hash(self.borne_out().statement) in self.said

    def shows(self, sign: str) -> bool:
        """Whether the passage bears one of the signs of `signs`."""
        if self.is_matched:
            return False
        if sign in _LET_OFF and self.is_known_kind:
            return False
        pattern: re.Pattern[str] = getattr(signs, sign)
        texts = [*self.passage.clauses, self.passage.sentence]
        if sign in _LEADING and re.search(r":\s*[-*•\"“«„]?\s*$|:\s", self.passage.lead):
            texts.append(self.passage.lead)
        return any(pattern.search(text) for text in texts)

    def left_out_as(self, *reasons: str) -> bool:
        """Whether the rulebook leaves every clause of the passage out, one of them for one of these reasons."""
        if self.is_matched or self.is_known_kind:
            return False
        drops = {rule.drop for rule in self.passage.rules if rule is not None}
        return bool(drops & set(reasons)) and not (self.is_asked and reasons[0] == "greeting")

    @cached_property
    def names_somebody(self) -> bool:
        """Whether it is about a person, or by a name, other than the speaker."""
        own = {"", "speaker", "user", "the user", normalise(self.papers.conversation.user_id or "")}
        return normalise(self.candidate.subject or "") not in own

    @cached_property
    def is_third_party(self) -> bool:
        """About somebody else than the speaker: it would be filed under the wrong person."""
        if self.names_somebody and self.candidate.scope == "user":
            return True
        return not self.is_known_kind and (self.left_out_as("third-party") or self.shows("THIRD_PERSON"))

    @property
    def is_quoted(self) -> bool:
        return not self.is_matched and self.passage.quoted

    @property
    def is_asked(self) -> bool:
        assert self.turn is not None
        return self.turn.role == "user" and (self.passage.asked or self.candidate.rule == "asked")

    @cached_property
    def speaks_of_user(self) -> bool:
        """A model's claim about a person: it may be right, and it is nobody's word."""
        assert self.turn is not None
        about_him = self.scope == "user" or signs.SAYS_OF_USER.search(self.quote)
        return self.turn.role == "assistant" and bool(about_him)

    @cached_property
    def is_unsupported(self) -> bool:
        """The quote was said, and the statement says something else: few of its words, or not its "not"."""
        if self.is_matched or not signs.ENGLISH.search(self.passage.sentence):
            return False  # the house's own wording, or a language whose words can't be compared
        said = {word[:4] for word in _WORDS.findall(self.passage.sentence.lower())}
        told = [word[:4] for word in _WORDS.findall(self.statement.lower()) if len(word) > 3]
        if len(told) > 1 and sum(word in said for word in told) / len(told) < 0.34:
            return True
        return bool(_NEGATED.search(self.passage.sentence)) and not _NEGATED.search(self.statement)

    @cached_property
    def is_cause(self) -> bool:
        """An event with its cause, which explains a later failure."""
        sentence = self.passage.sentence
        return bool(signs.CAUSE.search(sentence) and signs.HAPPENED.search(sentence))

    @cached_property
    def is_idle_claim(self) -> bool:
        """Of an agent's own words only events with a cause and claims about the user are looked at further. Its own "I"
        is never the user's."""
        assert self.turn is not None
        if self.turn.role == "user":
            return False
        if self.is_cause and self.memory_type == "episodic" and self.scope != "user":
            return False
        return not (signs.SAYS_OF_USER.search(self.quote) and signs.STATES.search(self.quote))

    def is_kind(self, memory_type: str) -> bool:
        """Whether it is lasting and of that kind."""
        if self.memory_type != memory_type:
            return False
        if self.is_known_kind:
            return True
        assert self.turn is not None
        sentence = self.passage.sentence
        if memory_type == "episodic":
            return self.is_cause or self.candidate.valid_to is not None
        if len(self.quote.split()) < 2 and self.quote.isascii():
            return False  # "Thursday" may answer a question, and says nothing alone
        if not signs.ENGLISH.search(sentence):
            # No list of words for every language: there the model's word and the reviewer decide.
            return True
        if self.scope == "user":
            return bool(signs.SPEAKS_OF_SELF.search(sentence))
        return bool(signs.STATES.search(sentence) or signs.SPEAKS_OF_SELF.search(sentence))

    @cached_property
    def memory_type(self) -> str:
        rule = self._rule
        return rule.memory_type if rule is not None else self.candidate.memory_type

    @cached_property
    def scope(self) -> Scope:
        """Whom it is told to. What somebody says of himself is never filed as the work's, and the other way round."""
        if self.is_matched or self.span is None:
            return self.candidate.scope
        rule = self._rule
        if rule is not None:
            if rule.about == "speaker":
                return "user"
            return "agent" if self.candidate.scope == "user" else self.candidate.scope
        if self.passage.clauses and all(_SINGULAR.match(clause) for clause in self.passage.clauses):
            return "user"
        return self.candidate.scope

    @property
    def _rule(self) -> Rule | None:
        if self.is_matched:
            return None
        return next((rule for rule in self.passage.rules if rule is not None and not rule.drop), None)

    @cached_property
    def _worded(self) -> str:
        """The statement; where a model merely copied the words, in the house's wording and without "Hi, by the way"."""
        said, clauses = self.statement, self.passage.clauses
        if self.is_matched or not clauses or normalise(said).rstrip(".!") != normalise(self.quote).rstrip(".!"):
            return said
        first, last = clauses[0], clauses[-1]
        view = plain(self.quote)
        begin, end = view.find(first), view.rfind(last)
        body = view[begin : end + len(last)] if 0 <= begin <= end else first
        worded = wording.about_speaker(body) if self.scope == "user" else wording.sentence(body)
        return absolute(worded, self.candidate.observed_at)

    def borne_out(self) -> Candidate:
        """The candidate as its message bears it out."""
        candidate = self.candidate
        if self.turn is None or self.span is None:
            return replace(candidate, start=0, end=0)
        return replace(
            candidate,
            statement=self._worded,
            quote=self.quote,
            start=self.span[0],
            end=self.span[1],
            speaker=self.turn.role,
            scope=self.scope,
            about="speaker" if self.scope == "user" else "work",
            sensitivity=self.sensitivity,
            observed_at=self.turn.at,
        )


def _shingles(plain: str) -> list[str]:
    words = plain.split()
    return [" ".join(words[place : place + _SHINGLE]) for place in range(len(words) - _SHINGLE + 1)]
