"""Work in flight while somebody is erased, and workers that die: for the tests, and for the benchmark, which does it a
thousand times."""

import os
import random
import signal
import subprocess
import sys
from concurrent.futures import ThreadPoolExecutor
from datetime import timedelta
from pathlib import Path
from threading import Event
from typing import Any

from django.db import connection, connections

from apps.access.actor import Actor
from apps.core.clock import now
from apps.core.transactions import bind
from apps.curation.models import Proposal
from apps.extraction.actions.claim_traces import Claim, claim_traces
from apps.extraction.actions.extract_trace import extract_trace
from apps.extraction.candidates import Conversation, Extraction
from apps.extraction.models import ExtractionRun
from apps.extraction.rules import RulesExtractor
from apps.facts.models import Fact
from apps.insight.actions.save_view import save_view
from apps.privacy.actions.approve_request import approve_request, submit_request
from apps.privacy.actions.preview_request import preview_request
from apps.privacy.models import PrivacyRequest
from apps.privacy.preview import identifiers_of
from apps.tenancy.models import Project, Subject
from apps.traces.models import Message, Trace
from tests.extraction.test_extract_trace import push, settle
from tests.factories import user_actor
from tests.privacy.canaries import furnish
from tests.privacy.stage import approved, fresh, learned, work
from tests.spans import run_of

BYSTANDER = "bystander"
ROOT = Path(__file__).resolve().parent.parent.parent


class Slow:
    """The product's own rules, behind a model that takes as long as it is told to."""

    name, version, patience = "slow", "1", 5.0

    def __init__(self) -> None:
        self.asked, self.may_answer = Event(), Event()

    def extract(self, conversation: Conversation) -> Extraction:
        self.asked.set()
        self.may_answer.wait(60)
        return RulesExtractor().extract(conversation)


def left_of(project: Project, *names: str) -> tuple[int, ...]:
    with bind(project.id):
        return (
            Subject.objects.filter(external_id__in=names).count(),
            Fact.objects.filter(scope_id__in=names).count(),
            Proposal.objects.filter(scope_id__in=names).count(),
            Trace.objects.exclude(subject__external_id=BYSTANDER).count(),
            Message.objects.exclude(subject__external_id=BYSTANDER).count(),
            ExtractionRun.objects.exclude(subject__external_id=BYSTANDER).count(),
        )


def race(project: Project, turn: str, people: int, chance: random.Random, officers: tuple[Actor, Actor]) -> list[str]:
    """So many people are erased while an extraction of each waits for a model, which answers before, in the middle of it,
    or after; their names. The caller looks whether anything is left."""
    names = [f"person-{turn}-{number}" for number in range(people)]
    for name in [*names, BYSTANDER]:
        push(project, run_of(f"t-{turn}-{name}", "I live in Lisbon. I prefer email.", user=name))
    settle(project)
    claims = claim_traces(limit=people + 1)
    assert len(claims) == people + 1
    models = [Slow() for _ in claims]
    with ThreadPoolExecutor(len(claims) + 1) as pool:
        running = [pool.submit(extract, claim, model) for claim, model in zip(claims, models, strict=True)]
        assert all(model.asked.wait(60) for model in models)
        for model in chance.sample(models, 1):
            model.may_answer.set()
        for name in names:
            approved(project, name, officers=officers)
        erasing = pool.submit(carry_on, project)
        for model in chance.sample(models, len(models)):
            model.may_answer.set()
        for one in running:
            one.result(120)
        erasing.result(120)
    # What had come in between preview and erasure was shown to be looked at again, not erased unseen.
    for request in again(project):
        approve_again(project, request, officers)
    carry_on(project)
    return names


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


def approve_again(project: Project, request: PrivacyRequest, officers: tuple[Actor, Actor]) -> None:
    first, second = officers
    with bind(project.id):
        name = next(item.value for item in identifiers_of(request) if item.kind == "user_id")
    request, reach = preview_request(actor=first, project_id=project.id, request_id=request.id)
    digest = reach.digest().hex()
    submit_request(actor=first, project_id=project.id, request_id=request.id, digest=digest, typed_id=name)
    approve_request(actor=second, project_id=project.id, request_id=request.id, digest=digest, typed_id=name)


KILLED = """
import os, signal, sys
import django
django.setup()
from apps.privacy.actions import carry_out
from apps.privacy.claims import claim_requests
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

def issued(*given):
    receipt(*given)
    die()

receipt = carry_out.issue_receipt
if step == 'receipt':
    carry_out.issue_receipt = issued
carry_out._counted, carry_out._step = before_commit, at
for claim in claim_requests():
    carry_out.carry_out(claim)
"""


def killed_at(
    project: Project, step: str, officers: tuple[Actor, Actor], *, furnished: bool = False
) -> tuple[Any, ...]:
    """Erase somebody, ``furnished`` with rows in most stores, with a worker that is killed in the open transaction of a step
    ("" for none), and by another one then; what the receipt is made of."""
    user = f"person-{step or 'none'}"
    learned(project, f"t-{user}", "I live in Lisbon. I prefer email.", user=user)
    if furnished:
        furnish(project, user)
        # In somebody else's words and on a member's list too.
        push(project, run_of(f"beside-{user}", f"Please write to {user} today.", user=BYSTANDER))
        save_view(actor=user_actor(project, "curator"), project_id=project.id, name=f"Of {user}", query={"q": user})
    request = approved(project, user, officers=officers)
    if step:
        died = subprocess.run(
            [sys.executable, "-c", KILLED, step], cwd=ROOT, env=os.environ, timeout=120, capture_output=True
        )
        assert died.returncode == -signal.SIGKILL, (step, died.stderr[-2000:])
        assert fresh(request).state in {"suppressing", "erasing", "purging", "verifying"}, step
        with bind(project.id):
            PrivacyRequest.objects.filter(id=request.id).update(lease_until=now() - timedelta(seconds=1))
    assert work(project) == ["completed"], step
    done = fresh(request)
    return done.progress["before"], done.progress["erased"], done.residue
