"""GET memory/facts: what is told, to whom, and what never."""

import json
from datetime import timedelta
from typing import Any
from uuid import uuid4

import pytest
from django.db import connection
from django.test.utils import CaptureQueriesContext

from apps.core.clock import now
from apps.core.transactions import bind
from apps.recall.models import ReadLedger
from apps.recall.queries import query_digest
from apps.tenancy.models import Agent, Project
from tests.api.helpers import assert_problem, fault, get, told
from tests.factories import make_agent, make_fact, make_key, make_project, make_subject

READ = ["facts:read"]
READ_USER = ["facts:read", "facts:read:user"]


@pytest.fixture
def project(fresh_db: str) -> Project:
    """In a committed database: inside one long transaction a project's binding outlives the read."""
    return make_project("acme")


def facts(key: str, agent: str = "support", **params: Any) -> Any:
    return get("memory/facts", key, agent_id=agent, **params)


def ledger(project: Project) -> list[ReadLedger]:
    with bind(project.id):
        return list(ReadLedger.objects.order_by("at"))


def test_the_answer_to_the_last_field(project: Project, agent: Agent) -> None:
    fact = make_fact(
        project, "Refunds take five days.", agent=agent, importance=0.9, confidence=0.75, category="policy"
    )
    response = facts(make_key(project, READ)[1])
    assert json.loads(response.content) == {
        "facts": [
            {
                "content": "Refunds take five days.",
                "id": fact.id,
                "category": "policy",
                "importance": 0.9,
                "confidence": 0.75,
                "scope": "agent",
                "scope_id": "support",
                "source": "manual",
                "approved_at": fact.approved_at.strftime("%Y-%m-%dT%H:%M:%S.%fZ"),
                "score": None,
                "conflict": None,
            }
        ]
    }
    assert response["Content-Type"] == "application/json"
    assert response["Cache-Control"] == "no-store"


def test_no_facts_are_an_empty_list(project: Project, agent: Agent) -> None:
    assert json.loads(facts(make_key(project, READ)[1]).content) == {"facts": []}


def test_an_agent_is_named_by_id_or_by_name(project: Project, agent: Agent) -> None:
    make_fact(project, "Refunds take five days.", agent=agent)
    _, text = make_key(project, READ)
    for name in (str(agent.id), str(agent.id).upper(), agent.id.hex, "support", " support "):
        assert told(facts(text, name)) == ["Refunds take five days."], name
    for name in (str(uuid4()), "Support", "suppor", "support%", "*", "' OR 1=1 --", "a\x00b", "x" * 70_000):
        assert_problem(facts(text, name), 404, "not_found", "There is no such agent.")


def test_an_agent_outside_the_keys_list_looks_like_none(project: Project, agent: Agent) -> None:
    other = make_agent(project, "sales")
    make_fact(project, "Refunds take five days.")
    _, listed = make_key(project, READ, agents=[agent])
    _, nobody = make_key(project, READ, agents=[])
    assert told(facts(listed)) == ["Refunds take five days."]
    answers = [facts(listed, "sales"), facts(listed, str(other.id)), facts(listed, "nobody"), facts(nobody)]
    for answer in answers:
        assert_problem(answer, 404, "not_found", "There is no such agent.")


def test_two_projects_with_the_same_names_share_nothing(project: Project, agent: Agent) -> None:
    globex = make_project("globex")
    theirs = make_agent(globex, "support")
    for where, who, word in ((project, agent, "Acme"), (globex, theirs, "Globex")):
        make_fact(where, f"{word} agent fact.", agent=who, importance=0.9)
        make_fact(where, f"{word} project fact.", importance=0.8)
        make_fact(where, f"{word} user fact.", user="user_1", importance=0.7)
    ours, others = make_key(project, READ_USER)[1], make_key(globex, READ_USER)[1]
    for key, word in ((ours, "Acme"), (others, "Globex"), (ours, "Acme")):
        expected = [f"{word} agent fact.", f"{word} project fact.", f"{word} user fact."]
        for query in (None, "agent project user fact Acme Globex"):
            assert told(facts(key, user_id="user_1", query=query, limit=200)) == expected
    assert_problem(facts(ours, str(theirs.id)), 404, "not_found", "There is no such agent.")
    assert_problem(facts(others, str(agent.id)), 404, "not_found", "There is no such agent.")
    assert [len(ledger(each)) for each in (project, globex)] == [4, 2]


def test_only_what_is_in_force_is_told(project: Project, agent: Agent) -> None:
    tomorrow, yesterday = now() + timedelta(days=1), now() - timedelta(days=1)
    make_fact(project, "Current.", expires_at=tomorrow, valid_from=yesterday, valid_to=tomorrow)
    make_fact(project, "Expired.", expired=True)
    make_fact(project, "Retired.", retired="wrong")
    make_fact(project, "Held.", restricted="hold")
    make_fact(project, "Not yet.", valid_from=tomorrow)
    make_fact(project, "No more.", valid_to=yesterday)
    make_fact(project, "Special.", sensitivity="special")
    make_fact(project, "Of a session.", scope="session", scope_id="s1")
    make_fact(project, "Of another thing.", scope="other", scope_id="pr:456")
    make_fact(project, "Of another agent.", agent=make_agent(project, "sales"))
    _, text = make_key(project, READ)
    assert told(facts(text, limit=200)) == ["Current."]
    everything = "current expired retired held not yet no more special session another thing agent"
    assert told(facts(text, limit=200, query=everything)) == ["Current."]


def test_a_key_is_told_up_to_its_ceiling_and_its_categories(project: Project, agent: Agent) -> None:
    for importance, sensitivity in enumerate(("special", "personal", "internal", "public")):
        make_fact(project, f"{sensitivity}.", sensitivity=sensitivity, importance=importance / 10, category=sensitivity)
    for ceiling, expected in (
        ("public", ["public."]),
        ("internal", ["public.", "internal."]),
        ("special", ["public.", "internal.", "personal.", "special."]),
    ):
        key = make_key(project, READ, sensitivity_ceiling=ceiling)[1]
        assert told(facts(key)) == expected
        assert told(facts(key, query="special personal internal public")) == expected
    limited = make_key(project, READ, categories=["internal"])[1]
    assert told(facts(limited)) == ["internal."]
    assert told(facts(limited, category="public")) == []
    assert told(facts(make_key(project, READ, categories=[])[1])) == []


def test_the_order_and_the_limit(project: Project, agent: Agent) -> None:
    for number in range(5):
        make_fact(project, f"Fact {number} of refunds." if number % 2 else f"Fact {number}.", importance=number / 10)
    _, text = make_key(project, READ)
    by_importance = ["Fact 4.", "Fact 3 of refunds.", "Fact 2.", "Fact 1 of refunds.", "Fact 0."]
    assert told(facts(text)) == by_importance
    assert told(facts(text, limit="2")) == by_importance[:2]
    assert told(facts(text, query="refunds?")) == [
        "Fact 3 of refunds.",
        "Fact 1 of refunds.",
        "Fact 4.",
        "Fact 2.",
        "Fact 0.",
    ]
    for nothing in ("", " ", "\u200b", "the of and", "???"):
        assert told(facts(text, query=nothing)) == by_importance, repr(nothing)


def test_a_query_may_be_long_and_hold_anything(project: Project, agent: Agent) -> None:
    make_fact(project, "Refunds take five days.")
    _, text = make_key(project, READ)
    for query in (
        "refunds " * 16_000,
        "a\x00b\ud800",
        "%_\\",
        "'; drop table facts_fact; --",
        "(((&|!:*",
        "👨‍👩‍👧‍👦" * 500,
    ):
        assert told(facts(text, query=query.encode("utf-8", "replace").decode())) == ["Refunds take five days."]


def test_without_a_user_no_users_fact_is_told(project: Project, agent: Agent) -> None:
    make_fact(project, "Support's.", agent=agent, importance=0.9)
    make_fact(project, "Everybody's.", importance=0.8)
    make_fact(project, "User one's.", user="user_1", importance=0.7)
    make_fact(project, "User one's through support.", user="user_1", agent=agent, importance=0.6)
    make_fact(project, "User one's through sales.", user="user_1", agent=make_agent(project, "sales"))
    make_fact(project, "User ten's.", user="user_10", importance=0.5)
    _, text = make_key(project, READ_USER)
    shared = ["Support's.", "Everybody's."]
    for query in (None, "user one ten through support sales everybody"):
        assert told(facts(text, query=query)) == shared
        one = [*shared, "User one's.", "User one's through support."]
        assert set(told(facts(text, user_id="user_1", query=query))) == set(one)
        assert set(told(facts(text, user_id="user_10", query=query))) == {*shared, "User ten's."}
        for nobody in (
            "user",
            "user_",
            "user_%",
            "%",
            "_",
            "User_1",
            "user_1\u200b",
            "user_1*",
            "user:1:2",
            "../user_1",
        ):
            assert set(told(facts(text, user_id=nobody, query=query))) == set(shared), nobody
    assert told(facts(text, user_id=" user_1 ")) == one
    for nobody in ("", " ", "\u200b", "\u00a0", "*", " * "):
        detail = "Has to name one user."
        assert_problem(
            facts(text, user_id=nobody),
            422,
            "subject_required",
            detail,
            [fault("subject_required", detail, parameter="user_id")],
        )


def test_naming_a_user_needs_its_own_scope(project: Project, agent: Agent) -> None:
    make_fact(project, "User one's.", user="user_1")
    _, text = make_key(project, READ)
    detail = "This needs a key with the scope facts:read:user."
    for user in ("user_1", "nobody", "", "*"):
        assert_problem(facts(text, user_id=user), 403, "not_allowed", detail)
    assert_problem(
        facts(make_key(project, ["facts:read:user"])[1], user_id="user_1"),
        403,
        "not_allowed",
        "This needs a key with the scope facts:read.",
    )
    assert ledger(project) == []


def test_a_key_for_some_purposes_has_to_name_one(project: Project, agent: Agent) -> None:
    make_fact(project, "Refunds take five days.")
    _, text = make_key(project, READ, purposes=["support"])
    assert told(facts(text, purpose="support")) == ["Refunds take five days."]
    for purpose in (None, "", "billing", "Support", "support "):
        assert_problem(facts(text, purpose=purpose), 403, "not_allowed", "This key may not read for this purpose.")
    assert told(facts(make_key(project, READ)[1], purpose="anything")) == ["Refunds take five days."]
    assert [read.purpose for read in ledger(project)] == ["support", "anything"]


OUT_OF_RANGE = ("out_of_range", "Has to be from 1 to 200.")
NOT_WHOLE = ("wrong_type", "Has to be a whole number from 1 to 200.")
THRESHOLD = ("out_of_range", "Has to be a number from 0 to 1.")


@pytest.mark.parametrize(
    ("parameter", "value", "code", "detail"),
    [
        ("limit", "0", *OUT_OF_RANGE),
        ("limit", "-1", *OUT_OF_RANGE),
        ("limit", "201", *OUT_OF_RANGE),
        ("limit", "1000000000", *OUT_OF_RANGE),
        ("limit", "", *NOT_WHOLE),
        ("limit", "abc", *NOT_WHOLE),
        ("limit", "1.0", *NOT_WHOLE),
        ("limit", "١٢", *NOT_WHOLE),
        ("limit", "9" * 5000, *NOT_WHOLE),
        ("score_threshold", "", *THRESHOLD),
        ("score_threshold", "1.5", *THRESHOLD),
        ("score_threshold", "-0.1", *THRESHOLD),
        ("score_threshold", "nan", *THRESHOLD),
        ("score_threshold", "1e999", *THRESHOLD),
        ("score_threshold", "١", *THRESHOLD),
        ("category", "", "blank", "May not be blank."),
        ("category", " ", "blank", "May not be blank."),
        ("category", "x" * 61, "too_long", "May have at most 60 characters."),
        ("category", "a\x00", "null_character", "Holds a character that can't be stored."),
        ("user_id", "x" * 256, "too_long", "May have at most 255 characters."),
        ("purpose", "x" * 61, "too_long", "May have at most 60 characters."),
    ],
)
def test_a_bad_parameter_is_named(
    project: Project, agent: Agent, parameter: str, value: str, code: str, detail: str
) -> None:
    _, text = make_key(project, READ_USER)
    response = facts(text, **{parameter: value})
    assert_problem(response, 422, code, detail, [fault(code, detail, parameter=parameter)])
    assert ledger(project) == []


def test_the_agent_is_required(project: Project) -> None:
    _, text = make_key(project, READ)
    errors = [fault("required", "Is required.", parameter="agent_id")]
    for params in ({}, {"agent_id": ""}, {"agent_id": " "}, {"agent": "support"}):
        assert_problem(get("memory/facts", text, **params), 422, "required", "Is required.", errors)


def test_good_numbers_pass_and_unknown_parameters_are_ignored(project: Project, agent: Agent) -> None:
    make_fact(project, "Refunds take five days.", category="policy")
    _, text = make_key(project, READ)
    for threshold in ("0", "0.0", "0.25", "1", "1.0", "1e-05", "5E-1"):
        assert told(facts(text, score_threshold=threshold)) == ["Refunds take five days."]
    for limit in ("1", "200"):
        assert told(facts(text, limit=limit)) == ["Refunds take five days."]
    assert told(facts(text, category="policy")) == ["Refunds take five days."]
    assert told(facts(text, category="Policy")) == []
    assert told(facts(text, reranker="x", scope_id="*", project_id="globex", format="xml")) == [
        "Refunds take five days."
    ]


@pytest.mark.parametrize("name", ["agent_id", "limit", "query", "category", "score_threshold", "user_id", "purpose"])
def test_a_known_parameter_may_stand_once(project: Project, agent: Agent, name: str) -> None:
    _, text = make_key(project, READ_USER)
    good = {"agent_id": "support", "limit": "1", "score_threshold": "0.0"}
    value = good.get(name, "x")
    response = get("memory/facts", text, **{**good, name: [value, value]})
    detail = "May be given once only."
    assert_problem(response, 422, "repeated_parameter", detail, [fault("repeated_parameter", detail, parameter=name)])


def test_every_read_is_recorded_without_its_text(project: Project, agent: Agent) -> None:
    user = make_subject(project, "user_1")
    low = make_fact(project, "Refunds take five days.", importance=0.1)
    high = make_fact(project, "Hers.", user=user, importance=0.9)
    key, text = make_key(project, READ_USER)
    facts(text)
    facts(text, user_id="user_1", query="How long do refunds take?", purpose="support")
    first, second = ledger(project)
    assert (first.key_id, first.agent_id, first.subject_id) == (key.id, agent.id, None)
    assert (first.fact_ids, first.ranks, first.scores) == ([low.id], [1], [None])
    assert (first.query_hash, first.purpose) == (None, "")
    assert (second.key_id, second.agent_id, second.subject_id) == (key.id, agent.id, user.id)
    assert (second.fact_ids, second.ranks) == ([low.id, high.id], [1, 2])
    assert second.scores[0] > second.scores[1] > 0
    assert bytes(second.query_hash or b"") == query_digest(project.id, "How long do refunds take?")
    assert second.purpose == "support"


def test_a_refused_read_is_not_recorded_as_one(project: Project, agent: Agent) -> None:
    facts(make_key(project, [])[1])
    facts(make_key(project, READ)[1], "nobody")
    facts(make_key(project, READ)[1], limit="0")
    assert ledger(project) == []


def test_a_read_with_a_known_key_is_one_statement(project: Project, agent: Agent) -> None:
    make_fact(project, "Refunds take five days.", agent=agent)
    _, text = make_key(project, READ_USER)
    facts(text, query="refunds")
    with CaptureQueriesContext(connection) as queries:
        facts(text, user_id="user_1", query="refunds", category="general", limit=200)
    assert ["serve_facts(" in query["sql"] for query in queries] == [True]
