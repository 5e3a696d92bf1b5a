"""Whatever is sent, the answer is one of ours: never a 5xx, and never a refusal of a batch that is one."""

import json
from typing import Any
from urllib.parse import urlencode

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from apps.access.scopes import SCOPES
from apps.tenancy.models import Agent, Project
from tests.api.helpers import call, get, make_span, post
from tests.factories import make_key

few = settings(
    max_examples=100, deadline=None, derandomize=True, suppress_health_check=[HealthCheck.function_scoped_fixture]
)

NAMES = ["name", "agent_type", "system_prompt", "instance_id", "hostname", "fail_mode", "governed_agent_ids", "a\x00"]
SAID = ["agent.name", "agent.input", "agent.output", "fastaiagent.meta.user_id", "fastaiagent.meta.session_id", "x"]
LEAVES = st.none() | st.booleans() | st.integers(-(10**400), 10**400) | st.floats() | st.text(st.characters())
JSON = st.recursive(
    LEAVES | st.sampled_from(["\x00", "\ud800", "*", "UNSET"]),
    lambda inner: (
        st.lists(inner, max_size=4) | st.dictionaries(st.sampled_from(NAMES) | st.text(max_size=3), inner, max_size=5)
    ),
    max_leaves=10,
)
GOOD = make_span(1)
SPANS = st.builds(
    lambda odd: {**GOOD, **odd}, st.dictionaries(st.sampled_from(list(GOOD)), JSON, max_size=3)
) | st.builds(
    lambda said, number: make_span(1, number, attributes=said),
    st.dictionaries(st.sampled_from(SAID), JSON, max_size=6),
    st.integers(1, 10**6),
)
TEXT = st.text(st.characters(exclude_categories=["Cs"]))
PARAMETERS = ["agent_id", "limit", "query", "category", "score_threshold", "user_id", "purpose", "x"]


@pytest.fixture
def key(project: Project, agent: Agent) -> str:
    return make_key(project, SCOPES)[1]


@few
@given(spans=st.lists(SPANS | JSON, max_size=4))
def test_a_batch_is_taken(key: str, spans: list[Any]) -> None:
    response = post("traces/ingest", key, raw=json.dumps({"spans": spans}).encode())
    assert response.status_code in {200, 201}, response.content


@few
@given(path=st.sampled_from(["sdk/agents", "governance/enroll", "keys/revoke"]), body=JSON)
def test_a_body_is_read_or_refused(key: str, path: str, body: Any) -> None:
    response = post(path, key, raw=json.dumps(body).encode())
    assert response.status_code in {200, 201, 400, 401, 422}, response.content


@few
@given(
    path=st.sampled_from(["sdk/agents", "governance/enroll", "keys/revoke", "traces/ingest"]),
    body=st.binary(max_size=60) | st.text(max_size=60).map(str.encode),
)
def test_bytes_are_read_or_refused(key: str, path: str, body: bytes) -> None:
    response = post(path, key, raw=body)
    assert response.status_code in {200, 201, 400, 401, 422}, response.content


@few
@given(
    params=st.dictionaries(
        st.sampled_from(PARAMETERS), TEXT | st.sampled_from(["support", "1", "0.5", "*"]), max_size=6
    )
)
def test_parameters_are_read_or_refused(key: str, params: dict[str, str]) -> None:
    response = get("memory/facts", key, **{"agent_id": "support", **params})
    assert response.status_code in {200, 404, 422}, response.content


FIELDS = ["scope", "scope_id", "agent", "label", "content", "key", "value", "observed_at", "source", "confidence", "by"]
FACT = {"scope": "user", "scope_id": "lovelace", "content": "Words."}
MEMORY = {"agent": "support", "scope": "user:lovelace", "key": "k", "value": 1}
ODD = st.dictionaries(
    st.sampled_from(FIELDS), JSON | TEXT | st.sampled_from(["agent", "other", "user", "user:", "a" * 600]), max_size=4
)
WHERE = [
    "agent",
    "scope",
    "key",
    "scope_id",
    "label",
    "content",
    "all",
    "limit",
    "cursor",
    "order",
    "keyed",
    "waiting",
    "x",
]
TAKEN = {200, 201, 202, 400, 403, 404, 409, 413, 422}


@pytest.fixture
def direct(project: Project, agent: Agent) -> str:
    return make_key(project, [scope for scope in SCOPES if scope != "agent:write"], write_mode="direct")[1]


@few
@given(
    method=st.sampled_from([("POST", "facts", FACT), ("PUT", "memories", MEMORY), ("POST", "facts/7/supersede", {})]),
    odd=ODD,
)
def test_a_write_is_taken_or_refused(direct: str, method: tuple[str, str, dict[str, Any]], odd: dict[str, Any]) -> None:
    verb, path, body = method
    response = call(verb, path, direct, raw=json.dumps(body | odd).encode())
    assert response.status_code in TAKEN, (body | odd, response.content)


@few
@given(
    method=st.sampled_from(
        ["GET facts", "DELETE facts", "GET memories", "GET memories/value", "GET memories/keys", "DELETE memories"]
    ),
    sent=st.dictionaries(
        st.sampled_from(WHERE), TEXT | st.sampled_from(["true", "*", "user", "support", "user:x"]), max_size=5
    ),
)
def test_a_query_of_writes_is_answered_or_refused(direct: str, method: str, sent: dict[str, str]) -> None:
    verb, path = method.split()
    response = call(verb, f"{path}?{urlencode(sent)}", direct)
    assert response.status_code in TAKEN, (sent, response.content)
