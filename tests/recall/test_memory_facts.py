"""What an agent is told: the SQL of the hot read, row by row."""

import json
from datetime import timedelta

import pytest

from apps.access.models import ApiKey
from apps.core.clock import now
from apps.core.transactions import bind
from apps.recall.models import ReadLedger
from apps.recall.queries import query_digest, reader_for, reads_between, told_facts
from apps.recall.question import question_of
from apps.recall.serving import serving_embedder
from apps.tenancy.models import Agent, Project, Subject, SubjectAlias
from tests.factories import make_agent, make_fact, make_key, make_project, make_subject

pytestmark = pytest.mark.django_db


@pytest.fixture
def project() -> Project:
    return make_project()


@pytest.fixture
def agent(project: Project) -> Agent:
    return make_agent(project, "support")


def told(key: ApiKey, agent: str = "support", **options: object) -> list[str] | None:
    answer = read(key, agent, **options)
    return None if answer is None else [fact["content"] for fact in answer]


def read(key: ApiKey, agent: str = "support", **options: object) -> list[dict] | None:
    values: dict = {"user": None, "query": None, "limit": 50, "category": None} | options
    threshold = values.pop("threshold", 0.0)
    query, limit = values.pop("query"), values.pop("limit")
    answer = told_facts(
        reader_for(key, agent, **values), question_of(key.project_id, query), limit=limit, threshold=threshold
    )
    return None if answer is None else json.loads(answer)["facts"]


def test_the_row_an_agent_gets(project: Project, agent: Agent) -> None:
    key, _ = make_key(project)
    fact = make_fact(project, "Returns take 30 days.", agent=agent, category="policy", importance=0.9)
    assert read(key) == [
        {
            "content": "Returns take 30 days.",
            "id": fact.id,
            "category": "policy",
            "importance": 0.9,
            "confidence": 1,
            "scope": "agent",
            "scope_id": "support",
            "source": "manual",
            "approved_at": fact.approved_at.strftime("%Y-%m-%dT%H:%M:%S.%fZ"),
            "score": None,
            "conflict": None,
        }
    ]


def test_agent_and_project_facts_by_importance_and_never_a_users(project: Project, agent: Agent) -> None:
    key, _ = make_key(project, ["facts:read", "facts:read:user"])
    make_fact(project, "Third.", agent=agent, importance=0.2)
    make_fact(project, "First.", importance=0.9)
    make_fact(project, "Second.", agent=agent, importance=0.5)
    make_fact(project, "About Ada.", user="ada", importance=1.0)
    make_fact(project, "About Ada, through support.", user="ada", agent=agent, importance=0.8)
    make_fact(project, "Of another agent.", agent=make_agent(project, "orders"), importance=1.0)
    make_fact(project, "Of a session.", scope="session", scope_id="s1", importance=1.0)
    make_fact(project, "Of a pull request.", scope="other", scope_id="pr:456", importance=1.0)
    assert told(key) == ["First.", "Second.", "Third."]
    assert told(key, user="ada") == [
        "About Ada.",
        "First.",
        "About Ada, through support.",
        "Second.",
        "Third.",
    ]
    assert told(key, "orders", user="ada") == ["Of another agent.", "About Ada.", "First."]
    assert told(key, limit=2) == ["First.", "Second."]


@pytest.mark.parametrize("user", ["", " ", "*", "%", "_da", "ad", "Ada", "ada2", "ada\u200b", "bob"])
def test_another_spelling_of_a_user_is_nobody(project: Project, agent: Agent, user: str) -> None:
    key, _ = make_key(project, ["facts:read", "facts:read:user"])
    make_fact(project, "About Ada.", user="ada")
    assert told(key, user=user) == []


def test_an_alias_is_the_same_user_and_a_suppressed_one_is_nobody(project: Project, agent: Agent) -> None:
    key, _ = make_key(project, ["facts:read", "facts:read:user"])
    make_fact(project, "About Ada.", user="ada")
    subject = make_subject(project, "ada")
    with bind(project.id):
        SubjectAlias.objects.create(project=project, subject=subject, external_id="ada@example.test")
    assert told(key, user="ada@example.test") == ["About Ada."]
    with bind(project.id):
        Subject.objects.update(suppressed_at=now())
    assert told(key, user="ada") == [] == told(key, user="ada@example.test")


def test_what_may_not_be_told_is_not(project: Project, agent: Agent) -> None:
    key, _ = make_key(project)
    make_fact(project, "Expired.", agent=agent, expired=True)
    make_fact(project, "Retired.", agent=agent, retired="stale")
    make_fact(project, "Restricted.", restricted="disabled")
    make_fact(project, "Not yet.", valid_from=now() + timedelta(days=1))
    make_fact(project, "No longer.", valid_to=now() - timedelta(days=1))
    make_fact(project, "Too special.", sensitivity="special")
    for query in (None, "expired retired restricted yet longer special"):
        assert told(key, query=query) == []


def test_what_a_key_may_be_told(project: Project, agent: Agent) -> None:
    make_fact(project, "Public.", sensitivity="public", importance=0.9)
    make_fact(project, "Internal.", sensitivity="internal", importance=0.8)
    make_fact(project, "Personal.", sensitivity="personal", importance=0.7)
    make_fact(project, "Special.", sensitivity="special", importance=0.6)
    make_fact(project, "Price.", category="billing", importance=0.5)
    for ceiling, expected in [
        ("public", ["Public."]),
        ("internal", ["Public.", "Internal.", "Price."]),
        ("special", ["Public.", "Internal.", "Personal.", "Special.", "Price."]),
    ]:
        assert told(make_key(project, sensitivity_ceiling=ceiling)[0]) == expected
    billing, _ = make_key(project, categories=["billing"])
    assert told(billing) == ["Price."] == told(billing, query="public internal")
    assert told(billing, category="general") == []
    assert told(make_key(project, categories=[])[0]) == []
    assert told(make_key(project)[0], category="billing") == ["Price."]


def test_agents_by_name_or_id_and_only_those_the_key_may_name(project: Project, agent: Agent) -> None:
    other = make_agent(project, "orders")
    make_fact(project, "Told.", agent=agent)
    key, _ = make_key(project)
    assert told(key, "support") == ["Told."] == told(key, str(agent.id)) == told(key, agent.id.hex)
    for unknown in ("nobody", "", "Support", str(project.id), "0" * 32, "%", "sup\x00port"):
        assert told(key, unknown) is None
    narrow, _ = make_key(project, agents=[other])
    assert told(narrow, "support") is None
    assert told(narrow, "orders") == []
    assert told(make_key(project, agents=[])[0], "orders") is None


def test_keyword_matches_first_then_all_others_by_importance(project: Project, agent: Agent) -> None:
    key, _ = make_key(project)
    make_fact(project, "Invoices show the order number.", importance=0.9)
    make_fact(project, "Refunds go to the original card.", agent=agent, importance=0.3)
    make_fact(project, "Refunds on a card take five days.", importance=0.2)
    expected = [
        "Refunds go to the original card.",
        "Refunds on a card take five days.",
        "Invoices show the order number.",
    ]
    assert told(key, query="Refunds: which card?") == expected
    assert told(key, query="Refunds: which card?", limit=1) == expected[:1]
    # Stop words, symbols and quotes ask for nothing in particular.
    by_importance = [expected[2], expected[0], expected[1]]
    for query in ("the", "?!", "' | * ` \" -- ;", "\x00", "🙂", "", " ", "日本語", "a" * 20_000, "<-> & | !"):
        assert told(key, query=query) == by_importance
    assert told(key, query="x " * 10_000 + "refunds") == by_importance  # cut at 8,000 characters


def test_the_same_words_in_two_scopes_are_told_once(project: Project, agent: Agent) -> None:
    key, _ = make_key(project)
    make_fact(project, "Returns take 30 days.", importance=0.1)
    best = make_fact(project, "returns take 30 DAYS.", agent=agent, importance=0.9)
    make_fact(project, "Other.", importance=0.5)
    rows = read(key)
    assert rows is not None
    assert [row["id"] for row in rows] == [best.id, rows[1]["id"]]
    assert [row["content"] for row in rows] == ["returns take 30 DAYS.", "Other."]


def test_every_read_writes_its_row_in_one_statement(
    project: Project, agent: Agent, django_assert_num_queries: object
) -> None:
    key, _ = make_key(project, ["facts:read", "facts:read:user"])
    first, second = make_fact(project, "One.", importance=0.9), make_fact(project, "Two.", importance=0.1)
    subject = make_subject(project, "ada")
    serving_embedder()  # kept for seconds
    # Bound to the project before, since in a test's transaction the binding before would be put back by a second one.
    with bind(project.id), django_assert_num_queries(1):  # type: ignore[operator]
        told(key, query="anything", user="ada", purpose="support")
    told(key, "nobody")
    with bind(project.id):
        row = ReadLedger.objects.get()
        assert (row.key_id, row.agent_id, row.subject_id, row.purpose) == (key.id, agent.id, subject.id, "support")
        assert (row.fact_ids, row.ranks, row.scores) == ([first.id, second.id], [1, 2], row.scores)
        assert row.scores[0] > row.scores[1] > 0
        assert bytes(row.query_hash or b"") == query_digest(project.id, "anything")
        assert [read.id for read in reads_between(project.id, agent.id, row.at, row.at)] == [row.id]


def test_an_empty_answer_is_recorded_too(project: Project, agent: Agent) -> None:
    key, _ = make_key(project)
    assert told(key) == []
    with bind(project.id):
        assert ReadLedger.objects.get().fact_ids == []


def test_two_projects_with_the_same_names_tell_their_own(project: Project, agent: Agent) -> None:
    other = make_project("globex")
    make_agent(other, "support")
    make_fact(project, "Ours.", user="ada")
    make_fact(other, "Theirs.", user="ada")
    for one, expected in ((project, ["Ours."]), (other, ["Theirs."])):
        assert told(make_key(one, ["facts:read:user"])[0], user="ada") == expected
