"""Scenes for the console's tests: runs pushed and mined through the product, people logged in, tables compared."""

import hashlib
import re
import time
from datetime import timedelta
from typing import Any

from django.db import connection
from django.test import Client

from apps.access.actor import Actor
from apps.access.models import User
from apps.core.transactions import bind
from apps.curation.models import Proposal
from apps.extraction.actions.claim_traces import claim_traces
from apps.extraction.actions.extract_trace import extract_trace
from apps.extraction.candidates import Candidate, Conversation, Extraction, Turn
from apps.tenancy.models import Project
from apps.traces.actions.ingest_spans import ingest_spans
from apps.traces.models import Trace
from tests.factories import make_user
from tests.spans import run_of, trace_id

HX = {"HTTP_HX_REQUEST": "true"}


class Sentences:
    """An extractor that takes each sentence at its word, so that what the real one learns to read moves no test of the
    console: "I prefer …" is about the speaker, "Our …", "We …" and "Remember that …" about the work, the rest is left
    out."""

    name = "sentences"
    version = "1"

    def extract(self, conversation: Conversation) -> Extraction:
        found, dropped = [], 0
        for turn in conversation.turns:
            for match in re.finditer(r"\S[^.!?]*(?:[.!?](?!\s|$)[^.!?]*)*[.!?]", turn.text):
                if turn.role == "user" and match[0].startswith(("I prefer ", "Our ", "We ", "Remember that ")):
                    found.append(self.candidate(turn, match))
                else:
                    dropped += turn.role == "user"
        return Extraction(tuple(found), {"small-talk": dropped} if dropped else {})

    @staticmethod
    def candidate(turn: Turn, match: re.Match[str]) -> Candidate:
        said, speaker = match[0].removeprefix("Remember that "), match[0].startswith("I ")
        said = said[0].upper() + said[1:]
        topic = re.match(r"Our ([a-z ]+?) (?:is|are) ", said)
        return Candidate(
            statement=f"Prefers {said.removeprefix('I prefer ')}" if speaker else said,
            scope="user" if speaker else "agent",
            about="speaker" if speaker else "work",
            message_id=turn.message_id,
            quote=match[0],
            start=match.start(),
            end=match.end(),
            attribute=topic[1].replace(" ", "-") if topic else None,
            category="preference" if speaker else "policy",
            memory_type="preference" if speaker else "semantic",
            confidence=0.6,
            importance=0.6,
            sensitivity="personal" if speaker else "internal",
            observed_at=turn.at,
            rule="sentence",
            changes_known=False,
        )


def push(project: Project, spans: list[Any]) -> None:
    actor = Actor(kind="key", id="1", project_id=project.id, scopes=frozenset({"traces:write"}))
    ingest_spans(actor=actor, project_id=project.id, spans=spans)


def mine(project: Project) -> None:
    """Every trace that waits, as a worker would do it once they have settled. The clock that decides it stands still
    in a test's transaction, so they are made an hour older."""
    with bind(project.id):
        for trace in Trace.objects.filter(project_id=project.id):
            Trace.objects.filter(id=trace.id).update(last_arrival_at=trace.last_arrival_at - timedelta(hours=1))
    for claim in claim_traces(limit=500):
        extract_trace(claim=claim, extractor=Sentences())


def learn(project: Project, name: str, said: str, *answer: str, **run: Any) -> list[Proposal]:
    """A run with these words, mined; its proposals in the order they were said."""
    push(project, run_of(name, said, *answer, **run))
    mine(project)
    return proposals(project, name)


def proposals(project: Project, name: str = "") -> list[Proposal]:
    with bind(project.id):
        rows = Proposal.objects.in_project(project.id).order_by("created_at", "id")
        return list(rows.filter(source_trace_id=trace_id(name)) if name else rows)


def login(project: Project | None, *roles: str, user: User | None = None) -> Client:
    """A browser of somebody with these roles, who gave the password a moment ago."""
    client = Client()
    who = user or make_user(project, *roles)
    client.force_login(who)
    give_password(client, who)
    return client


def unmask(client: Client, slug: str = "acme") -> Client:
    """The same browser, with personal text shown."""
    assert client.post(f"/p/{slug}/facts/masking", {"show": "1"}).status_code == 302
    return client


def give_password(client: Client, user: User, *, seconds_ago: float = 0) -> None:
    """As the login does it."""
    session = client.session
    session["account_authentication_methods"] = [{"method": "password", "at": time.time() - seconds_ago}]
    session["account_authentication_methods_user"] = str(user.pk)
    session.save()


def digests() -> dict[str, tuple[int, str]]:
    """Rows and content of every table that the application may read; sessions move by themselves."""
    found = {}
    with connection.cursor() as cursor:
        cursor.execute(
            "SELECT relname FROM pg_class WHERE relnamespace = 'public'::regnamespace AND relkind IN ('r', 'p')"
            " AND relname <> 'django_session' AND has_table_privilege(oid, 'SELECT') ORDER BY 1"
        )
        for (table,) in cursor.fetchall():
            cursor.execute(f"SELECT count(*), coalesce(string_agg(t::text, '|' ORDER BY t::text), '') FROM {table} t")
            count, text = cursor.fetchone()
            found[table] = (count, hashlib.blake2b(text.encode(), digest_size=16).hexdigest())
    return found


def state(project: Project) -> dict[str, tuple[int, str]]:
    """`digests` as seen from inside a project."""
    with bind(project.id):
        return digests()


def moved(before: dict[str, tuple[int, str]], after: dict[str, tuple[int, str]]) -> set[str]:
    """Tables that differ."""
    return {table for table in before if before[table] != after[table]}
