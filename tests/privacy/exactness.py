"""Whether exactly one person's rows go: people called nearly the same, and digests of everybody else's rows."""

import random
from collections.abc import Iterable
from typing import Any

from django.db import connection

from apps.core.transactions import bind
from apps.tenancy.models import Project, Subject

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


def people_alike(project: Project, many: int, chance: random.Random, agent: Any) -> dict[str, int]:
    """People with some facts each, their ids out of a small alphabet, so that one is often the beginning, the end or another
    case of the next; their row ids."""
    names: set[str] = set()
    while len(names) < many:
        names |= {"".join(chance.choice("abAB_1-. é") for _ in range(chance.randint(4, 7))).strip(" ")} - {""}
    return {name: facts_of(project, name, chance.randint(1, 4), agent) for name in sorted(names)}
