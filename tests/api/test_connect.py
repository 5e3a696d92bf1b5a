"""The four paths an SDK connects by."""

import json
from typing import Any
from uuid import UUID

import pytest

from apps.access.scopes import SCOPES
from apps.audit.models import AuditEvent
from apps.core.transactions import bind
from apps.tenancy.models import Agent, ClientInstance, Project
from tests.api.helpers import assert_problem, fault, get, post
from tests.factories import make_key, make_project


def answer(response: Any) -> tuple[int, Any]:
    return response.status_code, json.loads(response.content)


def agents(project: Project) -> list[Agent]:
    with bind(project.id):
        return list(Agent.objects.order_by("name"))


def instances(project: Project) -> list[ClientInstance]:
    with bind(project.id):
        return list(ClientInstance.objects.order_by("instance_id"))


@pytest.mark.parametrize("scopes", [[], ["facts:read"], list(SCOPES)])
def test_check_names_the_project_and_the_sorted_scopes(project: Project, scopes: list[str]) -> None:
    _, text = make_key(project, reversed(scopes))
    expected = {"domain_id": str(project.id), "project_id": "acme", "scopes": sorted(scopes)}
    assert answer(get("auth/check", text)) == (200, expected)


def test_the_policy_has_no_rules(project: Project) -> None:
    expected = {"version": "1", "approval_policies": [], "guardrail_rules": []}
    assert answer(get("policy", make_key(project, [])[1])) == (200, expected)


ENROLL = {
    "instance_id": "e5be95db" * 4,
    "sdk_version": "1.94.0",
    "fail_mode": "open",
    "protocol_version": "1",
    "hostname": "vm",
    "export_evals": True,
}


def test_an_instance_enrolls_and_comes_back(project: Project) -> None:
    _, text = make_key(project, ["agent:write"])
    expected = {"instance_id": ENROLL["instance_id"], "fail_mode": "open"}
    assert answer(post("governance/enroll", text, ENROLL)) == (200, expected)
    (first,) = instances(project)
    assert (first.hostname, first.sdk_version, first.governed_agent_ids) == ("vm", "1.94.0", [])
    again = {**ENROLL, "fail_mode": "closed", "governed_agent_ids": ["a1"]}
    assert answer(post("governance/enroll", text, again)) == (200, {**expected, "fail_mode": "closed"})
    (second,) = instances(project)
    assert (second.id, second.first_seen_at) == (first.id, first.first_seen_at)
    assert second.last_seen_at > first.last_seen_at
    assert (second.fail_mode, second.governed_agent_ids) == ("closed", ["a1"])


def test_an_instance_belongs_to_the_keys_project(project: Project) -> None:
    other = make_project("globex")
    for each in (project, other):
        post("governance/enroll", make_key(each, ["facts:read"])[1], ENROLL)
    assert [len(instances(each)) for each in (project, other)] == [1, 1]


@pytest.mark.parametrize(
    ("body", "code", "detail", "pointer"),
    [
        ({}, "required", "Is required.", "/instance_id"),
        ({"instance_id": None}, "required", "Is required.", "/instance_id"),
        ({"instance_id": 7}, "wrong_type", "Has to be a text.", "/instance_id"),
        ({"instance_id": " "}, "invalid_instance", "An instance id is 1 to 64 characters.", "/instance_id"),
        ({"instance_id": "x" * 65}, "invalid_instance", "An instance id is 1 to 64 characters.", "/instance_id"),
        ({**ENROLL, "hostname": ["vm"]}, "wrong_type", "Has to be a text.", "/hostname"),
        ({**ENROLL, "governed_agent_ids": "a"}, "wrong_type", "Has to be a list of texts.", "/governed_agent_ids"),
        ({**ENROLL, "governed_agent_ids": [1]}, "wrong_type", "Has to be a list of texts.", "/governed_agent_ids"),
    ],
)
def test_a_bad_enrolment_is_refused(project: Project, body: Any, code: str, detail: str, pointer: str) -> None:
    _, text = make_key(project, ["agent:write"])
    response = post("governance/enroll", text, body)
    assert_problem(response, 422, code, detail, [fault(code, detail, pointer=pointer)])
    assert instances(project) == []


AGENT = {
    "name": "support",
    "agent_type": "single",
    "system_prompt": "You are a support agent.",
    "llm_endpoint": {"provider": "test", "model": "function-model"},
    "tools": [],
    "guardrails": [],
    "config": {"temperature": 0.2},
    "memory_enabled": True,
}


def test_an_agent_is_registered_once_and_versioned(project: Project) -> None:
    _, text = make_key(project, ["agent:write"])
    status, first = answer(post("sdk/agents", text, AGENT))
    assert status == 201
    assert first == {"id": first["id"], "name": "support", "version": 1, "project_id": "acme"}
    (agent,) = agents(project)
    assert agent.id == UUID(first["id"])
    assert (agent.agent_type, agent.system_prompt) == ("single", "You are a support agent.")
    assert agent.definition == {k: v for k, v in AGENT.items() if k not in {"name", "agent_type", "system_prompt"}}
    assert answer(post("sdk/agents", text, AGENT)) == (200, first)
    changed = {**AGENT, "system_prompt": "You are kind."}
    assert answer(post("sdk/agents", text, changed)) == (200, {**first, "version": 2})
    (agent,) = agents(project)
    assert agent.system_prompt == "You are kind."
    with bind(project.id):
        recorded = AuditEvent.objects.filter(verb="agents.register").order_by("seq").values_list("data", flat=True)
        assert list(recorded) == [{"version": 1}, {"version": 2}]


def test_an_agent_of_a_foreign_framework_is_welcome(project: Project) -> None:
    _, text = make_key(project, ["agent:write"])
    status, _ = answer(post("sdk/agents", text, {"name": "graph", "agent_type": "langchain", "model": "x"}))
    assert status == 201
    (agent,) = agents(project)
    assert (agent.agent_type, agent.system_prompt, agent.definition) == ("langchain", "", {"model": "x"})
    assert answer(post("sdk/agents", text, {"name": "bare", "agent_type": None}))[0] == 201


def test_two_projects_may_have_the_same_agent(project: Project) -> None:
    other = make_project("globex")
    (_, ours), (_, theirs) = (
        answer(post("sdk/agents", make_key(each, ["agent:write"])[1], AGENT)) for each in (project, other)
    )
    assert ours["id"] != theirs["id"]
    assert (ours["project_id"], theirs["project_id"]) == ("acme", "globex")


def test_text_that_can_not_be_stored_is_replaced(project: Project) -> None:
    _, text = make_key(project, ["agent:write"])
    body = b'{"name": "a\\u0000b", "system_prompt": "x\\ud800", "config": {"t": NaN, "n": 1e999, "k\\u0000": "\xff"}}'
    assert answer(post("sdk/agents", text, raw=body))[0] == 201
    (agent,) = agents(project)
    assert (agent.name, agent.system_prompt) == ("a\ufffdb", "x\ufffd")
    assert agent.definition == {"config": {"t": "NaN", "n": "Infinity", "k\ufffd": "\ufffd"}}


NAME = "An agent's name is 1 to 200 characters and does not look like an id."


@pytest.mark.parametrize(
    ("body", "code", "detail", "pointer"),
    [
        ({}, "required", "Is required.", "/name"),
        ({"name": None}, "required", "Is required.", "/name"),
        ({"name": ["support"]}, "wrong_type", "Has to be a text.", "/name"),
        ({"name": ""}, "invalid_name", NAME, "/name"),
        ({"name": "\u200b"}, "invalid_name", NAME, "/name"),
        ({"name": "x" * 201}, "invalid_name", NAME, "/name"),
        ({"name": "01a22a23-f654-7503-af6d-73e0603eca28"}, "invalid_name", NAME, "/name"),
        ({"name": "01a22a23f6547503af6d73e0603eca28"}, "invalid_name", NAME, "/name"),
        ({"name": "x", "agent_type": 1}, "wrong_type", "Has to be a text.", "/agent_type"),
        ({"name": "x", "system_prompt": {}}, "wrong_type", "Has to be a text.", "/system_prompt"),
    ],
)
def test_a_bad_agent_is_refused(project: Project, body: Any, code: str, detail: str, pointer: str) -> None:
    _, text = make_key(project, ["agent:write"])
    response = post("sdk/agents", text, body)
    assert_problem(response, 422, code, detail, [fault(code, detail, pointer=pointer)])
    assert agents(project) == []


@pytest.mark.parametrize("path", ["governance/enroll", "sdk/agents"])
def test_bodies_of_the_sdk_have_limits_too(project: Project, path: str) -> None:
    _, text = make_key(project, ["agent:write"])
    top = "The body has to be a JSON object."
    for body, status, code, detail, errors in (
        (b"", 400, "empty_body", "The body is empty.", None),
        (b"{", 400, "invalid_json", None, None),
        (b"[1]", 400, "object_expected", top, [fault("object_expected", top, pointer="")]),
        (b'{"a":' * 2000 + b"1" + b"}" * 2000, 400, "too_deep", None, None),
    ):
        assert_problem(post(path, text, raw=body), status, code, detail, errors)
    large = b'{"name": "x", "instance_id": "x", "a": "' + b"x" * 4 * 1024 * 1024 + b'"}'
    detail = "The body is over 4194304 bytes."
    assert_problem(post(path, text, raw=large), 413, "body_too_large", detail, [fault("body_too_large", detail)])
    assert_problem(post(path, text, raw=b"{}", content_type="text/plain"), 415, "unsupported_media_type")
    assert agents(project) == instances(project) == []
