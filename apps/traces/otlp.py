"""Spans of the OpenTelemetry protocol (OTLP 1.10) as the spans this room takes in. No database.

Of each resource's spans those are kept that say something about a model, an agent or a tool, and those they lie in: an
instrumented service sends its HTTP and database calls by the same way, which hold nothing to learn from.
"""

import base64
from collections.abc import Iterator
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from typing import Any

from google.protobuf.json_format import MessageToDict
from google.protobuf.message import DecodeError
from opentelemetry.proto.collector.trace.v1.trace_service_pb2 import ExportTraceServiceRequest

from apps.core.errors import Invalid, Malformed
from apps.traces.genai import is_told, translate

_STATUS = {0: "UNSET", 1: "OK", 2: "ERROR"}
_EPOCH = datetime(1970, 1, 1, tzinfo=UTC)
# Of a resource, what tells whose run it is; the rest describes a machine.
_OF_RESOURCE = ("service.name", "user.id", "enduser.id", "session.id")


@dataclass(frozen=True)
class Export:
    """``spans`` are in the shape that `ingest_spans` takes; ``left_out`` counts those that are not about models."""

    spans: list[dict[str, Any]]
    left_out: int


def read_protobuf(body: bytes) -> Export:
    """An ExportTraceServiceRequest. Raises Malformed `invalid_protobuf`."""
    request = ExportTraceServiceRequest()
    try:
        request.ParseFromString(body)
    except DecodeError:
        raise Malformed("invalid_protobuf", "The body is no ExportTraceServiceRequest.") from None
    return _export(MessageToDict(request, use_integers_for_enums=True), _hex_of_base64)


def read_json(value: dict[str, Any]) -> Export:
    """The same as JSON, where ids are hex. Raises Invalid `wrong_type` with the pointer of what is no list or object."""
    return _export(value, lambda found: found.lower() if isinstance(found, str) else found)


def _export(request: dict[str, Any], read_id: Any) -> Export:
    spans, kept, left_out = [], [], 0
    for place, resource_spans in _items(request, "resourceSpans", ""):
        resource = _attributes(resource_spans.get("resource") or {}, f"{place}/resource")
        for inner, scope_spans in _items(resource_spans, "scopeSpans", place):
            for where, raw in _items(scope_spans, "spans", inner):
                spans.append(_span(raw, where, read_id, resource))
    by_id = {(span["trace_id"], span["span_id"]): span for span, _ in spans}
    wanted: set[tuple[Any, Any]] = set()
    for span, told in spans:
        # A run lies in its callers' spans: they say how it ended. One that comes in a later batch is not waited for.
        while told and span is not None and (key := (span["trace_id"], span["span_id"])) not in wanted:
            wanted.add(key)
            span = by_id.get((span["trace_id"], span["parent_span_id"]))  # type: ignore[assignment]
    for span, _ in spans:
        if (span["trace_id"], span["span_id"]) in wanted:
            kept.append(span)
        else:
            left_out += 1
    return Export(kept, left_out)


def _span(raw: dict[str, Any], where: str, read_id: Any, resource: dict[str, Any]) -> tuple[dict[str, Any], bool]:
    attributes = _attributes(raw, where)
    events = [
        {
            "name": event.get("name"),
            "timestamp": str(event.get("timeUnixNano", "")),
            "attributes": _attributes(event, place),
        }
        for place, event in _items(raw, "events", where)
    ]
    told = is_told(attributes, events)
    status = raw.get("status")
    code = status.get("code") if isinstance(status, dict) else None
    of_resource = {name: resource[name] for name in _OF_RESOURCE if name in resource}
    attributes, events = translate({**of_resource, **attributes}, events, is_run=told and not raw.get("parentSpanId"))
    span = {
        "trace_id": read_id(raw.get("traceId")),
        "span_id": read_id(raw.get("spanId")),
        "parent_span_id": read_id(raw.get("parentSpanId")) or None,
        "name": raw.get("name"),
        "start_time": _time(raw.get("startTimeUnixNano")),
        "end_time": _time(raw.get("endTimeUnixNano")),
        "status": _STATUS.get(code if isinstance(code, int) else 0, "UNSET"),
        "attributes": attributes,
        "events": events,
    }
    return span, told


def _items(holder: dict[str, Any], name: str, place: str) -> Iterator[tuple[str, dict[str, Any]]]:
    found = holder.get(name)
    if found is None:
        return
    if not isinstance(found, list):
        raise Invalid("wrong_type", "Has to be a list.", pointer=f"{place}/{name}")
    for number, one in enumerate(found):
        if not isinstance(one, dict):
            raise Invalid("wrong_type", "Has to be an object.", pointer=f"{place}/{name}/{number}")
        yield f"{place}/{name}/{number}", one


def _attributes(holder: Any, place: str) -> dict[str, Any]:
    if not isinstance(holder, dict):
        raise Invalid("wrong_type", "Has to be an object.", pointer=place)
    return {
        pair["key"]: _value(pair.get("value"))
        for _, pair in _items(holder, "attributes", place)
        if isinstance(pair.get("key"), str)
    }


def _value(given: Any) -> Any:
    """An AnyValue as JSON; what is none is null."""
    if not isinstance(given, dict):
        return None
    if "intValue" in given:
        try:
            return int(given["intValue"])
        except (TypeError, ValueError):
            return str(given["intValue"])
    if isinstance(given.get("arrayValue"), dict):
        found = given["arrayValue"].get("values")
        return [_value(one) for one in found] if isinstance(found, list) else []
    if isinstance(given.get("kvlistValue"), dict):
        found = given["kvlistValue"].get("values")
        pairs = [one for one in found if isinstance(one, dict)] if isinstance(found, list) else []
        return {str(one.get("key")): _value(one.get("value")) for one in pairs}
    return next(
        (given[name] for name in ("stringValue", "boolValue", "doubleValue", "bytesValue") if name in given), None
    )


def _hex_of_base64(given: Any) -> str | None:
    return base64.b64decode(given).hex() if isinstance(given, str) else None


def _time(nanoseconds: Any) -> str | None:
    """ISO 8601 in microseconds; null for what is no time, so that the span is dropped and counted."""
    try:
        return (_EPOCH + timedelta(microseconds=int(nanoseconds) // 1000)).isoformat()
    except (TypeError, ValueError, OverflowError):
        return None
