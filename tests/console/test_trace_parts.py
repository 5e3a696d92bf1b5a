"""A trace's neighbours, its pages of turns, what was recalled and written, and the list's filters."""

import json
from datetime import timedelta
from typing import Any

import pytest
from django.test import Client
from django.utils.html import escape

from apps.access.actions.add_alias import add_alias
from apps.core.transactions import bind
from apps.curation.actions.approve_proposal import approve_proposal
from apps.tenancy.models import Project
from apps.traces.models import Message, Trace
from tests import spans as sdk
from tests.console.stage import HX, learn, login, push
from tests.console.test_traces import section, text
from tests.factories import make_agent, make_fact, make_key, make_project, make_subject, user_actor
from tests.recall.test_servings import read
from tests.spans import NOON, run_of, span, trace_id

pytestmark = pytest.mark.django_db

WORK = "Our refund window is 30 days."
PAGE = f"/p/acme/traces/{trace_id('t')}"


@pytest.fixture
def project() -> Project:
    project = make_project("acme")
    make_agent(project, "support")
    return project


@pytest.fixture
def curator(project: Project) -> Client:
    return login(project, "curator")


def names(client: Client, **query: Any) -> list[str]:
    return [row["trace"].first_words for row in client.get("/p/acme/traces", query).context["rows"]]


def test_the_list_is_narrowed_by_everything_it_shows(
    project: Project, curator: Client, monkeypatch: pytest.MonkeyPatch
) -> None:
    ada = make_subject(project, "ada|%")
    learn(project, "a", WORK, user="ada|%", **{"fastaiagent.meta.session_id": "s 1"})
    push(project, run_of("b", "Hello.", user="bea"))
    monkeypatch.setattr(sdk, "NOON", NOON + timedelta(days=2))
    push(project, run_of("c", "Later.", user="ada|%", **{"fastaiagent.meta.session_id": "s 1"}))
    actor = user_actor(project, "curator")
    add_alias(actor=actor, project_id=project.id, subject_id=ada.id, external_id="crm:7")
    assert names(curator) == ["Later.", "Hello.", WORK]
    assert names(curator, user="ada|%") == names(curator, user="crm:7") == ["Later.", WORK]
    assert names(curator, user="nobody") == names(curator, session="none") == names(curator, user="\x00") == []
    assert names(curator, session="s 1") == ["Later.", WORK]
    assert names(curator, learned="1") == [WORK]
    assert names(curator, state="mined") == [WORK] and names(curator, state="waiting") == ["Later.", "Hello."]
    assert names(curator, since="2026-11-21") == ["Later."]
    assert names(curator, until="2026-11-20") == ["Hello.", WORK]
    assert names(curator, since="soon", until="9999-12-31", state="odd") == ["Later.", "Hello.", WORK]
    assert names(curator, q=trace_id("c")[:5]) == ["Later."]
    html = curator.get("/p/acme/traces", {"user": "ada|%", "learned": "1"}).content.decode()
    assert f'value="{escape("ada|%")}"' in html and "has proposals" in html
    assert "/p/acme/traces?user=ada%7C%25" in html
    part = curator.get("/p/acme/traces?user=bea", **HX, HTTP_HX_TARGET="results").content.decode()
    assert "<html" not in part and "Hello." in part and "Later." not in part


def test_a_session_leads_from_trace_to_trace(
    project: Project, curator: Client, monkeypatch: pytest.MonkeyPatch
) -> None:
    for number, name in enumerate(["first", "t", "last", "same"]):
        monkeypatch.setattr(sdk, "NOON", NOON + timedelta(hours=min(number, 2)))
        push(project, run_of(name, "Hello.", user="ada", **{"fastaiagent.meta.session_id": "s&1"}))
    push(project, run_of("alone", "Hello."))
    page = curator.get(PAGE)
    assert page.context["earlier_url"] == f"/p/acme/traces/{trace_id('first')}"
    assert page.context["later_url"] == f"/p/acme/traces/{trace_id('last')}"
    assert "/p/acme/traces?session=s%261" in page.content.decode()
    assert f'href="/p/acme/subjects/{page.context["trace"].subject_id}"' in page.content.decode()
    ends = curator.get(f"/p/acme/traces/{trace_id('same')}").context
    assert (ends["earlier_url"], ends["later_url"]) == (f"/p/acme/traces/{trace_id('last')}", "")
    alone = curator.get(f"/p/acme/traces/{trace_id('alone')}").context
    assert (alone["earlier_url"], alone["later_url"], alone["session_url"]) == ("", "", "")


def turns(count: int) -> list[dict[str, Any]]:
    attributes = {"agent.name": "support"}
    return [
        span("t", "root", seconds=2 * count, attributes=attributes),
        *[
            span(
                "t",
                f"turn {n}",
                parent="root",
                start=2 * n,
                attributes=attributes | {"agent.input": f"Ask {n}.", "agent.output": f"Say {n}."},
            )
            for n in range(count)
        ],
    ]


def test_five_hundred_turns_are_read_in_pages(project: Project, curator: Client) -> None:
    spans = turns(500)
    for first in range(0, len(spans), 400):
        push(project, spans[first : first + 400])
    page = curator.get(PAGE)
    said = ["".join(part.text for part in turn.parts) for turn in page.context["talk"].turns]
    assert said == [f"{word} {n}." for n in range(20) for word in ("Ask", "Say")]
    assert [turn.number for turn in page.context["talk"].turns] == list(range(1, 41)) and page.context["newer"] == ""
    second = curator.get(page.context["older"])
    said = ["".join(part.text for part in turn.parts) for turn in second.context["talk"].turns]
    assert said[0] == "Ask 20." and said[-1] == "Say 39." and second.context["talk"].turns[0].number is None
    back = curator.get(second.context["newer"])
    assert back.context["talk"].turns[0].parts[0].text == "Ask 0."
    with bind(project.id):
        late = Message.objects.get(content="Say 499.")
    end = curator.get(f"{PAGE}?turn={late.id}")
    assert [turn.id for turn in end.context["talk"].turns] == [late.id] and end.context["older"] == ""
    assert f'id="m{late.id}"' in end.content.decode()
    assert curator.get(f"{PAGE}?turn=999999999").context["talk"].turns == []
    part = curator.get(page.context["older"], **HX, HTTP_HX_TARGET="results").content.decode()
    assert "<html" not in part and "Ask 20." in part


def test_what_agents_say_to_each_other_is_marked(project: Project, curator: Client) -> None:
    push(
        project,
        [
            span("t", "agent.inner", parent="swarm", start=1, attributes={"agent.name": "x", "agent.input": "routed"}),
            span("t", "swarm", seconds=5, attributes={"swarm.input": "What I asked", "swarm.output": "Done"}),
        ],
    )
    found = [(turn.parts[0].text, turn.inner) for turn in curator.get(PAGE).context["talk"].turns]
    assert found == [("What I asked", False), ("routed", True), ("Done", False)]


def test_marked_words_lead_to_what_rests_on_them(project: Project, curator: Client) -> None:
    first, second = learn(project, "t", f"{WORK} Our desk closes at 6.", user="ada")
    fact_id = approve_proposal(
        actor=user_actor(project, "curator"), project_id=project.id, proposal_id=first.id
    ).fact_id
    turn = curator.get(PAGE).context["talk"].turns[0]
    assert [part.text for part in turn.parts if part.mark] == [WORK, "Our desk closes at 6."]
    assert turn.facts == [fact_id] and set(turn.proposals) == {first.id, second.id}
    link = f"/p/acme/traces/{trace_id('t')}?turn={turn.id}#m{turn.id}"
    assert link in curator.get(f"/p/acme/facts/{fact_id}").content.decode()


def test_what_was_recalled_and_written(project: Project, curator: Client) -> None:
    fact = make_fact(project, "Refunds take  five days.")
    key, _ = make_key(project)
    read(project, [fact], agent=make_agent(project, "support"), key=key, at=NOON)
    root = "agent.support"
    recall = {
        "memory.block_name": "plane_facts",
        "memory.rendered_count": 2,
        "memory.deduped_count": 3,
        "memory.snippets": json.dumps(["Refunds take five days.", "<b>Other</b>"]),
        "memory.scores": "[0.75, null]",
    }
    wrote = {"memory.action": "extracted_facts", "memory.detail": json.dumps({"facts_extracted": 2, "persisted": 1})}
    push(
        project,
        [
            span("t", "memory.read", parent=root, attributes={"memory.block_count": 1}),
            span("t", "memory.read.plane_facts", parent="memory.read", start=0.1, attributes=recall),
            span("t", "memory.read.vector", start=0.2, attributes={"memory.rendered_count": 4}),
            span("t", "memory.read.odd", start=0.3, attributes={"memory.snippets": "[[", "memory.scores": 1}),
            span("t", "memory.write.facts", start=0.5, attributes=wrote, status="ERROR"),
            span("t", "memory.persist", start=0.6, attributes={"memory.tier": "user", "memory.count": 2}),
            *run_of("t", "How long?"),
        ],
    )
    page = curator.get(f"{PAGE}?tab=memory")
    html, memory = page.content.decode(), page.context["memory"]
    assert [(one.block, one.rendered, one.deduped, one.hidden) for one in memory.recalled] == [
        ("plane facts", 2, 3, False),
        ("vector", 4, 0, True),
        ("odd", 0, 0, False),
    ]
    assert [(item.text, item.score, item.fact_id) for item in memory.recalled[0].items] == [
        ("Refunds take five days.", 0.75, fact.id),
        ("<b>Other</b>", None, None),
    ]
    assert "0.75 Refunds take five days." in section(html, "recalled") and "<b>Other" not in html
    assert "3 duplicates left out by it" in section(html, "recalled")
    assert 'href="/p/acme/facts/duplicates"' in html
    assert "4 texts, which the client does not send" in section(html, "recalled")
    said = section(html, "written")
    assert "facts 12:00:00 looked for facts failed 2 facts found, 1 kept user 12:00:00 kept facts 2 in all" in said
    none = curator.get(f"{PAGE}?tab=memory&x").content.decode()
    assert f"#{fact.id}" in none


def test_a_run_under_way_is_asked_for_until_it_is_done(project: Project, curator: Client) -> None:
    push(project, run_of("t", WORK))
    html = curator.get(PAGE).content.decode()
    assert f'hx-get="{PAGE}"' in html and 'hx-trigger="every 3s"' in html
    part = curator.get(PAGE, **HX, HTTP_HX_TARGET="trace-state").content.decode()
    assert "<html" not in part and "waiting" in part and 'hx-trigger="every 3s"' in part
    with bind(project.id):
        Trace.objects.update(extracted_at=NOON)
    part = curator.get(PAGE, **HX, HTTP_HX_TARGET="trace-state").content.decode()
    assert "hx-trigger" not in part and f"{PAGE}?tab=runs" in part and text(part).startswith("mined")
    assert 'id="trace-state" hx' not in " ".join(curator.get(PAGE).content.decode().split())
    with bind(project.id):
        Trace.objects.update(extracted_at=None, dead_reason="ValueError", attempts=5)
    part = curator.get(PAGE, **HX, HTTP_HX_TARGET="trace-state").content.decode()
    assert "hx-trigger" not in part and "given up" in part
