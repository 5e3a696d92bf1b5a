"""The ways in: `screen` a text, `mask` its secrets, `mask_json` those of any JSON value."""

import re
import time
from collections.abc import Callable, Iterable
from typing import Any

from apps.screening import hidden, injection, pii, secrets, special
from apps.screening.findings import Finding, Screening, Sensitivity, merged
from apps.screening.json_text import looks_like_json, mask_strings
from apps.screening.passwords import is_placeholder
from apps.screening.reading import Reading

WITHHELD = "[withheld]"
"""Stands for a value that was too long to be screened in time."""

_NESTED_TEXTS = 8
_SHORTEST = 6
_MOST_TOLD = 200
_PASSWORD_KEYS = (
    *("password", "passwd", "pwd", "passphrase", "passcode", "passwort", "kennwort", "senha", "contrasena", "pincode"),
    *("motdepasse", "clientsecret", "privatekey", "secretkey", "secretaccesskey", "connectionstring"),
)
_HEADER_KEYS = ("authorization", "cookie")
_TOKEN_KEYS = ("apikey", "token", "secret", "accesskey", "signingkey", "encryptionkey", "masterkey", "credential")
_NAMES = ("name", "key", "header", "field")
_MARKS = re.compile(f"({secrets.MARK.pattern})")
_SEPARATORS = re.compile(r"[\s_.:-]+")


def screen(text: str) -> Screening:
    """Every finding in `text`, in order of where it starts. The same text always gives the same answer, in a time that
    grows with its length; any text will do, lone surrogates and control characters included."""
    reading = Reading(text)
    found = secrets.find(text)
    unseen = list(hidden.find(text))
    orders, score = injection.find(reading, unseen)
    labels = [*pii.find(reading), *special.find(reading)]
    found += [*orders, *labels, *unseen]
    sensitivity: Sensitivity = "internal"
    if any(finding.kind == "special" for finding in labels):
        sensitivity = "special"
    elif labels:
        sensitivity = "personal"
    found.sort(key=lambda finding: (finding.start, finding.end, finding.kind, finding.detector))
    return Screening(tuple(found), sensitivity, score)


def mask(text: str, findings: Iterable[Finding]) -> str:
    """`text` with the span of each secret among its `findings` replaced by `[masked: detector]`. Masking the result
    again changes nothing more."""
    pieces, position = [], 0
    for finding in merged(finding for finding in findings if finding.kind == "secret"):
        pieces += [text[position : finding.start], f"[masked: {finding.detector}]"]
        position = finding.end
    return "".join([*pieces, text[position:]])


def mask_json(value: Any, *, budget_seconds: float = 0.5, max_chars: int = 4_000_000) -> tuple[Any, int, bool]:
    """A copy of parsed JSON without secrets, how many were masked, and whether a bound was hit.

    Keys and strings are masked as in `mask`; a string or number under a key such as `password` is masked whole; a
    string that holds JSON text stays JSON text. What is told to be a secret once is masked wherever it stands.
    Over `budget_seconds` or `max_chars` (all keys and strings together), or with JSON text inside JSON text more than
    eight deep, the answer is `WITHHELD` in place of the whole value, for nobody has seen what is in it: the caller
    keeps it from the database until it is screened without bounds (`budget_seconds=math.inf, max_chars=sys.maxsize`).
    The depth of objects and lists is not limited, and the walk does not use Python's stack.
    """
    masker = _Masker(budget_seconds, max_chars)
    try:
        masked = masker.walk(value, masker.string)
        if masker.told:
            # What one message tells to be a secret, another repeats without saying so.
            masked = masker.walk(masked, masker.repeated)
        return masked, masker.count, False
    except _OverBound:
        return WITHHELD, masker.count, True


class _OverBound(Exception):
    """Too much text, or too little time for it."""


class _Masker:
    def __init__(self, budget_seconds: float, max_chars: int) -> None:
        self.deadline = time.perf_counter() + budget_seconds
        self.chars_left = max_chars
        self.count = 0
        self.told: dict[str, str] = {}

    def walk(self, value: Any, change: Callable[[str, str], tuple[str, int]]) -> Any:
        waiting: list[tuple[Any, Any, str]] = []

        def copy(item: Any, owner: str) -> Any:
            if isinstance(item, str):
                new, count = change(item, owner)
                self.count += count
                return new
            if isinstance(item, dict | list):
                target: Any = {} if isinstance(item, dict) else []
                # The entries of a list stand under the list's key; those of an object have their own.
                waiting.append((item, target, owner if isinstance(item, list) else ""))
                return target
            if (
                isinstance(item, int | float)
                and not isinstance(item, bool)
                and owner
                and (mark := _masked_number(owner))
            ):
                self.count += 1
                return mark
            return item

        result = copy(value, "")
        while waiting:
            source, target, owner = waiting.pop()
            if isinstance(source, list):
                target.extend(copy(item, owner) for item in source)
                continue
            # {"name": "Authorization", "value": "…"} says the same as {"Authorization": "…"}.
            named = next((source[name] for name in _NAMES if isinstance(source.get(name), str)), "")
            for key, item in source.items():
                place = named if key == "value" and named else key if isinstance(key, str) else ""
                new_key = copy(key, "")
                while new_key != key and new_key in target:
                    new_key += "'"
                target[new_key] = copy(item, place)
        return result

    def check(self) -> None:
        if time.perf_counter() > self.deadline:
            raise _OverBound

    def string(self, text: str, owner: str, depth: int = 0) -> tuple[str, int]:
        self.chars_left -= len(text)
        if self.chars_left < 0 or depth > _NESTED_TEXTS:
            raise _OverBound
        self.check()
        if owner and (mark := _masked_whole(owner, text)):
            self.tell(text, mark)
            return mark, 1
        if len(text) < _SHORTEST:
            return text, 0
        count = 0
        if looks_like_json(text):
            text, count, is_json = mask_strings(
                text, lambda part, key: self.string(part, key, depth + 1), _masked_number
            )
            if is_json:
                return text, count
        found = secrets.find(text, self.check)
        for finding in found:
            self.tell(text[finding.start : finding.end], f"[masked: {finding.detector}]")
        return mask(text, found), count + len(found)

    def tell(self, value: str, mark: str) -> None:
        if len(self.told) < _MOST_TOLD and secrets.is_telling(value):
            self.told.setdefault(value, mark)

    def repeated(self, text: str, owner: str) -> tuple[str, int]:
        self.check()
        count = 0
        for value, mark in self.told.items():
            if value in text:
                # Not inside a mark, which may hold the same word.
                parts = _MARKS.split(text)
                count += sum(part.count(value) for part in parts[::2])
                parts[::2] = [part.replace(value, mark) for part in parts[::2]]
                text = "".join(parts)
        if count:
            # What was glued to such a value stands by itself now, and may be a secret too.
            self.chars_left += len(text)
            text, more = self.string(text, owner)
            count += more
        return text, count


def _masked_whole(owner: str, text: str) -> str | None:
    """What replaces a string because of the key it stands under; None if nothing does."""
    if is_placeholder(text) or secrets.MARK.search(text):
        return None
    key = _SEPARATORS.sub("", owner.lower())
    if key.endswith(_PASSWORD_KEYS) or key == "pin":
        return "[masked: password]"
    if key.endswith(_HEADER_KEYS) and len(text) >= 8:
        return "[masked: authorization]"
    if key.endswith(_TOKEN_KEYS) and " " not in text and (secrets.looks_random(text) or len(text) >= 32):
        return "[masked: assigned-secret]"
    return None


def _masked_number(owner: str) -> str | None:
    key = _SEPARATORS.sub("", owner.lower())
    return "[masked: password]" if key.endswith(_PASSWORD_KEYS) or key == "pin" else None
