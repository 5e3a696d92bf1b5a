"""Reads JSON bodies: `loads` refuses whatever could mean two things, `lenient_loads` takes what a busy
client sends.

What can't be parsed is `Malformed` (400) or `TooLarge` (413). What parses but holds text that no table can
store is `Invalid` (422). No error repeats a value, nor a key that is itself at fault.
"""

import json
import math
import re
from itertools import accumulate
from typing import Any, Literal, NoReturn, overload

from apps.core.errors import DomainError, FieldError, Invalid, Malformed, TooLarge

MAX_BYTES = 262_144
MAX_DEPTH = 32
MAX_DIGITS = 300
MAX_ERRORS = 20
"""How many faults one answer lists."""

_BOM = b"\xef\xbb\xbf"
# Runs to the end of the body if the string is never closed: a pattern that could fail would be tried again
# at every quote, which takes a quarter of an hour for a body of 256 KB.
_STRING = re.compile(rb'"[^"\\]*+(?:\\.[^"\\]*+)*+(?:"|\\?\Z)', re.DOTALL)
_TOKEN = re.compile(_STRING.pattern + rb"|[\[\]{}]", re.DOTALL)
_SURROGATE = re.compile("[\ud800-\udfff]")
_NOT_BRACKETS = bytes(set(range(256)) - set(b"[]{}"))
_STEPS = [(byte in b"[{") - (byte in b"]}") for byte in range(256)]


class _Repeated(dict[str, Any]):
    """An object in which a key stood twice."""


class _Huge:
    """An integer with too many digits."""


@overload
def loads(
    body: bytes, *, max_bytes: int = ..., max_depth: int = ..., any_top: Literal[False] = ...
) -> dict[str, Any]: ...
@overload
def loads(body: bytes, *, max_bytes: int = ..., max_depth: int = ..., any_top: Literal[True]) -> Any: ...
def loads(body: bytes, *, max_bytes: int = MAX_BYTES, max_depth: int = MAX_DEPTH, any_top: bool = False) -> Any:
    """The object in a body of UTF-8 JSON; with `any_top` any value.

    Raises TooLarge `body_too_large`; Malformed `empty_body`, `byte_order_mark`, `invalid_utf8`,
    `invalid_json`, `too_deep` (more than `max_depth` objects and arrays inside each other),
    `duplicate_key`, `non_finite`, `number_too_long` (over 300 digits), `object_expected`; Invalid
    `null_character`, `lone_surrogate`. Whatever is in the body carries the JSON pointer of its place, up to
    20 of them at once.
    """
    _check_size(body, max_bytes)
    if body.startswith(_BOM):
        raise Malformed("byte_order_mark", "The body begins with a byte order mark. Send plain UTF-8.")
    try:
        text = body.decode("utf-8")
    except UnicodeDecodeError:
        raise Malformed("invalid_utf8", "The body is not valid UTF-8.") from None
    _check_depth(body, max_depth)
    value = _parse(text, _STRICT)
    if not any_top and not isinstance(value, dict):
        raise Malformed("object_expected", "The body has to be a JSON object.", pointer="")
    _check_values(value)
    return value


def lenient_loads(body: bytes, *, max_bytes: int, max_depth: int, cut: bool = False) -> Any:
    """Whatever JSON the body holds, as forgiving as can be: for batches of traces, to be passed to
    `storable_json`.

    Invalid UTF-8 becomes U+FFFD, a byte order mark is skipped, raw control characters in strings, NaN and
    infinities pass, integers of more than 300 digits become strings, the last of equal keys stays. With ``cut`` what
    is nested deeper than `max_depth` becomes the text `nested too deep`. Raises TooLarge `body_too_large`, Malformed
    `empty_body`, `too_deep` or `invalid_json`.
    """
    _check_size(body, max_bytes)
    body = body.removeprefix(_BOM)
    try:
        _check_depth(body, max_depth)
    except Malformed:
        if not cut:
            raise
        body = _shallow(body, max_depth)
        _check_depth(body, max_depth)
    return _parse(body.decode("utf-8", "replace"), _LENIENT)


def escape(key: str) -> str:
    """`key` as one step of an RFC 6901 JSON pointer."""
    return key.replace("~", "~0").replace("/", "~1")


def _check_size(body: bytes, max_bytes: int) -> None:
    if len(body) > max_bytes:
        raise TooLarge("body_too_large", f"The body is over {max_bytes} bytes.")
    if not body.strip(b" \t\r\n"):
        raise Malformed("empty_body", "The body is empty.")


def _check_depth(body: bytes, max_depth: int) -> None:
    # Before json, whose parser recurses. Brackets inside strings are cut away first; in a body that isn't
    # JSON this may miscount, but only behind the point at which the parser stops.
    brackets = _STRING.sub(b"", body).translate(None, _NOT_BRACKETS)
    if max(accumulate(map(_STEPS.__getitem__, brackets)), default=0) > max_depth:
        raise Malformed("too_deep", f"Objects and arrays are nested more than {max_depth} deep.")


def _shallow(body: bytes, max_depth: int) -> bytes:
    """The body with a text in place of each object and array that is nested too deep; one that never ends stays."""
    kept, depth, taken, begun = [], 0, 0, 0
    for token in _TOKEN.finditer(body):
        if token[0][:1] in b"[{":
            depth += 1
            if depth == max_depth + 1:
                begun = token.start()
        elif token[0][:1] in b"]}":
            if depth == max_depth + 1:
                kept += [body[taken:begun], b'"nested too deep"']
                taken = token.end()
            depth -= 1
    return b"".join([*kept, body[taken:]])


def _parse(text: str, decoder: json.JSONDecoder) -> Any:
    try:
        return decoder.decode(text)
    except RecursionError:
        raise Malformed("too_deep", "Objects and arrays are nested too deep.") from None
    except json.JSONDecodeError as error:
        detail = f"The body is not valid JSON: line {error.lineno}, column {error.colno}."
        raise Malformed("invalid_json", detail) from None


def _pairs(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    result = dict(pairs)
    return result if len(result) == len(pairs) else _Repeated(result)


_STRICT = json.JSONDecoder(
    object_pairs_hook=_pairs,
    parse_int=lambda digits: int(digits) if len(digits.lstrip("-")) <= MAX_DIGITS else _Huge(),
)
_LENIENT = json.JSONDecoder(
    strict=False,
    parse_int=lambda digits: int(digits) if len(digits.lstrip("-")) <= MAX_DIGITS else digits,
)


def _check_values(value: Any) -> None:
    """Raise for everything in a parsed value that must not be let in, naming what is unparseable first."""
    malformed: list[FieldError] = []
    invalid: list[FieldError] = []
    waiting: list[tuple[Any, str]] = [(value, "")]
    while waiting and len(malformed) < MAX_ERRORS:
        item, pointer = waiting.pop()
        if isinstance(item, str):
            invalid += _text_faults(item, pointer)
        elif isinstance(item, float):
            if not math.isfinite(item):
                detail = "A number is NaN, infinite or too great."
                malformed.append(FieldError("non_finite", detail, pointer))
        elif isinstance(item, _Huge):
            detail = f"An integer has more than {MAX_DIGITS} digits."
            malformed.append(FieldError("number_too_long", detail, pointer))
        elif isinstance(item, dict):
            if isinstance(item, _Repeated):
                malformed.append(FieldError("duplicate_key", "A key stands twice in this object.", pointer))
            children = []
            for key, child in item.items():
                faults = _text_faults(key, pointer)
                invalid += faults
                # A bad key is not repeated: the pointer stops at its object.
                children.append((child, pointer if faults else f"{pointer}/{escape(key)}"))
            waiting += reversed(children)
        elif isinstance(item, list):
            waiting += reversed([(child, f"{pointer}/{index}") for index, child in enumerate(item)])
    if malformed:
        _raise(Malformed, malformed + invalid)
    if invalid:
        _raise(Invalid, invalid)


def _text_faults(text: str, pointer: str) -> list[FieldError]:
    faults = []
    if "\x00" in text:
        faults.append(FieldError("null_character", "A text holds the character U+0000.", pointer))
    if not text.isascii() and _SURROGATE.search(text):
        faults.append(FieldError("lone_surrogate", "A text holds half of a surrogate pair.", pointer))
    return faults


def _raise(error: type[DomainError], faults: list[FieldError]) -> NoReturn:
    first = faults[0]
    raise error(first.code, first.detail, pointer=first.pointer, errors=faults[:MAX_ERRORS])
