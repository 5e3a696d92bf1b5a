"""Somebody leaves a name by every public way, in every writing, and tries to keep it from being erased."""

import base64
import json
import re
import unicodedata
from collections.abc import Iterator
from typing import Any
from urllib.parse import quote

import pytest
from django.db import connections
from django.test import Client
from psycopg import sql

from apps.core.errors import Invalid
from apps.core.transactions import bind
from apps.facts.models import Fact
from apps.insight.actions.save_view import save_view
from apps.privacy.actions.extend_request import extend_request
from apps.privacy.actions.open_request import open_request
from apps.privacy.actions.preview_request import preview_request
from apps.privacy.adapters.broker import everything
from apps.privacy.mentions import Identifier
from apps.privacy.models import PrivacyRequest
from apps.privacy.reach import Reach
from apps.privacy.verification import verify
from apps.tenancy.models import Project, Subject
from apps.traces.actions.screen_sealed import screen_sealed
from apps.traces.models import Trace
from tests.extraction.test_extract_trace import mine, push
from tests.factories import make_agent, make_fact, make_key, make_project, user_actor
from tests.privacy.canaries import superuser
from tests.privacy.stage import approved, fresh, learned, officer, work
from tests.spans import run_of, span

WHO = "zoé.quetzalkörner@example.org"
NAME = "Зоя Кетцалова"
SIGNS = ("quetzalk", "кетцалова", "кетцалов\\u0430", "u043a\\u0435\\u0442\\u0446")


@pytest.fixture
def project(fresh_db: str, settings: Any) -> Project:
    settings.PURGE_WAITS = False
    project = make_project()
    make_agent(project, "support")
    return project


def rows_with_signs() -> set[str]:
    """Tables of which a row holds a sign of her, in any writing that a person would read it in."""
    found = set()
    with superuser() as db:
        tables = db.execute(
            "SELECT relname FROM pg_class WHERE relkind = 'r' AND relnamespace = 'public'::regnamespace"
        ).fetchall()
        for (table,) in tables:
            rows = db.execute(sql.SQL("SELECT to_jsonb(t)::text FROM {} t").format(sql.Identifier(table)))
            if any(signs(text) for (text,) in rows):
                found.add(table)
    return found


def signs(text: str) -> bool:
    """Apart from the product's own reading, so that the two don't share a fault."""
    views = [text]
    for match in re.finditer(r"[A-Za-z0-9+/]{16,}={0,2}", text):
        coded = match[0].rstrip("=")
        coded = coded[: len(coded) // 4 * 4]
        views.append(base64.b64decode(coded).decode(errors="ignore"))
    for view in views:
        plain = unicodedata.normalize(
            "NFKC", re.sub("[\u00ad\u200b-\u200f\u202a-\u202e\u2060\ufeff]", "", view)
        ).casefold()
        plain = plain.replace("%c3%b6", "ö").replace("\\", "")
        if any(sign.replace("\\", "") in plain for sign in SIGNS):
            return True
    return False


def leave_everywhere(project: Project) -> None:
    """Other people's runs, values, reads and filters that name her."""
    nfd, thin = unicodedata.normalize("NFD", WHO), "\u200b".join(WHO)
    wide = "".join(chr(ord(c) + 0xFEE0) if "!" <= c <= "~" else c for c in WHO)
    plant: list[dict[str, Any]] = [
        {"agent.input": f"mail {nfd} please"},
        {"agent.input": f"mail {thin} please"},
        {"agent.input": f"mail {wide} please"},
        {"agent.input": f"mail {WHO.upper()} please"},
        {"agent.input": f"tell \u202e{NAME}\u202c all"},
        {"agent.input": f"line\n{NAME.upper()}\nline"},
        {"agent.output": json.dumps({"to": WHO})},
        {f"note {NAME}": True},
        {"deep": {"er": [{"est": {WHO: [NAME, 1]}}]}},
        {"json": json.dumps({"json": json.dumps({"who": f"to\n{NAME}"})})},
        {"url": f"https://example.org/?to={quote(WHO)}"},
        {"coded": base64.b64encode(f"to={WHO};".encode()).decode()},
        {"agent.name": NAME},
        {"fastaiagent.source": f"x {NAME}"},
        {"fastaiagent.meta.session_id": f"chat with {WHO}"},
        {"fastaiagent.meta.session_id": f"call {unicodedata.normalize('NFD', NAME)}"},
    ]
    for number, attributes in enumerate(plant):
        trace = f"other-{number}"
        spans = run_of(trace, "I prefer email.", user="bystander")
        spans.append(span(trace, "extra", parent="run", attributes=attributes, events=[{"name": "e", "said": NAME}]))
        spans[0]["attributes"] |= {name: value for name, value in attributes.items() if number != 12}
        if number == 12:
            spans = [span(trace, "run", attributes={"agent.name": NAME, "agent.input": "Hello."})]
        push(project, spans)
    push(project, [span("titled", f"call about {WHO}", attributes={"agent.name": "support", "agent.input": "Hello."})])
    mine(project)
    make_fact(project, f"Invoices go to {nfd}.")
    make_fact(project, f"Ask {NAME} or {quote(WHO)}.")
    make_fact(project, "The ticket waits.", scope="session", scope_id=f"ticket of {NAME}")
    save_view(
        actor=user_actor(project, "curator"),
        project_id=project.id,
        name="Mail",
        query={"q": unicodedata.normalize("NFD", WHO)},
    )
    save_view(actor=user_actor(project, "curator"), project_id=project.id, name=f"Of {NAME.upper()}", query={"q": "x"})
    _, key = make_key(project, ["facts:read", "facts:read:user"])
    client = Client(headers={"Authorization": f"Bearer {key}", "X-Request-ID": "quetzalkoerner-41"})
    read = client.get("/v1/memory/facts", {"agent_id": "support", "user_id": WHO, "purpose": f"for {NAME}"})
    assert read.status_code == 200
    # Kept by the key's other reads too, which nobody filed under her.
    read = client.get("/v1/memory/facts", {"agent_id": "support", "purpose": f"for {NAME}"})
    assert (read.status_code, client.get("/v1/memory/facts", {"q": WHO}).status_code) == (200, 422)


def test_no_row_holds_a_sign_of_somebody_who_left_them_everywhere(project: Project) -> None:
    learned(project, "own", f"I live in Lisbon. Call me {NAME}.", user=WHO)
    leave_everywhere(project)
    before = rows_with_signs()
    assert {"traces_span", "traces_message", "traces_session", "traces_trace", "facts_fact"} <= before
    assert {"insight_savedview", "tenancy_subject", "recall_readledger"} <= {
        re.sub(r"_(\d{4}_\d\d|default)$", "", table) for table in before
    }
    request = approved(project, WHO, identities=(Identifier("name", NAME),))
    assert work(project) == ["completed"], found(request)
    assert rows_with_signs() == set()
    assert not [text for text in everything() if signs(text)]
    with bind(project.id):
        # Others' conversations stay, without what named her.
        assert Trace.objects.filter(subject__external_id="bystander").count() == 15


def test_who_is_called_nearly_the_same_stays(project: Project) -> None:
    """Her id is the beginning of theirs, or theirs is only another writing of hers."""
    others = ["Anna Schmidt 2", "Dr. Anna Schmidt", "anna schmidt", "Anna Schmidt-Meier", "Ａnna Schmidt"]
    for number, name in enumerate(["Anna Schmidt", *others]):
        learned(project, f"t{number}", "I live in Lisbon.", user=name)
    request = approved(project, "Anna Schmidt")
    assert fresh(request).preview["reasons"] == {"direct": 1}
    assert work(project) == ["completed"], found(request)
    with bind(project.id):
        assert sorted(Subject.objects.values_list("external_id", flat=True)) == sorted(others)
        assert sorted(Trace.objects.values_list("subject__external_id", flat=True)) == sorted(others)


def test_what_was_sealed_when_she_was_erased_does_not_bring_her_back(project: Project, monkeypatch: Any) -> None:
    """A span that took too long to screen is opened later: by then she is gone, and so are her conversations."""
    learned(project, "own", "I live in Lisbon.", user=WHO)
    monkeypatch.setattr("apps.traces.spans.SPAN_BUDGET", -1.0)
    push(
        project,
        [
            span(
                "late",
                "run",
                attributes={"agent.name": "support", "agent.input": "Hi.", "fastaiagent.meta.user_id": WHO},
            )
        ],
    )
    monkeypatch.undo()
    with bind(project.id):
        assert Trace.objects.get(span_count=1).subject is None
    request = approved(project, WHO)
    assert work(project) == ["completed"]
    assert fresh(request).verification["not_checked"][0] == "spans that are not screened yet: 1"
    assert screen_sealed() == 1
    assert rows_with_signs() == set()
    with bind(project.id):
        assert (Trace.objects.count(), Subject.objects.count()) == (0, 0)


def test_agents_keys_and_members_of_her_name_are_the_operators_own(project: Project) -> None:
    """An erasure takes them from nobody and is not stopped by them; the receipt says where they are."""
    make_agent(project, "quetzal-helper")
    make_key(project, ["facts:read"], name="of quetzal-helper")
    told = make_fact(project, "Refunds take five days.", agent=make_agent(project, "quetzal-helper"))
    learned(project, "own", "I live in Lisbon.", user="quetzal-helper")
    push(project, run_of("other", "I prefer email.", user="bystander", agent="quetzal-helper"))
    request = approved(project, "quetzal-helper")
    assert fresh(request).preview["reasons"] == {"direct": 1}
    assert work(project) == ["completed"], found(request)
    assert fresh(request).verification["operators"] == {"access_apikey": 1, "tenancy_agent": 1}
    with bind(project.id):
        assert Fact.objects.get().id == told.id
        assert Trace.objects.get().agent_name == "quetzal-helper"


@pytest.fixture(autouse=True)
def closed() -> Iterator[None]:
    yield
    connections.close_all()


def found(request: PrivacyRequest) -> list[dict[str, Any]]:
    return [check for check in fresh(request).verification["checks"] if check["hits"]]


def test_what_the_planner_keeps_of_columns_is_found(project: Project) -> None:
    """Of a table that row-level security hides from no one, whose rows are gone."""
    learned(project, "own", "I live in Lisbon.", user=WHO)
    approved(project, WHO)
    assert work(project) == ["completed"]
    with superuser() as db:
        db.execute("CREATE TABLE left_over (said text)")
        db.execute("GRANT SELECT ON left_over TO PUBLIC")
        db.execute("INSERT INTO left_over SELECT %s FROM generate_series(1, 50)", [f"to {WHO}"])
        db.execute("ANALYZE left_over")
        db.execute("DELETE FROM left_over")
    with bind(project.id):
        report = verify(project.id, Reach(None), [Identifier("user_id", WHO)], [])
    assert [(check["check"], check["hits"]) for check in report.checks if check["hits"]] == [
        ("planner's statistics", 1)
    ]


def test_no_ground_that_is_kept_names_the_person(project: Project) -> None:
    """Grounds stand on the receipt, reasons in the request, when everything else is gone."""
    (fact,) = learned(project, "own", "I live in Lisbon.", user=WHO)
    first = officer(project)
    request = open_request(
        actor=first, project_id=project.id, kind="erasure", external_id=WHO, identity_method="known_to_us"
    )
    before = fresh(request)
    said = f"a contract with {WHO.upper()}"
    with pytest.raises(Invalid) as refused:
        preview_request(actor=first, project_id=project.id, request_id=request.id, exceptions={fact: said})
    assert refused.value.code == "names_the_person"
    with pytest.raises(Invalid):
        extend_request(actor=first, project_id=project.id, request_id=request.id, reason=said)
    after = fresh(request)
    assert (after.state, after.exceptions, after.extended_until) == (before.state, {}, None)
