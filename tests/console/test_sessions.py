"""Sessions on the console: found by id, and what was in mind at which message."""

import re

import pytest
from django.test import Client

from apps.core.transactions import bind
from apps.tenancy.models import Project
from apps.traces.models import Message, Session, SessionMessage
from tests.console.pages import fragment, text
from tests.console.stage import login
from tests.factories import make_agent, make_project, make_subject
from tests.filled import working_memory
from tests.traces.test_summaries import later, push, said, summing

pytestmark = pytest.mark.django_db


@pytest.fixture
def project() -> Project:
    project = make_project("acme")
    make_subject(project, "ada.k")
    return project


@pytest.fixture
def curator(project: Project) -> Client:
    return login(project, "curator")


def fates(page: str) -> list[str]:
    return re.findall(r"(In mind|In a summary|Outside the window|Over the tokens)</span>", page)


def test_a_session_shows_what_its_agent_had_in_mind(project: Project, curator: Client) -> None:
    here = f"/p/acme/sessions/{working_memory(project)}"
    page = curator.get(here).text
    assert fates(page) == ["In a summary"] * 2 + ["In mind"] * 9 and "In mind: 9 of 11" in text(page)
    assert "stands for 2 messages" in text(page)
    page = curator.get(here, {"window": "4", "tokens": "60"}).text
    assert fates(page) == ["In a summary"] * 2 + ["Outside the window"] * 5 + ["Over the tokens"] + ["In mind"] * 3
    assert "about 8 tokens of 60" in text(page) and "compacted from more than 42" in text(page)
    # As it stood before the summary was there, everything up to then was in mind.
    with bind(project.id):
        sixth = SessionMessage.objects.order_by("id")[5].id
    page = curator.get(here, {"at": str(sixth)}).text
    assert fates(page) == ["In mind"] * 6 and f"As it stood after message {sixth}" in text(page)
    page = curator.get(here, {"tokens": "900"}).text
    assert "would be compacted: over 630" in text(page) and "its output would be cut first" in text(page)


@pytest.mark.parametrize("query", [{"window": "many"}, {"tokens": "-1"}, {"at": "9" * 40}])
def test_what_makes_no_sense_is_said_and_left_out(project: Project, curator: Client, query: dict[str, str]) -> None:
    answer = curator.get(f"/p/acme/sessions/{working_memory(project)}", query)
    assert answer.status_code == 422 and "In mind: 9 of 11" in text(answer.text)


def test_sessions_are_found_by_their_id_and_their_user(project: Project, curator: Client) -> None:
    number = working_memory(project)
    for words in ("n" * 200, "ada.k"):
        assert f'id="s{number}"' in fragment(curator, f"/p/acme/sessions?q={words}").text
    assert "No such session" in fragment(curator, "/p/acme/sessions?q=nobody").text
    assert curator.get("/p/acme/sessions/999999").status_code == 404
    assert login(project, "viewer").get("/p/acme/sessions").status_code == 403


def test_a_session_of_traces_shows_what_was_said_and_the_summary_that_stands_for_it(
    project: Project, curator: Client
) -> None:
    make_agent(project, "support")
    spoken = said("a", "I live in Lisbon.")
    push(project, spoken)
    lines = ["user: I live in Lisbon.", "assistant: Understood."]
    push(project, later([*summing("b", lines, "She lives in Lisbon."), *said("b", "I like tea.")], 1))
    with bind(project.id):
        session = Session.objects.get(external_id="chat-1")
        summary = SessionMessage.objects.get()
        first = Message.objects.order_by("at", "id")[0]
    here = f"/p/acme/sessions/{session.id}"
    page = curator.get(here).text
    assert fates(page) == ["In a summary"] * 2 + ["In mind"] * 3 and "In mind: 3 of 5" in text(page)
    assert "stands for 2 messages" in text(page) and page.index("I like tea.") < page.index("She lives in Lisbon.")
    assert f'href="/p/acme/traces/{first.trace_id}#m{first.id}"' in page
    assert f'href="#m{2 * summary.id + 1}"' in page and f'id="m{2 * summary.id + 1}"' in page
    # Before the summary was there, everything up to then was in mind.
    page = curator.get(here, {"at": str(2 * first.id), "window": "5"}).text
    assert fates(page) == ["In mind"] and "I like tea." not in page
    assert fates(curator.get(here, {"window": "1"}).text)[-1] == "In mind"
    listed = curator.get("/p/acme/sessions").text
    assert "its working memory" in listed


def test_a_session_in_which_nothing_was_said(project: Project, curator: Client) -> None:
    with bind(project.id):
        session = Session.objects.create(project_id=project.id, external_id="empty")
    assert "Nothing was said yet" in curator.get(f"/p/acme/sessions/{session.id}").text
