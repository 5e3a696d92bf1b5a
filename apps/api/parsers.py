"""Bodies in and out: UTF-8 JSON, nothing else, with a limit before anything is parsed."""

import json
import zlib
from collections.abc import Mapping
from typing import IO, Any, cast

import orjson
from django.http import HttpRequest
from rest_framework.negotiation import BaseContentNegotiation
from rest_framework.parsers import BaseParser
from rest_framework.renderers import BaseRenderer
from rest_framework.request import Request

from apps.api.errors import LengthRequired, unsupported_media_type
from apps.core import strict_json
from apps.core.errors import Invalid, Malformed, TooLarge, UnsupportedMedia

# An agent's definition holds its prompt and the schemas of all its tools.
WIRE_BYTES = 4 * 1024 * 1024
WIRE_DEPTH = 200
PIECE = 64 * 1024


def read_body(
    request: HttpRequest, max_bytes: int, types: tuple[str, ...] = ("application/json",), *, gzip: bool = False
) -> bytes:
    """The raw body of at most `max_bytes`, refused by its headers before a byte is read where they tell enough. With
    ``gzip`` a compressed one is read too, no further than it may be long.

    Raises UnsupportedMedia (`content_encoding`, `unsupported_media_type`, `unsupported_charset`), Malformed
    `invalid_gzip`, LengthRequired and TooLarge.
    """
    encoding = request.headers.get("Content-Encoding", "").strip().lower()
    packed = gzip and encoding == "gzip"
    if encoding not in {"", "identity"} and not packed:
        raise UnsupportedMedia("content_encoding", "Send the body as it is, without a content encoding.")
    if request.content_type not in types:
        raise unsupported_media_type(types)
    if (request.content_params or {}).get("charset", "utf-8").lower() not in {"utf-8", "utf8"}:
        raise UnsupportedMedia("unsupported_charset", "Send the body in UTF-8.")
    length = request.META.get("CONTENT_LENGTH") or ""
    if not length and "Transfer-Encoding" in request.headers:
        raise LengthRequired("length_required", "Send the body with a Content-Length.")
    too_large = TooLarge("body_too_large", f"The body is over {max_bytes} bytes.", pointer="")
    if length.isascii() and length.isdigit() and int(length[:20]) > max_bytes:
        raise too_large
    body = request.read(max_bytes + 1)
    if len(body) > max_bytes:
        raise too_large
    return _unpacked(body, max_bytes, too_large) if packed else body


def _unpacked(body: bytes, max_bytes: int, too_large: TooLarge) -> bytes:
    """What was compressed as one or several members of gzip, piece by piece, so that a bomb holds little more than a body
    may."""
    plain, member = bytearray(), zlib.decompressobj(wbits=31)
    pieces = (body[at : at + PIECE] for at in range(0, len(body), PIECE))
    waiting = next(pieces, b"")
    while body:
        try:
            made = member.decompress(waiting, 16 * PIECE)
        except zlib.error:
            raise Malformed("invalid_gzip", "The body is no gzip.") from None
        plain += made
        if len(plain) > max_bytes:
            raise too_large
        if member.eof:
            waiting = member.unused_data or next(pieces, b"")
            if not waiting:
                break
            member = zlib.decompressobj(wbits=31)
        elif not (waiting := member.unconsumed_tail or next(pieces, b"")) and not made:
            raise Malformed("invalid_gzip", "The body is a gzip that breaks off.")
    return bytes(plain)


def lenient_object(request: HttpRequest, max_bytes: int, *, cut: bool = False) -> dict[str, Any]:
    """The JSON object of an SDK's body: unknown fields, bad text and odd numbers pass; with ``cut`` what is nested too deep
    is cut away. Raises as `read_body`, and Malformed for what is no JSON object."""
    body = read_body(request, max_bytes)
    value = strict_json.lenient_loads(body, max_bytes=max_bytes, max_depth=WIRE_DEPTH, cut=cut)
    if not isinstance(value, dict):
        raise Malformed("object_expected", "The body has to be a JSON object.", pointer="")
    return value


def object_of(request: Request) -> dict[str, Any]:
    """The body as its parser read it. Unlike `request.data` it does not take an empty body for an empty object."""
    if request.stream is None:
        read_body(request._request, 0)
        raise Malformed("empty_body", "The body is empty.")
    return cast(dict[str, Any], request.data)


class StrictJSONParser(BaseParser):
    """Bodies of the product's own routes: whatever could mean two things is refused."""

    media_type = "application/json"

    def parse(
        self, stream: IO[Any], media_type: str | None = None, parser_context: Mapping[str, Any] | None = None
    ) -> dict[str, Any]:
        body = read_body(_request(parser_context), strict_json.MAX_BYTES)
        return strict_json.loads(body)


class WireJSONParser(BaseParser):
    """Bodies of the SDK's own routes."""

    media_type = "application/json"

    def parse(
        self, stream: IO[Any], media_type: str | None = None, parser_context: Mapping[str, Any] | None = None
    ) -> dict[str, Any]:
        return lenient_object(_request(parser_context), WIRE_BYTES)


class OrjsonRenderer(BaseRenderer):
    """JSON, with times in UTC as `…Z`."""

    media_type = "application/json"
    format = "json"
    charset = None

    def render(
        self,
        data: Any,
        accepted_media_type: str | None = None,
        renderer_context: Mapping[str, Any] | None = None,
    ) -> bytes:
        return orjson.dumps(data, option=orjson.OPT_UTC_Z)


class ExactRenderer(OrjsonRenderer):
    """The same for values of clients, whose numbers may be longer than orjson's."""

    def render(
        self,
        data: Any,
        accepted_media_type: str | None = None,
        renderer_context: Mapping[str, Any] | None = None,
    ) -> bytes:
        return json.dumps(data, ensure_ascii=False, separators=(",", ":"), default=_plain).encode()


def _plain(value: Any) -> Any:
    return orjson.loads(orjson.dumps(value, option=orjson.OPT_UTC_Z))


class OnlyJSON(BaseContentNegotiation):
    """Answers are JSON whatever `Accept` says; a body that is not JSON finds no parser."""

    def select_parser(self, request: Request, parsers: Any) -> BaseParser:
        parser: BaseParser = parsers[0]
        return parser

    def select_renderer(self, request: Request, renderers: Any, format_suffix: str | None = None) -> Any:
        return renderers[0], renderers[0].media_type


def wire_text(data: Mapping[str, Any], name: str, default: str | None = None) -> str:
    """The text in the field `name` of an SDK's body; null and missing give `default`, without one they are a fault.

    Raises Invalid `required` or `wrong_type`.
    """
    value = data.get(name)
    if value is None:
        if default is None:
            raise Invalid("required", "Is required.", pointer=f"/{name}")
        return default
    if not isinstance(value, str):
        raise Invalid("wrong_type", "Has to be a text.", pointer=f"/{name}")
    return value


def _request(parser_context: Mapping[str, Any] | None) -> HttpRequest:
    assert parser_context is not None
    request: Request = parser_context["request"]
    return request._request
