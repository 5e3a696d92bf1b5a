"""The audit log: sentences, filters, the drawer, and the line about the chain."""

import ast
import json
import re
from datetime import timedelta
from pathlib import Path

import pytest
from django.test import Client

from apps.access.actions.record_denial import record_denial
from apps.access.policies import POLICIES, Refused
from apps.audit.actions.record import record
from apps.audit.models import AuditEvent
from apps.console.shaping.audit_words import DONE, LABELS, THINGS, TRIED
from apps.core.clock import now
from apps.core.transactions import bind
from apps.privacy.states import STATES
from apps.tenancy.models import Project
from tests.console.pages import fragment, text
from tests.console.stage import login
from tests.factories import make_agent, make_fact, make_key, make_project, make_user, user_actor

pytestmark = pytest.mark.django_db
URL = "/p/acme/audit"
APPS = Path(__file__).parents[2] / "apps"


@pytest.fixture
def project() -> Project:
    return make_project("acme")


@pytest.fixture
def auditor(project: Project) -> Client:
    return login(project, "auditor")


def shown(response: object) -> list[str]:
    rows = response.text.split("<tr data-row")[1:]  # type: ignore[attr-defined]
    return [
        text(row.split("</tr>")[0].split("<td", 2)[2].partition(">")[2].split('<td class="opt-2"')[0]) for row in rows
    ]


def recorded() -> tuple[set[str], set[str]]:
    """Every code in the rooms that looks like an act, and every kind of object that is recorded."""
    areas = "|".join({verb.split(".")[0] for verb in POLICIES} | {"changes", "instances", "projects", "users"})
    verbs, kinds = set(), set()
    for path in APPS.rglob("*.py"):
        if path.name in {"tasks.py", "policies.py"} or {"console", "api", "migrations"} & set(path.parts):
            continue
        for node in ast.walk(ast.parse(path.read_text())):
            value = node.value if isinstance(node, ast.Constant) else None
            if isinstance(value, str) and re.fullmatch(rf"({areas})\.[a-z_]+", value):
                verbs.add(value)
            if isinstance(node, ast.keyword) and node.arg == "object_type" and isinstance(node.value, ast.Constant):
                kinds.add(node.value.value)
    return verbs, kinds


def test_every_act_and_every_refusal_has_words() -> None:
    verbs, kinds = recorded()
    verbs |= {f"privacy.{state}" for state in STATES if state != "received"}
    acts = verbs - {verb for verb in POLICIES if verb not in DONE}
    assert len(acts) > 30
    assert (acts - set(DONE), acts - set(LABELS), set(POLICIES) - set(TRIED)) == (set(), set(), set())
    assert kinds - set(THINGS) == set()


def test_events_are_sentences_that_lead_somewhere(project: Project, auditor: Client) -> None:
    agent = make_agent(project, "support")
    fact = make_fact(project, "Refunds take five days.", agent=agent)
    key, _ = make_key(project, name="backend")
    curator = user_actor(project, "curator", user=make_user(project, "curator", name="Ada Byron"))
    record_denial(Refused(curator, "keys.issue", "no", project.id))
    page = auditor.get(URL)
    said = shown(page)
    assert said[0] == "Ada Byron was not allowed to make a key refused"
    assert said[1] == "The set-up changed the roles of member Ada Byron"
    assert said[2:5] == [
        "The set-up made key backend",
        f"The set-up added fact #{fact.id}",
        "The set-up registered or changed agent " + str(agent.id)[-8:],
    ]
    for href in (f"/p/acme/facts/{fact.id}", f"/p/acme/settings/keys#key-{key.id}", f"/p/acme/agents/{agent.id}"):
        assert f'href="{href}"' in page.text
    assert "Refunds take five days." not in page.text


def test_filters_find_and_survive(project: Project, auditor: Client) -> None:
    fact = make_fact(project, "One.")
    make_fact(project, "Two.")
    key, _ = make_key(project, name='the "50 %" | key')
    ada = make_user(project, "curator", name="Ada Byron")
    record_denial(Refused(user_actor(project, "curator", user=ada), "keys.issue", "no", project.id))
    with bind(project.id):
        record(actor=key.actor, verb="traces.ingest", object_type="batch", object_id="b")
    assert shown(auditor.get(f"{URL}?q=%23{fact.id}")) == [f"The set-up added fact #{fact.id}"]
    assert shown(auditor.get(f"{URL}?result=denied")) == ["Ada Byron was not allowed to make a key refused"]
    assert len(shown(auditor.get(f"{URL}?verb=facts.add"))) == 2
    by_key = auditor.get(f"{URL}?actor=key:{key.id}")
    assert shown(by_key) == ["Key “the &quot;50 %&quot; | key” sent b".replace("&quot;", '"')]
    assert f'<option value="key:{key.id}" selected>' in re.sub(r"\s+", " ", by_key.text)
    assert shown(auditor.get(f"{URL}?actor=key")) == shown(by_key)
    assert len(shown(auditor.get(f"{URL}?actor=system:setup&verb=facts.add"))) == 2
    today = now().date()
    assert len(shown(auditor.get(f"{URL}?since={today}&until={today}"))) > 5
    assert shown(auditor.get(f"{URL}?until={today - timedelta(days=1)}")) == []
    assert shown(auditor.get(f"{URL}?since={today + timedelta(days=1)}")) == []
    for nonsense in (
        "q=%00",
        "q=%F0%9F%98%80|%25'",
        "actor=user:x",
        "actor=%25",
        "since=soon",
        "until=9999-12-31",
        "verb=no.such",
        "open=x",
    ):
        assert auditor.get(f"{URL}?{nonsense}").status_code in {200, 404}, nonsense


def test_things_of_one_minute_are_told_apart_and_lead_to_their_pages(project: Project, auditor: Client) -> None:
    first, second = "01a22f6d-6873-76ab-84eb-9f71af32f1c4", "01a22f6d-6874-76ab-84eb-9f71213fc3f6"
    with bind(project.id):
        for kind, number in (("privacy_request", first), ("privacy_request", second), ("import", 7), ("webhook", 8)):
            record(actor=user_actor(project, user=None), verb="privacy.open", object_type=kind, object_id=number)
    page = auditor.get(f"{URL}?verb=privacy.open")
    things = ("webhook 8", "import 7", "privacy request 213fc3f6", "privacy request af32f1c4")
    assert [said.split(" opened ")[1] for said in shown(page)] == list(things)
    for path in ("settings/webhooks/8", "imports/7", f"privacy/{first}", f"privacy/{second}"):
        assert page.text.count(f'href="/p/{project.slug}/{path}"') == 1


def test_a_time_is_found_by_the_events_own(project: Project, auditor: Client) -> None:
    make_fact(project, "One.")
    with bind(project.id):
        first = AuditEvent.objects.order_by("seq").first()
        assert first is not None
    auditor.get(URL)  # that it is read is an event, once an hour
    page = auditor.get(f"{URL}?since={first.at.date()}")
    assert len(shown(page)) == len(shown(auditor.get(URL)))


def test_pages_follow_each_other(project: Project, auditor: Client) -> None:
    for number in range(60):
        with bind(project.id):
            record(actor=user_actor(project, user=None), verb="facts.add", object_type="fact", object_id=number)
    first = auditor.get(f"{URL}?verb=facts.add")
    older = re.search(r'href="([^"]+)"[^>]*>Older</a>', first.text)[1].replace("&amp;", "&")  # type: ignore[index]
    second = fragment(auditor, older)
    assert len(shown(first)) == 50 and len(shown(second)) == 10
    assert "<html" not in second.text and "HX-Request" in second["Vary"]
    assert not set(shown(first)) & set(shown(second))


def test_the_drawer_tells_the_rest(project: Project, auditor: Client) -> None:
    make_key(project, name="backend")
    with bind(project.id):
        event = AuditEvent.objects.get(verb="keys.issue")
    drawer = fragment(auditor, f"{URL}?open={event.seq}", "drawer")
    said = text(drawer.text)
    assert "The set-up made key backend" in said and "Scopes agent:write, facts:read, traces:write" in said
    assert bytes(event.hash).hex() in said and bytes(event.prev_hash).hex() in said and "<html" not in drawer.text
    whole = auditor.get(f"{URL}?open={event.seq}")
    assert "Scopes agent:write" in text(whole.text.split('id="drawer"')[1])
    assert fragment(auditor, f"{URL}?open=999999", "drawer").status_code == 404
    assert auditor.get(f"{URL}?open=999999").status_code == 404


def test_a_curator_sees_what_he_did(project: Project) -> None:
    ada = make_user(project, "curator", name="Ada Byron")
    client = login(project, user=ada)
    make_fact(project, "One.")
    record_denial(Refused(user_actor(project, "curator", user=ada), "keys.issue", "no", project.id))
    page = client.get(URL)
    assert shown(page) == ["You were not allowed to make a key refused"]
    assert shown(client.get(f"{URL}?actor=system:setup")) == shown(page)
    assert "By whom" not in page.text and "Verify chain" not in page.text
    with bind(project.id):
        other = AuditEvent.objects.get(verb="facts.add")
    assert client.get(f"{URL}?open={other.seq}").status_code == 404
    assert login(project, "viewer").get(URL).status_code == 403


def test_the_chain_is_verified_from_the_page(project: Project, auditor: Client) -> None:
    make_fact(project, "One.")
    assert "Intact" not in auditor.get(URL).text
    done = auditor.post(f"{URL}/verify", follow=True)
    assert "The chain is intact:" in done.text and "checked by you" in text(done.text)
    assert "hx-trigger" not in fragment(auditor, f"{URL}/chain", "chain").text
    assert shown(done)[0].startswith("You verified the audit chain check")
    assert auditor.get(f"{URL}/verify").status_code == 302
    # A signed row of another project shows nothing here.
    other = make_project("other")
    assert login(other, "auditor").get(URL).status_code == 404


def test_that_somebody_reads_is_recorded_once_an_hour(project: Project, auditor: Client) -> None:
    def reads() -> list[tuple[str, str]]:
        with bind(project.id):
            found = AuditEvent.objects.filter(verb="audit.read").order_by("seq")
            return list(found.values_list("actor_id", "result"))

    make_fact(project, "One.")
    officer = make_user(project, "privacy_officer")
    for _ in range(3):
        assert auditor.get(URL).status_code == 200 and auditor.get(f"{URL}?result=denied").status_code == 200
    assert login(project, user=officer).get(URL).status_code == 200
    assert len(reads()) == 2 and reads()[1] == (str(officer.id), "done")
    assert "You read the audit log of this project" in " ".join(shown(auditor.get(URL)))
    # A look at what one did oneself is nobody else's business.
    assert login(project, "curator").get(URL).status_code == 200
    assert len(reads()) == 2
    assert login(project, "viewer").get(URL).status_code == 403
    assert len(reads()) == 2


def test_the_filter_as_a_file(project: Project, auditor: Client) -> None:
    fact = make_fact(project, "One.")
    make_fact(project, "Two.")
    answer = auditor.post(f"{URL}/export", {"list": f"q=%23{fact.id}&cursor=x"})
    assert answer.status_code == 200 and "attachment" in answer["Content-Disposition"]
    rows = [json.loads(row) for row in b"".join(answer.streaming_content).splitlines()]  # type: ignore[attr-defined]
    assert [(row["verb"], row["object_id"]) for row in rows] == [("facts.add", str(fact.id))]
    with bind(project.id):
        event = AuditEvent.objects.latest("seq")
        assert (event.verb, event.data["filtered"]) == ("audit.export", True)
        up_to = event.data["up_to"]
    rows = list(auditor.post(f"{URL}/export").streaming_content)  # type: ignore[attr-defined]
    assert len(b"".join(rows).splitlines()) == up_to + 1
    assert auditor.get(f"{URL}/export").status_code == 405
    for role in ("viewer", "curator"):
        assert login(project, role).post(f"{URL}/export").status_code == 403
