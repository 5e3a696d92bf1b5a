"""The hot read binds its project for itself alone."""

import pytest
from django.db import connection

from apps.core.transactions import bind, bound_project
from apps.recall.queries import reader_for, told_facts
from apps.recall.question import NOTHING, Question
from tests.factories import make_agent, make_fact, make_key, make_project, make_user
from tests.recall.test_memory_facts import told


def test_the_binding_ends_with_the_call(fresh_db: str) -> None:
    project = make_project()
    make_agent(project, "support")
    make_fact(project, "Ours.")
    key, _ = make_key(project)
    assert told(key) == ["Ours."]
    assert bound_project() is None
    with connection.cursor() as cursor:
        cursor.execute("SELECT coalesce(current_setting('app.project_id', true), ''), count(*) FROM facts_fact")
        assert cursor.fetchone() == ("", 0)


@pytest.mark.django_db
def test_the_flat_read_is_planned_once_whatever_migration_came_last() -> None:
    with connection.cursor() as cursor:
        cursor.execute("SELECT proconfig FROM pg_proc WHERE proname = 'serve_flat'")
        ((settings,),) = cursor.fetchall()
    assert "plan_cache_mode=force_generic_plan" in settings


@pytest.mark.django_db
@pytest.mark.parametrize("question", [NOTHING, Question("ours", [])])
def test_inside_a_transaction_the_binding_from_before_comes_back(question: Question) -> None:
    project, other = make_project(), make_project("other")
    make_agent(project, "support")
    make_fact(project, "Ours.")
    key, _ = make_key(project)
    for bound in (None, other.id):
        with bind(bound):
            assert told_facts(reader_for(key, "support", None, None), question, limit=5)
            assert bound_project() == bound
            with connection.cursor() as cursor:
                cursor.execute("SELECT current_setting('app.project_id', true)")
                assert cursor.fetchone() == (str(bound or ""),)
    # What is written next, of no project, would else be refused, or filed in the wrong one.
    assert told_facts(reader_for(key, "support", None, None), question, limit=5)
    make_user()
