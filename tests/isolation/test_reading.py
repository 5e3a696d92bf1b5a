"""Within a project: a name finds its own rows or nothing, and what a key may not be told it cannot find by its exact words."""

import json
from typing import Any

import pytest

from apps.audit.models import AuditEvent
from apps.core.transactions import bind
from apps.facts.actions.revise_fact import revise_fact
from apps.facts.statement import Statement
from apps.privacy.actions.forget_fact import forget_fact
from apps.tenancy.models import Agent, Project
from tests.api.helpers import assert_problem, get
from tests.console.stage import push
from tests.curation import stage as gate
from tests.factories import make_agent, make_fact, make_key, make_project, user_actor
from tests.spans import run_of

READ = ["facts:read", "facts:read:user", "facts:history"]


@pytest.fixture
def project(fresh_db: str) -> Project:
    return make_project("acme")


@pytest.fixture
def agent(project: Project) -> Agent:
    return make_agent(project, "support")


def told(key: str, **params: Any) -> list[str]:
    answer = get("memory/facts", key, agent_id="support", limit=200, score_threshold=0, **params)
    assert answer.status_code == 200, answer.content
    return sorted(fact["content"] for fact in json.loads(answer.content)["facts"])


def listed(key: str, **params: Any) -> tuple[list[str], int]:
    answer = get("facts", key, limit=200, count="true", **params)
    assert answer.status_code == 200, answer.content
    document = json.loads(answer.content)
    return sorted(fact["content"] for fact in document["facts"]), document["total"]


NAMES = ["user_1", "user_10", "User_1", "user-1", "user_%", "%user_1%", "user_1\\"]


@pytest.mark.parametrize(
    "asked", [*NAMES, "%", "user_", "user_1\u200b", "USER_1", "user_1 OR 1=1", "user_1/../user_10"]
)
def test_a_name_finds_its_own_rows_or_nothing(project: Project, agent: Agent, asked: str) -> None:
    for name in NAMES:
        make_fact(project, f"Says {NAMES.index(name)}.", user=name)
    _, key = make_key(project, READ)
    own = [f"Says {NAMES.index(asked)}."] if asked in NAMES else []
    assert told(key, user_id=asked) == own
    assert listed(key, scope="user", user_id=asked) == (own, len(own))


@pytest.mark.parametrize("asked", ["", " ", "*", "\u200b"])
def test_a_name_of_nobody_is_refused(project: Project, agent: Agent, asked: str) -> None:
    make_fact(project, "Prefers trains.", user="lovelace")
    _, key = make_key(project, READ)
    for answer in (
        get("memory/facts", key, agent_id="support", user_id=asked),
        get("facts", key, scope="user", user_id=asked),
    ):
        assert_problem(answer, 422, "subject_required", errors=json.loads(answer.content)["errors"])


def test_what_is_above_a_keys_ceiling_is_not_found_by_its_own_words(project: Project, agent: Agent) -> None:
    make_fact(project, "Refunds take five days.", agent=agent)
    _, low = make_key(project, READ, sensitivity_ceiling="internal")
    _, high = make_key(project, READ, sensitivity_ceiling="special")
    words = "Has a severe allergy to penicillin."
    before = listed(low), told(low, query=words), told(low, query=words, user_id="lovelace")
    secret = make_fact(project, words, user="lovelace", sensitivity="special")
    make_fact(project, "Keeps the ward's list of penicillin.", agent=agent, sensitivity="special")
    assert (listed(low), told(low, query=words), told(low, query=words, user_id="lovelace")) == before
    assert listed(low, q="penicillin") == ([], 0)
    assert get(f"facts/{secret.id}", low).status_code == 404
    assert words in told(high, query=words, user_id="lovelace")


def test_what_holds_no_more_is_not_found_by_its_own_words(project: Project, agent: Agent) -> None:
    _, key = make_key(project, READ)
    curator = user_actor(project, "curator")
    gone = {
        "expired": make_fact(project, "The lighthouse is expired.", agent=agent, expired=True),
        "retired": make_fact(project, "The lighthouse is retired.", agent=agent, retired="stale"),
        "restricted": make_fact(project, "The lighthouse is restricted.", agent=agent, restricted="hold"),
        "superseded": make_fact(project, "The lighthouse is superseded.", agent=agent),
        "erased": make_fact(project, "The lighthouse is erased.", agent=agent),
    }
    new = Statement(content="The harbour is open.", scope="agent", scope_id="support", agent_name="support")
    revise_fact(actor=curator, project_id=project.id, fact_id=gone["superseded"].id, statement=new)
    forget_fact(actor=curator, project_id=project.id, fact_id=gone["erased"].id)
    push(project, run_of("t", "Where is the lighthouse?"))
    gate.propose_one(project, gate.wish(project, "The lighthouse is proposed."))
    for word in (*gone, "proposed"):
        words = f"The lighthouse is {word}."
        assert told(key, query=words) == ["The harbour is open."], word
        assert listed(key, q=f"lighthouse {word}") == ([], 0), word


def test_a_key_kept_to_a_purpose_and_categories_is_told_no_other(project: Project, agent: Agent) -> None:
    make_fact(project, "Invoices are due in June.", agent=agent, category="billing")
    make_fact(project, "Parcels are late in June.", agent=agent, category="support")
    _, key = make_key(project, READ, categories=["support"], purposes=["support"])
    assert told(key, purpose="support", query="Invoices are due in June.") == ["Parcels are late in June."]
    assert told(key, purpose="support", category="billing") == []
    assert listed(key, purpose="support") == (["Parcels are late in June."], 1)
    for path, asked in (("memory/facts", {"agent_id": "support"}), ("facts", {})):
        assert_problem(get(path, key, purpose="billing", **asked), 403, "not_allowed")
    with bind(project.id):
        denials = AuditEvent.objects.filter(result="denied").count()
    assert denials == 2
