"""Dream runs through the API: a session's end starts one, the diff is read, and no key decides."""

import json
from typing import Any

import pytest
from django.http import HttpResponse

from apps.core.transactions import bind
from apps.dreaming.models import DreamRun
from apps.tenancy.models import Agent, Project
from apps.traces.models import SessionMessage
from tests.api.helpers import assert_problem, get, post
from tests.dreaming import stage
from tests.factories import make_agent, make_key, make_subject

MESSAGES = [
    {"role": "user", "content": "I moved to Porto."},
    {"role": "tool_call", "content": '{"calls": []}'},
    {"role": "assistant", "content": "Noted."},
    {"role": "assistant", "content": "Noted."},
]


@pytest.fixture
def said(project: Project, agent: Agent) -> None:
    stage.said(project, "The warehouse opens at 7:00.", agent=agent)
    stage.said(project, "the warehouse opens at 7:00", agent=agent, days=1)
    stage.said(project, "Has a nut allergy.", agent=agent, sensitivity="special")
    stage.said(project, "has a nut allergy", agent=agent, sensitivity="special", days=1)


def body(response: HttpResponse) -> Any:
    return json.loads(response.content)


def test_a_session_that_ended_starts_a_run_once(project: Project, agent: Agent) -> None:
    key, text = make_key(project, ["dreams:write"])
    asked = {"scope": "agent", "scope_id": "support", "session": "chat 7", "messages": MESSAGES}
    first = post("dreams", text, asked, headers={"Idempotency-Key": "run-1"})
    assert first.status_code == 202
    again = post("dreams", text, asked, headers={"Idempotency-Key": "run-1"})
    assert (again.status_code, body(again)) == (200, body(first) | {"created": False})
    with bind(project.id):
        run = DreamRun.objects.select_related("session").get()
        kept = list(SessionMessage.objects.order_by("id").values_list("role", "content"))
    assert (run.origin, run.requested_by, run.session.external_id) == ("session", f"key:{key.id}", "chat 7")  # type: ignore[union-attr]
    assert kept == [(one["role"], one["content"]) for one in MESSAGES]


def test_the_diff_is_what_would_change_and_no_more_than_the_key_may_know(
    project: Project, agent: Agent, said: None
) -> None:
    run = stage.dream(project)
    _, reader = make_key(project, ["dreams:write", "facts:read"], sensitivity_ceiling="internal")
    told = body(get(f"dreams/{run.id}", reader))
    assert (told["state"], told["counts"], [phase["state"] for phase in told["phases"]]) == (
        "proposed",
        {"pending": 1},
        ["done"] * 4,
    )
    (change,) = told["changes"]
    assert (change["group"], change["op"], change["state"], change["safe"], change["after"]) == (
        "merged",
        "merge",
        "pending",
        True,
        "",
    )
    assert sorted((one["role"], one["content"]) for one in change["before"]) == [
        ("keep", "The warehouse opens at 7:00."),
        ("source", "the warehouse opens at 7:00"),
    ]
    # Without facts:read there are numbers and no word.
    _, blind = make_key(project, ["dreams:write"])
    response = get(f"dreams/{run.id}", blind)
    assert {one["content"] for change in body(response)["changes"] for one in change["before"]} == {None}
    assert "warehouse" not in response.content.decode()


def test_a_key_of_one_agent_hears_of_no_other(project: Project, agent: Agent, said: None) -> None:
    other = make_agent(project, "night-shift")
    make_subject(project, "lovelace")
    runs = [
        stage.start(project),
        stage.start(project, "agent", "night-shift"),
        stage.start(project, "user", "lovelace"),
    ]
    runs.append(stage.start(project, "project", ""))
    _, text = make_key(project, ["dreams:write", "facts:read"], agents=[other])
    assert [row["id"] for row in body(get("dreams", text))["runs"]] == [runs[3].id, runs[1].id]
    assert get(f"dreams/{runs[0].id}", text).status_code == 404
    assert post("dreams", text, {"scope": "agent", "scope_id": "support"}).status_code == 403
    assert [row["id"] for row in body(get("dreams", text, scope="agent"))["runs"]] == [runs[1].id]


@pytest.mark.parametrize(
    ("change", "status", "code", "pointer"),
    [
        ({"scope": "moon"}, 422, "unknown_choice", "/scope"),
        ({"scope": "agent"}, 422, "subject_required", "/scope_id"),
        ({"messages": MESSAGES}, 422, "required", "/session"),
        ({"session": "s", "messages": [{"role": "system", "content": "x"}]}, 422, "unknown_choice", "/messages/0/role"),
        ({"wish": "everything"}, 422, "unknown_field", "/wish"),
    ],
)
def test_what_is_refused_starts_nothing(
    project: Project, change: dict[str, Any], status: int, code: str, pointer: str
) -> None:
    _, text = make_key(project, ["dreams:write"])
    response = post("dreams", text, {"scope": "project"} | change)
    assert response.status_code == status
    assert [(one["code"], one["pointer"]) for one in body(response)["errors"]] == [(code, pointer)]
    with bind(project.id):
        assert (DreamRun.objects.count(), SessionMessage.objects.count()) == (0, 0)


def test_nobody_there_is_404_and_lists_are_strict(project: Project) -> None:
    _, text = make_key(project, ["dreams:write"])
    assert_problem(
        post("dreams", text, {"scope": "user", "scope_id": "nobody"}),
        404,
        "not_found",
        "There is no such subject in this project.",
    )
    assert get("dreams", text, state="soon").status_code == 422
    assert get("dreams", text, page="2").status_code == 422
    assert get("dreams", text, cursor="x").status_code == 400


def test_messages_of_a_session_are_kept_once(project: Project) -> None:
    _, text = make_key(project, ["traces:write"])
    sent = {
        "messages": [
            {"id": "1", "role": "user", "content": "One."},
            {"id": "2", "role": "assistant", "content": "Two.", "at": "2026-11-01T10:00:00Z"},
            {"id": "s", "role": "summary", "content": "One and two.", "stands_for": ["1", "2"]},
        ]
    }
    assert body(post("sessions/flux/run 7/messages", text, sent)) == {"stored": 3, "masked": 0, "dropped": 0}
    assert body(post("sessions/flux/run 7/messages", text, sent))["stored"] == 0
    with bind(project.id):
        rows = list(SessionMessage.objects.select_related("session").order_by("id"))
    assert [row.external_id for row in rows] == ["1", "2", "s"]
    assert rows[2].stands_for == [rows[0].id, rows[1].id] and rows[0].session.external_id == "flux/run 7"
    wrong = post("sessions/s/messages", text, {"messages": [{"role": "user", "content": "x", "stands_for": ["1"]}]})
    assert wrong.status_code == 422 and post("sessions/s/messages", text, {"messages": []}).status_code == 422
