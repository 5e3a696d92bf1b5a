"""Calls to the API inside the test's process, and what a problem document looks like to the last field."""

import itertools
import json
from typing import Any

from django.http import HttpResponse
from django.test import Client

BAD_KEY = "The API key is missing or not valid."
_numbers = itertools.count(1)


def call(
    method: str,
    path: str,
    key: str | None = None,
    body: Any = None,
    *,
    raw: bytes | None = None,
    content_type: str = "application/json",
    headers: dict[str, str] | None = None,
    prefix: str = "/public/v1/",
    **params: Any,
) -> HttpResponse:
    """One request from a client without cookies. `body` is sent as JSON, `raw` as it is; `params` is the query."""
    sent = {"X-API-Key": key} if key is not None else {}
    data = raw if raw is not None else b"" if body is None else json.dumps(body).encode()
    return Client().generic(
        method,
        prefix + path,
        data,
        content_type=content_type,
        headers={**sent, **(headers or {})},
        query_params={name: value for name, value in params.items() if value is not None},
        CONTENT_TYPE=content_type,  # with an empty body too, as clients send it
    )


def get(path: str, key: str | None = None, **options: Any) -> HttpResponse:
    return call("GET", path, key, **options)


def post(path: str, key: str | None = None, body: Any = None, **options: Any) -> HttpResponse:
    return call("POST", path, key, body, **options)


def told(response: HttpResponse) -> list[str]:
    """The contents of a facts answer, in order."""
    assert response.status_code == 200, response.content
    return [fact["content"] for fact in json.loads(response.content)["facts"]]


def assert_problem(
    response: HttpResponse,
    status: int,
    code: str,
    detail: str | None = None,
    errors: list[dict[str, str]] | None = None,
) -> None:
    """The answer is exactly this problem; without `detail` any sentence will do. `errors` None means there are none."""
    assert (response.status_code, response["Content-Type"]) == (status, "application/problem+json"), response.content
    document = json.loads(response.content)
    assert document.pop("detail") == (detail if detail is not None else json.loads(response.content)["detail"])
    assert document.pop("title")
    expected: dict[str, Any] = {
        "type": f"urn:memoryplane:problem:{code}",
        "status": status,
        "instance": response["X-Request-ID"],
    }
    if errors is not None:
        expected["errors"] = errors
    assert document == expected
    assert response["Cache-Control"] == "no-store"


def fault(code: str, detail: str, *, pointer: str | None = None, parameter: str | None = None) -> dict[str, str]:
    place = {"parameter": parameter} if parameter is not None else {"pointer": pointer or ""}
    return {**place, "code": code, "detail": detail}


def make_span(trace: int = 1, number: int | None = None, **changes: Any) -> dict[str, Any]:
    """A span as the SDK sends it, of the trace with this number; `changes` replace its fields."""
    number = number if number is not None else next(_numbers)
    return {
        "span_id": f"{number:016x}",
        "trace_id": f"{trace:032x}",
        "parent_span_id": None,
        "name": "agent.support",
        "start_time": "2031-05-28T14:03:00.755493+00:00",
        "end_time": "2031-05-28T14:03:01.755493+00:00",
        "status": "UNSET",
        "attributes": {
            "agent.name": "support",
            "agent.input": "How long do refunds take?",
            "agent.output": "Five days.",
        },
        "events": [],
        **changes,
    }
