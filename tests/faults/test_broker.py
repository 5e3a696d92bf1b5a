"""Redis that is away for long, or forgets everything in the middle of work: messages are wake-ups, the rows are the queue."""

import os
import time

import pytest
import redis

from apps.core.transactions import bind
from apps.dreaming.models import DreamPhase, DreamRun
from apps.dreaming.states import OPEN
from apps.traces.models import Trace
from tests.dreaming.stage import said, start
from tests.factories import make_agent
from tests.faults.load import Desk, Load, mined, p95, unmined, verify
from tests.faults.plane import Plane, waited
from tests.faults.scale import WHOLE, report, scaled

WRITES = {"trace": 1}


@pytest.fixture
def desk(plane: Plane) -> Desk:
    return Desk.make()


def test_away_for_long_every_write_is_accepted_and_what_waited_is_done_after(plane: Plane, desk: Desk) -> None:
    seconds, rate = scaled("AWAY", 6, 600), float(os.environ.get("RATE", "0")) or scaled("RATE", 15, 50)
    web, worker = plane.web(), plane.worker()
    with Load(desk, web, rate=rate, mix=WRITES, prefix="before") as before:
        time.sleep(max(3, seconds // 10))
    waited("every trace is mined", 120, lambda: mined(desk.project))
    plane.stop_redis()
    with Load(desk, web, rate=rate, mix=WRITES, prefix="while") as away:
        time.sleep(seconds)
    backlog = unmined(desk.project)
    plane.start_redis()
    took = waited("every trace is mined", 300, lambda: mined(desk.project))
    assert worker.process.poll() is None
    assert [one for one in [*before.asked, *away.asked] if not one.ok] == []
    assert backlog >= 0.8 * len(away.asked)
    slower = p95(away.asked) - p95(before.asked)
    # Beside other tests a time says nothing.
    assert not WHOLE or slower <= 0.05, f"{1000 * slower:.0f} ms slower"
    assert verify(desk.project, before.asked + away.asked) == []
    report(
        "F3 Redis away under load",
        seconds=seconds,
        writes=len(away.asked),
        refused=0,
        p95_slower_by=f"{1000 * slower:.0f} ms",
        waiting=backlog,
        done_after=f"{took:.0f} s",
        done_a_second=f"{backlog / max(took, 0.1):.0f}",
        lost=0,
        doubled=0,
    )


def test_emptied_in_the_middle_of_work_all_goes_on_from_the_rows(plane: Plane, desk: Desk) -> None:
    times, each = scaled("FLUSHES", 3, 20), scaled("TRACES", 30, 200)
    web, project = plane.web(), desk.project
    agents = [make_agent(project, f"agent-{number}") for number in range(times)]
    for agent in agents:
        said(project, "Ships on Tuesdays", agent=agent)
        said(project, "Ships on Tuesdays.", agent=agent, days=1)
    plane.worker()
    store = redis.Redis(unix_socket_path=plane.redis.url.removeprefix("unix://"))
    asked, slowest, gone = [], 0.0, 0
    for number, agent in enumerate(agents):
        with Load(desk, web, rate=60, mix=WRITES, prefix=f"round-{number}") as load:
            start(project, "agent", agent.name)
            time.sleep(each / 60)
        asked += load.asked
        gone += int(store.dbsize())
        store.flushall()
        slowest = max(slowest, waited("all is done", 60, lambda: mined(project) and not dreaming(desk)))
    assert all(one.ok for one in asked)
    assert verify(project, asked) == []
    with bind(project.id):
        assert DreamRun.objects.filter(state="proposed").count() == times
        assert set(DreamPhase.objects.values_list("state", "attempts")) == {("done", 1)}
        assert DreamPhase.objects.count() == 4 * times
        assert not Trace.objects.exclude(attempts=0).exists()
    report(
        "F4 Redis emptied in the middle of work",
        times=times,
        keys_gone=gone,
        traces=len(asked),
        dreams=times,
        all_done_after=f"{slowest:.0f} s at most",
        lost=0,
        doubled=0,
    )


def dreaming(desk: Desk) -> bool:
    with bind(desk.project.id):
        return DreamRun.objects.filter(state__in=sorted(OPEN)).exists()
