"""Text that hides in another writing: base64, hex, ROT13, backwards, digits for letters, letters set apart."""

import base64
import binascii
import codecs
import re
from collections.abc import Iterator

_BASE64 = re.compile(r"(?<![A-Za-z0-9+/_-])[A-Za-z0-9+/_-]{16,}+(?:\r?\n[A-Za-z0-9+/_-]{8,}+)*+={0,2}")
_HEX = re.compile(
    r"(?<![0-9A-Za-z])(?:0x|\\x)?[0-9a-fA-F]{2}(?:(?:[ :]| ?\\x|, ?0x)?[0-9a-fA-F]{2}){9,}+(?![0-9A-Za-z])"
)
_NOT_HEX = re.compile(r"\\x|0x|[^0-9a-fA-F]")
_LONGEST = 65_536
# The same words in ROT13; in no other writing do two of them meet.
_ROT13 = re.compile(
    "vtaber|qvfertneq|bireevqr|cerivbhf|vafgehpgvba|cebzcg|nffvfgnag|sbejneq|erirny|flfgrz|erzrzore|cnffjbeq|uraprsbegu"
    "|nafjre|ercyl|ehyrf|nyy|lbhe|svygref",
    re.IGNORECASE,
)
# The same written backwards.
_BACKWARDS = re.compile(
    r"(?<!\w)(?:s?e?rongi|dragersid|edirrevo|suoiverp|snoitcurtsni|tpmorp|tnatsissa|drawrof|laever|metsys|rebmemer"
    r"|s?drowssap|htrofecneh|rewsna|ylper|selur|lla|ruoy|teg?rof|evoba)(?!\w)",
    re.IGNORECASE,
)
# Digits and signs that stand for the letters they look like, inside a word that has letters too.
_LEET = re.compile(r"(?<![\w@$])(?=[\w@$]{0,15}[a-z])(?=[\w@$]{0,15}[013457@$])[a-z013457@$]{3,16}(?![\w@$])")
_LEET_LETTERS = str.maketrans("013457@$", "oieastas")
_LEET_TELLS = re.compile(
    "ignor|disreg|forget|overr|bypass|previous|prior|instruct|rules|system|prompt|reveal|forw|secret|passw|admin"
)
# One letter, one to three separators, at least eight times.
_APART = re.compile(r"(?<![^\W_])(?:[^\W_][ .\-_*·|/]{1,3}){7,}[^\W_](?![^\W_])")
_WORD_GAP = re.compile(r"[ .\-_*·|/]{2,}")
_SEPARATOR = re.compile(r"[ .\-_*·|/]")
# Where nothing shows the ends of words, the sentence is read as one.
SQUASHED = re.compile(
    r"(?:ignore|disregard|forget|override|bypass)(?:all|any|the|your|my|of)*(?:previous|prior|earlier|above|instruction|rule"
    r"|system|safety)|(?:reveal|print|show|leak|tellme)(?:me|the|your|all)*(?:systemprompt|prompt|instruction|adminnote"
    r"|password|secret|apikey)|(?:forward|send|bcc)(?:me|each|every|all|your|the)*(?:reply|replies|answer|message|conversation"
    r"|email)|fromnowon|youarenow|(?:note|message|instruction)(?:for|to)the(?:assistant|ai|bot|agent|model)|systemprompt"
    r"|(?:donot|dont)tellthe(?:user|customer|operator)|ignorier(?:e|en)?(?:sie)?(?:alle|deine|die)|ignor[ae](?:todas|tus|suas|as"
    r"|las)",
    re.IGNORECASE,
)


def decoded(view: str) -> Iterator[tuple[str, int, int, str]]:
    """(encoding, start, end, text) of whatever in `view` reads as text when decoded."""
    for match in _BASE64.finditer(view):
        if text := _from_base64(match[0][:_LONGEST]):
            yield "base64", match.start(), match.end(), text
    for match in _HEX.finditer(view):
        digits = _NOT_HEX.sub("", match[0][:_LONGEST])
        if text := _readable(bytes.fromhex(digits[: len(digits) // 2 * 2])):
            yield "hex", match.start(), match.end(), text
    words = list(_ROT13.finditer(view))
    if len(words) >= 2:
        yield "rot13", words[0].start(), words[-1].end(), codecs.encode(view, "rot13")
    words = list(_BACKWARDS.finditer(view))
    if len(words) >= 2:
        yield "backwards", words[0].start(), words[-1].end(), view[::-1]
    lower = view.lower()
    words = [match for match in _LEET.finditer(lower) if _LEET_TELLS.search(match[0].translate(_LEET_LETTERS))]
    if len(words) >= 2:
        plain = _LEET.sub(lambda match: match[0].translate(_LEET_LETTERS), lower)
        yield "leetspeak", words[0].start(), words[-1].end(), plain[words[0].start() : words[-1].end()]


def set_apart(view: str) -> Iterator[tuple[int, int, str]]:
    """(start, end, text) of letters that stand alone, put together again: as words where wider gaps show them."""
    for match in _APART.finditer(view):
        words = [_SEPARATOR.sub("", word) for word in _WORD_GAP.split(match[0])]
        yield match.start(), match.end(), " ".join(words)


def _from_base64(value: str) -> str:
    value = re.sub(r"[\r\n=]", "", value).translate(str.maketrans("-_", "+/"))
    # A remainder of one character encodes nothing: a cut or a neighbour that happened to fit.
    value = value[: len(value) - (len(value) % 4 == 1)]
    try:
        return _readable(base64.b64decode(value + "=" * (-len(value) % 4), validate=True))
    except (binascii.Error, ValueError):
        return ""


def _readable(data: bytes) -> str:
    """The bytes as text if that is what they are, or an empty one."""
    try:
        text = data.decode()
    except UnicodeDecodeError:
        return ""
    letters = sum(char.isalpha() or char.isspace() for char in text)
    return text if letters >= 0.6 * len(text) and letters >= 8 else ""
