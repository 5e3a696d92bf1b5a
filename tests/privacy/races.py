"""Work in flight while somebody is erased, and workers that die: for the tests, and for the benchmark, which does it a
thousand times."""

import os
import random
import signal
import subprocess
import sys
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
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
from apps.privacy.actions import carry_out
from apps.privacy.actions.approve_request import approve_request, submit_request
from apps.privacy.actions.preview_request import preview_request
from apps.privacy.models import PrivacyRequest
from apps.privacy.preview import identifiers_of
from apps.privacy.stores import STORES
from apps.tenancy.models import Project, Subject
from apps.traces.models import Message, Trace
from tests.extraction.test_extract_trace import push, settle
from tests.factories import user_actor
from tests.privacy.canaries import furnish
from tests.privacy.stage import approved, fresh, learned, work
from tests.spans import run_of

BYSTANDER = "bystander"
ROOT = Path(__file__).resolve().parent.parent.parent
EARLY, BESIDE, LATE = "early", "beside", "late"
"""Moments of an answer: before anything is approved, while the erasure begins, when it has ended."""
MOMENTS = [EARLY, BESIDE, *(store.name for store in STORES), LATE]
"""The others are those at which a store has just been emptied of the person."""


class Slow:
    """The product's own rules, behind a model that answers at its moment."""

    name, version, patience = "slow", "1", 5.0

    def __init__(self, moment: str) -> None:
        self.moment = moment
        self.asked, self.may_answer, self.done = Event(), Event(), Event()

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


def race(
    project: Project, turn: str, people: int, chance: random.Random, officers: tuple[Actor, Actor]
) -> tuple[list[str], int]:
    """So many people are erased while an extraction of each waits for a model, which answers before, after, or when one
    of the stores has just been emptied of that person; their names, and how many proposals were written in the middle of
    it. The caller looks whether anything is left."""
    names = [f"person-{turn}-{number}" for number in range(people)]
    for name in [*names, BYSTANDER]:
        push(project, run_of(f"t-{turn}-{name}", "I live in Lisbon. I prefer email.", user=name))
    settle(project)
    claims = claim_traces(limit=people + 1)
    assert len(claims) == people + 1
    models = [Slow(chance.choice(MOMENTS)) for _ in claims]
    with bind(project.id):
        about = dict(Trace.objects.values_list("id", "subject_id"))
    of_subject = {about[claim.trace_pk]: model for claim, model in zip(claims, models, strict=True)}
    with ThreadPoolExecutor(len(claims) + 1) as pool:
        running = [pool.submit(extract, claim, model) for claim, model in zip(claims, models, strict=True)]
        try:
            assert all(model.asked.wait(60) for model in models)
            answer(models, EARLY)
            for name in names:
                approved(project, name, officers=officers)
            answer(models, BESIDE)
            with answering(of_subject) as late:
                pool.submit(carry_on, project).result(240)
        finally:
            # The late ones, and that of the bystander whose moment may never come.
            for model in models:
                model.may_answer.set()
        for one in running:
            one.result(120)
    # What had come in between preview and erasure was shown to be looked at again, not erased unseen.
    for request in again(project):
        approve_again(project, request, officers)
    carry_on(project)
    return names, sum(late)


def answer(models: list[Slow], moment: str) -> None:
    for model in models:
        if model.moment == moment:
            model.may_answer.set()


@contextmanager
def answering(models: dict[int | None, Slow]) -> Iterator[list[int]]:
    """Between two stores of an erasure the model of that person answers, if this is its moment, and what came of it is
    written before the next store's turn. ``models`` by the subject's row id. Gives how many proposals about the person
    were written then; what the erasure deletes in the end was there meanwhile."""
    erase_store = carry_out._erase_store
    late: list[int] = []

    def then_answer(claim: Any, name: str, reach: Any) -> int:
        count = erase_store(claim, name, reach)
        model = models.get(reach.subject_id)
        if model is not None and model.moment == name and not model.may_answer.is_set():
            model.may_answer.set()
            assert model.done.wait(60)
            with bind(claim.project_id):
                hidden = PrivacyRequest.objects.get(id=claim.request_id).suppressed_at
                late.append(Proposal.objects.filter(subject_id=reach.subject_id, created_at__gt=hidden).count())
        return count

    carry_out._erase_store = then_answer
    try:
        yield late
    finally:
        carry_out._erase_store = erase_store


def extract(claim: Claim, model: Slow) -> None:
    try:
        extract_trace(claim=claim, extractor=model)
    finally:
        model.done.set()
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

def apart(claim, name, erase):
    # What no worker may do: the batch and its count in two transactions.
    from apps.core.transactions import bind, local_setting
    with bind(claim.project_id), local_setting("app.erasing", f"request:{claim.request_id}"):
        count = erase()
    with bind(claim.project_id):
        before_commit(claim, name, count)
    return count

if sys.argv[2:] == ["apart"]:
    carry_out._erase_batch = apart
for claim in claim_requests():
    carry_out.carry_out(claim)
"""


def killed_at(
    project: Project, step: str, officers: tuple[Actor, Actor], *, furnished: bool = False, apart: bool = False
) -> tuple[Any, ...]:
    """Erase somebody, ``furnished`` with rows in most stores, with a worker that is killed in the open transaction of a step
    ("" for none), and by another one then; what the receipt is made of. ``apart``: a broken worker, which counts a batch in
    a transaction of its own."""
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
            [sys.executable, "-c", KILLED, step, *(["apart"] if apart else [])],
            cwd=ROOT,
            env=os.environ,
            timeout=120,
            capture_output=True,
        )
        assert died.returncode == -signal.SIGKILL, (step, died.stderr[-2000:])
        assert fresh(request).state in {"suppressing", "erasing", "purging", "verifying"}, step
        with bind(project.id):
            PrivacyRequest.objects.filter(id=request.id).update(lease_until=now() - timedelta(seconds=1))
    assert work(project) == ["completed"], step
    done = fresh(request)
    return done.progress["before"], done.progress["erased"], done.residue
