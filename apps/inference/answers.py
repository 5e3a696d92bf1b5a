"""What a model wrote, read as the one JSON object that was asked for."""

import json
import re
from typing import Any

from apps.core.errors import DomainError
from apps.core.strict_json import lenient_loads
from apps.core.text import storable_json
from apps.inference.errors import AnswerFault

MAX_DEPTH = 32

_THOUGHTS = re.compile(r"\A\s*<think>.*?</think>", re.DOTALL)
_DECODER = json.JSONDecoder(strict=False, parse_int=str)
_TYPES: dict[str, tuple[type, ...]] = {
    "object": (dict,),
    "array": (list,),
    "string": (str,),
    "integer": (int,),
    "number": (int, float),
    "boolean": (bool,),
    "null": (type(None),),
}


class Unreadable(Exception):
    """No such object in the answer; `code` says why, and the text says no more."""

    def __init__(self, code: AnswerFault) -> None:
        super().__init__(code)
        self.code: AnswerFault = code


def read_object(text: str, schema: dict[str, Any], *, cut: bool) -> dict[str, Any]:
    """The one JSON object in `text`, as jsonb can hold it.

    `text` has to be storable. A <think> block before it, a code fence and prose around it are passed over, as
    long as no other brace opens there: with two objects nobody knows which was meant. `cut`: the server says
    that it stopped at the token limit. Raises Unreadable empty, truncated, not_json or wrong_shape.
    """
    text = _THOUGHTS.sub("", text).strip()
    if not text:
        raise Unreadable("truncated" if cut else "empty")
    found, value = _whole(text)
    if not found:
        found, value = _inside(text)
    if not found:
        raise Unreadable("truncated" if cut else "not_json")
    value = storable_json(value)[0]
    if not isinstance(value, dict) or not _fits(value, schema):
        raise Unreadable("wrong_shape")
    return value


def _whole(text: str) -> tuple[bool, Any]:
    body = text.encode()
    try:
        return True, lenient_loads(body, max_bytes=len(body), max_depth=MAX_DEPTH)
    except DomainError:
        return False, None


def _inside(text: str) -> tuple[bool, Any]:
    # The first brace has to begin it. Trying the next one after a failure would take a member out of a
    # truncated answer for the answer.
    begin = text.find("{")
    if begin < 0:
        return False, None
    try:
        end = _DECODER.raw_decode(text, begin)[1]
    except (ValueError, RecursionError):
        return False, None
    if "{" in text[end:]:
        return False, None
    return _whole(text[begin:end])


def _fits(value: dict[str, Any], schema: dict[str, Any]) -> bool:
    """The outermost level only: one bad member of a list must not cost the good ones."""
    if any(name not in value for name in schema.get("required", [])):
        return False
    for name, declared in schema.get("properties", {}).items():
        kinds = declared.get("type")
        kinds = [kinds] if isinstance(kinds, str) else kinds or []
        if name in value and kinds and not any(_is(value[name], kind) for kind in kinds):
            return False
    return True


def _is(value: Any, kind: str) -> bool:
    if isinstance(value, bool):
        return kind == "boolean"
    return isinstance(value, _TYPES.get(kind, (object,)))
