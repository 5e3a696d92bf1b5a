"""Work in flight while somebody is erased writes nothing afterwards, and a worker that dies at any step changes no count."""

import os
import random
import signal
import subprocess
import sys
from concurrent.futures import ThreadPoolExecutor
from datetime import timedelta
from threading import Event
from typing import Any

import pytest
from django.db import connection, connections

from apps.core.clock import now
from apps.core.transactions import bind
from apps.curation.models import Proposal
from apps.extraction.actions.change_settings import Choice, change_settings
from apps.extraction.actions.claim_traces import Claim, claim_traces
from apps.extraction.actions.extract_trace import extract_trace
from apps.extraction.candidates import Conversation, Extraction
from apps.extraction.models import ExtractionRun
from apps.extraction.rules import RulesExtractor
from apps.facts.models import Fact
from apps.privacy.actions.approve_request import approve_request, submit_request
from apps.privacy.actions.preview_request import preview_request
from apps.privacy.models import PrivacyRequest
from apps.privacy.preview import identifiers_of
from apps.tenancy.models import Project, Subject
from apps.traces.models import Message, Trace
from tests.extraction.talk import answer, entry
from tests.extraction.test_extract_trace import push, settle
from tests.factories import make_agent, make_project, user_actor
from tests.model_server import ModelServer
from tests.privacy.stage import approved, fresh, learned, officer, work
from tests.servers import ROOT
from tests.spans import run_of

RACES = 12
PEOPLE = 6
STEPS = ["suppressing", "erasing", "proposals", "facts", "traces", "subject", "verifying"]


class Slow:
    """The product's own rules, behind a model that takes as long as it is told to."""

    name, version, patience = "slow", "1", 5.0

    def __init__(self) -> None:
        self.asked, self.may_answer = Event(), Event()

    def extract(self, conversation: Conversation) -> Extraction:
        self.asked.set()
        self.may_answer.wait(60)
        return RulesExtractor().extract(conversation)


@pytest.fixture
def project(fresh_db: str, settings: Any) -> Project:
    settings.PURGE_WAITS = False
    project = make_project()
    make_agent(project, "support")
    return project


def left_of(project: Project, *names: str) -> tuple[int, ...]:
    with bind(project.id):
        return (
            Subject.objects.filter(external_id__in=names).count(),
            Fact.objects.filter(scope_id__in=names).count(),
            Proposal.objects.filter(scope_id__in=names).count(),
            Trace.objects.exclude(subject__external_id="bystander").count(),
            Message.objects.exclude(subject__external_id="bystander").count(),
            ExtractionRun.objects.exclude(subject__external_id="bystander").count(),
        )


def test_extractions_that_wait_for_a_model_write_nothing_after_an_erasure(project: Project) -> None:
    """Each answer comes at a moment of its own: before the erasure, in the middle of it, or after."""
    chance = random.Random(7)
    for turn in range(RACES // PEOPLE):
        names = [f"person-{turn}-{number}" for number in range(PEOPLE)]
        for name in [*names, "bystander"]:
            push(project, run_of(f"t-{turn}-{name}", "I live in Lisbon. I prefer email.", user=name))
        settle(project)
        claims = claim_traces(limit=PEOPLE + 1)
        assert len(claims) == PEOPLE + 1
        models = [Slow() for _ in claims]
        with ThreadPoolExecutor(len(claims)) as pool:
            running = [pool.submit(extract, claim, model) for claim, model in zip(claims, models, strict=True)]
            assert all(model.asked.wait(60) for model in models)
            for model in chance.sample(models, 1):
                model.may_answer.set()
            for name in names:
                approved(project, name)
            erasing = pool.submit(carry_on, project)
            for model in chance.sample(models, len(models)):
                model.may_answer.set()
            for one in running:
                one.result(120)
            erasing.result(120)
        # What had come in between preview and erasure was shown to be looked at again, not erased unseen.
        for request in again(project):
            approve_again(project, request)
        carry_on(project)
        assert left_of(project, *names) == (0, 0, 0, 0, 0, 0)
        with bind(project.id):
            assert Proposal.objects.filter(scope_id="bystander").exists()


def extract(claim: Claim, model: Slow) -> None:
    try:
        extract_trace(claim=claim, extractor=model)
    finally:
        connections.close_all()


def carry_on(project: Project) -> None:
    try:
        while work(project):
            pass
    finally:
        if connection.in_atomic_block is False:
            connections["default"].close()


def again(project: Project) -> list[PrivacyRequest]:
    with bind(project.id):
        assert not PrivacyRequest.objects.filter(state="needs_attention").exists()
        return list(PrivacyRequest.objects.filter(state="previewed"))


def approve_again(project: Project, request: PrivacyRequest) -> None:
    first, second = officer(project), officer(project)
    with bind(project.id):
        name = next(item.value for item in identifiers_of(request) if item.kind == "user_id")
    request, reach = preview_request(actor=first, project_id=project.id, request_id=request.id)
    digest = reach.digest().hex()
    submit_request(actor=first, project_id=project.id, request_id=request.id, digest=digest, typed_id=name)
    approve_request(actor=second, project_id=project.id, request_id=request.id, digest=digest, typed_id=name)


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


KILLED = """
import os, signal, sys
import django
django.setup()
from apps.privacy.actions import carry_out
from apps.privacy.stores import STORES
from django.conf import settings
settings.PURGE_WAITS = False
step = sys.argv[1]

def die():
    os.kill(os.getpid(), signal.SIGKILL)

erase, counted, one = carry_out._erase_store, carry_out._counted, carry_out._step

def before_commit(claim, name, count):
    counted(claim, name, count)
    if name == step:
        die()

def at(claim, actor):
    from apps.core.transactions import bind
    with bind(claim.project_id):
        state = carry_out._held(claim).state
    if state == step:
        if state == 'verifying':
            die()
        kept, carry_out.move = carry_out.move, lambda *a, **k: (kept(*a, **k), die())
    return one(claim, actor)

carry_out._counted, carry_out._step = before_commit, at
for claim in carry_out.claim_requests():
    carry_out.carry_out(claim)
"""


def test_a_worker_killed_at_any_step_leaves_the_same_receipt(project: Project) -> None:
    """Each time with the step's transaction open, which the database then takes back."""
    receipts = {}
    for step in ["", *STEPS]:
        user = f"person-{step or 'none'}"
        learned(project, f"t-{user}", "I live in Lisbon. I prefer email.", user=user)
        request = approved(project, user)
        if step:
            killed = subprocess.run([sys.executable, "-c", KILLED, step], cwd=ROOT, env=os.environ, timeout=120)
            assert killed.returncode == -signal.SIGKILL, step
            assert fresh(request).state in {"suppressing", "erasing", "verifying"}
            with bind(project.id):
                PrivacyRequest.objects.filter(id=request.id).update(lease_until=now() - timedelta(seconds=1))
        assert work(project) == ["completed"], step
        done = fresh(request)
        receipts[step] = (done.progress["before"], done.progress["erased"], done.residue)
    assert all(receipt == receipts[""] for receipt in receipts.values()), receipts
    assert receipts[""][0]["facts"] == receipts[""][1]["facts"] == 2
