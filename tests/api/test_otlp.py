"""POST traces: OpenTelemetry's own exporter, its wire formats, and what becomes of the GenAI conventions."""

import gzip
import json
from typing import Any

import pytest
from google.rpc.status_pb2 import Status
from opentelemetry.exporter.otlp.proto.http import Compression
from opentelemetry.exporter.otlp.proto.http.trace_exporter import OTLPSpanExporter
from opentelemetry.proto.collector.trace.v1.trace_service_pb2 import (
    ExportTraceServiceRequest,
    ExportTraceServiceResponse,
)
from opentelemetry.sdk.resources import Resource
from opentelemetry.sdk.trace import TracerProvider
from opentelemetry.sdk.trace.export import BatchSpanProcessor
from opentelemetry.trace import SpanKind, set_span_in_context

from apps.api.views.traces import MAX_BYTES
from apps.core.transactions import bind
from apps.tenancy.models import Agent, Project, Subject
from apps.traces.models import Message, Session, Span, Trace
from tests.api.helpers import assert_problem, fault, post
from tests.factories import make_key
from tests.live import Live

TRACE, SPAN = "0af7651916cd43dd8448eb211c80319c", "b7ad6b7169203331"
PROTOBUF = "application/x-protobuf"


@pytest.fixture
def key(project: Project) -> str:
    return make_key(project, ["traces:write"])[1]


def text(name: str, value: str) -> dict[str, Any]:
    return {"key": name, "value": {"stringValue": value}}


def span(number: int = 1, *attributes: dict[str, Any], **fields: Any) -> dict[str, Any]:
    return {
        "traceId": TRACE,
        "spanId": f"{number:016x}",
        "name": "invoke_agent support",
        "startTimeUnixNano": "1795000000000000000",
        "endTimeUnixNano": 1795000001500000000,
        "attributes": [text("gen_ai.operation.name", "invoke_agent"), *attributes],
        **fields,
    }


def body(*spans: Any, resource: list[dict[str, Any]] | None = None) -> dict[str, Any]:
    return {"resourceSpans": [{"resource": {"attributes": resource or []}, "scopeSpans": [{"spans": list(spans)}]}]}


def said(project: Project) -> list[tuple[str, str]]:
    with bind(project.id):
        return list(Message.objects.order_by("at", "id").values_list("role", "content"))


def messages(*turns: tuple[str, str]) -> str:
    return json.dumps([{"role": role, "parts": [{"type": "text", "content": words}]} for role, words in turns])


def test_the_real_exporter_sends_an_instrumented_run(project: Project, agent: Agent, key: str, server: Live) -> None:
    provider = TracerProvider(resource=Resource({"service.name": "shop"}))
    exporter = OTLPSpanExporter(
        f"{server.url}/v1/traces", headers={"X-API-Key": key}, compression=Compression.Gzip, timeout=30
    )
    provider.add_span_processor(BatchSpanProcessor(exporter))
    tracer = provider.get_tracer("shop.agent")
    with tracer.start_as_current_span("POST /chat", kind=SpanKind.SERVER) as root:
        within = set_span_in_context(root)
        tracer.start_span("SELECT orders", within, attributes={"db.system.name": "postgresql"}).end()
        run = tracer.start_span(
            "invoke_agent support",
            within,
            attributes={
                "gen_ai.operation.name": "invoke_agent",
                "gen_ai.agent.name": "support",
                "gen_ai.conversation.id": "chat-7",
                "user.id": "ada.lovelace",
                "gen_ai.system_instructions": json.dumps([{"type": "text", "content": "Be kind."}]),
                "gen_ai.input.messages": messages(("user", "I moved to Lisbon last week.")),
                "gen_ai.output.messages": messages(("assistant", "Noted: Lisbon.")),
            },
        )
        call = tracer.start_span(
            "execute_tool find_city",
            set_span_in_context(run),
            attributes={
                "gen_ai.operation.name": "execute_tool",
                "gen_ai.tool.name": "find_city",
                "gen_ai.tool.call.arguments": '{"name":"Lisbon"}',
                "gen_ai.tool.call.result": "found",
            },
        )
        call.end()
        run.end()
    assert provider.force_flush(30_000)
    provider.shutdown()

    with bind(project.id):
        trace = Trace.objects.get()
        assert (trace.root_name, trace.agent_name, trace.agent_id) == ("POST /chat", "support", agent.id)
        assert (trace.span_count, trace.status) == (3, "UNSET")
        assert Session.objects.get().external_id == "chat-7"
        assert Subject.objects.get().external_id == "ada.lovelace"
        kept = {row.name: row.attributes for row in Span.objects.all()}
    assert said(project) == [("user", "I moved to Lisbon last week."), ("assistant", "Noted: Lisbon.")]
    assert sorted(kept) == ["POST /chat", "execute_tool find_city", "invoke_agent support"]
    assert kept["POST /chat"] == {"service.name": "shop"}
    assert kept["invoke_agent support"] == {
        "service.name": "shop",
        "agent.name": "support",
        "agent.input": "I moved to Lisbon last week.",
        "agent.output": "Noted: Lisbon.",
        "agent.system_prompt": "Be kind.",
        "gen_ai.operation.name": "invoke_agent",
        "fastaiagent.meta.user_id": "ada.lovelace",
        "fastaiagent.meta.session_id": "chat-7",
    }
    assert kept["execute_tool find_city"] == {
        "service.name": "shop",
        "gen_ai.operation.name": "execute_tool",
        "tool.name": "find_city",
        "tool.args": '{"name":"Lisbon"}',
        "tool.result": "found",
    }


def test_protobuf_and_json_are_the_same_to_the_last_attribute(project: Project, key: str) -> None:
    asked = span(
        1,
        text("gen_ai.agent.name", "support"),
        {"key": "gen_ai.usage.input_tokens", "value": {"intValue": "12"}},
        {"key": "gen_ai.request.temperature", "value": {"doubleValue": 0.5}},
        {"key": "gen_ai.request.stop_sequences", "value": {"arrayValue": {"values": [{"stringValue": "\n"}]}}},
        {"key": "gen_ai.extra", "value": {"kvlistValue": {"values": [{"key": "on", "value": {"boolValue": True}}]}}},
        status={"code": 2, "message": "late"},
        events=[{"name": "exception", "timeUnixNano": "1795000001000000000", "attributes": [text("a", "b")]}],
    )
    response = post("traces", key, body(asked))
    assert (response.status_code, json.loads(response.content)) == (200, {})
    with bind(project.id):
        row = Span.objects.get()
        first = (row.name, row.status, row.started_at, row.ended_at, row.attributes, row.events, row.digest)
        assert row.status == "ERROR"
        assert (row.ended_at - row.started_at).total_seconds() == 1.5
        assert row.attributes == {
            "agent.name": "support",
            "gen_ai.operation.name": "invoke_agent",
            "gen_ai.usage.input_tokens": 12,
            "gen_ai.request.temperature": 0.5,
            "gen_ai.request.stop_sequences": ["\n"],
            "gen_ai.extra": {"on": True},
        }
        assert row.events == [
            {"name": "exception", "timestamp": "1795000001000000000", "attributes": {"a": "b"}},
        ]
    message = ExportTraceServiceRequest()
    one = message.resource_spans.add().scope_spans.add().spans.add()
    one.trace_id, one.span_id, one.name = bytes.fromhex(TRACE), bytes.fromhex("02".rjust(16, "0")), asked["name"]
    one.start_time_unix_nano, one.end_time_unix_nano = 1795000000000000000, 1795000001500000000
    one.status.code, one.status.message = 2, "late"
    for name, field, value in (
        ("gen_ai.operation.name", "string_value", "invoke_agent"),
        ("gen_ai.agent.name", "string_value", "support"),
        ("gen_ai.usage.input_tokens", "int_value", 12),
        ("gen_ai.request.temperature", "double_value", 0.5),
    ):
        pair = one.attributes.add(key=name)
        setattr(pair.value, field, value)
    one.attributes.add(key="gen_ai.request.stop_sequences").value.array_value.values.add(string_value="\n")
    one.attributes.add(key="gen_ai.extra").value.kvlist_value.values.add(key="on").value.bool_value = True
    event = one.events.add(name="exception", time_unix_nano=1795000001000000000)
    event.attributes.add(key="a").value.string_value = "b"
    packed = gzip.compress(message.SerializeToString())
    response = post("traces", key, raw=packed, content_type=PROTOBUF, headers={"Content-Encoding": "gzip"})
    assert (response.status_code, response["Content-Type"]) == (200, PROTOBUF)
    assert ExportTraceServiceResponse.FromString(response.content) == ExportTraceServiceResponse()
    with bind(project.id):
        row = Span.objects.get(span_id="02".rjust(16, "0"))
        assert (row.name, row.status, row.started_at, row.ended_at, row.attributes, row.events) == first[:-1]


def chat(number: int, *turns: tuple[str, str], output: str, **fields: Any) -> dict[str, Any]:
    return {
        **span(number, text("gen_ai.input.messages", messages(*turns)), text("gen_ai.output.messages", output)),
        "name": "chat some-model",
        **fields,
    }


def test_of_a_history_only_what_was_said_last_is_a_message(project: Project, key: str) -> None:
    turns = (("system", "Be brief."), ("user", "Hello."), ("assistant", "Hi."), ("user", "I am vegan."))
    asked = chat(1, *turns, output=messages(("assistant", "Then no cheese.")))
    asked["attributes"][0] = text("gen_ai.operation.name", "chat")
    assert post("traces", key, body(asked)).status_code == 200
    assert said(project) == [("user", "I am vegan."), ("assistant", "Then no cheese.")]
    with bind(project.id):
        attributes = Span.objects.get().attributes
    assert attributes["agent.system_prompt"] == "Be brief."
    assert json.loads(attributes["gen_ai.request.messages"]) == [
        {"role": role, "content": words} for role, words in turns
    ]
    assert attributes["gen_ai.response.content"] == "Then no cheese."
    assert not [name for name in attributes if name.endswith((".input.messages", ".output.messages"))]


def test_a_wish_to_call_a_tool_is_no_answer_and_its_result_no_question(project: Project, key: str) -> None:
    wish = json.dumps(
        [
            {
                "role": "assistant",
                "parts": [
                    {"type": "text", "content": "Let me see."},
                    {"type": "tool_call", "id": "1", "name": "find", "arguments": {"q": "x"}},
                ],
                "finish_reason": "tool_call",
            }
        ]
    )
    first = chat(1, ("user", "Where is my order?"), output=wish)
    loop = json.dumps(
        [
            {"role": "user", "parts": [{"type": "text", "content": "Where is my order?"}]},
            *json.loads(wish),
            {"role": "tool", "parts": [{"type": "tool_call_response", "id": "1", "response": "at the door"}]},
        ]
    )
    second = span(
        2, text("gen_ai.input.messages", loop), text("gen_ai.output.messages", messages(("assistant", "Here.")))
    )
    for one in (first, second):
        one["attributes"][0] = text("gen_ai.operation.name", "chat")
    assert post("traces", key, body(first, second)).status_code == 200
    assert said(project) == [("user", "Where is my order?"), ("assistant", "Here.")]
    with bind(project.id):
        attributes = Span.objects.get(span_id=f"{1:016x}").attributes
    assert json.loads(attributes["gen_ai.response.tool_calls"]) == [
        {"type": "tool_call", "id": "1", "name": "find", "arguments": {"q": "x"}}
    ]


OLDER = {
    "messages as events": [
        {"name": "gen_ai.user.message", "attributes": [text("content", "My size is 43.")]},
        {"name": "gen_ai.choice", "attributes": [text("message", '{"content": "Size 43."}'), text("index", "0")]},
    ],
    "events with one body": [
        {"name": "gen_ai.user.message", "attributes": [text("gen_ai.event.content", '{"content": "My size is 43."}')]},
        {
            "name": "gen_ai.choice",
            "attributes": [text("gen_ai.event.content", '{"message": {"role": "assistant", "content": "Size 43."}}')],
        },
    ],
    "prompt and completion": [
        {
            "name": "gen_ai.content.prompt",
            "attributes": [text("gen_ai.prompt", '[{"role": "user", "content": "My size is 43."}]')],
        },
        {"name": "gen_ai.content.completion", "attributes": [text("gen_ai.completion", "Size 43.")]},
    ],
    "details as an event": [
        {
            "name": "gen_ai.client.inference.operation.details",
            "attributes": [
                text("gen_ai.input.messages", messages(("user", "My size is 43."))),
                text("gen_ai.output.messages", messages(("assistant", "Size 43."))),
            ],
        }
    ],
}


@pytest.mark.parametrize("events", OLDER.values(), ids=OLDER)
def test_older_conventions_are_read_too(project: Project, key: str, events: list[dict[str, Any]]) -> None:
    asked = span(1, events=events)
    asked["attributes"] = [text("gen_ai.operation.name", "chat")]
    assert post("traces", key, body(asked)).status_code == 200
    assert said(project) == [("user", "My size is 43."), ("assistant", "Size 43.")]
    with bind(project.id):
        kept = Span.objects.get().events
    assert json.dumps(kept).count("43") == 0


def test_numbered_attributes_are_read_in_their_order(project: Project, key: str) -> None:
    asked = span(1)
    asked["attributes"] = [
        text("traceloop.association.properties.user_id", "grace.hopper"),
        text("gen_ai.prompt.1.content", "And green tea."),
        text("gen_ai.prompt.0.role", "user"),
        text("gen_ai.prompt.0.content", "I like black tea."),
        text("gen_ai.prompt.1.role", "user"),
        text("gen_ai.completion.0.content", "Both, then."),
    ]
    assert post("traces", key, body(asked)).status_code == 200
    assert said(project) == [("user", "I like black tea.\nAnd green tea."), ("assistant", "Both, then.")]
    with bind(project.id):
        assert Subject.objects.get().external_id == "grace.hopper"


def test_spans_that_are_not_about_models_are_left_out(project: Project, key: str) -> None:
    root = span(1, name="GET /", attributes=[text("http.route", "/")])
    other = span(2, name="GET /health", attributes=[], traceId="1" * 32)
    within = span(3, parentSpanId=f"{1:016x}")
    response = post("traces", key, body(within, other, root, resource=[text("service.name", "unknown_service:python")]))
    assert (response.status_code, json.loads(response.content)) == (200, {})
    with bind(project.id):
        assert list(Span.objects.order_by("span_id").values_list("name", flat=True)) == [
            "GET /",
            "invoke_agent support",
        ]
        assert Trace.objects.get().agent_name == ""


def test_bad_spans_are_counted_and_the_others_stored(project: Project, key: str) -> None:
    spans = [span(1), span(2, traceId="zz"), span(3, startTimeUnixNano="soon"), span(0), span(4, endTimeUnixNano="1")]
    response = post("traces", key, body(*spans))
    assert json.loads(response.content) == {
        "partialSuccess": {"rejectedSpans": "4", "errorMessage": "bad_span_id: 1, bad_time: 2, bad_trace_id: 1"}
    }
    with bind(project.id):
        assert Span.objects.count() == 1


def test_more_than_one_batch_of_spans_is_taken_and_again_is_nothing_new(project: Project, key: str) -> None:
    sent = body(*[span(number) for number in range(1, 602)])
    for _ in range(2):
        response = post("traces", key, sent)
        assert (response.status_code, json.loads(response.content)) == (200, {})
        with bind(project.id):
            assert Span.objects.count() == 601
            assert Trace.objects.get().differing_copies == 0


@pytest.mark.parametrize(
    ("sent", "options", "status", "code"),
    [
        (b"\xff\xff", {"content_type": PROTOBUF}, 400, "The body is no ExportTraceServiceRequest."),
        (b"\x0a\x0b", {"content_type": PROTOBUF, "headers": {"Content-Encoding": "gzip"}}, 400, "The body is no gzip."),
        (
            gzip.compress(b"\x0a" * 99)[:-9],
            {"content_type": PROTOBUF, "headers": {"Content-Encoding": "gzip"}},
            400,
            "The body is a gzip that breaks off.",
        ),
        (
            gzip.compress(bytes(MAX_BYTES + 1)),
            {"content_type": PROTOBUF, "headers": {"Content-Encoding": "gzip"}},
            413,
            f"The body is over {MAX_BYTES} bytes.",
        ),
    ],
    ids=["no protobuf", "no gzip", "half a gzip", "a bomb"],
)
def test_what_cannot_be_read_is_refused_in_protobuf(
    project: Project, key: str, sent: bytes, options: dict[str, Any], status: int, code: str
) -> None:
    response = post("traces", key, raw=sent, **options)
    assert (response.status_code, response["Content-Type"]) == (status, PROTOBUF)
    assert Status.FromString(response.content) == Status(message=code)
    with bind(project.id):
        assert Trace.objects.count() == 0


def test_refusals_of_json_are_problems(project: Project, key: str) -> None:
    response = post("traces", key, {"resourceSpans": [{"scopeSpans": [{"spans": {}}]}]})
    pointer = "/resourceSpans/0/scopeSpans/0/spans"
    assert_problem(response, 422, "wrong_type", None, [fault("wrong_type", "Has to be a list.", pointer=pointer)])
    assert_problem(post("traces", key, raw=b"{}", content_type="text/plain"), 415, "unsupported_media_type")
    detail = "The body has to be a JSON object."
    assert_problem(post("traces", key, raw=b"[]"), 400, "object_expected", detail, [fault("object_expected", detail)])
