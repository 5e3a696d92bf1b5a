"""The read without a question comes from the hot rows; what they can't hold is looked up, and tells no less."""

import json
from datetime import timedelta
from typing import Any

import pytest
from django.db import connection

from apps.core.clock import now
from apps.core.transactions import bind
from apps.facts.models import Fact, HotFact
from apps.privacy.actions.forget_fact import forget_fact
from apps.recall.queries import reader_for, told_facts
from apps.tenancy.models import Agent, Project
from tests.factories import make_agent, make_fact, make_key, make_project, make_subject, user_actor

pytestmark = pytest.mark.django_db
LONG = "Refunds " + "take five days " * 90 + "at most."


@pytest.fixture
def project() -> Project:
    return make_project()


@pytest.fixture
def agent(project: Project) -> Agent:
    return make_agent(project, "support")


def told(project: Project, limit: int = 50, **asked: Any) -> list[str]:
    key, _ = make_key(project, ["facts:read", "facts:read:user"])
    answer = told_facts(reader_for(key, "support", asked.pop("user", None), None, **asked), limit=limit)
    assert answer is not None
    return [fact["content"] for fact in json.loads(answer)["facts"]]


def briefs(project: Project) -> dict[str, str | None]:
    with bind(project.id):
        held = dict(HotFact.objects.values_list("id", "brief"))
        return {content: held[fact_id] for fact_id, content in Fact.objects.values_list("id", "content")}


def test_a_fact_is_held_as_it_is_told_unless_it_is_long_or_not_for_everybody(project: Project, agent: Agent) -> None:
    fact = make_fact(project, 'Say "hi"\\.', importance=0.25, category="a/b")
    head = {
        "content": 'Say "hi"\\.',
        "id": fact.id,
        "category": "a/b",
        "importance": 0.25,
        "confidence": 1,
        "scope": "project",
        "scope_id": "acme",
        "source": "manual",
        "approved_at": fact.approved_at.strftime("%Y-%m-%dT%H:%M:%S.%fZ"),
    }
    brief = briefs(project)['Say "hi"\\.']
    assert brief is not None
    assert json.loads(brief + "}") == head
    # Ids grow with every fact, and with them what stands around the content.
    room = 1150 - len((briefs(project)['Say "hi"\\.'] or "").replace('Say \\"hi\\"\\\\.', "").encode()) - 10
    for content, marks in (
        ("x" * room, {}),
        ("x" * (room + 20), {}),
        ("ß" * (room // 2 + 10), {}),
        ('"' * (room // 2 + 10), {}),
        ("For billing.", {"purposes": ["billing"]}),
        ("For refunds.", {"task_types": ["refund"]}),
    ):
        make_fact(project, content, **marks)
    found = briefs(project)
    assert {content for content in found if found[content] is not None} == {'Say "hi"\\.', "x" * room}


def test_what_the_index_does_not_hold_is_told_all_the_same(project: Project, agent: Agent) -> None:
    make_fact(project, LONG, importance=0.9)
    make_fact(project, "For billing.", importance=0.8, purposes=["billing"])
    make_fact(project, "For refunds.", importance=0.7, task_types=["refund"])
    make_fact(project, f"{LONG} Internal.", importance=0.6, sensitivity="special")
    make_fact(project, "Short.", importance=0.1)
    assert told(project) == [LONG, "Short."]
    assert told(project, purpose="billing") == [LONG, "For billing.", "Short."]
    assert told(project, purpose="other", task_type="refund") == [LONG, "For refunds.", "Short."]


def test_a_date_is_asked_of_the_row(project: Project, agent: Agent) -> None:
    facts = [make_fact(project, f"Fact {number}.", importance=number / 10) for number in range(3)]
    with bind(project.id):
        Fact.objects.filter(id=facts[2].id).update(last_seen_at=now() + timedelta(hours=2))
    assert told(project, since=now() + timedelta(hours=1)) == ["Fact 2."]
    assert told(project, since=now() - timedelta(hours=1)) == ["Fact 2.", "Fact 1.", "Fact 0."]


def test_what_is_said_in_many_scopes_leaves_room_for_the_rest(project: Project, agent: Agent) -> None:
    for number in range(2):
        make_fact(project, f"Said often {number}.", user="user_1", importance=0.9)
    for number in range(30):
        make_fact(project, f"Said often {number % 2}{'.' * (number // 2)}", importance=0.8 - number / 1000)
    for number in range(5):
        make_fact(project, f"Fact {number}.", agent=agent, importance=0.1)
    expected = ["Said often 1.", "Said often 0.", "Fact 4.", "Fact 3.", "Fact 2.", "Fact 1.", "Fact 0."]
    assert told(project, user="user_1") == expected
    for limit in (1, 2, 3, 5):
        assert told(project, limit, user="user_1") == expected[:limit]


@pytest.mark.parametrize("length", [60, 200, 255])
def test_the_greatest_fact_fits_into_the_index(project: Project, agent: Agent, length: int) -> None:
    # Letters that don't repeat, so that nothing is saved by compressing.
    letters = [chr(0x20000 + number) for number in range(3000)]
    user, attribute = "".join(letters[:length]), "a" * 60
    category = "".join(letters[300:360]) if length == 255 else "general"
    content = "".join(letters[400 : 400 + max((900 - 4 * length) // 4, 10)])
    fact = make_fact(
        project, content, user=make_subject(project, user), category=category, attribute=attribute,
        expires_at=now() + timedelta(days=1), valid_from=now() - timedelta(days=1), valid_to=now() + timedelta(days=2),
    )  # fmt: skip
    with bind(project.id):
        Fact.objects.filter(id=fact.id).update(contested_at=now())
    assert (briefs(project)[content] is not None) == (length < 255)
    assert told(project, user=user) == [content]


def test_hearing_a_fact_again_changes_nothing_that_is_told(project: Project, agent: Agent) -> None:
    fact = make_fact(project, "Refunds take five days.")
    with bind(project.id):
        before = Fact.objects.get(id=fact.id).updated_at
        Fact.objects.filter(id=fact.id).update(corroborations=3, last_seen_at=now())
        assert Fact.objects.get(id=fact.id).updated_at == before
        Fact.objects.filter(id=fact.id).update(pinned=True)
        assert Fact.objects.get(id=fact.id).updated_at > before


def test_the_hot_indexes_hold_what_is_told_and_judged() -> None:
    with connection.cursor() as cursor:
        cursor.execute(
            "SELECT relname, array(SELECT attname::text FROM pg_attribute WHERE attrelid = oid ORDER BY attnum)"
            " FROM pg_class WHERE relkind = 'i' AND relname LIKE 'facts_hot_%%'"
        )
        held = dict(cursor.fetchall())
    every = {field.name for field in HotFact._meta.concrete_fields}
    # Whose they are is said by the table, or by the id that stands in front.
    assert {name: every - set(columns) for name, columns in held.items()} == {
        "facts_hot_agent_idx": {"scope", "scope_id"},
        "facts_hot_project_idx": {"scope", "scope_id", "agent_id"},
        "facts_hot_user_idx": {"scope"},
    }


HOT = """
SELECT h.id IS NULL AS missing, f.id IS NULL AS left_over, coalesce(h.id, f.id)
FROM facts_hot h FULL JOIN (
    SELECT * FROM facts_fact WHERE superseded_at IS NULL AND retired_at IS NULL AND label = ''
        AND scope IN ('agent', 'project', 'user')) f
    ON (f.id, f.project_id, facts_told_through(f.agent_id), f.importance, f.loose_hash, f.scope, f.scope_id, f.norm_hash,
        f.sensitivity, f.category, f.memory_type)
     = (h.id, h.project_id, h.agent_id, h.importance, h.loose_hash, h.scope, h.scope_id, h.norm_hash, h.sensitivity, h.category,
        h.memory_type)
   AND (f.attribute, f.contested_at, f.restricted_at, f.expires_at, f.valid_from, f.valid_to) IS NOT DISTINCT FROM
       (h.attribute, h.contested_at, h.restricted_at, h.expires_at, h.valid_from, h.valid_to)
WHERE h.id IS NULL OR f.id IS NULL
"""


def differences(project: Project) -> tuple[int, list[tuple[bool, bool, int]]]:
    with bind(project.id), connection.cursor() as cursor:
        cursor.execute(HOT)
        return HotFact.objects.count(), cursor.fetchall()


def test_the_hot_rows_are_the_current_facts_whatever_happens_to_them(project: Project, agent: Agent) -> None:
    soon = now() + timedelta(days=1)
    facts = [make_fact(project, f"Of the project {number}.", valid_to=soon) for number in range(9)]
    make_fact(project, "The agent's.", agent=agent, attribute="owner")
    ada = make_fact(project, "Ada's.", user="ada")
    make_fact(project, "Ada's through it.", user="ada", agent=agent)
    make_fact(project, "Of a session.", scope="session", scope_id="s-1")
    assert differences(project) == (12, [])
    with bind(project.id):
        for fact, marks in zip(
            facts,
            [
                {"retired_at": now(), "retired_reason": "stale"},
                {"superseded_at": now()},
                {"restricted_at": now(), "restricted_reason": "hold"},
                {"sensitivity": "special"},
                {"expires_at": soon},
                {"contested_at": now()},
                {"pinned": True},
                {"corroborations": 3},
            ],
            strict=False,
        ):
            Fact.objects.filter(id=fact.id).update(**marks)
    assert differences(project) == (10, [])
    with bind(project.id):
        Fact.objects.filter(restricted_at__isnull=False).update(restricted_at=None, restricted_reason="")
        Fact.objects.filter(id__in=[fact.id for fact in facts[4:]]).update(sensitivity="personal")
    assert differences(project) == (10, [])
    forget_fact(actor=user_actor(project, "privacy_officer"), project_id=project.id, fact_id=ada.id)
    assert differences(project) == (9, [])
    with connection.cursor() as cursor:
        # Nobody sees another project's rows, through the whole or through a part.
        for table in ("facts_hot", "facts_hot_agent", "facts_hot_project", "facts_hot_user"):
            cursor.execute(f"SELECT count(*) FROM {table}")
            assert cursor.fetchone() == (0,)
