"""Workers whose own clocks are an hour ahead or behind: they hold leases like any other, and nothing waits for them."""

import os
import subprocess
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager
from datetime import timedelta
from pathlib import Path
from typing import Any

import pytest
from django.db import connection
from django.db.models.functions import Now

from apps.core.transactions import bind
from apps.dreaming.leases import claim_dream
from apps.dreaming.models import DreamPhase, DreamRun
from apps.exchange.actions.start_import import start_import
from apps.exchange.leases import claim_import
from apps.exchange.models import Import
from apps.extraction.actions.claim_trace import claim_trace
from apps.extraction.models import ExtractionRun
from apps.tenancy.models import Project
from apps.traces.models import Trace
from tests.dreaming.stage import said, start
from tests.exchange.stage import as_file, checked, line
from tests.extraction.traces import make_desk, push, settle
from tests.factories import make_agent, user_actor
from tests.faults.load import Desk, Load, mined, verify
from tests.faults.plane import Plane, waited
from tests.faults.scale import report, scaled
from tests.live import Live
from tests.servers import ROOT
from tests.spans import run_of, trace_id

HOUR = 3600
LEASE = 120
SOON = 60
"""Seconds; a busy machine takes its time between two looks at a clock."""
NOWHERE = "postgresql://nobody@/nothing?host=/nowhere"
CLOCKS = str(Path(__file__).parent / "clocks")
PROGRAM = """
import sys, time, datetime
import django
django.setup()
from apps.core import clock
if "deaf" in sys.argv:
    clock.hear = lambda moment, *, asked: None
from apps.dreaming.leases import claim_dream
from apps.exchange.leases import claim_import
from apps.extraction.actions.claim_trace import claim_trace

for line in sys.stdin:
    project, trace, run, upload = line.split()
    got = [
        claim_trace(project_id=int(project), trace_id=trace),
        claim_dream(project_id=int(project), run_id=int(run), phase="orient"),
        claim_import(project_id=int(project), import_id=int(upload)),
    ]
    print(time.time(), clock.seconds(), *(int(one is not None) for one in got), flush=True)
"""


def off_by(seconds: int) -> dict[str, str]:
    return {"PYTHONPATH": CLOCKS, "CLOCK_OFF": str(seconds)}


@pytest.fixture
def work(fresh_db: str, settings: Any) -> tuple[Project, Trace, DreamRun, Import]:
    """Something to do of each kind that is taken by name, in nobody's hands."""
    settings.PURGE_WAITS = False
    project = make_desk()
    agent = make_agent(project, "parcels")
    said(project, "Ships on Tuesdays", agent=agent)
    said(project, "Ships on Tuesdays.", agent=agent, days=1)
    push(project, run_of("t", "I live in Porto.", user="t"))
    settle(project)
    run = start(project, "agent", "parcels")
    upload = checked(project, as_file(line("Returns take 45 days.", "agent", "parcels")))
    start_import(actor=user_actor(project, "curator", "admin"), project_id=project.id, import_id=upload.id)
    with bind(project.id):
        trace = Trace.objects.get(trace_id=trace_id("t"))
    free(project, None)
    return project, trace, run, upload


def free(project: Project, until: Any) -> None:
    with bind(project.id):
        Trace.objects.update(lease_until=until, lease_token=None, not_before=None)
        DreamRun.objects.update(lease_until=until, lease_token=None, not_before=None)
        Import.objects.update(lease_until=until, lease_token=None)


def left(project: Project) -> list[float]:
    """Seconds that each of the three is still held, by the database's clock."""
    with bind(project.id), connection.cursor() as cursor:
        cursor.execute(
            "SELECT extract(epoch FROM lease_until - clock_timestamp())::float8 FROM traces_trace UNION ALL"
            " SELECT extract(epoch FROM lease_until - clock_timestamp())::float8 FROM dreaming_dreamrun UNION ALL"
            " SELECT extract(epoch FROM lease_until - clock_timestamp())::float8 FROM exchange_import"
        )
        return [row[0] for row in cursor.fetchall()]


@contextmanager
def elsewhere(seconds: int, *more: str) -> Iterator[Any]:
    """A process with a clock of its own that tries to take each of the three by name; which it got, in that order. Then
    by how many seconds it is off, in all that it writes down by what it takes for the present moment."""
    process = subprocess.Popen(
        [sys.executable, "-c", PROGRAM, *more],
        cwd=ROOT, env=os.environ | off_by(seconds), stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True,
    )  # fmt: skip
    assert process.stdin is not None and process.stdout is not None
    ask, answer = process.stdin, process.stdout

    def takes(project: Project, trace: Trace, run: DreamRun, upload: Import) -> tuple[list[int], float]:
        ask.write(f"{project.id} {trace.trace_id} {run.id} {upload.id}\n")
        ask.flush()
        shown, known, *got = answer.readline().split()
        assert abs(float(shown) - time.time() - seconds) < 60
        return [int(one) for one in got], float(known) - time.time()

    try:
        yield takes
    finally:
        ask.close()
        assert process.wait(30) == 0
        answer.close()


def takes_here(project: Project, trace: Trace, run: DreamRun, upload: Import) -> list[int]:
    got = [
        claim_trace(project_id=project.id, trace_id=trace.trace_id),
        claim_dream(project_id=project.id, run_id=run.id, phase="orient"),
        claim_import(project_id=project.id, import_id=upload.id),
    ]
    return [int(one is not None) for one in got]


@pytest.mark.parametrize("off", [HOUR, -HOUR])
def test_a_lease_is_as_long_whoever_takes_it_and_held_against_every_clock(work: Any, off: int) -> None:
    project = work[0]
    with elsewhere(off) as takes:
        got, wrong_by = takes(*work)
        assert got == [1, 1, 1] and abs(wrong_by) < SOON
        assert all(LEASE - SOON < seconds < LEASE + 2 for seconds in left(project)), left(project)
        assert takes_here(*work) == [0, 0, 0]
        free(project, None)
        assert takes_here(*work) == [1, 1, 1]
        assert takes(*work)[0] == [0, 0, 0]
        free(project, Now() - timedelta(seconds=3))
        assert takes(*work)[0] == [1, 1, 1]
        free(project, Now() - timedelta(seconds=3))
        assert takes_here(*work) == [1, 1, 1]
    report("F13 clocks an hour off, leases by name", off=off, tries=18, taken_early=0, stuck=0)


def test_did_it_not_hear_the_database_it_would_be_seen(work: Any) -> None:
    with elsewhere(HOUR, "deaf") as takes:
        got, wrong_by = takes(*work)
    assert got == [1, 1, 1] and abs(wrong_by - HOUR) < SOON


@pytest.mark.parametrize("off", [HOUR, -HOUR])
def test_two_workers_an_hour_apart_and_then_the_wrong_one_alone(plane: Plane, off: int) -> None:
    """Each has a scheduler of its own, whose messages the other reads."""
    desk, seconds = Desk.make(), scaled("SECONDS", 4, 60)
    project, web = desk.project, plane.web()
    agents = [make_agent(project, f"agent-{number}") for number in range(4)]
    for agent in agents:
        said(project, "Ships on Tuesdays", agent=agent)
        said(project, "Ships on Tuesdays.", agent=agent, days=1)
    right, wrong = plane.worker("right"), plane.worker("wrong", **off_by(off))
    asked: list[Any] = []
    for number, both in enumerate((True, False)):
        with Load(desk, web, rate=10, mix={"trace": 1}, prefix=f"round-{number}") as load:
            for agent in agents[2 * number : 2 * number + 2]:
                start(project, "agent", agent.name)
            time.sleep(seconds)
        asked += load.asked
        waited("every trace is mined", 300, lambda: mined(project))
        waited("every dream has ended", 300, lambda number=number: dreamt(project) == 2 * number + 2)
        if both:
            right.stop()
    assert wrong.process.poll() is None
    assert "Traceback" not in wrong.said() + right.said()
    assert all(one.ok for one in asked)
    assert verify(project, asked) == []
    with bind(project.id):
        assert set(DreamPhase.objects.values_list("state", "attempts")) == {("done", 1)}
        assert ExtractionRun.objects.exclude(outcome="done").count() == 0
        assert ExtractionRun.objects.count() == len(asked)
    report("F13 workers an hour apart", off=off, traces=len(asked), dreams=4, lost=0, doubled=0, worked_on_twice=0)


def asks(desk: Desk, web: Live) -> None:
    """What is accepted now is mined, so that somebody asks for it."""
    with Load(desk, web, rate=5, mix={"trace": 1}) as load:
        waited("something was accepted", 60, lambda: load.asked)
    waited("every trace is mined", 60, lambda: mined(desk.project))
    assert verify(desk.project, load.asked) == []


def test_a_scheduler_an_hour_ahead_asks_at_once(plane: Plane) -> None:
    desk = Desk.make()
    plane.worker(beat=False)
    plane.beat(**off_by(HOUR))
    asks(desk, plane.web())


def test_a_schedule_of_an_hour_ahead_is_not_waited_for(plane: Plane) -> None:
    """Written by a scheduler that could not hear the database then."""
    desk, schedule = Desk.make(), plane.folder / "schedule"
    ahead = plane.beat(schedule, DATABASE_APP_URL=NOWHERE, **off_by(HOUR))
    waited("it has begun", 60, lambda: "was not heard" in ahead.said())
    ahead.stop()
    assert list(plane.folder.glob("schedule*"))
    plane.worker(beat=False)
    plane.beat(schedule)
    asks(desk, plane.web())


def dreamt(project: Project) -> int:
    with bind(project.id):
        return DreamRun.objects.filter(state="proposed").count()
