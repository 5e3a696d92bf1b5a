"""GET facts and GET memory/revocations: pages within a key's grants, and what it is not to use any more."""

import json
import time
from datetime import UTC, datetime, timedelta
from typing import Any

import pytest

from apps.core.clock import now
from apps.core.transactions import bind
from apps.facts.actions.retire_fact import retire_fact
from apps.facts.actions.revise_fact import revise_fact
from apps.facts.models import Fact, Withdrawal
from apps.facts.statement import Statement
from apps.privacy.actions.forget_fact import forget_fact
from apps.recall.models import ReadLedger
from apps.tenancy.models import Agent, Project
from tests.api.helpers import assert_problem, fault, get
from tests.factories import make_agent, make_fact, make_key, make_project, user_actor

READ = ["facts:read"]
READ_USER = ["facts:read", "facts:read:user"]
CURSOR = [
    fault(
        "invalid_cursor",
        "The cursor is not one of this list, or is too old. Start again without it.",
        parameter="cursor",
    )
]
HISTORY = ["facts:read", "facts:history"]


@pytest.fixture
def project(fresh_db: str) -> Project:
    return make_project("acme")


@pytest.fixture
def agent(project: Project) -> Agent:
    return make_agent(project, "support")


def listed(key: str, **params: Any) -> dict[str, Any]:
    response = get("facts", key, **params)
    assert response.status_code == 200, response.content
    answer: dict[str, Any] = json.loads(response.content)
    return answer


def contents(key: str, **params: Any) -> list[str]:
    return [fact["content"] for fact in listed(key, **params)["facts"]]


def written(moment: datetime) -> str:
    return moment.astimezone(UTC).strftime("%Y-%m-%dT%H:%M:%S.%fZ")


def withdrawn(key: str, since: datetime | str, **params: Any) -> dict[str, Any]:
    response = get("memory/revocations", key, since=since if isinstance(since, str) else written(since), **params)
    assert response.status_code == 200, response.content
    answer: dict[str, Any] = json.loads(response.content)
    return answer


def reasons(key: str, since: datetime | str, **params: Any) -> dict[int, str]:
    return {row["id"]: row["reason"] for row in withdrawn(key, since, **params)["revocations"]}


def update(project: Project, fact: Fact, **columns: Any) -> None:
    with bind(project.id):
        Fact.objects.filter(id=fact.id).update(**columns)


def test_a_fact_to_the_last_field(project: Project, agent: Agent) -> None:
    fact = make_fact(project, "Refunds take five days.", agent=agent, purposes=["support"], importance=0.9)
    _, text = make_key(project, READ)
    answer = listed(text, purpose="support", count="true")
    with bind(project.id):
        fact.refresh_from_db()
    assert answer == {
        "facts": [
            {
                "id": fact.id,
                "content": "Refunds take five days.",
                "scope": "agent",
                "scope_id": "support",
                "label": "",
                "key": None,
                "agent_id": str(agent.id),
                "attribute": None,
                "category": "general",
                "memory_type": "semantic",
                "confidence": 1.0,
                "importance": 0.9,
                "trust": 5,
                "sensitivity": "internal",
                "purposes": ["support"],
                "task_types": None,
                "source": "manual",
                "source_trace_id": None,
                "observed_at": written(fact.observed_at),
                "approved_at": written(fact.approved_at),
                "updated_at": written(fact.updated_at),
                "expires_at": None,
                "valid_from": None,
                "valid_to": None,
                "corroborations": 0,
                "superseded_by": None,
                "superseded_at": None,
                "retired_at": None,
                "contested_since": None,
                "held_since": None,
            }
        ],
        "next": None,
        "previous": None,
        "total": 1,
        "total_is_capped": False,
    }
    assert listed(text) == {"facts": [], "next": None, "previous": None}


def test_grants_come_first(project: Project, agent: Agent) -> None:
    sales = make_agent(project, "sales")
    make_fact(project, "Project.")
    make_fact(project, "Support's.", agent=agent)
    make_fact(project, "Sales'.", agent=sales)
    make_fact(project, "Ada's.", user="ada", sensitivity="personal")
    make_fact(project, "Ada's through sales.", user="ada", agent=sales)
    make_fact(project, "Of a session.", scope="session", scope_id="s-1")
    make_fact(project, "A diagnosis.", sensitivity="special")
    make_fact(project, "Cake.", category="food")
    make_fact(make_project("other"), "Foreign.")
    assert contents(make_key(project, READ)[1]) == ["Cake.", "Sales'.", "Support's.", "Project."]
    only = make_key(project, READ_USER, agents=[agent], categories=["general"], sensitivity_ceiling="internal")[1]
    assert contents(only) == ["Support's.", "Project."]
    assert contents(only, user_id="ada") == []
    user = make_key(project, READ_USER, agents=[agent])[1]
    assert contents(user, user_id="ada") == ["Ada's."]
    assert contents(make_key(project, READ_USER)[1], user_id="ada") == ["Ada's through sales.", "Ada's."]
    assert contents(user, user_id="grace") == []
    assert contents(user, scope="session", scope_id="s-1") == ["Of a session."]
    assert contents(make_key(project, READ, sensitivity_ceiling="special")[1], sensitivity="special") == [
        "A diagnosis."
    ]
    assert_problem(get("facts", user, agent_id="sales"), 404, "not_found", "There is no such agent.")
    assert contents(user, agent_id="support") == ["Support's."]
    for params in ({"user_id": "ada"}, {"scope": "user", "user_id": "ada"}, {"scope": "session", "scope_id": "s-1"}):
        assert_problem(
            get("facts", make_key(project, READ)[1], **params),
            403,
            "not_allowed",
            "This needs a key with the scope facts:read:user.",
        )
    assert_problem(
        get("facts", user, scope="session"),
        422,
        "subject_required",
        "Facts of scope session are listed for one id.",
        [fault("subject_required", "Facts of scope session are listed for one id.", parameter="scope_id")],
    )


def test_filters_are_exact_and_strict(project: Project, agent: Agent) -> None:
    make_fact(project, "Refunds take five days.", category="policy", attribute="refund-period")
    make_fact(project, "Lunch is at noon.", memory_type="procedural")
    _, text = make_key(project, READ)
    assert contents(text, category="policy") == ["Refunds take five days."]
    assert contents(text, category="polic") == []
    assert contents(text, memory_type="procedural") == ["Lunch is at noon."]
    assert contents(text, attribute="refund-period") == ["Refunds take five days."]
    assert contents(text, q="DAYS five") == ["Refunds take five days."]
    assert contents(text, source="learned") == []
    for name, value, code in (
        ("status", "gone", "unknown_choice"),
        ("scope", "everyone", "unknown_choice"),
        ("limit", "0", "out_of_range"),
        ("limit", "x", "wrong_type"),
        ("count", "maybe", "unknown_choice"),
        ("updated_since", "yesterday", "invalid_timestamp"),
        ("updated_since", "2026-01-01T00:00:00", "timezone_required"),
        ("max_age_days", "0", "out_of_range"),
        ("categories", "policy", "unknown_parameter"),
    ):
        response = get("facts", text, **{name: value})
        assert response.status_code == 422, (name, response.content)
        problem = json.loads(response.content)
        assert [(e["parameter"], e["code"]) for e in problem["errors"]] == [(name, code)]


def test_pages_hold_each_fact_once_and_a_cursor_to_its_filter(project: Project, agent: Agent) -> None:
    ids = [make_fact(project, f"Fact {number}.").id for number in range(7)]
    key, text = make_key(project, READ)
    seen: list[int] = []
    cursor = None
    while True:
        page = listed(text, limit=3, cursor=cursor)
        seen += [fact["id"] for fact in page["facts"]]
        if page["next"] is None:
            break
        cursor = page["next"]
        make_fact(project, f"Meanwhile {len(seen)}.")
    assert seen == ids[::-1]
    back = listed(text, limit=3, cursor=page["previous"])
    assert [fact["id"] for fact in back["facts"]] == ids[1:4][::-1]
    every = [fact["id"] for fact in listed(text)["facts"]]
    aged = listed(text, limit=3, max_age_days=30)
    page = listed(text, limit=3, max_age_days=30, cursor=aged["next"])
    assert [fact["id"] for fact in page["facts"]] == every[3:6]
    assert_problem(get("facts", text, max_age_days=31, cursor=aged["next"]), 400, "invalid_cursor", None, CURSOR)
    other = make_key(project, READ, sensitivity_ceiling="public")[1]
    for params in ({"category": "general"}, {"memory_type": "semantic"}, {"q": "Fact"}):
        assert_problem(get("facts", text, cursor=cursor, **params), 400, "invalid_cursor", None, CURSOR)
    assert_problem(get("facts", other, cursor=cursor), 400, "invalid_cursor", None, CURSOR)
    assert_problem(get("facts", text, cursor=cursor[:-2] + "xx"), 400, "invalid_cursor", None, CURSOR)
    with bind(project.id):
        first = ReadLedger.objects.filter(key_id=key.id).order_by("at").first()
        assert first is not None and first.fact_ids == ids[::-1][:3]


def test_status_and_changes_since(project: Project, agent: Agent) -> None:
    old = make_fact(project, "Refunds take four days.")
    make_fact(project, "Over.", expired=True)
    kept = make_fact(project, "Lunch is at noon.")
    since = now()
    revise_fact(
        actor=user_actor(project, "curator"),
        project_id=project.id,
        fact_id=old.id,
        statement=Statement(content="Refunds take a week.", scope="project"),
    )
    update(project, kept, pinned=True)
    _, text = make_key(project, HISTORY)
    assert contents(text) == ["Refunds take a week.", "Lunch is at noon."]
    assert contents(text, status="current") == ["Refunds take a week.", "Lunch is at noon.", "Over."]
    assert contents(text, status="all", updated_since=written(since)) == [
        "Refunds take four days.",
        "Refunds take a week.",
        "Lunch is at noon.",
    ]
    assert contents(text, updated_since=written(now())) == []
    # Another telling of the same words is no change of what is told.
    update(project, kept, corroborations=3, last_seen_at=now())
    assert contents(text, updated_since=written(since)) == ["Refunds take a week.", "Lunch is at noon."]
    before = get("facts", text, updated_since=written(since))
    assert json.loads(before.content)["facts"][-1]["corroborations"] == 3
    update(project, kept, restricted_at=now(), restricted_reason="hold")
    for status in ("current", "all"):
        assert_problem(
            get("facts", make_key(project, READ)[1], status=status),
            403,
            "not_allowed",
            "This needs a key with the scope facts:history.",
        )


def test_what_is_withdrawn_is_named_without_a_word(project: Project, agent: Agent) -> None:
    curator = user_actor(project, "curator")
    kept = make_fact(project, "Lunch is at noon.")
    before = make_fact(project, "Closed before.", retired="stale")
    since = now()
    old = make_fact(project, "Refunds take four days.")
    new = revise_fact(
        actor=curator,
        project_id=project.id,
        fact_id=old.id,
        statement=Statement(content="Refunds take a week.", scope="project"),
    )
    retired = make_fact(project, "Retired.")
    retire_fact(actor=curator, project_id=project.id, fact_id=retired.id, reason="stale")
    held = make_fact(project, "Held.", restricted="hold")
    expired, ended = make_fact(project, "Expired."), make_fact(project, "Ended.")
    update(project, expired, expires_at=now())
    with bind(project.id):
        raised = make_fact(project, "A diagnosis.")
        Fact.objects.filter(id=raised.id).update(sensitivity="special")
    forgotten = make_fact(project, "To be forgotten.", agent=agent)
    forget_fact(actor=curator, project_id=project.id, fact_id=forgotten.id)
    _, text = make_key(project, READ)
    found = reasons(text, since)
    assert found == {
        old.id: "superseded",
        retired.id: "retired",
        held.id: "held",
        expired.id: "expired",
        raised.id: "sensitivity",
        forgotten.id: "forgotten",
    }
    assert not {kept.id, before.id, new.id, ended.id} & set(found)
    assert b"diagnosis" not in get("memory/revocations", text, since=written(since)).content
    # A key that may see what became special has nothing withdrawn, and one of another agent knows of no forgotten fact.
    assert raised.id not in reasons(make_key(project, READ, sensitivity_ceiling="special")[1], since)
    sales = make_agent(project, "sales")
    assert forgotten.id not in reasons(make_key(project, READ, agents=[sales])[1], since)
    with bind(project.id):
        assert list(Withdrawal.objects.values_list("fact_id", "reason", "agent_id").order_by("id")) == [
            (raised.id, "sensitivity", None),
            (forgotten.id, "forgotten", agent.id),
        ]


def test_users_ids_are_named_to_keys_that_may_read_users(project: Project, agent: Agent) -> None:
    since = now()
    fact = make_fact(project, "Ada likes tea.", user="ada", retired="wrong")
    assert reasons(make_key(project, READ)[1], since) == {}
    assert reasons(make_key(project, READ_USER)[1], since) == {fact.id: "retired"}


def test_revocations_come_in_pages_and_end_with_an_epoch(project: Project, agent: Agent) -> None:
    since = now()
    ids = [make_fact(project, f"Fact {number}.", retired="stale").id for number in range(5)]
    _, text = make_key(project, READ)
    first = withdrawn(text, since, limit=2)
    second = withdrawn(text, since, limit=2, cursor=first["next"])
    third = withdrawn(text, since, limit=2, cursor=second["next"])
    assert [row["id"] for page in (first, second, third) for row in page["revocations"]] == ids
    assert third["next"] is None
    assert first["epoch"] == second["epoch"] == third["epoch"]
    assert_problem(
        get("memory/revocations", text, since=written(now()), cursor=first["next"]), 400, "invalid_cursor", None, CURSOR
    )
    # The epoch of a read names everything that was withdrawn after it.
    epoch = get("memory/facts", text, agent_id="support")["X-Facts-Epoch"]
    assert now() - timedelta(minutes=6) < datetime.fromisoformat(epoch) < now() - timedelta(minutes=4)
    late = make_fact(project, "Late.", retired="stale")
    assert late.id in reasons(text, epoch)


def test_since_is_needed_and_lies_behind(project: Project, agent: Agent) -> None:
    _, text = make_key(project, READ)
    assert_problem(
        get("memory/revocations", text),
        422,
        "required",
        "Is required.",
        [fault("required", "Is required.", parameter="since")],
    )
    assert_problem(
        get("memory/revocations", text, since=written(now() + timedelta(hours=1))),
        422,
        "out_of_range",
        "Lies in the future.",
        [fault("out_of_range", "Lies in the future.", parameter="since")],
    )


def test_explanations_and_history_need_their_scopes(project: Project, agent: Agent) -> None:
    fact = make_fact(project, "Refunds take five days.")
    key, text = make_key(project, READ)
    for params, scope in (({"explain": "true"}, "facts:explain"), ({"at": written(now())}, "facts:history")):
        assert_problem(
            get("memory/facts", text, agent_id="support", **params),
            403,
            "not_allowed",
            f"This needs a key with the scope {scope}.",
        )
    with bind(project.id):
        assert ReadLedger.objects.filter(key_id=key.id).count() == 0
    _, text = make_key(project, ["facts:read", "facts:explain", "facts:history"])
    answer = json.loads(get("memory/facts", text, agent_id="support", explain="true").content)
    assert [row["verdict"] for row in answer["explain"]["candidates"]] == ["told"]
    assert "explain" not in json.loads(get("memory/facts", text, agent_id="support", explain="false").content)
    earlier = get("memory/facts", text, agent_id="support", at=written(fact.approved_at - timedelta(seconds=1)))
    assert json.loads(earlier.content) == {"facts": []}


def test_what_was_raised_and_then_forgotten_stays_withdrawn(project: Project, agent: Agent) -> None:
    since = now()
    fact = make_fact(project, "A diagnosis.")
    _, text = make_key(project, READ)
    update(project, fact, sensitivity="special")
    assert reasons(text, since) == {fact.id: "sensitivity"}
    forget_fact(actor=user_actor(project, "curator"), project_id=project.id, fact_id=fact.id)
    assert reasons(text, since) == {fact.id: "sensitivity"}


def test_an_end_that_was_set_into_the_past_is_told_from_when_it_was_set(project: Project, agent: Agent) -> None:
    fact = make_fact(project, "Refunds take five days.")
    since = now()
    _, text = make_key(project, READ)
    update(project, fact, expires_at=since - timedelta(hours=1))
    assert reasons(text, since) == {fact.id: "expired"}
    assert reasons(text, now()) == {}
    soon = make_fact(project, "Lunch is at noon.")
    update(project, soon, expires_at=now() + timedelta(milliseconds=50))
    time.sleep(0.1)
    assert [row["id"] for row in withdrawn(text, since)["revocations"]] == [fact.id, soon.id]


def test_a_key_kept_to_purposes_hears_what_is_withdrawn(project: Project, agent: Agent) -> None:
    since = now()
    fact = make_fact(project, "Refunds take five days.", purposes=["support"])
    _, text = make_key(project, READ, purposes=["support"])
    assert contents(text, purpose="support") == ["Refunds take five days."]
    update(project, fact, restricted_at=now(), restricted_reason="hold")
    assert reasons(text, since) == {fact.id: "held"}


def test_a_newer_version_beyond_the_grants_is_not_named(project: Project, agent: Agent) -> None:
    newer = {}
    for content, marks in (
        ("Open.", {}),
        ("Special.", {"sensitivity": "special"}),
        ("Food.", {"category": "food"}),
        ("For audits.", {"purposes": ["audit"]}),
    ):
        old = make_fact(project, f"Before: {content}")
        newer[content] = revise_fact(
            actor=user_actor(project, "curator"),
            project_id=project.id,
            fact_id=old.id,
            statement=Statement(content=content, scope="project", **marks),
        )

    def named(text: str, **params: Any) -> dict[str, int | None]:
        rows = listed(text, status="all", **params)["facts"]
        return {row["content"]: row["superseded_by"] for row in rows if row["superseded_at"]}

    narrow = make_key(project, HISTORY, categories=["general"])[1]
    assert named(narrow) == {
        "Before: Open.": newer["Open."].id, "Before: Special.": None, "Before: Food.": None, "Before: For audits.": None
    }  # fmt: skip
    assert named(make_key(project, HISTORY, sensitivity_ceiling="special")[1], purpose="audit") == {
        f"Before: {content}": fact.id for content, fact in newer.items()
    }
