"""Workers that die at any point of a run, two that start the same one, and people who are erased while a model answers.

`KILLS` and `RACES` say how many of each; `SEED` names other moments, so that it may be done in parts.
"""

import random
import signal
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from datetime import timedelta
from threading import Barrier, Event
from typing import Any

import pytest
from django.db import connections

from apps.access.actor import system_actor
from apps.audit.queries import verify_chain
from apps.core.clock import now
from apps.core.transactions import bind
from apps.dreaming.actions.apply_changes import apply_changes
from apps.dreaming.actions.run_phase import run_phase
from apps.dreaming.actions.start_dream import start_dream
from apps.dreaming.engine import Report
from apps.dreaming.leases import claim_dream, claim_dreams
from apps.dreaming.models import DreamChange, DreamPhase, DreamRun, DreamTarget
from apps.dreaming.operations import Operation
from apps.dreaming.states import OPEN, PHASES
from apps.facts.models import Fact
from apps.privacy.models import PrivacyRequest
from apps.tenancy.models import Project
from tests.dreaming.stage import Scripted, changes, choose, fresh, said, shown, start
from tests.factories import make_agent, make_project, user_actor
from tests.faults.killing import killing
from tests.faults.scale import SEED, report, scaled
from tests.privacy.stage import approved, work
from tests.privacy.stage import fresh as fresh_request

KILLS = scaled("KILLS", 10, 200)
RACES = scaled("RACES", 4, 200)
POINTS = [f"{phase}.{step}" for phase in PHASES for step in ("begun", "staged", "before-commit", "committed")]
POINTS += ["apply.one", "apply.before-commit"]

WORK = """
from apps.access.actor import system_actor
from apps.dreaming.actions.apply_changes import apply_changes
from apps.dreaming.actions.run_phase import run_phase
from apps.dreaming.leases import claim_dreams

def work(project, run, point):
    if point.startswith("apply"):
        apply_changes(actor=system_actor("dreaming", project), project_id=project, run_id=run)
        return
    while claims := claim_dreams():
        for claim in claims:
            run_phase(claim=claim)
"""


@pytest.fixture
def project(fresh_db: str, settings: Any) -> Project:
    settings.PURGE_WAITS = False
    project = make_project()
    choose(project, fact_cap=None)
    return project


@pytest.fixture
def killer(fresh_db: str) -> Iterator[Callable[..., int]]:
    with killing(WORK) as job:
        yield job


def place(project: Project, name: str) -> DreamRun:
    """A run over one fact of each kind that an agent's place may hold."""
    agent = make_agent(project, name)
    said(project, "Ships on Tuesdays", agent=agent)
    said(project, "Ships on Tuesdays.", agent=agent, days=1)
    said(project, "Refunds take 30 days.", agent=agent, attribute="refund-window")
    said(project, "You have 14 days for a refund.", agent=agent, attribute="refund-window", days=9)
    said(project, "The lift was repaired yesterday.", agent=agent)
    said(project, "Free delivery in May.", agent=agent, expired=True)
    return start(project, "agent", name)


def test_killed_at_any_point_nothing_is_lost_and_nothing_doubled(project: Project, killer: Callable[..., int]) -> None:
    chance = random.Random(SEED)
    points = POINTS if len(POINTS) <= KILLS else [*chance.sample(POINTS[:-2], KILLS - 2), *POINTS[-2:]]
    points += [chance.choice(POINTS) for _ in range(KILLS - len(points))]
    expected = [("merge", ""), ("resolve", ""), ("redate", "The lift was repaired on 9 January 2026."), ("retire", "")]
    for number, point in enumerate(points):
        run = place(project, f"agent-{number}")
        with bind(project.id):
            before = list(Fact.objects.order_by("id").values("id", "superseded_by", "retired_at"))
        if not point.startswith("apply"):
            assert killer(run, point) == signal.SIGKILL, point
            with bind(project.id):
                DreamRun.objects.filter(id=run.id).update(lease_until=now() - timedelta(seconds=1))
        assert killer(run) == 0, point
        run = fresh(run)
        assert (run.state, [(op, content) for op, _, _, content in shown(run)]) == ("proposed", expected), point
        with bind(project.id):
            assert list(Fact.objects.order_by("id").values("id", "superseded_by", "retired_at")) == before
            phases = DreamPhase.objects.filter(run=run).order_by("id")
            assert [(one.name, one.state) for one in phases] == [(name, "done") for name in PHASES]
            DreamChange.objects.filter(run=run).update(state="accepted", decided_at=now(), decided_by="user:1")
        if point.startswith("apply"):
            assert killer(run, point, 1 if point == "apply.one" else 0) == signal.SIGKILL, point
            assert {change.state for change in changes(run)} == {"accepted"}
            with bind(project.id):
                assert list(Fact.objects.order_by("id").values("id", "superseded_by", "retired_at")) == before
        applied = apply_changes(actor=user_actor(project, "curator"), project_id=project.id, run_id=run.id)
        assert (len(applied.applied), applied.conflicted, applied.left) == (4, [], []), point
        lost_none(project, [row["id"] for row in before])
    with bind(project.id):
        assert not DreamRun.objects.filter(state__in=sorted(OPEN)).exists()
        assert DreamRun.objects.count() == len(points)
        assert verify_chain(project.id).broken_at is None
    report("dreams killed at named points", kills=len(points), lost=0, doubled=0, runs_left_open=0, chain="valid")


def lost_none(project: Project, ids: list[int]) -> None:
    """Every fact that was there is current, retired and kept, or reachable from a current one by what superseded it."""
    with bind(project.id):
        by_id = Fact.objects.in_bulk()
        for fact_id in ids:
            fact = by_id[fact_id]
            while fact.superseded_by_id is not None:
                fact = by_id[fact.superseded_by_id]
            assert fact.superseded_at is None, f"#{fact_id} leads nowhere"


def test_two_that_start_the_same_get_one_run(project: Project) -> None:
    make_agent(project, "support")
    actor = system_actor("dreaming", project.id)
    for turn in range(5):
        barrier = Barrier(6)

        def ask(number: int, turn: int = turn, barrier: Barrier = barrier) -> tuple[int, bool]:
            try:
                barrier.wait(30)
                found = start_dream(
                    actor=actor,
                    project_id=project.id,
                    scope="agent",
                    scope_id="support",
                    idempotency_key=f"turn-{turn}" if number % 2 else "",
                )
                return found.run.id, found.created
            finally:
                connections.close_all()

        with ThreadPoolExecutor(6) as pool:
            found = list(pool.map(ask, range(6)))
        assert len({run_id for run_id, _ in found}) == 1 and sum(created for _, created in found) == 1
        with ThreadPoolExecutor(3) as pool:
            list(pool.map(carry_on, range(3)))
        with bind(project.id):
            assert DreamRun.objects.filter(state__in=sorted(OPEN)).count() == 0
            assert DreamPhase.objects.filter(run_id=found[0][0], state="done", attempts=1).count() == 4


def carry_on(_: int) -> None:
    try:
        while claims := claim_dreams():
            for claim in claims:
                run_phase(claim=claim)
    finally:
        connections.close_all()


class Slow(Scripted):
    """Waits at its model until it may answer."""

    waits = True

    def __init__(self, *operations: Operation) -> None:
        super().__init__(*operations)
        self.at_model, self.may_answer = Event(), Event()

    def consolidate(self, scene: Any, before: dict[str, Any]) -> Report:
        self.at_model.set()
        self.may_answer.wait(60)
        return super().consolidate(scene, before)


def test_of_somebody_erased_while_a_model_answers_nothing_is_written(project: Project) -> None:
    """Each answer comes before, within or after the erasure. The person's own place, and the project's, where a fact names
    her."""
    chance = random.Random(SEED)
    for number in range(RACES):
        name = f"person-{number}-lovelace"
        first, second = (said(project, text, user=name) for text in ("Prefers tea", "Prefers tea."))
        named = said(project, f"Ask {name} about keys", at=now())
        twin = said(project, f"Ask {name} about keys.", at=now())
        ops = [
            Operation(
                op="merge", targets=(one.id, two.id), keep=one.id, evidence=(("fact", one.id),), reason=f"Of {name}."
            )
            for one, two in ((first, second), (named, twin))
        ]
        engines = [Slow(ops[0]), Slow(ops[1])]
        runs = [start(project, "user", name), start(project, "project", "")]
        with ThreadPoolExecutor(3) as pool:
            running = [pool.submit(phases, project, run, engine) for run, engine in zip(runs, engines, strict=True)]
            for one, engine in zip(running, engines, strict=True):
                assert engine.at_model.wait(15) or one.result(0)
            request = approved(project, name)
            early = chance.random() < 0.3
            if early:
                engines[number % 2].may_answer.set()
            erasing = pool.submit(erase, project)
            if chance.random() < 0.5:
                erasing.result(120)
            for engine in engines:
                engine.may_answer.set()
            for one in running:
                one.result(120)
            erasing.result(120)
        erase(project)
        assert fresh_request(request).state == "completed", number
        with bind(project.id):
            assert not DreamRun.objects.filter(scope_id=name).exists()
            assert not DreamRun.objects.filter(state__in=sorted(OPEN)).exists()
            assert not DreamChange.objects.filter(reason__contains="lovelace").exists()
            assert DreamChange.objects.count() == DreamTarget.objects.count() == 0
            assert not Fact.objects.filter(content__contains=name).exists()
            assert not PrivacyRequest.objects.filter(state="needs_attention").exists()
    report("people erased while a dream asks its model", races=RACES, written_of_them=0)


def phases(project: Project, run: DreamRun, engine: Slow) -> None:
    try:
        for _ in range(8):
            with bind(project.id):
                found = DreamRun.objects.filter(id=run.id, state__in=sorted(OPEN)).first()
            if found is None:
                return
            claim = claim_dream(project_id=project.id, run_id=run.id, phase=found.phase)
            if claim:
                run_phase(claim=claim, engine_of=lambda _: engine)
    finally:
        connections.close_all()


def erase(project: Project) -> None:
    try:
        while work(project):
            pass
    finally:
        connections["default"].close()
