"""Personal text stands on no page until its reader shows it, and that is on record."""

from datetime import timedelta
from urllib.parse import quote

import pytest
from django.test import Client

from apps.audit.models import AuditEvent
from apps.core.transactions import bind
from apps.curation.actions.compare_facts import compare_facts
from apps.curation.actions.open_conflict import open_conflict
from apps.curation.models import DuplicateGroup
from apps.facts.models import Fact
from apps.recall.models import ReadLedger
from apps.tenancy.models import Project
from tests.console.pages import fragment, revised
from tests.console.past import ago, make_older, past_fact
from tests.console.stage import learn, login, unmask
from tests.factories import make_agent, make_fact, make_key, make_project, user_actor

pytestmark = pytest.mark.django_db
P = "/p/acme"
MASK = "Masked personal fact"


@pytest.fixture
def project() -> Project:
    project = make_project("acme")
    make_older(project, days=30)
    return project


def pages(project: Project) -> dict[str, str]:
    """Every page that shows words of a fact or a proposal, by what it is, each with a personal one that says Kaunas."""
    agent = make_agent(project, "support")
    old = make_fact(project, "Moved to Kaunas.", user="ada", sensitivity="personal")
    new = revised(project, old, "Moved to Kaunas in May.", sensitivity="personal")
    home = make_fact(project, "Kaunas is home.", user="ada", sensitivity="special", attribute="home-city")
    away = make_fact(project, "Vilnius is home.", user="ada", agent=agent, attribute="home-city")
    make_fact(project, "home is Kaunas", user="ada", agent=agent, sensitivity="personal")
    make_fact(project, "home is Kaunas!", user="ada", sensitivity="personal")
    past_fact(project, "Kaunas was home.", ago(days=25), sensitivity="personal")
    gone = make_fact(project, "Leaves Kaunas.", user="ada", sensitivity="personal", retired="wrong")
    (waits,) = learn(project, "t", "I prefer Kaunas.", user="ada")
    actor = user_actor(project, "curator")
    conflict, _ = open_conflict(actor=actor, project_id=project.id, fact_ids=[home.id, away.id])
    compare_facts()
    key, _ = make_key(project)
    with bind(project.id):
        group = DuplicateGroup.objects.first()
        assert group and new.subject_id
        ReadLedger.objects.create(
            at=ago(minutes=5), id=1, project_id=project.id, key_id=key.id, agent_id=agent.id, subject_id=new.subject_id,
            fact_ids=[new.id], ranks=[1], scores=[None],
        )  # fmt: skip
    at = quote(f"{ago(minutes=1):%Y-%m-%dT%H:%M:%S}")
    view = f"{P}/agent-view?agent=support&user=ada&ceiling=special"
    travel = f"{P}/time-travel?at={at}"
    return {
        "facts": f"{P}/facts?scope=user",
        "facts, one open": f"{P}/facts?open={new.id}",
        "a fact": f"{P}/facts/{new.id}",
        "a fact that was replaced": f"{P}/facts/{old.id}",
        "a fact that was retired": f"{P}/facts/{gone.id}",
        "its history": f"{P}/facts/{new.id}/history",
        "its form": f"{P}/facts/{new.id}/edit",
        "its forgetting": f"{P}/facts/{new.id}/forget",
        "review": f"{P}/review",
        "review, one open": f"{P}/review?open={waits.id}",
        "a proposal": f"{P}/review/{waits.id}",
        "a proposal's form": f"{P}/review/{waits.id}/approve",
        "what is near it": f"{P}/review/{waits.id}/meaning",
        "conflicts": f"{P}/conflicts",
        "a conflict": f"{P}/conflicts/{conflict.id}",
        "duplicates": f"{P}/facts/duplicates",
        "duplicates, one open": f"{P}/facts/duplicates?open={group.id}",
        "a group": f"{P}/facts/duplicates/{group.id}",
        "a subject": f"{P}/subjects/{new.subject_id}",
        "a subject, pending": f"{P}/subjects/{new.subject_id}?tab=pending",
        "a subject, history": f"{P}/subjects/{new.subject_id}?tab=history",
        "a subject, served": f"{P}/subjects/{new.subject_id}?tab=served",
        "time travel": travel,
        "time travel, added": f"{P}/time-travel?at={quote(f'{ago(days=20):%Y-%m-%dT%H:%M:%S}')}&show=added",
        "time travel, reads": f"{travel}&show=read&agent=support",
        "agent view": view,
        "agent view, with reasons": f"{view}&why=1",
        "agent view, asked": f"{view}&q=kaunas&why=1",
        "a trace, produced": f"{P}/traces/{waits.source_trace_id}?tab=produced",
        "found": f"{P}/go?q=kaunas&all=1",
    }


DRAWERS = ("a fact", "a fact that was replaced", "a proposal", "a proposal's form", "a group")


def test_no_page_shows_it_before_it_is_asked_for(project: Project) -> None:
    curator = login(project, "curator")
    found = pages(project)
    for name, url in found.items():
        page = curator.get(url)
        assert page.status_code == 200, name
        assert "Kaunas" not in page.text, name
        assert MASK in page.text and "facts/masking" in page.text, name
        if name in DRAWERS:
            drawer = fragment(curator, url, "drawer").text
            assert "Kaunas" not in drawer and MASK in drawer, name
    with bind(project.id):
        assert not AuditEvent.objects.filter(verb="facts.unmask").exists()
    unmask(curator)
    for name, url in found.items():
        page = curator.get(url)
        assert "Kaunas" in page.text and MASK not in page.text, name
    with bind(project.id):
        assert AuditEvent.objects.filter(verb="facts.unmask").count() == 1


def test_who_may_not_read_it_gets_nothing_of_it_nor_the_switch(project: Project) -> None:
    found = pages(project)
    for role in ("viewer", "admin"):
        client = login(project, role)
        for name, url in found.items():
            page = client.get(url)
            assert page.status_code in {200, 302, 403, 404}, name
            assert "Kaunas" not in page.text and "facts/masking" not in page.text, name
        assert client.post(f"{P}/facts/masking", {"show": "1"}).status_code == 403


def test_what_is_decided_unseen_is_decided_all_the_same(project: Project, client: Client) -> None:
    """A form that needs the words asks for them first; a verdict does not."""
    curator = login(project, "curator")
    (waits,) = learn(project, "t", "I prefer Kaunas.", user="ada")
    form = curator.get(f"{P}/review/{waits.id}/approve").text
    assert "<textarea" not in form and "Show them before you change them" in form
    done = curator.post(f"{P}/review/{waits.id}/approve", HTTP_HX_REQUEST="true", HTTP_HX_TARGET="p1")
    assert done.status_code == 200 and "Kaunas" not in done.text
    with bind(project.id):
        assert Fact.objects.get().content == "Prefers Kaunas."


def test_what_a_batch_would_merge_is_masked_too(project: Project) -> None:
    one = make_fact(project, "Kaunas is home.", user="ada", sensitivity="personal")
    two = make_fact(project, "Lives in Kaunas.", user="ada", sensitivity="personal")
    curator, merge = login(project, "curator"), {"act": "merge", "ids": [one.id, two.id]}
    page = curator.post(f"{P}/facts/bulk", merge).text
    assert "Kaunas" not in page and page.count(MASK) == 2 and "Some of these words are masked" in page
    assert "Kaunas" in unmask(curator).post(f"{P}/facts/bulk", merge).text


def test_it_ends_by_itself(project: Project) -> None:
    fact = make_fact(project, "Kaunas is home.", user="ada", sensitivity="personal")
    curator = unmask(login(project, "curator"))
    url = f"{P}/facts/{fact.id}"
    assert "Kaunas" in curator.get(url).text
    session = curator.session
    session["unmasked"] = {str(project.id): (ago(minutes=0) - timedelta(seconds=1)).isoformat()}
    session.save()
    assert "Kaunas" not in curator.get(url).text
