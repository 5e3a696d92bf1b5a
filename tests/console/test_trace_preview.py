"""What would be extracted from a trace now: the candidates beside what was stored, and nothing stored by looking."""

import pytest
from django.test import Client
from pytest_django import Settings

from apps.core.transactions import bind
from apps.curation.models import Proposal
from apps.extraction.models import ExtractionSettings
from apps.tenancy.models import Project
from tests.console.pages import text
from tests.console.stage import learn, login, moved, push, state
from tests.factories import make_agent, make_project
from tests.spans import run_of, trace_id

pytestmark = pytest.mark.django_db
PAGE = f"/p/acme/traces/{trace_id('t')}"
SAID = "I live in Porto. Our refund window is 30 days. Hello there."


@pytest.fixture
def project(settings: Settings) -> Project:
    settings.EMBEDDER = "none"
    project = make_project("acme")
    make_agent(project, "support")
    return project


@pytest.fixture
def curator(project: Project) -> Client:
    return login(project, "curator")


def test_a_trace_that_was_never_mined_shows_what_it_would_give_and_keeps_nothing(
    project: Project, curator: Client
) -> None:
    push(project, run_of("t", SAID, user="ada"))
    before = state(project)
    page = curator.post(f"{PAGE}/preview")
    assert page.status_code == 200
    rows = page.context["rows"]
    kept = [(row.statement, row.words) for row in rows if row.now and row.now.label == "Kept"]
    assert kept == [
        ("Lives in Porto.", "I live in Porto."),
        ("Our refund window is 30 days.", "Our refund window is 30 days."),
    ]
    assert all(row.stored is None for row in rows) and page.context["made"] == 2
    assert "By the rules, version" in text(page.text) and "Nothing was stored" in text(page.text)
    assert moved(before, state(project)) == set()
    assert "Dry run" in curator.get(PAGE).text


def test_what_was_stored_stands_beside_it(project: Project, curator: Client) -> None:
    learn(project, "t", "I prefer email. Our refund window is 30 days.", user="ada")
    before = state(project)
    page = curator.post(f"{PAGE}/preview")
    assert page.status_code == 200
    stored = [row.stored for row in page.context["rows"] if row.stored]
    with bind(project.id):
        assert {one.proposal for one in stored} == set(Proposal.objects.all())
    assert moved(before, state(project)) == set()


def test_where_a_model_reads_it_is_not_asked(project: Project, curator: Client, settings: Settings) -> None:
    settings.LLM_MODELS, settings.LLM_BASE_URL = [("fast", "model-a", None, None)], "http://models.test/v1"
    with bind(project.id):
        ExtractionSettings.objects.create(project_id=project.id, extractor="llm", model="fast")
    push(project, run_of("t", SAID, user="ada"))
    before = state(project)
    page = curator.post(f"{PAGE}/preview")
    assert page.status_code == 200 and page.context["previewed"].calls == 1
    assert "it would be 1 question of about" in text(page.text)
    assert moved(before, state(project)) == set()


def test_who_may_not_and_what_is_not_there(project: Project, curator: Client) -> None:
    push(project, run_of("t", SAID, user="ada"))
    officer = login(project, "privacy_officer")
    assert officer.post(f"{PAGE}/preview").status_code == 403
    assert "Dry run" not in officer.get(PAGE).text
    assert curator.post(f"/p/acme/traces/{trace_id('none')}/preview").status_code == 404
    answer = curator.get(f"{PAGE}/preview")
    assert (answer.status_code, answer["Location"]) == (302, PAGE)
