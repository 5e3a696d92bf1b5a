"""The database itself refuses what a fact may not be: written past the ORM, as the application role."""

import pytest
from django.db import IntegrityError, connection, transaction
from django.db.utils import DatabaseError, ProgrammingError

from apps.core.text import norm_hash
from apps.core.transactions import bind, local_setting
from apps.tenancy.models import Project
from tests.factories import make_agent, make_fact, make_project, make_subject

pytestmark = pytest.mark.django_db


@pytest.fixture
def project() -> Project:
    return make_project()


def insert(project: Project, **columns: object) -> None:
    values: dict[str, object] = {
        "project_id": project.id,
        "scope": "project",
        "scope_id": project.slug,
        "content": "Shipping is free over 50 euros.",
        "label": "",
        "norm_hash": norm_hash("Shipping is free over 50 euros."),
        "category": "general",
        "memory_type": "semantic",
        "confidence": 1.0,
        "importance": 0.5,
        "trust": 3,
        "speaker": "curator",
        "sensitivity": "internal",
        "source": "manual",
        "approved_by": "user:1",
        "corroborations": 0,
        "pinned": False,
        "restricted_reason": "",
        "retired_reason": "",
    }
    values |= columns
    names = ", ".join(values)
    with connection.cursor() as cursor:
        cursor.execute(
            f"INSERT INTO facts_fact ({names}) VALUES ({', '.join(['%s'] * len(values))})", list(values.values())
        )


def test_the_plain_row_is_taken(project: Project) -> None:
    with bind(project.id):
        insert(project)


@pytest.mark.parametrize(
    ("rule", "columns"),
    [
        ("facts_fact_(agent|scope)_chk", {"scope": "planet"}),
        ("facts_fact_scope_id_chk", {"scope": "other", "scope_id": " "}),
        ("facts_fact_scope_id_chk", {"scope": "other", "scope_id": "*"}),
        ("facts_fact_subject_chk", {"scope": "user", "scope_id": "ada"}),
        ("facts_fact_content_blank_chk", {"content": " \t"}),
        ("facts_fact_content_length_chk", {"content": "x" * 2001}),
        ("facts_fact_content_line_chk", {"content": "one\ntwo"}),
        ("facts_fact_content_line_chk", {"content": "one\u2028two"}),
        ("facts_fact_hash_chk", {"norm_hash": b"short"}),
        ("facts_fact_key_chk", {"key": "_plan", "value": "{}"}),
        ("facts_fact_key_chk", {"key": "plan"}),
        ("facts_fact_confidence_chk", {"confidence": 1.01}),
        ("facts_fact_confidence_chk", {"confidence": "NaN"}),
        ("facts_fact_importance_chk", {"importance": -0.01}),
        ("facts_fact_trust_chk", {"trust": 6}),
        ("facts_fact_sensitivity_chk", {"sensitivity": "secret"}),
        ("facts_fact_source_chk", {"source": ""}),
        ("facts_fact_attribute_chk", {"attribute": "Home City"}),
        ("facts_fact_validity_chk", {"valid_from": "2026-02-01", "valid_to": "2026-01-01"}),
        ("facts_fact_retired_chk", {"retired_reason": "stale"}),
        ("facts_fact_restricted_chk", {"restricted_at": "2026-01-01", "restricted_reason": "mood"}),
        ("scope_id of an agent", {"scope": "agent", "scope_id": "support"}),
        ("scope_id of an agent", {"scope_id": "another-slug"}),
    ],
)
def test_a_bad_row_is_refused(project: Project, rule: str, columns: dict[str, object]) -> None:
    with bind(project.id):
        with pytest.raises(IntegrityError, match=rule), transaction.atomic():
            insert(project, **columns)
        with connection.cursor() as cursor:
            cursor.execute("SELECT count(*) FROM facts_fact")
            assert cursor.fetchone() == (0,)


def test_one_current_statement_of_the_same_words_even_without_an_agent(project: Project) -> None:
    with bind(project.id):
        insert(project)
        with pytest.raises(IntegrityError, match="facts_fact_statement_uniq"), transaction.atomic():
            insert(project)


def test_an_agent_of_another_project_cannot_be_named(project: Project) -> None:
    foreign = make_agent(make_project("globex"), "support")
    with bind(project.id), pytest.raises(IntegrityError), transaction.atomic():
        insert(project, scope="other", scope_id="x", agent_id=foreign.id)


def test_a_subject_of_another_project_cannot_be_named(project: Project) -> None:
    foreign = make_subject(make_project("globex"), "ada")
    with bind(project.id), pytest.raises(IntegrityError, match="subject_id_fk"), transaction.atomic():
        insert(project, scope="user", scope_id="ada", subject_id=foreign.id)


def test_a_row_of_another_project_is_not_writable_nor_visible(project: Project) -> None:
    other = make_project("globex")
    fact = make_fact(project, "Ours alone.")
    with bind(other.id):
        with pytest.raises(ProgrammingError, match="row-level security"), transaction.atomic():
            insert(project)
        with connection.cursor() as cursor:
            cursor.execute("SELECT count(*) FROM facts_fact")
            assert cursor.fetchone() == (0,)
            cursor.execute("UPDATE facts_fact SET pinned = true WHERE id = %s", [fact.id])
            assert cursor.rowcount == 0


@pytest.mark.parametrize(
    "change",
    [
        "content = 'Changed.'",
        "scope_id = 'elsewhere'",
        "confidence = 0.1",
        "approved_by = 'user:2'",
        "project_id = project_id + 1",
        "created_at = now()",
        "source_trace_id = repeat('a', 32)",
    ],
)
def test_what_a_fact_says_never_changes(project: Project, change: str) -> None:
    fact = make_fact(project, "Shipping is free over 50 euros.")
    with bind(project.id):
        with pytest.raises(DatabaseError), transaction.atomic(), connection.cursor() as cursor:
            cursor.execute(f"UPDATE facts_fact SET {change} WHERE id = %s", [fact.id])
        fact.refresh_from_db()
        assert fact.content == "Shipping is free over 50 euros."


def test_it_is_closed_once(project: Project) -> None:
    first, second, third = (make_fact(project, text) for text in ("One thing.", "Two things.", "Three things."))
    close = "UPDATE facts_fact SET superseded_at = now(), superseded_by_id = %s WHERE id = %s"
    with bind(project.id):
        with connection.cursor() as cursor:
            cursor.execute(close, [second.id, first.id])
        for statement, values in [
            (close, [third.id, first.id]),
            ("UPDATE facts_fact SET superseded_by_id = NULL WHERE id = %s", [first.id]),
            ("UPDATE facts_fact SET superseded_at = NULL, superseded_by_id = NULL WHERE id = %s", [first.id]),
            (close, [second.id, second.id]),
        ]:
            with pytest.raises(IntegrityError), transaction.atomic(), connection.cursor() as cursor:
                cursor.execute(statement, values)
        first.refresh_from_db()
        assert first.superseded_by_id == second.id


def test_marks_may_be_set(project: Project) -> None:
    fact = make_fact(project, "Shipping is free over 50 euros.")
    with bind(project.id), connection.cursor() as cursor:
        cursor.execute(
            "UPDATE facts_fact SET pinned = true, sensitivity = 'public', expires_at = now(), corroborations = 2,"
            " restricted_at = now(), restricted_reason = 'hold' WHERE id = %s",
            [fact.id],
        )
        assert cursor.rowcount == 1


def test_delete_belongs_to_a_forget(project: Project) -> None:
    old, new = make_fact(project, "One thing."), make_fact(project, "Two things.")
    with bind(project.id), connection.cursor() as cursor:
        cursor.execute(
            "UPDATE facts_fact SET superseded_at = now(), superseded_by_id = %s WHERE id = %s", [new.id, old.id]
        )
        with pytest.raises(IntegrityError, match="forget or an erasure"), transaction.atomic():
            cursor.execute("DELETE FROM facts_fact WHERE id = %s", [new.id])
        with pytest.raises(DatabaseError), transaction.atomic():
            cursor.execute("TRUNCATE facts_fact CASCADE")
        with local_setting("app.erasing", "test"):
            cursor.execute("DELETE FROM facts_fact WHERE id = %s", [new.id])
        cursor.execute("SELECT superseded_at IS NOT NULL, superseded_by_id FROM facts_fact WHERE id = %s", [old.id])
        assert cursor.fetchone() == (True, None)


def test_no_circle_of_versions(project: Project) -> None:
    facts = [make_fact(project, text) for text in ("One thing.", "Two things.", "Three things.")]
    one, two, three = (fact.id for fact in facts)
    close = "UPDATE facts_fact SET superseded_at = now(), superseded_by_id = %s WHERE id = %s"
    with bind(project.id), connection.cursor() as cursor:
        cursor.execute(close, [two, one])
        cursor.execute(close, [three, two])
        for successor in (one, two):
            with pytest.raises(IntegrityError, match="not superseded itself"), transaction.atomic():
                cursor.execute(close, [successor, three])
        cursor.execute("SELECT superseded_at FROM facts_fact WHERE id = %s", [three])
        assert cursor.fetchone() == (None,)
