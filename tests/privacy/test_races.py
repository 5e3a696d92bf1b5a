"""Work in flight while somebody is erased writes nothing afterwards, and a worker that dies at any step changes no count."""

import random
from concurrent.futures import ThreadPoolExecutor
from threading import Event
from typing import Any

import pytest
from django.db import connections

from apps.core.transactions import bind
from apps.curation.models import Proposal
from apps.extraction.actions.change_settings import Choice, change_settings
from apps.extraction.actions.claim_traces import Claim, claim_traces
from apps.extraction.actions.extract_trace import extract_trace
from apps.privacy.models import PrivacyRequest
from apps.tenancy.models import Project
from tests.extraction.talk import answer, entry
from tests.extraction.test_extract_trace import push, settle
from tests.factories import make_agent, make_project, user_actor
from tests.model_server import ModelServer
from tests.privacy.races import BYSTANDER, killed_at, left_of, race
from tests.privacy.stage import approved, fresh, officer, work
from tests.spans import run_of

RACES = 12
PEOPLE = 6
STEPS = ["suppressing", "erasing", "proposals", "facts", "traces", "subject", "verifying", "receipt"]


@pytest.fixture
def project(fresh_db: str, settings: Any) -> Project:
    settings.PURGE_WAITS = False
    project = make_project()
    make_agent(project, "support")
    return project


def test_extractions_that_wait_for_a_model_write_nothing_after_an_erasure(project: Project) -> None:
    """Each answer comes at a moment of its own: before the erasure, in the middle of it, or after."""
    chance, officers = random.Random(7), (officer(project), officer(project))
    for turn in range(RACES // PEOPLE):
        names, late = race(project, str(turn), PEOPLE, chance, officers)
        assert late == 0
        assert left_of(project, *names) == (0, 0, 0, 0, 0, 0)
        with bind(project.id):
            assert Proposal.objects.filter(scope_id=BYSTANDER).exists()
            assert set(PrivacyRequest.objects.values_list("state", flat=True)) == {"completed"}


def test_a_language_model_that_answers_after_the_erasure_teaches_nothing(project: Project, settings: Any) -> None:
    settings.EMBEDDER = "none"
    asked, may_answer = Event(), Event()

    def late(request: Any) -> Any:
        asked.set()
        may_answer.wait(60)
        return answer(entry("I live in Lisbon", "Lives in Lisbon."))

    with ModelServer() as models:
        models.script(late)
        settings.LLM_BASE_URL, settings.LLM_TIMEOUT = models.url, 60.0
        settings.LLM_MODELS = [("small", "scripted", None, None)]
        change_settings(
            actor=user_actor(project, "admin"), project_id=project.id, choice=Choice(extractor="llm", model="small")
        )
        push(project, run_of("t", "I live in Lisbon.", user="ada.lovelace"))
        settle(project)
        (claim,) = claim_traces()
        with ThreadPoolExecutor(1) as pool:
            running = pool.submit(llm, claim)
            assert asked.wait(60)
            request = approved(project, "ada.lovelace")
            assert work(project) == ["completed"]
            may_answer.set()
            running.result(120)
    assert left_of(project, "ada.lovelace") == (0, 0, 0, 0, 0, 0)
    assert fresh(request).state == "completed"


def llm(claim: Claim) -> None:
    try:
        extract_trace(claim=claim)
    finally:
        connections.close_all()


def test_a_worker_killed_at_any_step_leaves_the_same_receipt(project: Project) -> None:
    """Each time with the step's transaction open, which the database then takes back."""
    officers = (officer(project), officer(project))
    receipts = {step: killed_at(project, step, officers) for step in ["", *STEPS]}
    assert all(receipt == receipts[""] for receipt in receipts.values()), receipts
    assert receipts[""][0]["facts"] == receipts[""][1]["facts"] == 2
