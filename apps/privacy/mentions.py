"""Whether a text names somebody: her ids, addresses and names, whole, as they are written or in another writing of them."""

import base64
import html
import json
import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from urllib.parse import quote, unquote

from apps.core.text import as_seen, normalise

SHORTEST = 4
"""Characters below which an id is not looked for in text: it would be found in every other sentence."""

# Ids differ in case; what people call each other and write to does not.
_ANY_CASE = frozenset(["email", "name", "alias", "phone", "other"])
_ESCAPES = re.compile(r"\\+(?:u([0-9a-fA-F]{4})|(.))", re.DOTALL)
_CONTROLS = {"n": "\n", "t": "\t", "r": "\r", "b": "\b", "f": "\f"}
_BASE64 = re.compile(r"[A-Za-z0-9+/_-]{6,}={0,2}")
_DEEPEST = 3
"""How often JSON may be quoted in JSON and is still found by the database."""


@dataclass(frozen=True)
class Identifier:
    """One of the ways somebody is named. ``kind`` as in `RequestIdentity`."""

    kind: str
    value: str

    @property
    def is_searchable(self) -> bool:
        """Whether finding it in a text says anything: long enough, and not a mere number."""
        letters = normalise(self.value)
        return len(letters) >= SHORTEST and not (letters.isdecimal() and len(letters) < 7)

    @property
    def any_case(self) -> bool:
        return self.kind in _ANY_CASE or "@" in self.value


class Names:
    """Finds the identifiers in texts, each as a word of its own: ``user_1`` is not in ``user_10`` nor in ``user_1-b``, and
    ``User_1`` is another id. False when none of them can be searched for; ``short_too`` takes all of them, where too much
    does no harm."""

    def __init__(self, identifiers: Iterable[Identifier], *, short_too: bool = False) -> None:
        chosen = [item for item in identifiers if short_too or item.is_searchable]
        self._written = pattern_of(chosen, short_too=True)
        # What is in the same case in no table: ß and SS.
        folded = [Identifier("name", as_seen(item.value).casefold()) for item in chosen if item.any_case]
        self._folded = pattern_of(folded, short_too=True)
        self._ids = {item.value for item in chosen}
        self._addresses = {item.value.casefold() for item in chosen if "@" in item.value}

    def __bool__(self) -> bool:
        return self._written is not None

    def within(self, text: str) -> bool:
        """Whether the text, or what somebody reads who decodes it, names one of them."""
        return any(self._in(reading) for reading in readings(text)) if self else False

    def are(self, text: str) -> bool:
        """Whether the text is nothing but one of them. Ids are literal; addresses are the same in any case."""
        return text in self._ids or ("@" in text and text.casefold() in self._addresses)

    def _in(self, text: str) -> bool:
        if self._written is not None and self._written.search(text):
            return True
        return self._folded is not None and bool(self._folded.search(text.casefold()))


def readings(text: str) -> Iterator[str]:
    """The text as it stands, and as it reads without JSON's and URLs' and HTML's escapes, without what can't be seen, in
    the letters that others only look like, and, where something in it is base64, that decoded."""
    yield text
    plain = _unescaped(text) if "\\" in text else text
    if "%" in plain:
        plain = unquote(plain)
    if "&" in plain:
        plain = html.unescape(plain)
    if not plain.isascii():
        plain = as_seen(plain)
    if plain != text:
        yield plain
    if hidden := _decoded(plain):
        yield hidden


def pattern_of(identifiers: Iterable[Identifier], *, short_too: bool = False) -> re.Pattern[str] | None:
    """Matches a text that has one of them in it as a word, as it is written; see `Names`."""
    parts: dict[str, None] = {}
    for identifier in identifiers:
        if not short_too and not identifier.is_searchable:
            continue
        for value in (identifier.value, as_seen(identifier.value)):
            words = r"\s+".join(re.escape(word) for word in value.split())
            if words:
                parts[f"(?i:{words})" if identifier.any_case else f"(?:{words})"] = None
    if not parts:
        return None
    return re.compile(rf"(?<![\w@])(?<!\w[-.])(?:{'|'.join(parts)})(?![\w@]|[-.]\w)")


def needles_of(identifiers: Iterable[Identifier]) -> list[str]:
    """Pieces by one of which a text has to be recognised that is worth a closer look, in each writing. The database
    compares them as it compares texts: ``privacy_folded``."""
    found: set[str] = set()
    for identifier in identifiers:
        if not identifier.is_searchable:
            continue
        for value in {identifier.value, as_seen(identifier.value), as_seen(identifier.value).casefold()}:
            # White space differs, so that the longest word of several has to do.
            word = max(value.split(), key=len)
            found |= {word, quote(word, safe=""), html.escape(word)} | set(_in_base64(value))
            for _ in range(_DEEPEST):
                # With its non-ASCII letters as they are, and escaped too.
                found |= {json.dumps(word, ensure_ascii=False)[1:-1], word := json.dumps(word)[1:-1]}
    return sorted(found)


def _unescaped(text: str) -> str:
    """However often it was quoted: a run of backslashes counts as one."""
    plain = _ESCAPES.sub(lambda found: chr(int(found[1], 16)) if found[1] else _CONTROLS.get(found[2], found[2]), text)
    # Halves of what is beyond the first plane come together again.
    return plain.encode("utf-16", "surrogatepass").decode("utf-16", "replace")


def _in_base64(value: str) -> Iterator[str]:
    """What any base64 has in it that holds the value: one piece for each place where it may begin."""
    given = value.encode()
    for shift in range(3):
        coded = base64.b64encode(b"\0" * shift + given).decode().rstrip("=")
        # Characters that neighbours have a part in are no sign.
        inner = coded[(0, 2, 3)[shift] : len(coded) - (1 if (shift + len(given)) % 3 else 0)]
        if len(inner) >= 5:
            yield from {inner, inner.replace("+", "-").replace("/", "_")}


def _decoded(text: str) -> str:
    found = []
    for match in _BASE64.finditer(text):
        coded = match[0].rstrip("=").replace("-", "+").replace("_", "/")
        coded = coded[: len(coded) - (len(coded) % 4 == 1)]
        said = base64.b64decode(coded + "=" * (-len(coded) % 4)).decode(errors="replace")
        if said.count("\ufffd") <= len(said) // 4:
            found.append(said)
    return "\n".join(found)
