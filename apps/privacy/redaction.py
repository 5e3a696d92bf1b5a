"""Whose words may be in a package: one person's, with everybody else who is named in them taken out."""

import re
from collections.abc import Iterable
from dataclasses import dataclass

from django.db.models import F, Func, TextField, Value
from django.db.models.functions import Upper

from apps.core.text import as_seen
from apps.privacy.mentions import Identifier, pattern_of
from apps.screening.people import own_names, people
from apps.screening.screen import screen
from apps.tenancy.models import Subject, SubjectAlias

OTHER = "[another person]"
UNSURE = "[a person's name, held back: {}]"
"""Stands, with its number, for what only looks like somebody's name or contact: a person decides whether it may be told."""
AROUND = 60
"""Characters on each side of it that this person is shown."""

_TOKEN = re.compile(r"[\w@][\w@.+-]*[\w]|[\w@]")
_WORDS = re.compile(r"\w+")
_CONTACTS = frozenset(["email", "phone"])
CHUNK = 2_000


@dataclass
class Held:
    """A name or contact that is held back, how often, and what stands around it where it does first."""

    number: int
    said: str
    around: str
    times: int = 0


class Redactor:
    """Takes other known people's ids and aliases out of texts, and contacts that are not the person's own.

    Build it with every text that it will see: their words are looked up among the project's subjects at once, however
    many of these there are. Names of people whom nobody registered are held back as well, where a rule finds them, but for
    those that the person says are hers. ``held`` is what somebody should look at, in the order of its numbers, from 1 on.
    """

    def __init__(
        self, project_id: int, own: Iterable[Identifier], subject_id: int | None, texts: Iterable[str]
    ) -> None:
        self.own = list(own)
        self.held: dict[str, Held] = {}
        texts = list(texts)
        words = {token.upper() for text in texts for token in _tokens(one_form(text))}
        names = self._of_others(project_id, subject_id, sorted(words))
        self._own_words = {
            word.casefold()
            for name in [*(item.value for item in self.own), *(name for text in texts for name in own_names(text))]
            for word in _WORDS.findall(as_seen(name))
        }
        self._others = pattern_of([Identifier("alias", name) for name in names], short_too=True)

    def __call__(self, text: str) -> str:
        text = one_form(text)
        clean = self._others.sub(OTHER, text) if self._others else text
        return self._names(self._contacts(clean))

    def _of_others(self, project_id: int, subject_id: int | None, words: list[str]) -> list[str]:
        """Ids and aliases of other people of whom the first word is among these."""
        found: set[str] = set()
        mine = {item.value for item in self.own}
        first = Func(F("external_id"), Value(r"[\w@][\w@.+-]*"), function="regexp_substr", output_field=TextField())
        for start in range(0, len(words), CHUNK):
            some = words[start : start + CHUNK]
            for model, column in ((Subject, "id"), (SubjectAlias, "subject_id")):
                rows = model.objects.filter(project_id=project_id).exclude(**{column: subject_id or 0})
                whole = rows.filter(name_key__in=some)
                # An id of several words is none of the words that a text is cut into.
                several = (
                    rows.filter(external_id__regex=r"[^\w@.+-]").annotate(first=Upper(first)).filter(first__in=some)
                )
                found |= set(whole.values_list("external_id", flat=True))
                found |= set(several.values_list("external_id", flat=True))
        return sorted(found - mine)

    def _contacts(self, text: str) -> str:
        spans = [
            (item.start, item.end)
            for item in screen(text).findings
            if item.kind == "pii" and item.detector in _CONTACTS and not self._is_own(text[item.start : item.end])
        ]
        return self._without(text, spans)

    def _names(self, text: str) -> str:
        return self._without(text, [span for span in people(text) if not self._are_own_words(text[slice(*span)])])

    def _without(self, text: str, spans: list[tuple[int, int]]) -> str:
        """The text without what stands in these places, which is held back."""
        parts, last = [], 0
        for start, end in sorted(spans):
            if start < last:
                continue
            said, around = text[start:end], text[max(0, start - AROUND) : end + AROUND]
            held = self.held.setdefault(said, Held(len(self.held) + 1, said, around))
            held.times += 1
            parts += [text[last:start], UNSURE.format(held.number)]
            last = end
        return "".join([*parts, text[last:]])

    def _are_own_words(self, found: str) -> bool:
        return {word.casefold() for word in _WORDS.findall(found)} <= self._own_words

    def _is_own(self, found: str) -> bool:
        digits = re.sub(r"\D", "", found)
        return any(
            item.value.casefold() == found.casefold() or (digits and re.sub(r"\D", "", item.value) == digits)
            for item in self.own
        )


def one_form(text: str) -> str:
    """Letters that only look other and what can't be seen hide nobody; nothing else of the text changes."""
    return text if text.isascii() else as_seen(text)


def _tokens(text: str) -> set[str]:
    """Words, and the parts of those with points and hyphens in them: an id may stand beside a full stop."""
    found: set[str] = set()
    for match in _TOKEN.finditer(text):
        token = match.group()
        found.add(token)
        found.update(part for part in re.split(r"[.+-]", token) if part)
    return found
