"""Values under keys: what their writer reads back, and what nobody else does."""

import json
from dataclasses import replace
from typing import Any
from urllib.parse import urlencode

import pytest
from django.http import HttpResponse

from apps.audit.models import AuditEvent
from apps.core.clock import now
from apps.core.transactions import bind
from apps.curation.actions.approve_proposal import approve_proposal
from apps.curation.actions.edit_fact import edit_fact
from apps.curation.actions.reject_proposal import reject_proposal
from apps.curation.models import Proposal
from apps.facts.models import Fact, OperationalValue, WrittenOnce
from apps.facts.statement import statement_of
from apps.recall.models import ReadLedger
from apps.tenancy.models import Agent, Project, Subject
from tests.api.helpers import assert_problem, call, fault, get
from tests.factories import make_agent, make_key, user_actor

ALL = ["agent:write", "facts:read", "facts:read:user", "facts:write", "facts:clear"]
PLACE = {"agent": "support", "scope": "user:lovelace"}
VALUES: list[Any] = [
    "text", "", "véñ 漢字 🙂", "line1\nline2\t\"q\" \\ '", "null", '{"looks": "like json"}', "007", 0, 1, -7, 2**53 + 1,
    10**40, 0.1, -1.5e-9, True, False, None, [], [1, "a", None, [2]], {}, {"a": {"b": [1, 2, {"c": None}]}, "é": 1},
    "x" * 100_000,
]  # fmt: skip
KEYS = [
    "", " ", "plain", "with space", "a/b/c", "a?b=c&d", "pct%2Fkey", "..", "_dream:failures", "ключ", "🙂", "UPPER", "upper",
    "#frag", " lead trail ", "a" * 300, "🙂" * 512,
]  # fmt: skip


@pytest.fixture
def key(project: Project) -> str:
    return make_key(project, ALL, write_mode="direct")[1]


@pytest.fixture
def proposer(project: Project) -> str:
    return make_key(project, ALL)[1]


def said(response: HttpResponse, status: int = 200) -> Any:
    assert response.status_code == status, response.content
    return json.loads(response.content)


def put(key: str, name: str, value: Any, status: int = 200, headers: dict[str, str] | None = None, **place: str) -> Any:
    body = PLACE | place | {"key": name, "value": value}
    return said(call("PUT", "memories", key, body, headers=headers), status)


def read(key: str, name: str, **place: str) -> HttpResponse:
    return call("GET", f"memories/value?{_query(PLACE | place | {'key': name})}", key)


def remove(key: str, name: str | None = None, **place: str) -> HttpResponse:
    return call("DELETE", f"memories?{_query(PLACE | place | ({} if name is None else {'key': name}))}", key)


def _query(params: dict[str, str]) -> str:
    return urlencode(params)


def everything(key: str, **place: str) -> dict[str, Any]:
    found, cursor = {}, None
    while True:
        page = said(get("memories", key, **(PLACE | place), limit="3", cursor=cursor))
        found |= {row["key"]: row["value"] for row in page["memories"]}
        cursor = page["next"]
        if cursor is None:
            return found


def test_every_value_comes_back_as_it_was(project: Project, key: str) -> None:
    for number, one in enumerate(VALUES):
        put(key, f"v{number}", one, 201)
        got = said(read(key, f"v{number}"))["value"]
        assert got == one and type(got) is type(one)
    assert everything(key) == {f"v{number}": one for number, one in enumerate(VALUES)}


def test_every_key_is_taken_as_it_is(project: Project, key: str) -> None:
    for number, one in enumerate(KEYS):
        put(key, one, number, 201)
    for number, one in enumerate(KEYS):
        assert said(read(key, one))["value"] == number, one
    found, cursor = [], None
    while True:
        page = said(get("memories/keys", key, **PLACE, limit="2", cursor=cursor))
        found += page["keys"]
        cursor = page["next"]
        if cursor is None:
            break
    assert found == sorted(KEYS)
    assert said(remove(key, "")) == {"removed": 1, "waiting": 0, "kept": 0}
    assert sorted(everything(key)) == sorted(KEYS)[1:]


def test_a_missing_key_is_404_with_our_code_and_a_null_is_not_missing(project: Project, key: str) -> None:
    for _ in range(2):
        assert_problem(read(key, "city"), 404, "no_such_key", "Nothing is kept under this key.")
        assert_problem(remove(key, "city"), 404, "no_such_key", "Nothing is kept under this key.")
        make_agent(project, "support")
    put(key, "city", None, 201)
    assert said(read(key, "city"))["value"] is None
    assert_problem(get("memories/values", key), 404, "not_found")


def test_a_value_replaces_the_one_before_which_stays_as_a_version(project: Project, key: str) -> None:
    first = put(key, "city", "London", 201)
    assert (first["state"], first["created"], first["changed"]) == ("told", True, True)
    assert put(key, "city", "London") == first | {"created": False, "changed": False}
    second = put(key, "city", {"now": ["Paris"]})
    assert (second["created"], second["changed"]) == (False, True)
    assert said(remove(key, "city"))["removed"] == 1
    assert read(key, "city").status_code == 404
    third = put(key, "city", "London", 201)
    with bind(project.id):
        rows = list(Fact.objects.order_by("id").values_list("id", "content", "superseded_by", "retired_reason"))
        assert rows == [
            (first["id"], "city: London", second["id"], ""),
            (second["id"], 'city: {"now":["Paris"]}', None, "removed"),
            (third["id"], "city: London", None, ""),
        ]
        assert Subject.objects.get().external_id == "lovelace"
        verbs = AuditEvent.objects.filter(verb__startswith="memories.").order_by("id").values_list("verb", flat=True)
        assert list(verbs) == ["memories.put", "memories.put", "memories.remove", "memories.put"]
        assert ReadLedger.objects.count() == 1


@pytest.mark.parametrize("other", [1.0, True, "1", [1], None])
def test_a_value_of_another_type_is_another_value(project: Project, key: str, other: Any) -> None:
    put(key, "n", 1, 201)
    assert put(key, "n", other)["changed"] is True


def test_scopes_and_agents_are_apart(project: Project, key: str) -> None:
    scopes = ["user:123", "pr:456", "session:abc", "default", "a/b", "space scope", "%_like", "ü"]
    for scope in scopes:
        put(key, "k", scope, 201, scope=scope)
    put(key, "k", "another's", 201, agent="another")
    for scope in scopes:
        assert everything(key, scope=scope) == {"k": scope}
    assert everything(key, scope="user:12") == everything(key, agent="nobody") == {}
    assert said(get("memories/scopes", key, agent="support"))["scopes"] == sorted(scopes)
    assert said(get("memories/scopes", key, agent="nobody"))["scopes"] == []
    with bind(project.id):
        assert sorted(Fact.objects.filter(scope="user").values_list("scope_id", flat=True)) == ["123", "lovelace"]
        assert not Agent.objects.filter(name="nobody").exists()


def test_two_agents_share_what_both_name(project: Project, key: str) -> None:
    _, reviewer = make_key(project, ALL, write_mode="direct")
    shared = {"agent": "shared_agent", "scope": "review:pr-42"}
    put(reviewer, "bugs", ["off by one"], 201, **shared)
    assert everything(key, **shared) == {"bugs": ["off by one"]}
    put(key, "summary", "One bug.", 201, **shared)
    assert everything(reviewer, **shared) == {"bugs": ["off by one"], "summary": "One bug."}


def test_operational_values_are_no_facts(project: Project, proposer: str) -> None:
    for number in (1, 2):
        assert put(proposer, "_dream:failures", number, 201 if number == 1 else 200)["state"] == "operational"
        assert said(read(proposer, "_dream:failures"))["value"] == number
    with bind(project.id):
        assert (Fact.objects.count(), Proposal.objects.count(), OperationalValue.objects.count()) == (0, 0, 1)
    assert said(get("memories/scopes", proposer, agent="support"))["scopes"] == ["user:lovelace"]
    assert said(remove(proposer, "_dream:failures"))["removed"] == 1
    assert read(proposer, "_dream:failures").status_code == 404


def test_all_of_a_scope_goes_only_when_it_is_said(project: Project, key: str) -> None:
    for name in ("x", "y", "_plan"):
        put(key, name, name, 201)
    put(key, "x", 1, 201, scope="user:babbage")
    for params in ({}, {"all": "false"}, {"all": "true", "key": "x"}):
        assert call("DELETE", f"memories?{_query(PLACE | params)}", key).status_code == 422
    assert len(everything(key)) == 3
    done = said(call("DELETE", f"memories?{_query(PLACE | {'all': 'true'})}", key))
    assert done == {"removed": 3, "waiting": 0, "kept": 0}
    assert (everything(key), everything(key, scope="user:babbage")) == ({}, {"x": 1})
    assert said(get("memories/scopes", key, agent="support"))["scopes"] == ["user:babbage"]
    _, narrow = make_key(project, ["facts:write"], write_mode="direct")
    assert call("DELETE", f"memories?{_query(PLACE | {'all': 'true'})}", narrow).status_code == 403


def test_what_a_person_wrote_stays(project: Project, key: str) -> None:
    made = put(key, "city", "London", 201)
    curator = user_actor(project, "curator")
    with bind(project.id):
        fact = Fact.objects.get(id=made["id"])
        statement = statement_of(fact)
    newer, _ = edit_fact(
        actor=curator, project_id=project.id, fact_id=fact.id, statement=replace(statement, content="city: Porto")
    )
    assert said(read(key, "city"))["value"] == "Porto"
    response = call("PUT", "memories", key, PLACE | {"key": "city", "value": "Rome"})
    assert_problem(response, 409, "protected")
    assert_problem(remove(key, "city"), 409, "protected")
    done = said(call("DELETE", f"memories?{_query(PLACE | {'all': 'true'})}", key))
    assert (done["removed"], done["kept"]) == (0, 1)
    assert said(read(key, "city"))["id"] == newer.id


def test_a_write_under_one_name_is_done_once(project: Project, key: str) -> None:
    once = {"Idempotency-Key": "call-1"}
    first = put(key, "city", "London", 201, headers=once)
    put(key, "city", "Paris")
    assert put(key, "city", "London", headers=once)["id"] == first["id"]
    assert said(read(key, "city"))["value"] == "Paris"
    _, other = make_key(project, ALL, write_mode="direct")
    assert put(other, "city", "Rome", headers=once)["changed"] is True
    with bind(project.id):
        assert WrittenOnce.objects.count() == 2
    response = call("PUT", "memories", key, PLACE | {"key": "k", "value": 1}, headers={"Idempotency-Key": "x" * 201})
    assert response.status_code == 422


@pytest.mark.parametrize(
    ("change", "code", "pointer"),
    [
        ({"key": "x" * 513}, "too_long", "/key"),
        ({"key": 7}, "wrong_type", "/key"),
        ({"agent": " "}, "blank", "/agent"),
        ({"scope": "user:"}, "subject_required", "/scope"),
        ({"scope": "user:*"}, "subject_required", "/scope"),
        ({"scope": "*"}, "subject_required", "/scope"),
        ({"value": "password: hunter2-Zebra!9"}, "secret", "/value"),
        ({"value": {"api_key": "sk-abcdefghijklmnopqrstuvwx12345"}}, "secret", "/value"),
        ({"key": "_plan", "value": {"password": "hunter2-Zebra!9"}}, "secret", "/value"),
        ({"sensitivity": "secret"}, "unknown_choice", "/sensitivity"),
        ({"ttl": 5}, "unknown_field", "/ttl"),
        ({"key": "🙂" * 512, "scope": "🙂" * 255}, "too_long", "/key"),
    ],
)
def test_what_is_refused_keeps_nothing(
    project: Project, key: str, change: dict[str, Any], code: str, pointer: str
) -> None:
    response = call("PUT", "memories", key, PLACE | {"key": "city", "value": "London"} | change)
    assert response.status_code == 422, response.content
    assert [(e["code"], e["pointer"]) for e in json.loads(response.content)["errors"]] == [(code, pointer)]
    with bind(project.id):
        assert (Fact.objects.count(), OperationalValue.objects.count()) == (0, 0)


def test_a_value_has_to_be_said_and_may_be_null(project: Project, key: str) -> None:
    response = call("PUT", "memories", key, PLACE | {"key": "city"})
    errors = [fault("required", "Is required; it may be null.", pointer="/value")]
    assert_problem(response, 422, "required", "Is required; it may be null.", errors)
    for params in (PLACE, PLACE | {"key": "city", "limit": "3"}, {"agent": "support", "key": "city"}):
        assert call("GET", f"memories/value?{_query(params)}", key).status_code == 422


def test_what_waits_is_read_by_its_writer_alone(project: Project, key: str, proposer: str) -> None:
    put(key, "city", "London", 201)
    waiting = put(proposer, "city", "Paris", 202)
    assert (waiting["state"], waiting["id"], waiting["changed"]) == ("waiting", None, True)
    assert put(proposer, "city", "Paris") == waiting | {"changed": False, "created": False}
    assert said(read(proposer, "city")) | {"updated_at": ""} == {
        "key": "city", "value": "Paris", "id": None, "updated_at": "", "waits": True,
    }  # fmt: skip
    assert said(read(key, "city"))["value"] == "London"
    last = put(proposer, "city", "Rome", 202)["proposal_id"]
    put(proposer, "new", None, 202)
    assert (everything(proposer), everything(key)) == ({"city": "Rome", "new": None}, {"city": "London"})
    curator = user_actor(project, "curator")
    with bind(project.id):
        assert list(Proposal.objects.order_by("id").values_list("state", flat=True)) == [
            "expired",
            "pending",
            "pending",
        ]
    approve_proposal(actor=curator, project_id=project.id, proposal_id=last)
    assert everything(key) == {"city": "Rome"}
    assert said(read(proposer, "city"))["waits"] is False
    with bind(project.id):
        fact = Fact.objects.active().get()
        assert (fact.key, fact.value, fact.content, fact.source) == ("city", "Rome", "city: Rome", "agent")
        assert fact.agent is not None and fact.agent.name == "support"


def test_a_removal_waits_too(project: Project, key: str, proposer: str) -> None:
    put(key, "city", "London", 201)
    assert said(remove(proposer, "city"), 202) == {"removed": 1, "waiting": 1, "kept": 0}
    assert_problem(remove(proposer, "city"), 404, "no_such_key")
    assert (everything(proposer), everything(key)) == ({}, {"city": "London"})
    with bind(project.id):
        waiting = Proposal.objects.get()
    approve_proposal(actor=user_actor(project, "curator"), project_id=project.id, proposal_id=waiting.id)
    assert everything(key) == {}
    put(proposer, "city", "Paris", 202)
    assert said(remove(proposer, "city")) == {"removed": 1, "waiting": 0, "kept": 0}
    assert everything(proposer) == {}


def test_a_refused_value_is_gone_and_not_put_up_again(project: Project, key: str, proposer: str) -> None:
    put(key, "city", "London", 201)
    waiting = put(proposer, "city", "Paris", 202)["proposal_id"]
    reject_proposal(actor=user_actor(project, "curator"), project_id=project.id, proposal_id=waiting, reason="vague")
    assert said(read(proposer, "city"))["value"] == "London"
    response = call("PUT", "memories", proposer, PLACE | {"key": "city", "value": "Paris"})
    assert_problem(response, 409, "refused_before")


def test_a_value_that_moved_meanwhile_is_not_overwritten_by_an_approval(
    project: Project, key: str, proposer: str
) -> None:
    waiting = put(proposer, "city", "Paris", 202)["proposal_id"]
    put(key, "city", "London", 201)
    done = approve_proposal(actor=user_actor(project, "curator"), project_id=project.id, proposal_id=waiting)
    assert done.state == "conflicted"
    assert everything(key) == {"city": "London"}


def test_a_key_kept_to_agents_hears_of_no_other(project: Project, agent: Agent, key: str) -> None:
    put(key, "city", "London", 201, agent="another")
    _, narrow = make_key(project, ALL, agents=[agent], write_mode="direct")
    put(narrow, "city", "Paris", 201)
    for name in ("another", "nobody"):
        assert get("memories", narrow, **(PLACE | {"agent": name})).status_code == 403
        assert get("memories/scopes", narrow, agent=name).status_code == 403
        body = PLACE | {"agent": name, "key": "city", "value": "Rome"}
        assert call("PUT", "memories", narrow, body).status_code == 403


def test_somebody_who_may_not_be_remembered_is_not(project: Project, key: str) -> None:
    put(key, "city", "London", 201)
    with bind(project.id):
        Subject.objects.update(suppressed_at=now())
    assert everything(key) == {}
    assert said(get("memories/scopes", key, agent="support"))["scopes"] == []
    assert_problem(call("PUT", "memories", key, PLACE | {"key": "city", "value": "Rome"}), 409, "suppressed")


def approved_value(project: Project, proposer: str, value: str) -> Fact:
    """What an agent proposed for its key, approved by a person."""
    put(proposer, "city", value, 202)
    with bind(project.id):
        (waiting,) = Proposal.objects.filter(state="pending")
    done = approve_proposal(actor=user_actor(project, "curator"), project_id=project.id, proposal_id=waiting.id)
    with bind(project.id):
        return Fact.objects.get(id=done.fact_id)


def test_what_a_person_merely_approved_stays_the_agents(project: Project, key: str, proposer: str) -> None:
    approved_value(project, proposer, "London")
    put(key, "city", "Rome", 200)
    assert said(read(key, "city"))["value"] == "Rome"


def test_what_a_person_edited_after_approving_it_is_the_persons(project: Project, key: str, proposer: str) -> None:
    fact = approved_value(project, proposer, "London")
    with bind(project.id):
        statement = replace(statement_of(fact), content="city: Porto")
    newer, _ = edit_fact(
        actor=user_actor(project, "curator"), project_id=project.id, fact_id=fact.id, statement=statement
    )
    assert_problem(call("PUT", "memories", key, PLACE | {"key": "city", "value": "Rome"}), 409, "protected")
    assert_problem(remove(key, "city"), 409, "protected")
    assert_problem(call("DELETE", f"facts/{newer.id}", key), 409, "protected")
    done = said(call("DELETE", f"memories?{_query(PLACE | {'all': 'true'})}", key))
    assert (done["removed"], done["kept"]) == (0, 1)
    assert said(read(key, "city"))["id"] == newer.id
    # A key that only proposes puts it before a person, and nothing changes until then.
    put(proposer, "city", "Rome", 202)
    assert said(read(key, "city"))["value"] == "Porto"
