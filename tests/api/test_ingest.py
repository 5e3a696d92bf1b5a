"""POST traces/ingest: what is stored, what is dropped inside a 2xx, and the few things that are refused."""

import json
from typing import Any

import pytest

from apps.core.transactions import bind
from apps.tenancy.models import Agent, Project
from apps.traces.models import Message, Span, Trace
from tests.api.helpers import assert_problem, fault, make_span, post
from tests.factories import make_key, make_project

WRITE = ["traces:write"]


@pytest.fixture
def key(project: Project) -> str:
    return make_key(project, WRITE)[1]


def push(key: str, *spans: Any, **body: Any) -> tuple[int, Any]:
    response = post("traces/ingest", key, {"project": "acme", "spans": list(spans), **body})
    return response.status_code, json.loads(response.content)


def stored(project: Project) -> tuple[int, int, int]:
    """Spans, traces, messages."""
    with bind(project.id):
        return Span.objects.count(), Trace.objects.count(), Message.objects.count()


def counts(ingested: int, **others: Any) -> dict[str, Any]:
    return {
        "ingested": ingested,
        "dropped": {},
        "replaced_characters": 0,
        "differing": 0,
        "masked_secrets": 0,
        **others,
    }


def test_new_spans_are_created_and_known_ones_are_not(project: Project, agent: Agent, key: str) -> None:
    spans = [make_span(1), make_span(1, parent_span_id="00000000000000ff", attributes={}), make_span(2)]
    assert push(key, *spans) == (201, counts(3))
    assert stored(project) == (3, 2, 4)
    assert push(key, *spans) == (200, counts(0))
    assert push(key, *spans, make_span(2, attributes={})) == (201, counts(1))
    assert stored(project) == (4, 2, 4)
    with bind(project.id):
        assert list(Trace.objects.values_list("agent_id", "span_count").order_by("trace_id")) == [
            (agent.id, 2),
            (agent.id, 2),
        ]


def test_a_second_copy_that_differs_is_counted(project: Project, key: str) -> None:
    span = make_span(1)
    assert push(key, span) == (201, counts(1))
    assert push(key, {**span, "name": "agent.other"}) == (200, counts(0, differing=1))
    with bind(project.id):
        assert Span.objects.get().name == "agent.support"


def test_the_key_decides_the_project(project: Project, key: str) -> None:
    other = make_project("globex")
    span = make_span(1)
    for named in ("globex", None, 7, "nowhere"):
        assert push(key, span, project=named)[0] in {200, 201}
    assert push(make_key(other, WRITE)[1], span) == (201, counts(1))
    assert (stored(project)[0], stored(other)[0]) == (1, 1)


BAD_SPANS: dict[str, list[Any]] = {
    "not_an_object": [None, 7, "span", ["span"]],
    "bad_trace_id": [make_span(trace_id=None), make_span(trace_id="x" * 32), make_span(trace_id="0" * 32), {}],
    "bad_span_id": [make_span(span_id="ABCDEF0123456789"), make_span(span_id=7)],
    "bad_parent": [make_span(parent_span_id="x"), make_span(parent_span_id={"a": 1})],
    "bad_time": [
        make_span(start_time="yesterday"),
        make_span(start_time="2031-05-28T14:03:00"),
        make_span(end_time="2031-05-28T14:02:00+00:00"),
        make_span(end_time=None),
        make_span(start_time="0001-01-01T00:00:00+14:00"),
        make_span(end_time="9999-12-31T23:59:59-14:00"),
    ],
    "bad_attributes": [make_span(attributes=[]), make_span(events={"a": 1})],
}


def test_bad_spans_are_dropped_and_the_good_one_stays(project: Project, key: str) -> None:
    bad = [span for spans in BAD_SPANS.values() for span in spans]
    expected = {reason: len(spans) for reason, spans in BAD_SPANS.items()}
    assert push(key, *bad) == (200, counts(0, dropped=expected))
    assert stored(project) == (0, 0, 0)
    assert push(key, *bad, make_span(1)) == (201, counts(1, dropped=expected))
    assert stored(project) == (1, 1, 2)


ODD_SPANS = {
    "status": [{"status": status} for status in (None, 7, ["OK"], {"a": 1}, "fine")],
    "name": [{"name": name} for name in (None, 7, ["x"], "x" * 5000, "")],
    "attributes": [
        {"attributes": attributes}
        for attributes in (
            None,
            {"agent.name": 7, "agent.input": ["x"], "agent.output": None},
            {"agent.name": "x" * 5000},
            {"agent.name": " "},
            {"fastaiagent.meta.user_id": "*"},
            {"fastaiagent.meta.user_id": "x" * 5000},
            {"fastaiagent.meta.user_id": " ", "fastaiagent.meta.session_id": "x" * 5000},
            {"fastaiagent.source": "x" * 5000},
            {"agent.input": "x" * 500_000},
            {"": "empty", "a": {"b": [[[[1]]]]}, "n": 10**400, "f": 1e300},
        )
    ],
    "events": [{"events": events} for events in (None, [7], [{"name": "exception"}])],
    "extra": [{"future": {"field": 1}}],
}


@pytest.mark.parametrize("odd", [odd for group in ODD_SPANS.values() for odd in group], ids=lambda odd: str(odd)[:40])
def test_odd_spans_are_taken(project: Project, key: str, odd: dict[str, Any]) -> None:
    assert push(key, make_span(1, **odd)) == (201, counts(1))
    assert stored(project)[0] == 1


def test_text_that_can_not_be_stored_is_replaced_and_counted(project: Project, key: str) -> None:
    text = json.dumps({"spans": [make_span(1, attributes={"agent.input": "NUL HALF", "n": "NAN"})]})
    body = text.replace("NUL", "a\\u0000").replace("HALF", "\\ud800").replace('"NAN"', "NaN").encode()
    response = post("traces/ingest", key, raw=body)
    assert (response.status_code, json.loads(response.content)) == (201, counts(1, replaced_characters=3))
    with bind(project.id):
        assert Span.objects.get().attributes == {"agent.input": "a\ufffd \ufffd", "n": "NaN"}


def test_what_is_nested_too_deep_costs_no_span(project: Project, key: str) -> None:
    body = json.dumps({"spans": [make_span(1, attributes={"n": "DEEP"}), make_span(2)]})
    response = post("traces/ingest", key, raw=body.replace('"DEEP"', '{"a":' * 5_000 + "1" + "}" * 5_000).encode())
    assert (response.status_code, json.loads(response.content)) == (201, counts(2))
    with bind(project.id):
        value: Any = Span.objects.earliest("id").attributes["n"]
    for _ in range(196):  # of 200 the batch, the list, the span and its attributes are four
        value = value["a"]
    assert value == "nested too deep"


def test_other_damage_to_the_text_is_survived(project: Project, key: str) -> None:
    body = json.dumps({"spans": [make_span(1, name="NAME")]}).encode()
    for number, damaged in enumerate(
        (body.replace(b"NAME", b"\xff\xfe"), b"\xef\xbb\xbf" + body, body.replace(b"NAME", b"a\nb"))
    ):
        response = post("traces/ingest", key, raw=damaged.replace(b'"trace_id": "0', b'"trace_id": "%d' % number))
        assert response.status_code == 201, response.content


SPANS = "/spans"


@pytest.mark.parametrize(
    ("body", "status", "code", "detail", "pointer"),
    [
        (b"", 400, "empty_body", "The body is empty.", None),
        (b"{", 400, "invalid_json", "The body is not valid JSON: line 1, column 2.", None),
        (b"[]", 400, "object_expected", "The body has to be a JSON object.", ""),
        (b"null", 400, "object_expected", "The body has to be a JSON object.", ""),
        (b"[" * 100_000, 400, "too_deep", "Objects and arrays are nested more than 200 deep.", None),
        (b"{}", 422, "required", "Is required.", SPANS),
        (b'{"spans": null}', 422, "required", "Is required.", SPANS),
        (b'{"spans": {}}', 422, "wrong_type", "Has to be a list.", SPANS),
        (b'{"spans": "x"}', 422, "wrong_type", "Has to be a list.", SPANS),
        (b'{"spans": [' + b"1," * 500 + b"1]}", 413, "too_many_spans", "A batch has at most 500 spans.", SPANS),
        (b" " * (32 * 1024 * 1024 + 1), 413, "body_too_large", "The body is over 33554432 bytes.", ""),
    ],
)
def test_what_is_no_batch_is_refused(
    project: Project, key: str, body: bytes, status: int, code: str, detail: str, pointer: str | None
) -> None:
    errors = None if pointer is None else [fault(code, detail, pointer=pointer)]
    assert_problem(post("traces/ingest", key, raw=body), status, code, detail, errors)
    assert stored(project) == (0, 0, 0)


def test_an_empty_batch_is_fine(project: Project, key: str) -> None:
    assert push(key) == (200, counts(0))


def test_a_full_batch_of_32_megabytes_is_taken(project: Project, key: str) -> None:
    filler = "x" * (64 * 1024)
    body = json.dumps({"spans": [make_span(1 + n % 3, attributes={"filler": filler}) for n in range(500)]}).encode()
    body += b" " * (32 * 1024 * 1024 - len(body))
    response = post("traces/ingest", key, raw=body)
    assert (response.status_code, json.loads(response.content)) == (201, counts(500))
    assert stored(project) == (500, 3, 0)


def test_a_batch_of_another_kind_is_refused(project: Project, key: str) -> None:
    body = json.dumps({"spans": [make_span(1)]}).encode()
    assert_problem(post("traces/ingest", key, raw=body, content_type="text/plain"), 415, "unsupported_media_type")
    headers = {"Content-Encoding": "gzip"}
    assert_problem(post("traces/ingest", key, raw=body, headers=headers), 415, "content_encoding")
    assert stored(project) == (0, 0, 0)


def test_a_key_without_the_scope_is_refused_before_its_body_is_read(project: Project) -> None:
    detail = "This needs a key with the scope traces:write."
    assert_problem(post("traces/ingest", make_key(project, ["facts:read"])[1], raw=b"{"), 403, "not_allowed", detail)
