"""A project with something in every table, so that a test can leave one thing behind in each column by hand.

`crowd` makes it through the product's own ways wherever there is one. `superuser` writes past foreign keys, triggers and
row-level security, as a fault of an erasure would leave things.
"""

import base64
import json
import os
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

import psycopg
from django.db import connections
from psycopg import sql

from apps.access.actions.add_alias import add_alias
from apps.core.clock import now
from apps.core.sqlfiles import load
from apps.core.text import norm_hash
from apps.core.transactions import bind
from apps.curation.models import Conflict
from apps.facts.models import Fact, OperationalValue
from apps.insight.actions.save_view import save_view
from apps.privacy.mentions import Identifier
from apps.privacy.models import PrivacyRequest
from apps.privacy.verification import NO_WORDS, Wanted, look
from apps.recall.models import FactEmbedding, FactServing
from apps.tenancy.models import Project, Subject
from apps.traces.models import Session, Trace
from memoryplane.embedded.postgres import PORT
from tests.factories import make_agent, make_fact, make_key, make_project, user_actor
from tests.privacy.stage import approved, fresh, learned, work

CANARY = "qz-adalov"
"""Short enough for a column of ten characters, and a word that nobody else uses."""
SAID = "I live in Lisbon. I prefer email. Call me Zoe."


@contextmanager
def superuser() -> Iterator[psycopg.Connection[Any]]:
    """Commits each statement; foreign keys and triggers don't fire."""
    with psycopg.connect(
        host=os.environ.get("MPTEST_SOCKETS") or connections["owner"].settings_dict["HOST"],
        port=PORT,
        user="postgres",
        dbname=connections["owner"].settings_dict["NAME"],
        autocommit=True,
    ) as connection:
        connection.execute("SET session_replication_role = replica")
        yield connection


def crowd(slug: str = "acme") -> Project:
    """A project in which Zoe has left something in every store."""
    project = make_project(slug)
    make_agent(project, "support")
    learned(project, f"{slug}-zoe", SAID, user="zoe")
    make_fact(project, "Shops open at nine.")
    furnish(project, "zoe")
    return project


def furnish(project: Project, user: str) -> None:
    """What learning alone leaves no rows of: an alias, a session, a conflict, values, vectors, tellings, a read."""
    key, _ = make_key(project, ["facts:read"], name="reader")
    save_view(actor=user_actor(project, "curator"), project_id=project.id, name="Mail", query={"q": "email"})
    with bind(project.id):
        subject = Subject.objects.get(external_id=user)
    add_alias(
        actor=user_actor(project, "curator"), project_id=project.id, subject_id=subject.id, external_id=f"{user}/2"
    )
    with bind(project.id):
        session = Session.objects.create(project_id=project.id, external_id=f"s-{user}", subject=subject)
        Trace.objects.filter(subject=subject).update(session=session)
        Conflict.objects.create(
            project_id=project.id,
            subject=subject,
            attribute="home",
            settled_at=now(),
            settled_by="user:1",
            settlement="kept_one",
            note="Settled on the phone.",
        )
        OperationalValue.objects.create(
            project_id=project.id, subject=subject, scope="user", scope_id=user, key="_plan", value={"step": 1}
        )
        Fact.objects.create(
            project_id=project.id,
            scope="user",
            scope_id=user,
            subject=subject,
            key="plan",
            value={"step": 1},
            content="plan: 1",
            norm_hash=norm_hash("plan: 1"),
            attribute="plan",
            sensitivity="personal",
        )
        for fact in Fact.objects.filter(subject=subject):
            FactEmbedding.objects.create(
                project_id=project.id, fact=fact, subject=subject, model="m", dims=2, vector=[1, 0]
            )
            FactServing.objects.create(
                project_id=project.id,
                fact=fact,
                key_id=key.id,
                subject=subject,
                reads=1,
                first_at=now(),
                last_at=now(),
            )
        numbers = list(Fact.objects.filter(subject=subject).values_list("id", flat=True))
    with connections["owner"].cursor() as owner:
        owner.execute(
            "INSERT INTO recall_readledger (at, project_id, key_id, subject_id, purpose, fact_ids, ranks, scores)"
            " VALUES (now(), %s, %s, %s, '', %s, %s, %s)",
            [project.id, key.id, subject.id, numbers, [1] * len(numbers), [0.5] * len(numbers)],
        )


def text_columns() -> dict[str, list[tuple[str, str]]]:
    """The columns that a verification looks through, with their types, by table."""
    found: dict[str, list[tuple[str, str]]] = {}
    with connections["owner"].cursor() as cursor:
        cursor.execute(load("apps.privacy", "text_columns"))
        for table, column, kind, has_project in cursor.fetchall():
            if has_project:
                found.setdefault(table, []).append((column, kind))
    return found


def erase_canary(slug: str = "acme") -> tuple[Project, PrivacyRequest]:
    """A project with one person in every store and another one who was erased from every store."""
    project = crowd(slug)
    learned(project, f"{slug}-canary", SAID.replace("Zoe", CANARY), user=CANARY)
    furnish(project, CANARY)
    request = approved(project, CANARY)
    ended = work(project)
    assert ended == ["completed"], (ended, fresh(request).verification)
    return project, fresh(request)


Columns = set[tuple[str, str]]


def left_behind(project: Project) -> tuple[Columns, Columns, Columns]:
    """Put the name into one row of each column in turn: where a verification found it, where it did not, and which columns
    refuse it. Tables without a row are in none of them."""
    wanted = Wanted([Identifier("user_id", CANARY)], [])
    found, missed, refused = set(), set(), set()
    with superuser() as db:
        for table, own in text_columns().items():
            for column, kind in own:
                if (table, column) in NO_WORDS:
                    continue
                take_out = put_back(db, project, table, column, kind)
                if take_out is None:
                    refused.add((table, column))
                elif take_out:
                    with bind(project.id):
                        hits = look(project.id, table, own, wanted)[1]
                    (found if hits == 1 else missed).add((table, column))
                    take_out()
    return found, missed, refused


def put_back(db: psycopg.Connection[Any], project: Project, table: str, column: str, kind: str) -> Any:
    """Write the name into a column of one row; returns how to take it out again, None where the column refuses it
    and False where there is no row."""
    t, c = sql.Identifier(table), sql.Identifier(column)
    row = db.execute(
        sql.SQL(
            "SELECT ctid::text, tableoid::regclass::text, {}::text FROM {} WHERE project_id = %s ORDER BY {} IS NULL LIMIT 1"
        ).format(c, t, c),
        [project.id],
    ).fetchone()
    if row is None:
        return False
    value = {"bytea": "convert_to(%s, 'UTF8')", "jsonb": "to_jsonb(%s::text)", "ARRAY": "ARRAY[%s]::text[]"}.get(
        kind, "%s"
    )
    part = sql.SQL(row[1])
    changed = None
    # The second one for columns whose values begin with an underscore.
    for text in (CANARY, f"_/{CANARY}"):
        try:
            changed = db.execute(
                sql.SQL("UPDATE {} SET {} = " + value + " WHERE ctid = %s::tid RETURNING ctid::text").format(part, c),
                [text, row[0]],
            ).fetchone()
            break
        except psycopg.Error:
            continue
    if changed is None:
        return None
    cast = {"bytea": "bytea", "jsonb": "jsonb", "ARRAY": "text[]"}.get(kind, "text")
    undo = sql.SQL("UPDATE {} SET {} = %s::" + cast + " WHERE ctid = %s::tid").format(part, c)
    return lambda: db.execute(undo, [row[2], changed[0]])


def message_of(text: str) -> str:
    """A task as Celery puts it into the queue."""
    body = base64.b64encode(json.dumps([[text], {}, {}]).encode()).decode()
    return json.dumps({"body": body, "content-encoding": "utf-8", "headers": {"task": "privacy.sweep"}})
