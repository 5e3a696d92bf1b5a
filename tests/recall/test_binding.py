"""The hot read binds its project for itself alone."""

from django.db import connection

from apps.core.transactions import bound_project
from tests.factories import make_agent, make_fact, make_key, make_project
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
