"""Agents: the list and one agent."""

import json
import re
from datetime import timedelta
from html import unescape

import pytest
from django.conf import settings
from django.test import Client

from apps.access.actions.enroll_instance import enroll_instance
from apps.access.actions.register_agent import KEPT, register_agent
from apps.access.actor import Actor
from apps.core.clock import now
from apps.core.ids import uuid7
from apps.core.transactions import bind
from apps.recall.actions.roll_up_reads import roll_up_reads
from apps.recall.queries import reader_for, told_facts
from apps.tenancy.models import AgentVersion, Project
from tests.console.stage import HX, login, push
from tests.console.test_traces import section, text
from tests.factories import make_agent, make_fact, make_key, make_project, setup_actor
from tests.recall.test_servings import read
from tests.spans import run_of

pytestmark = pytest.mark.django_db


@pytest.fixture
def project() -> Project:
    return make_project("acme")


def rows(client: Client, query: str = "") -> list[str]:
    html = client.get(f"/p/acme/agents{query}").content.decode()
    return [text(row.split("</tr>")[0].partition(">")[2]) for row in html.split("<tr data-row")[1:]]


def test_the_list(project: Project, monkeypatch: pytest.MonkeyPatch) -> None:
    from tests import spans

    support = make_agent(project, "support")
    make_agent(project, "support", system_prompt="Be kind.")
    make_agent(project, "Orders", agent_type="langchain")
    make_fact(project, "Refunds take five days.", agent=support)
    make_fact(project, "Gone by now.", agent=support, retired="stale")
    make_fact(project, "Prefers email.", user="ada")
    make_fact(project, "For everybody.")
    key, _ = make_key(project)
    for days in (0, 3, 3):
        read(project, [], at=now() - timedelta(days=days, minutes=2), agent=support, key=key)
    roll_up_reads()
    monkeypatch.setattr(spans, "NOON", now())
    push(project, run_of("t", "Hello."))
    viewer = login(project, "viewer")
    support_row = "support v2 single off 1 3 2 min 1"
    assert rows(viewer) == ["Orders v1 langchain off 0 0 never 0", support_row]
    assert rows(viewer, "?q=SUPP") == [support_row]
    assert viewer.get("/p/acme/agents").content.decode().count("<polyline") == 1
    assert rows(viewer, "?q=%00") == [] and rows(viewer, "?q=100%25") == []
    part = viewer.get("/p/acme/agents?q=supp", **HX, HTTP_HX_TARGET="results").content.decode()
    assert "<html" not in part and "support" in part and "Orders" not in part


def test_pages_by_position(project: Project, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("apps.console.views.agents.PAGE", 2)
    for name in ("c", "a", "b"):
        make_agent(project, name)
    viewer = login(project, "viewer")
    first = viewer.get("/p/acme/agents").context
    second = viewer.get(first["older"]).context
    assert [agent.name for agent in (*first["agents"], *second["agents"])] == ["a", "b", "c"]


def test_no_agent_yet_shows_how(project: Project) -> None:
    html = login(project, "viewer").get("/p/acme/agents").content.decode()
    assert "No agent yet" in html and "fa.connect(" in html and "/keys/new" not in html
    assert "/p/acme/settings/keys/new" in login(project, "admin").get("/p/acme/agents").content.decode()


def test_what_it_is_told_now(project: Project) -> None:
    support, orders = make_agent(project, "support"), make_agent(project, "orders")
    own = make_fact(project, "Refunds take five days.", agent=support, importance=0.4)
    shared = make_fact(project, "Offices close at noon.", importance=0.9)
    personal = make_fact(project, "Ada leads the team.", agent=support, sensitivity="personal", importance=0.1)
    make_fact(project, "Ships on Tuesdays.", agent=orders)
    make_fact(project, "Prefers email.", user="ada")
    make_fact(project, "Through support only.", user="ada", agent=support)
    for marks in ({"retired": "stale"}, {"restricted": "hold"}, {"expired": True}):
        make_fact(project, f"Not told: {marks}", agent=support, **marks)
    page = login(project, "curator").get(f"/p/acme/agents/{support.id}")
    assert [fact.id for fact in page.context["facts"]] == [shared.id, own.id, personal.id]
    assert (page.context["more"], page.context["hidden"]) == (False, 0)
    key, _ = make_key(project, sensitivity_ceiling="special")
    with bind(project.id):
        told = json.loads(told_facts(reader_for(key, "support", None, None), limit=50) or "")
    assert [fact["id"] for fact in told["facts"]] == [shared.id, own.id, personal.id]
    # A viewer may know that there is more, and no more than that.
    page = login(project, "viewer").get(f"/p/acme/agents/{support.id}")
    html = page.content.decode()
    assert [fact.id for fact in page.context["facts"]] == [shared.id, own.id]
    assert "Ada leads" not in html and "1 of them is personal and not shown to your role." in html


def test_id_definition_and_connection(project: Project) -> None:
    name = 'o\'brien "the" <b>agent</b>'
    agent = make_agent(project, name, system_prompt="Be <i>kind</i>.", definition={"tools": [{"name": "ü<u>"}]})
    html = login(project, "viewer").get(f"/p/acme/agents/{agent.id}?tab=definition").content.decode()
    assert f'id="agent-id">{agent.id}<' in html and 'data-copy="#agent-id"' in html
    assert "<b>agent" not in html and "<i>kind" not in html and "<u>" not in html
    said = unescape(html)
    assert "Be <i>kind</i>." in said and '"name": "ü<u>"' in said
    snippet = unescape(re.findall(r'<code id="snippet">(.*?)</code>', html, re.DOTALL)[0])
    compiled = compile(snippet.replace("mp_…", "mp_x"), "snippet", "exec")
    assert {name, settings.PUBLIC_URL} <= set(compiled.co_consts)
    assert "plane_agent_id" in snippet


def test_versions_as_registered_are_kept_and_compared(project: Project) -> None:
    actor = setup_actor(project)
    made = make_agent(project, "support", system_prompt="Be kind.")
    for prompt, tools in (("Be kind.\nAsk first.", ["mail"]), ("Be kind.\nAsk first.", ["mail", "<b>fax</b>"])):
        register_agent(
            actor=actor, project_id=project.id, name="support", system_prompt=prompt, definition={"tools": tools}
        )
    register_agent(actor=actor, project_id=project.id, name="support", system_prompt="Be kind.\nAsk first.",
                   definition={"tools": ["mail", "<b>fax</b>"]})  # fmt: skip
    with bind(project.id):
        rows = list(AgentVersion.objects.order_by("version").values_list("version", "system_prompt", "definition"))
    assert rows == [
        (1, "Be kind.", {}),
        (2, "Be kind.\nAsk first.", {"tools": ["mail"]}),
        (3, "Be kind.\nAsk first.", {"tools": ["mail", "<b>fax</b>"]}),
    ]
    viewer = login(project, "viewer")
    page = viewer.get(f"/p/acme/agents/{made.id}?tab=definition")
    html = page.content.decode()
    assert section(html, "changed").startswith("What changed from version 2 to version 3".replace("version 3", "3"))
    assert "<ins>    &quot;&lt;b&gt;fax&lt;/b&gt;&quot;</ins>" in html and "<b>fax" not in html
    assert [part.label for part in page.context["compared"].parts] == ["Definition"]
    page = viewer.get(f"/p/acme/agents/{made.id}?tab=definition&old=1&new=3")
    assert [part.label for part in page.context["compared"].parts] == ["System prompt", "Definition"]
    assert "<ins>Ask first.</ins>" in page.content.decode()
    page = viewer.get(f"/p/acme/agents/{made.id}?tab=definition&old=2&new=2")
    assert page.context["compared"].parts == [] and "The two say the same." in page.content.decode()
    page = viewer.get(f"/p/acme/agents/{made.id}?tab=definition&old=x&new=99")
    assert (page.context["compared"].old.version, page.context["compared"].new.version) == (2, 3)
    assert "?tab=definition&amp;new=2#changed" in html


def test_an_agent_that_registered_once_has_nothing_to_compare(project: Project) -> None:
    agent, _ = register_agent(actor=setup_actor(project), project_id=project.id, name="support")
    page = login(project, "viewer").get(f"/p/acme/agents/{agent.id}?tab=definition")
    assert page.context["compared"] is None and "What changed" not in page.content.decode()


def test_so_many_versions_are_kept(project: Project) -> None:
    for number in range(KEPT + 2):
        register_agent(actor=setup_actor(project), project_id=project.id, name="support", system_prompt=str(number))
    with bind(project.id):
        kept = list(AgentVersion.objects.order_by("version").values_list("version", flat=True))
    assert kept == list(range(3, KEPT + 3))


def test_last_traces_are_for_those_who_may_read_them(project: Project) -> None:
    agent = make_agent(project, "support")
    push(project, run_of("t", "Said in private.", user="ada"))
    push(project, run_of("u", "Said to another.", agent="orders"))
    html = login(project, "curator").get(f"/p/acme/agents/{agent.id}").content.decode()
    assert section(html, "last").endswith("Said in private. ada waiting") and "Said to another." not in html
    assert "/p/acme/traces?agent=support" in html
    for role in ("viewer", "admin"):
        html = login(project, role).get(f"/p/acme/agents/{agent.id}").content.decode()
        assert "Said in private." not in html and 'id="last"' not in html


def test_an_agent_of_another_project_is_not_there(project: Project) -> None:
    other = make_project("other")
    agent = make_agent(other, "support")
    viewer = login(project, "viewer")
    assert viewer.get(f"/p/acme/agents/{agent.id}").status_code == 404
    assert viewer.get(f"/p/other/agents/{agent.id}").status_code == 404
    assert viewer.get(f"/p/acme/agents/{uuid7()}").status_code == 404
    assert viewer.get("/p/acme/agents/nonsense").status_code == 404
    assert login(project, "auditor").get("/p/acme/agents").status_code == 403


def test_the_sdks_link_leads_here(project: Project) -> None:
    agent = make_agent(project, "support")
    viewer = login(project, "viewer")
    assert viewer.get(f"/next/agents/{agent.id}").headers["Location"] == f"/p/acme/agents/{agent.id}"
    assert viewer.get("/next/agents/support").headers["Location"] == f"/p/acme/agents/{agent.id}"
    assert viewer.get("/next/agents/nobody").status_code == 404
    assert login(None).get(f"/next/agents/{agent.id}").status_code == 404
    assert Client().get(f"/next/agents/{agent.id}").headers["Location"].startswith("/account/login/?next=")


def test_reads_over_time_with_a_table(project: Project) -> None:
    support = make_agent(project, "support")
    fact = make_fact(project, "Refunds take five days.")
    page = login(project, "viewer").get(f"/p/acme/agents/{support.id}?tab=reads")
    assert "It has not read yet" in page.content.decode()
    for days in (1, 1, 2, 70):
        read(project, [fact], at=now() - timedelta(days=days), agent=support)
    roll_up_reads()
    page = login(project, "viewer").get(f"/p/acme/agents/{support.id}?tab=reads")
    rows_ = page.context["chart"].rows
    assert (page.context["reads"], page.context["told_in_all"], len(rows_)) == (3, 3, 56)
    assert [values for _, values, _ in rows_[-4:]] == [["0"], ["1"], ["2"], ["0"]]


def test_who_registered_it_and_its_memory(project: Project) -> None:
    key, _ = make_key(project, name="shop")
    actor = Actor(kind="key", id=str(key.id), project_id=project.id, scopes=frozenset({"agent:write"}))
    agent = make_agent(project, "support")
    definition = {"memory_enabled": True}
    register_agent(actor=actor, project_id=project.id, name="support", definition=definition)
    html = login(project, "viewer").get(f"/p/acme/agents/{agent.id}?tab=definition").content.decode()
    said = section(html, "registered")
    assert "Version 2 registered by key shop" in said and "Version 1 registered by memoryplane (setup)" in said
    assert "on as it registered itself" in text(html)


def test_keys_and_machines_are_for_those_who_may_read_keys(project: Project) -> None:
    support, orders = make_agent(project, "support"), make_agent(project, "orders")
    make_key(project, name="everywhere")
    make_key(project, name="its own", agents=[support])
    make_key(project, name="another's", agents=[orders])
    make_key(project, ["traces:write"], name="pushes")
    make_key(project, name="gone", revoked=True)
    make_key(project, name="over", expired=True)
    actor = Actor(kind="key", id="1", project_id=project.id, scopes=frozenset({"agent:write"}))
    enroll_instance(
        actor=actor,
        project_id=project.id,
        instance_id="a",
        hostname="web-1",
        sdk_version="1.94.0",
        governed_agent_ids=[str(support.id)],
    )
    page = login(project, "admin").get(f"/p/acme/agents/{support.id}?tab=keys")
    assert [key.name for key in page.context["keys"]] == ["everywhere", "its own"]
    assert "web-1 1.94.0 yes" in section(page.content.decode(), "machines")
    viewer = login(project, "viewer").get(f"/p/acme/agents/{support.id}?tab=keys")
    assert viewer.context["tab"] == "told" and "everywhere" not in viewer.content.decode()
