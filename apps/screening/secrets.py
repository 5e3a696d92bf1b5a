"""Finds secrets: by a provider's prefix, by form (JWT, PEM, URL), by what the words around say, by entropy.

Own rules and not the plugins of detect-secrets: those read one quoted line of source code at a time and give the value
without its place, where chats need spans over lines and passphrases in prose; they also import an HTTP client and a
YAML parser, which nothing here would use.
"""

import base64
import binascii
import json
import math
import re
from collections import Counter
from collections.abc import Callable, Iterator, Sequence

from apps.core.ids import crc_base62
from apps.screening.findings import Finding, merged
from apps.screening.passwords import FILLER, LINK, is_placeholder, told
from apps.screening.providers import PROVIDERS
from apps.screening.reading import Reading

MARK = re.compile(r"\[masked: [a-z0-9-]{1,40}\]")
"""What stands in place of a secret."""

Spans = Iterator[tuple[str, int, int, float]]

_NEEDLES_OF_PROVIDERS = tuple((needle, provider) for provider in PROVIDERS for needle in provider.needles)
_ROUNDS = 4
_MOST_REPEATED = 50
_PEM = re.compile(
    r"-{3,5}(?:\s|\\n){0,3}BEGIN(?:\s|\\n){1,3}(?:[A-Z0-9]{1,12}(?:\s|\\n){1,3}){0,4}?PRIVATE(?:\s|\\n){1,3}KEY"
    r"(?:(?:\s|\\n){1,3}BLOCK)?(?:\s|\\n){0,3}(?:-{3,5}|\Z)"
)
_PEM_END = re.compile(r"-{3,5}\s{0,3}END[A-Z0-9\s]{1,60}KEY(?:\s{1,3}BLOCK)?\s{0,3}-{0,5}")
_PEM_BODY = re.compile(r"(?:[A-Za-z0-9+/=\s:,-]|\\[nrt])*+")
_PEM_LONGEST = 65_536
_JWT = re.compile(r"(?<![A-Za-z0-9_-])(eyJ[A-Za-z0-9_-]{6,}+)\.[A-Za-z0-9_-]{4,}+(?:\.[A-Za-z0-9_-]*+)?")
# A password may hold a slash, except in a web address, where what follows the first slash is a path.
_URL = re.compile(
    r"(?<![A-Za-z0-9+.-])(?P<scheme>[A-Za-z][A-Za-z0-9+.-]{1,30})://(?P<user>[^\s\0:/@\"'<>\\]{0,128})"
    r":(?P<password>[^\s\0\"'<>\\]{1,256})@(?=[A-Za-z0-9.\[%_-])"
)
_WEB = re.compile(r"https?|ftps?|wss?|git|ssh|sftp", re.IGNORECASE)
_PORT = re.compile(r"[0-9]{1,5}(?:[/?#].*)?", re.DOTALL)
_BEARER = re.compile(r"\b(?P<kind>bearer|basic)[^\S\n]+[\"']?(?P<value>[A-Za-z0-9._~+/=-]{12,}+)", re.IGNORECASE)

# The patterns that read words get a view without accents or capitals.
_COMPOUND = (
    r"(?:api|access|auth|secret|private|encryption|signing|deploy|client|master|refresh|id|session|bot|service|admin"
    r"|webhook|account|shared)[ _.-]?(?:access[ _.-]?)?(?:key|token|secret)s?(?:[ _.-]?id)?"
)
_ASSIGNED = re.compile(
    rf"(?:(?P<compound>{_COMPOUND})|token|secret|credentials?)(?![A-Za-z]){FILLER}{LINK}"
    r"\\?[\"'`]?(?P<value>[^\s\0\"'`<>,;&(){}\[\]\\]{8,}+)"
)
_NEEDLES = (
    *("key", "token", "secret", "credential", "passw", "passphrase", "authori", "signature", "cookie", "bearer"),
    *("schlussel", "clave", "chave", "cle"),
)
_RUN = re.compile(r"(?<![A-Za-z0-9+/_=-])[A-Za-z0-9+/_-]{16,}+={0,2}")
_NEAR = 48
_KEYWORD = re.compile(
    r"(?:key|token|secret|credential|passw(?:or[dt]|d)|passphrase|authori[sz]ation|signature|cookie|bearer"
    r"|schlussel|clave|chave|cle)(?:s|en)?(?![a-z])"
)
_HARMLESS = re.compile(
    r"commit|revision|sha-?[0-9]|md5|digest|checksum|\bhash|etag|public|primary|foreign|partition|idempotency|cache"
    r"|trace|span|uuid|guid|fingerprint|image|base64,|isbn|\border|tracking|object|sort key|version"
)
_UUID = re.compile(r"[0-9a-f]{8}-(?:[0-9a-f]{4}-){3}[0-9a-f]{12}", re.IGNORECASE)
_HEX = re.compile(r"(?:0x)?[0-9a-fA-F]+")
_MIXED_PIECE = re.compile(r"(?=[^\W_]*[A-Za-z])(?=[^\W_]*[0-9])[^\W_]{6,}")
_ALGORITHM = re.compile(r"(?:sha|md|utf|base|aes|rsa|ed|v|oauth|http|version|build)[0-9]+", re.IGNORECASE)
_EXAMPLE = re.compile(r"your|example|placeholder|xxxx|\*\*\*\*|change.?me|\$\{|\{\{|redacted|masked", re.IGNORECASE)


def find(text: str, check: Callable[[], None] = lambda: None) -> list[Finding]:
    """The secrets of a text, without overlaps, in order. `check` is called between the steps and may raise, to end a
    search that takes too long."""
    # A mask may uncover what stood against the secret. So what is found is blanked out and the rest read again: then a
    # masked text has no secrets left, and the work stays a fixed number of readings.
    rest = MARK.sub(lambda match: "\0" * len(match[0]), text)
    found: list[Finding] = []
    for _ in range(_ROUNDS):
        new = merged(_read(rest, check))
        if not new:
            break
        rest = _blanked(rest, new)
        again = merged(_repeated(text, rest, new))
        rest = _blanked(rest, again)
        found += [*new, *again]
    return sorted(found, key=lambda finding: finding.start)


def is_telling(value: str) -> bool:
    """Whether the value is still a secret where nothing around says so: long enough not to occur by chance, and plain
    enough to be looked for inside JSON text."""
    plain = len(value) >= 12 or (len(value) >= 6 and not value.isalpha() and not value.isdigit())
    return plain and len(value) <= 512 and value.isprintable() and '"' not in value and "\\" not in value


def _repeated(text: str, rest: str, found: Sequence[Finding]) -> Iterator[Finding]:
    """What was told to be secret once is so everywhere: "my password is x … so x, is that right?"."""
    values = {text[finding.start : finding.end]: finding for finding in found[:_MOST_REPEATED]}
    for value, finding in values.items():
        if is_telling(value):
            start = rest.find(value)
            while start >= 0:
                yield Finding("secret", finding.detector, start, start + len(value), finding.score)
                start = rest.find(value, start + len(value))


def _blanked(rest: str, found: Sequence[Finding]) -> str:
    pieces, position = [], 0
    for finding in found:
        pieces += [rest[position : finding.start], "\0" * (finding.end - finding.start)]
        position = finding.end
    return "".join([*pieces, rest[position:]])


def entropy(value: str) -> float:
    """Shannon's, in bits a character."""
    return -sum(n / len(value) * math.log2(n / len(value)) for n in Counter(value).values())


def _read(text: str, check: Callable[[], None]) -> Iterator[Finding]:
    reading = Reading(text)
    for step in (_by_provider, _by_form, _by_words, _by_entropy):
        check()
        for detector, start, end, score in step(reading):
            start, end = reading.span(start, end)
            if start < end:
                yield Finding("secret", detector, start, end, score)
    if reading.view != text:
        # As it stands, too: without a hidden character, a letter may stand before a prefix that needs a boundary.
        raw = Reading.plain(text)
        for step in (_by_provider, _by_form):
            check()
            for detector, start, end, score in step(raw):
                yield Finding("secret", detector, start, end, score)


def _by_provider(reading: Reading) -> Spans:
    view = reading.view
    for provider in dict.fromkeys(provider for needle, provider in _NEEDLES_OF_PROVIDERS if needle in view):
        for match in provider.pattern.finditer(view):
            score = 0.95
            if provider.detector == "memoryplane-key":
                # A wrong checksum is a typing mistake or a truncation: what is left of the key must not stay either.
                body, _, checksum = match[0].rpartition("_")
                score = 1.0 if crc_base62(body) == checksum else 0.8
            yield provider.detector, match.start(), match.end(), score


def _by_form(reading: Reading) -> Spans:
    view = reading.view
    if "PRIVATE" in view:
        yield from _pem_blocks(view)
    if "eyJ" in view:
        for match in _JWT.finditer(view):
            if _is_jwt_header(match[1]):
                yield "jwt", match.start(), match.end(), 0.95
    if "://" in view:
        for match in _URL.finditer(view):
            password, is_web = match["password"], _WEB.fullmatch(match["scheme"]) is not None
            if (
                (_PORT.fullmatch(password) and "/" in password)
                or (is_web and "/" in password)
                or is_placeholder(password)
            ):
                continue
            yield "basic-auth-url" if is_web else "connection-string", *match.span("password"), 0.9
    if "asic" in view or "earer" in view or "EARER" in view:
        for match in _BEARER.finditer(view):
            value = match["value"]
            if match["kind"].lower() == "bearer":
                if re.search("[0-9]", value) and not _EXAMPLE.search(value):
                    yield "bearer-token", *match.span("value"), 0.85
            elif ":" in _decoded(value).strip(":"):
                yield "basic-auth", *match.span("value"), 0.9


def _by_words(reading: Reading) -> Spans:
    view, lower = reading.view, reading.lower
    yield from told(reading)
    if not any(map(lower.__contains__, _NEEDLES[:4])):
        return
    for match in _ASSIGNED.finditer(lower):
        start = match.start("value")
        value = view[start : match.end("value")].rstrip(".:!?")
        if _EXAMPLE.search(value) or _HARMLESS.search(_before(lower, start)):
            continue
        if looks_random(value) and (match["compound"] or not _UUID.fullmatch(value)):
            yield "assigned-secret", start, start + len(value), 0.8


def _by_entropy(reading: Reading) -> Spans:
    view, lower = reading.view, reading.lower
    if not any(map(lower.__contains__, _NEEDLES)):
        return
    for match in _RUN.finditer(view):
        value, start = match[0], match.start()
        before = _before(lower, start)
        if not _KEYWORD.search(before) or _HARMLESS.search(before) or _UUID.search(value) or _EXAMPLE.search(value):
            continue
        if _HEX.fullmatch(value):
            if not value.isdigit() and entropy(value) > 3.0:
                yield "hex-secret", start, match.end(), 0.7
        elif entropy(value) > 4.5 and re.search("[0-9]", value):
            yield "base64-secret", start, match.end(), 0.7


def _before(view: str, start: int) -> str:
    """What stands before on the same line, up to what is masked already."""
    return view[max(0, start - _NEAR) : start].rpartition("\0")[2].rpartition("\n")[2]


def _pem_blocks(view: str) -> Spans:
    position, no_more_ends = 0, False
    while header := _PEM.search(view, position):
        wall = view.find("\0", header.end())
        wall = len(view) if wall < 0 else wall
        closing = None if no_more_ends else _PEM_END.search(view, header.end())
        no_more_ends = closing is None
        if closing and closing.end() <= min(wall, header.end() + _PEM_LONGEST):
            end = closing.end()
        else:
            body = _PEM_BODY.match(view, header.end())
            end = body.end() if body else header.end()
        yield "private-key", header.start(), end, 1.0
        position = end


def _is_jwt_header(part: str) -> bool:
    try:
        header = json.loads(_decoded(part))
    except (ValueError, RecursionError):
        return False
    return isinstance(header, dict) and ("alg" in header or "typ" in header)


def _decoded(value: str) -> str:
    """The text in a piece of base64 (either alphabet, padded or not), or an empty one."""
    value = value.rstrip("=").translate(str.maketrans("-_", "+/"))[:4096]
    try:
        return base64.b64decode(value + "=" * (-len(value) % 4), validate=True).decode()
    except (binascii.Error, ValueError):
        return ""


def looks_random(value: str) -> bool:
    """Whether letters and digits mix inside a piece, as in no word, number, date or version."""
    pieces = _MIXED_PIECE.findall(value[:200])
    return any(not _ALGORITHM.fullmatch(piece) for piece in pieces) and entropy(value) >= 2.5
