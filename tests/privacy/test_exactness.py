"""Exactly one person's rows go, whoever else is called nearly the same and whatever they share."""

import random
from collections.abc import Iterable
from typing import Any

import pytest
from django.db import connection

from apps.core.transactions import bind
from apps.facts.models import Fact
from apps.tenancy.models import Project, Subject
from tests.factories import make_agent, make_fact, make_project
from tests.privacy.stage import approved, fresh, learned, work
from tests.spans import trace_id

pytestmark = pytest.mark.django_db

MANY = 1_001
PEOPLE = 300
ERASED = 12
# Columns in which a row of somebody else may tell that a neighbour went, and tables that are the erasure's own record.
OWN = ("privacy_", "audit_", "tenancy_tombstone", "facts_withdrawal", "access_", "insight_")

INSERT = """
INSERT INTO facts_fact (project_id, scope, scope_id, agent_id, subject_id, content, label, norm_hash, category, memory_type,
    confidence, importance, trust, speaker, sensitivity, source, approved_by, corroborations, pinned, observed_at,
    restricted_reason, retired_reason)
SELECT %(project)s, 'user', %(user)s, CASE WHEN n %% 2 = 0 THEN %(agent)s::uuid END, %(subject)s, 'Parcel ' || n || ' is ready.',
    '', decode(md5('Parcel' || n), 'hex'), 'general', 'semantic', 0.6, 0.5, 3, 'user', 'personal', 'learned', 'user:1', 0,
    false, now(), '', ''
FROM generate_series(1, %(many)s) n
"""


@pytest.fixture
def project(settings: Any) -> Project:
    settings.PURGE_WAITS = False
    return make_project()


def facts_of(project: Project, user: str, many: int, agent: Any) -> int:
    """So many facts of a user, every other one through one agent only; the subject's number."""
    with bind(project.id), connection.cursor() as cursor:
        subject, _ = Subject.objects.get_or_create(project_id=project.id, kind="user", external_id=user)
        cursor.execute(
            INSERT,
            {"project": project.id, "user": user, "subject": subject.id, "many": many, "agent": agent.id},
        )
    return subject.id


def digests(project: Project, without: Iterable[int]) -> dict[str, str]:
    """Of every row of every table, whole, without the rows of these subjects."""
    gone = sorted(without)
    found = {}
    with bind(project.id), connection.cursor() as cursor:
        cursor.execute(
            "SELECT c.table_name, array_agg(c.column_name) FROM information_schema.columns c"
            " JOIN pg_class t ON t.relname = c.table_name AND t.relnamespace = 'public'::regnamespace"
            " WHERE c.table_schema = 'public' AND NOT t.relispartition AND t.relkind IN ('r', 'p')"
            " GROUP BY 1 HAVING 'project_id' = ANY (array_agg(c.column_name::text))"
        )
        for table, columns in cursor.fetchall():
            if table.startswith(OWN):
                continue
            of = "NOT id = ANY (%(gone)s)" if table == "tenancy_subject" else "true"
            if "subject_id" in columns:
                of = "(subject_id IS NULL OR NOT subject_id = ANY (%(gone)s))"
            elif table == "facts_hot":
                of = "scope_id NOT IN (SELECT external_id FROM tenancy_subject WHERE id = ANY (%(gone)s))"
            elif "fact_id" in columns:
                of = "fact_id NOT IN (SELECT id FROM facts_fact WHERE subject_id = ANY (%(gone)s))"
            cursor.execute(
                f"SELECT coalesce(md5(string_agg(r, E'\\n' ORDER BY r)), '') FROM (SELECT to_jsonb(t)::text AS r FROM {table} t"
                f" WHERE project_id = %(project)s AND {of}) x",
                {"project": project.id, "gone": gone},
            )
            found[table] = cursor.fetchone()[0]
    return found


def test_a_thousand_and_one_facts_go_and_no_row_of_the_neighbours_changes(project: Project) -> None:
    agent = make_agent(project, "support")
    users = ["user_1", "user_10", "User_1", "user_1-b", "user"]
    numbers = {user: facts_of(project, user, MANY if user == "user_1" else 40, agent) for user in users}
    make_fact(project, "Everybody is told this.")
    make_fact(project, "The support agent is told this.", agent=agent)
    # A session whose id is like hers.
    make_fact(project, "The cart of user_10 is full.", scope="session", scope_id="user_10")
    before = digests(project, [numbers["user_1"]])
    request = approved(project, "user_1")
    assert fresh(request).preview["stores"]["facts"] == MANY
    assert work(project) == ["completed"]
    done = fresh(request)
    assert (done.progress["before"]["facts"], done.progress["erased"]["facts"]) == (MANY, MANY)
    assert digests(project, [numbers["user_1"]]) == before
    with bind(project.id):
        assert not Subject.objects.filter(id=numbers["user_1"]).exists()
        assert Fact.objects.count() == 40 * 4 + 3


def test_a_fact_that_two_people_bear_out_stays_with_the_words_of_the_other(project: Project) -> None:
    make_agent(project, "support")
    (fact,) = learned(project, "t1", "Our refund window is 30 days.", user="user_1")
    learned(project, "t2", "Our refund window is 30 days.", user="user_10")
    request = approved(project, "user_1")
    assert fresh(request).preview["shared"] == [{"fact": fact, "alone": False}]
    assert work(project) == ["completed"]
    with bind(project.id):
        kept = Fact.objects.get()
        assert (kept.id, kept.content) == (fact, "Our refund window is 30 days.")
        assert set(kept.sources.values_list("trace_id", flat=True)) == {trace_id("t2")}


def test_whoever_it_is_of_many_the_others_stay_as_they_were(project: Project) -> None:
    """Ids out of a small alphabet, so that one is often the beginning, the end or another case of the next."""
    chance = random.Random(11)
    agent = make_agent(project, "support")
    names = {
        "".join(chance.choice("abAB_1-. é") for _ in range(chance.randint(4, 7))).strip(" ") for _ in range(PEOPLE)
    } - {""}
    numbers = {name: facts_of(project, name, chance.randint(1, 4), agent) for name in sorted(names)}
    gone: list[int] = []
    for name in chance.sample(sorted(names), ERASED):
        gone.append(numbers[name])
        before = digests(project, gone)
        request = approved(project, name)
        assert fresh(request).preview["reasons"] == {"direct": fresh(request).preview["stores"]["facts"]}, name
        assert work(project) == ["completed"], (name, fresh(request).verification)
        assert digests(project, gone) == before, name
