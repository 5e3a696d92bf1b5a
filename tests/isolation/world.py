"""Projects with one of everything that can be read, each with a word of its own in all of it.

The word is the canary: it stands in texts, names, ids and addresses, so that whatever of a project turns up in another's
answer says whose it is.
"""

import functools
import json
import re
from dataclasses import dataclass, field
from datetime import timedelta
from typing import Any
from urllib.parse import quote, urlencode

import psycopg
from django.contrib.auth.hashers import make_password
from django.db import connections
from django.test import Client

from apps.access.actions.add_alias import add_alias
from apps.access.actions.grant_role import grant_role
from apps.access.actions.invite_member import invite_member
from apps.access.actor import system_actor
from apps.access.models import ApiKey, User
from apps.access.scopes import SCOPES
from apps.core.clock import now
from apps.core.transactions import bind
from apps.curation.actions.compare_facts import compare_facts
from apps.curation.actions.edit_fact import edit_fact
from apps.curation.actions.open_conflict import open_conflict
from apps.curation.changes import marks_seen
from apps.curation.models import DuplicateMember
from apps.dreaming.models import DreamGate
from apps.exchange.actions.add_webhook import add_webhook
from apps.facts.actions.retire_fact import retire_fact
from apps.facts.statement import Statement
from apps.insight.actions.save_view import save_view
from apps.privacy.actions.open_request import open_request
from apps.privacy.actions.place_hold import place_hold
from apps.tenancy.models import Project
from apps.traces.actions.add_session_messages import NewMessage, add_session_messages
from tests.api.helpers import call
from tests.console.stage import give_password, push
from tests.curation import stage as gate
from tests.dreaming import stage as dreams
from tests.exchange.stage import as_file, line, uploaded
from tests.factories import (
    PASSWORD,
    make_agent,
    make_fact,
    make_key,
    make_project,
    make_subject,
    setup_actor,
    user_actor,
)
from tests.routes import CALLERS
from tests.servers import database_urls
from tests.spans import run_of, trace_id

ROLES = [caller for caller in CALLERS if caller not in {"anonymous", "stranger"}]
WORDS = ("quokka", "wombat", "numbat", "jerboa", "kowari", "pangolin", "tuatara", "zorilla", "kinkajou", "potoroo")


def canary_of(number: int) -> str:
    """A word that stands nowhere else, and that no digest or token holds: it has letters beyond f on every side."""
    digits = "".join("ghijkmnpqr"[int(digit)] for digit in f"{number:03d}")
    return f"{WORDS[number % len(WORDS)]}xz{digits}"


@dataclass
class Tenant:
    """One project. `values` fill the addresses of the console, `keys` are texts of keys by name, `user` holds every role."""

    project: Project
    canary: str
    keys: dict[str, str]
    values: dict[str, str]
    user: User
    shapes: dict[str, Any] = field(default_factory=dict)

    @functools.cached_property
    def browser(self) -> Client:
        client = Client()
        client.force_login(self.user)
        give_password(client, self.user)
        return client

    def address(self, route: str) -> str:
        """A route of the console with this tenant's own values."""
        return "/" + re.sub(r"<\w+:(\w+)>", lambda found: quote(self.values[found[1]], safe=""), route)


@functools.cache
def hashed() -> str:
    return make_password(PASSWORD)


def tenant(number: int, *, roles: list[str] = ROLES) -> Tenant:
    word = canary_of(number)
    project = make_project(f"tenant-{number}", f"Project {word}")
    user = User.objects.create(email=f"{word}@example.test", name=f"Person {word}", password=hashed())
    for role in roles:
        grant_role(actor=setup_actor(project), project_id=project.id, user=user, role=role)
    keys = {
        "direct": make_key(project, SCOPES, name=f"Key {word}", write_mode="direct")[1],
        "propose": make_key(project, SCOPES, name=f"Proposer {word}")[1],
        "reader": make_key(project, ["facts:read", "facts:read:user", "dreams:write"], name=f"Reader {word}")[1],
        "pusher": make_key(project, ["traces:write", "agent:write"], name=f"Pusher {word}")[1],
    }
    agent = make_agent(project, f"agent-{word}", system_prompt=f"You are {word}.")
    about: dict[str, Any] = {"actor": setup_actor(project), "project_id": project.id}
    as_user = {role: user_actor(project, role, user=user) for role in ROLES}
    fact = make_fact(project, f"The {word} sleeps at noon.", agent=agent)
    make_fact(project, f"The office keeps a {word}.")
    personal = make_fact(project, f"Feeds a {word} at home.", user=f"user-{word}", sensitivity="personal")
    edited = make_fact(project, f"The {word} eats leaves.", agent=agent)
    said = Statement(content=f"The {word} eats roots.", scope="agent", scope_id=agent.name, agent_name=agent.name)
    _, change = edit_fact(actor=as_user["curator"], project_id=project.id, fact_id=edited.id, statement=said)
    gone = make_fact(project, f"The {word} lives in a barn.", agent=agent)
    retire_fact(actor=as_user["curator"], project_id=project.id, fact_id=gone.id, reason="stale")
    spans = run_of(f"t-{word}", f"Where is the {word}?", f"The {word} is here.", user=f"user-{word}", agent=agent.name)
    push(project, spans)
    proposal = gate.propose_one(
        project, gate.wish(project, f"Walks the {word} daily.", user=f"user-{word}", trace=f"t-{word}")
    )
    subject = make_subject(project, f"user-{word}")
    alias = add_alias(actor=as_user["curator"], project_id=project.id, subject_id=subject.id, external_id=f"crm-{word}")
    asked = open_request(
        actor=as_user["privacy_officer"],
        project_id=project.id,
        kind="access",
        external_id=f"user-{word}",
        wish=f"Show me the {word}.",
    )
    kept = make_fact(project, f"The {word} is in court.", agent=agent)
    held = place_hold(
        actor=as_user["privacy_officer"],
        project_id=project.id,
        object_type="fact",
        object_id=str(kept.id),
        ground=f"a lawsuit about the {word}",
        review_on=(now() + timedelta(days=9)).date(),
    )
    view = save_view(
        actor=as_user["curator"], project_id=project.id, name=f"View {word}", query={"source": ["manual"]}, shared=True
    )
    run = dreams.start(project, "agent", agent.name)
    brought = uploaded(project, as_file(line(f"The {word} came in.", scope_id=project.slug)), name=f"{word}.jsonl")
    webhook, _ = add_webhook(
        actor=as_user["admin"], project_id=project.id, url=f"https://8.8.8.8/{word}", events=["fact.approved"]
    )
    session = add_session_messages(
        actor=system_actor("demo", project.id),
        project_id=project.id,
        session=f"chat-{word}",
        messages=[NewMessage(external_id="1", role="user", content=f"Hello {word}.")],
    ).session
    member = User.objects.create(email=f"member-{word}@example.test", name=f"Member {word}", password=hashed())
    grant_role(actor=setup_actor(project), project_id=project.id, user=member, role="viewer")
    invitation, token = invite_member(**about, email=f"invited-{word}@example.test", roles=["viewer"])
    pair = [make_fact(project, f"The {word} opens at {hour}.", attribute="hours") for hour in ("nine", "ten")]
    conflict, _ = open_conflict(actor=as_user["curator"], project_id=project.id, fact_ids=[one.id for one in pair])
    make_fact(project, f"The {word} ships on Tuesdays.")
    copy = make_fact(project, f"The {word} ships on Tuesdays", agent=agent)
    with bind(project.id):
        closed = DreamGate.objects.create(
            project_id=project.id,
            scope="other",
            scope_id=f"thing-{word}",
            failures=3,
            closed_at=now(),
            last_error="model_timeout",
        )
    place = {"agent": agent.name, "scope": f"user:user-{word}"}
    for name in ("one", "two"):
        made = call("PUT", "memories", keys["direct"], {**place, "key": f"{name}-{word}", "value": {"is": word}})
        assert made.status_code == 201, made.content
    instance = f"instance-{word}"
    assert call("POST", "governance/enroll", keys["pusher"], {"instance_id": instance}).status_code == 200
    values = {
        "slug": project.slug,
        "fact_id": str(fact.id),
        "personal_id": str(personal.id),
        "proposal_id": str(proposal.id),
        "trace_id": trace_id(f"t-{word}"),
        "subject_id": str(subject.id),
        "alias_id": str(alias.pk),
        "agent_id": str(agent.id),
        "agent": agent.name,
        "user": subject.external_id,
        "key_id": str(ApiKey.objects.get(project_id=project.id, name=f"Key {word}").id),
        "user_id": str(member.id),
        "invitation_id": str(invitation.id),
        "token": token,
        "request_id": str(asked.id),
        "hold_id": str(held.id),
        "view_id": str(view.id),
        "run_id": str(run.id),
        "import_id": str(brought.id),
        "webhook_id": str(webhook.id),
        "session_id": str(session.id),
        "gate_id": str(closed.id),
        "conflict_id": str(conflict.id),
        "copy_id": str(copy.id),
        "change_id": str(change.id),
        "seen": marks_seen(fact),
        "domain_id": project.slug,
        "key": f"one-{word}",
        "password": PASSWORD,
        "instance": instance,
        "spans": json.dumps(spans),
        "otlp_span": json.dumps(as_otlp(spans[0])),
    }
    return Tenant(project, word, keys, values, user)


def as_otlp(span: dict[str, Any]) -> dict[str, Any]:
    """The ids of a span as an exporter sends it."""
    return {
        "traceId": span["trace_id"],
        "spanId": span["span_id"],
        "name": "chat",
        "kind": 3,
        "startTimeUnixNano": "1764536400000000000",
        "endTimeUnixNano": "1764536401000000000",
        "attributes": [{"key": "gen_ai.operation.name", "value": {"stringValue": "chat"}}],
    }


def tenants(count: int) -> list[Tenant]:
    made = [tenant(number) for number in range(count)]
    while compare_facts():
        pass  # of a hundred projects it takes longer than one go is given
    for one in made:
        with bind(one.project.id):
            group = DuplicateMember.objects.filter(fact_id=int(one.values["copy_id"])).values_list(
                "group_id", flat=True
            )
            one.values["group_id"] = str(group[0])
    return made


def api_reads(one: Tenant) -> list[str]:
    """Every GET of the API with this tenant's own names and ids in it, relative to /v1/."""
    place = {"agent": one.values["agent"], "scope": f"user:{one.values['user']}"}
    told = {"agent_id": one.values["agent"], "limit": "200", "score_threshold": "0"}
    asked: list[tuple[str, dict[str, str]]] = [
        ("auth/check", {}),
        ("policy", {}),
        ("memory/facts", told),
        ("memory/facts", told | {"query": f"Where does the {one.canary} sleep?", "explain": "true"}),
        ("memory/facts", told | {"user_id": one.values["user"], "query": f"Feeds a {one.canary} at home."}),
        ("memory/facts", told | {"agent_id": one.values["agent_id"], "at": f"{now():%Y-%m-%dT%H:%M:%S.%fZ}"}),
        ("memory/revocations", {"since": "2026-01-01T00:00:00Z"}),
        ("facts", {"status": "all", "count": "true", "waiting": "true", "limit": "200"}),
        ("facts", {"scope": "user", "scope_id": "*", "limit": "200"}),
        ("facts", {"scope": "user", "user_id": one.values["user"], "waiting": "true"}),
        ("facts", {"q": one.canary}),
        ("facts", {"scope": "user", "user_id": one.values["user"], "keyed": "true"}),
        (f"facts/{one.values['fact_id']}", {}),
        (f"facts/{one.values['personal_id']}", {}),
        ("memories", place),
        ("memories/value", place | {"key": one.values["key"]}),
        ("memories/keys", place),
        ("memories/scopes", {"agent": one.values["agent"]}),
        ("privacy/opened", {}),
        ("privacy/opened", {"id": one.values["request_id"]}),
        ("dreams", {"limit": "200"}),
        ("dreams", {"scope": "agent", "scope_id": one.values["agent"]}),
        (f"dreams/{one.values['run_id']}", {}),
    ]
    return [f"{path}?{urlencode(params)}" for path, params in asked]


TABLES = """
SELECT table_name FROM information_schema.columns
WHERE table_schema = 'public' AND column_name = 'project_id' AND table_name IN
  (SELECT relname FROM pg_class WHERE relkind = 'r' AND relnamespace = 'public'::regnamespace) ORDER BY 1
"""


class Digests:
    """What stands in each table of a project: rows and a sum of their hashes, in one statement; by the owner, or on a
    connection that sees every row."""

    def __init__(self, connection: Any = None) -> None:
        self.connection = connection or owner()
        self.own = connection is None
        # When a key was used last moves with its own requests.
        row = {"access_apikey": "to_jsonb(t) - 'last_used_at'"}
        self.sql = " UNION ALL ".join(
            f"SELECT '{table}', project_id, count(*), sum(hashtextextended(({row.get(table, 't.*')})::text, 0)::numeric)"
            f" FROM {table} t GROUP BY project_id"
            for (table,) in self._rows(TABLES)
        )

    def _rows(self, sql: str) -> list[tuple[Any, ...]]:
        with self.connection.cursor() as cursor:
            cursor.execute(sql)
            return list(cursor.fetchall())

    def of(self, *projects: int) -> dict[tuple[str, int], tuple[int, int]]:
        return {
            (table, project): (count, digest)
            for table, project, count, digest in self._rows(self.sql)
            if project in projects
        }

    def close(self) -> None:
        if self.own:
            self.connection.close()


def owner() -> psycopg.Connection[Any]:
    name = str(connections["default"].settings_dict["NAME"])
    return psycopg.connect(database_urls(name)["DATABASE_URL"], autocommit=True)
