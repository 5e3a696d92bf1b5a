"""Changes the strings inside JSON that is itself a string, and nothing else of it."""

import json
import re
from collections.abc import Callable

# To the end of the text if the string is never closed: a pattern that could fail there would be tried again at every
# quote.
_STRING = re.compile(r'"[^"\\]*+(?:\\.[^"\\]*+)*+("|\\?\Z)', re.DOTALL)
# What stands between the strings of a document. Text that stays within this alphabet has no room for a secret.
_STRUCTURE = re.compile(r"[\s0-9{}\[\]:,.+\-truefalsnEINity]*+")
_COLON = re.compile(r"\s*+:\s*+")
# Whole: half a number beside a mark is no JSON.
_NUMBER = re.compile(r"(\s*+:\s*+)-?[0-9]{3,}+(?:\.[0-9]++)?(?:[eE][+-]?[0-9]++)?")

MaskString = Callable[[str, str], tuple[str, int]]
"""Takes a string and the key it stands under, or "" if none; gives the new string and how much was masked in it."""


def looks_like_json(text: str) -> bool:
    return text.lstrip()[:1] in ("{", "[", '"')


def mask_strings(text: str, mask: MaskString, masked_number: Callable[[str], str | None]) -> tuple[str, int, bool]:
    """The text with `mask` applied to each string in it, how much was masked, and whether the whole is made as JSON is.

    Works on the marks, without building the document: spacing, key order, repeated keys and numbers stay as they are,
    depth is no limit, and a document that was cut off is treated up to the cut. What parsed before parses after.
    `masked_number` gives what replaces a number under a key, or None.
    """
    pieces: list[str] = []
    total, position, key, is_json = 0, 0, "", True
    for match in _STRING.finditer(text):
        between = text[position : match.start()]
        if key and (number := _NUMBER.match(between)) and (mark := masked_number(key)):
            between = number[1] + json.dumps(mark) + between[number.end() :]
            total += 1
        elif _STRUCTURE.fullmatch(between) is None:
            is_json = False
        owner = key if _COLON.fullmatch(between) else ""
        literal = match[0]
        value = _decoded(literal) if match[1] == '"' else None
        key = ""
        if value is None:
            is_json = False
        else:
            if text[match.end() : match.end() + 40].lstrip().startswith(":"):
                key = value
            new, count = mask(value, owner)
            if count:
                literal = json.dumps(new, ensure_ascii=literal.isascii())
                total += count
        pieces += [between, literal]
        position = match.end()
    tail = text[position:]
    if key and (number := _NUMBER.match(tail)) and (mark := masked_number(key)):
        tail = number[1] + json.dumps(mark) + tail[number.end() :]
        total += 1
    elif _STRUCTURE.fullmatch(tail) is None:
        is_json = False
    return "".join([*pieces, tail]), total, is_json


def _decoded(literal: str) -> str | None:
    if "\\" not in literal:
        return literal[1:-1]
    try:
        value = json.loads(literal, strict=False)
    except ValueError:
        return None
    return value if isinstance(value, str) else None
