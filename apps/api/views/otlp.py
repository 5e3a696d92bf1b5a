"""Traces of anything that speaks OpenTelemetry: OTLP over HTTP, as protobuf or JSON, at the path its exporters use."""

import orjson
import structlog
from django.http import HttpRequest, HttpResponse
from google.protobuf.json_format import MessageToDict
from google.rpc.status_pb2 import Status
from opentelemetry.proto.collector.trace.v1.trace_service_pb2 import ExportTraceServiceResponse

from apps.access.policies import require
from apps.access.queries import actor_for_key
from apps.api.auth import key_of
from apps.api.errors import respond
from apps.api.parsers import WIRE_DEPTH, read_body
from apps.api.views.traces import MAX_BYTES
from apps.core import strict_json
from apps.core.errors import Malformed
from apps.traces.actions.ingest_spans import MAX_SPANS, Ingested, ingest_spans
from apps.traces.otlp import Export, read_json, read_protobuf

PROTOBUF, JSON = "application/x-protobuf", "application/json"

log = structlog.get_logger(__name__)


def export(request: HttpRequest) -> HttpResponse:
    """200 with what was refused as ``partial_success``, in the form of the request. A refusal of a protobuf body is a
    Status, of any other the problem document."""
    try:
        done = _exported(request)
    except Exception as error:
        refusal = respond(error, in_trouble=503)
        if request.content_type == PROTOBUF:
            problem = orjson.loads(refusal.content)
            faults = [
                f"{each['pointer']}: {each['detail']}" for each in problem.get("errors", []) if each.get("pointer")
            ]
            refusal.content = Status(message=" ".join(faults) or problem["detail"]).SerializeToString()
            refusal["Content-Type"] = PROTOBUF
        return refusal
    if request.content_type == PROTOBUF:
        return HttpResponse(done.SerializeToString(), content_type=PROTOBUF)
    return HttpResponse(orjson.dumps(MessageToDict(done)), content_type=JSON)


def _exported(request: HttpRequest) -> ExportTraceServiceResponse:
    key = key_of(request)
    actor = actor_for_key(key)
    require(actor, "traces.ingest", project_id=key.project_id)
    found = _read(request)
    # A batch of its own each: an exporter sends 512 by default. What is sent again after a failure is known already.
    done = [
        ingest_spans(actor=actor, project_id=key.project_id, spans=found.spans[at : at + MAX_SPANS])
        for at in range(0, len(found.spans), MAX_SPANS)
    ]
    if found.left_out:
        log.info("otlp.not_about_models", spans=found.left_out, project_id=key.project_id)
    return _partial(done)


def _read(request: HttpRequest) -> Export:
    body = read_body(request, MAX_BYTES, (PROTOBUF, JSON), gzip=True)
    if request.content_type == PROTOBUF:
        return read_protobuf(body)
    value = strict_json.lenient_loads(body, max_bytes=MAX_BYTES, max_depth=WIRE_DEPTH, cut=True)
    if not isinstance(value, dict):
        raise Malformed("object_expected", "The body has to be a JSON object.", pointer="")
    return read_json(value)


def _partial(done: list[Ingested]) -> ExportTraceServiceResponse:
    answer = ExportTraceServiceResponse()
    reasons: dict[str, int] = {}
    for one in done:
        for reason, count in one.dropped.items():
            reasons[reason] = reasons.get(reason, 0) + count
    if reasons:
        answer.partial_success.rejected_spans = sum(reasons.values())
        answer.partial_success.error_message = ", ".join(
            f"{reason}: {count}" for reason, count in sorted(reasons.items())
        )
    return answer
