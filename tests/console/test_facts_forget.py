"""Forgetting a fact: the numbers before, the deed, the numbers after."""

import re

import pytest
from django.http import HttpResponse
from django.test import Client

from apps.audit.models import AuditEvent
from apps.core.transactions import bind
from apps.curation.models import Proposal, ProposalEvidence
from apps.facts.models import Fact, FactSource
from apps.tenancy.models import Project, Tombstone
from apps.traces.models import Message
from tests.console.pages import between, link, revised, text, told
from tests.console.stage import login, moved, state
from tests.console.test_facts_details import approved
from tests.factories import make_agent, make_fact, make_project, make_user

pytestmark = pytest.mark.django_db
URL = "/p/acme/facts"


@pytest.fixture
def project() -> Project:
    project = make_project("acme")
    make_agent(project, "support")
    return project


def shown(page: HttpResponse) -> dict[str, str]:
    """The numbers that the page's button sends back."""
    return dict(
        re.findall(r'<input type="hidden" name="(facts|superseded|evidence|proposals)" value="(\d+)"', page.text)
    )


def left(project: Project) -> tuple[int, int, int, int]:
    with bind(project.id):
        return (
            Fact.objects.in_project(project.id).count(),
            FactSource.objects.filter(project_id=project.id).count(),
            Proposal.objects.in_project(project.id).count(),
            ProposalEvidence.objects.filter(project_id=project.id).count(),
        )


def test_the_whole_history_goes_and_the_conversation_stays(project: Project) -> None:
    first = approved(project)
    second = revised(project, first, "Our refund window is 45 days.", agent_name="support")
    third = revised(project, second, "Our refund window is 60 days.", agent_name="support")
    kept = make_fact(project, "Something else.")
    ada = make_user(project, "curator")
    client = login(project, user=ada)
    assert left(project) == (4, 3, 1, 1)

    page = client.get(f"{URL}/{third.id}/forget")
    assert between(page, "What goes</h2>", "</section>") == (
        "3 facts, 2 superseded versions among them 4 quotes that they or their proposals rest on"
        " 1 proposal that made them, would change them or say the same"
    )
    assert "The conversation" in between(page, "What stays</h2>", "</section>")
    assert "This cannot be undone." in page.text
    assert shown(page) == {"facts": "3", "superseded": "2", "evidence": "4", "proposals": "1"}
    assert left(project) == (4, 3, 1, 1)

    answer = client.post(f"{URL}/{third.id}/forget", shown(page))
    assert answer["Location"] == URL
    assert left(project) == (1, 0, 0, 0)
    page = client.get(URL)
    assert told(page) == f"Forgot #{third.id}: 3 facts, 4 quotes, 1 proposal before; 0 after."
    assert "Something else." in page.text and "refund" not in page.text
    with bind(project.id):
        assert list(Fact.objects.in_project(project.id).values_list("id", flat=True)) == [kept.id]
        assert Message.objects.filter(project_id=project.id, role="user").count() == 1
        assert Tombstone.objects.filter(project_id=project.id, kind="fact").count() == 3
        event = AuditEvent.objects.filter(project_id=project.id).order_by("-seq")[0]
    assert (event.actor_id, event.verb, event.object_id) == (str(ada.id), "privacy.forget_fact", str(third.id))
    assert event.data == {
        "before": {"facts": 3, "superseded": 2, "evidence": 4, "proposals": 1, "tellings": 0},
        "after": {"facts": 0, "superseded": 0, "evidence": 0, "proposals": 0, "tellings": 0},
    }
    for path in ("", "/edit", "/forget"):
        assert client.get(f"{URL}/{third.id}{path}").status_code == 404
    assert client.post(f"{URL}/{third.id}/forget", {}).status_code == 404
    assert "No such fact" in client.get(f"{URL}?open={third.id}").text


def test_a_preview_counts_so_far(project: Project, monkeypatch: pytest.MonkeyPatch) -> None:
    for module in ("apps.privacy.queries", "apps.console.views.facts.forget_page"):
        monkeypatch.setattr(f"{module}.SHOWN", 1)
    fact = approved(project)
    newer = revised(project, fact, "Our refund window is 45 days.", agent_name="support")
    curator = login(project, "curator")
    page = curator.get(f"{URL}/{newer.id}/forget")
    assert between(page, "What goes</h2>", "</section>") == (
        "more than 1 fact, 1 superseded version among them more than 1 quote that they or their proposals rest on"
        " 1 proposal that made them, would change them or say the same"
    )
    assert shown(page) == {"facts": "2", "superseded": "1", "evidence": "2", "proposals": "1"}
    # What goes is counted to the last.
    answer = curator.post(f"{URL}/{newer.id}/forget", shown(page))
    assert answer["Location"] == URL
    assert told(curator.get(URL)) == f"Forgot #{newer.id}: 2 facts, 3 quotes, 1 proposal before; 0 after."


def test_a_version_in_the_middle_leaves_the_newer_one_and_says_so(project: Project) -> None:
    first = make_fact(project, "One.")
    second = revised(project, first, "Two.")
    third = revised(project, second, "Three.")
    client = login(project, "privacy_officer")
    page = client.get(f"{URL}/{second.id}/forget")
    assert f"#{third.id} , the version that replaced it." in between(page, "What stays</h2>", "</section>")
    assert "The conversation" not in between(page, "What stays</h2>", "</section>")
    assert client.post(f"{URL}/{second.id}/forget", shown(page)).status_code == 302
    with bind(project.id):
        assert list(Fact.objects.in_project(project.id).values_list("content", flat=True)) == ["Three."]


def test_more_than_was_shown_is_not_deleted(project: Project) -> None:
    fact = make_fact(project, "One.")
    client = login(project, "curator")
    page = client.get(f"{URL}/{fact.id}/forget")
    new = revised(project, fact, "Two.")
    before = state(project)
    stale = client.post(f"{URL}/{new.id}/forget", shown(page))
    assert stale.status_code == 409
    assert "The fact changed since the preview; look at it again." in text(stale.text)
    assert shown(stale) == {"facts": "2", "superseded": "1", "evidence": "0", "proposals": "0"}
    for fields in ({}, {"facts": "x"}, {"facts": "-1"}, {"facts": "1", "superseded": "0", "evidence": "0"}):
        answer = client.post(f"{URL}/{new.id}/forget", fields)
        assert answer.status_code == 409 and "did not say what was shown" in answer.text
    assert moved(before, state(project)) == set()
    assert client.post(f"{URL}/{new.id}/forget", shown(stale)).status_code == 302


def test_the_words_are_shown_as_they_are_and_cancel_leads_back(project: Project) -> None:
    fact = make_fact(project, "<script>alert(1)</script>")
    page = login(project, "curator").get(f"{URL}/{fact.id}/forget")
    assert "&lt;script&gt;alert(1)&lt;/script&gt;" in page.text and "<script>alert" not in page.text
    assert link(page, "Cancel") == f"{URL}?open={fact.id}"


def test_a_stranger_forgets_nothing(project: Project) -> None:
    fact = make_fact(project, "One.")
    stranger = login(None, user=make_user())
    before = state(project)
    page = {"facts": "1", "superseded": "0", "evidence": "0", "proposals": "0"}
    assert stranger.post(f"{URL}/{fact.id}/forget", page).status_code == 404
    assert Client().post(f"{URL}/{fact.id}/forget", page).status_code == 302
    assert moved(before, state(project)) == set()
