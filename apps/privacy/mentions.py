"""Whether a text names somebody: her ids, addresses and names, whole, as they are written."""

import re
from collections.abc import Iterable
from dataclasses import dataclass

from apps.core.text import normalise

SHORTEST = 4
"""Characters below which an id is not looked for in text: it would be found in every other sentence."""

# Ids differ in case; what people call each other and write to does not.
_ANY_CASE = frozenset(["email", "name", "alias", "phone", "other"])


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


def pattern_of(identifiers: Iterable[Identifier], *, short_too: bool = False) -> re.Pattern[str] | None:
    """Matches a text that names one of them as a word of its own: ``user_1`` is not in ``user_10`` nor in ``user_1-b``,
    and ``User_1`` is another id. None when none of them can be searched for; ``short_too`` takes all of them, where too
    much does no harm."""
    parts = []
    for identifier in identifiers:
        if not short_too and not identifier.is_searchable:
            continue
        words = r"\s+".join(re.escape(word) for word in identifier.value.split())
        case = "i" if identifier.kind in _ANY_CASE else "-i"
        parts.append(f"(?:{words})" if case == "-i" else f"(?i:{words})")
    if not parts:
        return None
    return re.compile(rf"(?<![\w@])(?<!\w[-.])(?:{'|'.join(parts)})(?![\w@]|[-.]\w)")


def needles_of(identifiers: Iterable[Identifier]) -> list[str]:
    """The LIKE patterns, in upper case, by which the database finds the texts worth a closer look."""
    found = []
    for identifier in identifiers:
        if identifier.is_searchable:
            longest = max(identifier.value.split(), key=len).upper()
            for special in ("\\", "%", "_"):
                longest = longest.replace(special, "\\" + special)
            found.append(f"%{longest}%")
    return sorted(set(found))
