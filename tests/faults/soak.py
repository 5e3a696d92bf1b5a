"""Reads, writes, dreams and random faults for so many minutes, and a check of the whole history (make soak MINUTES=60).

`CONTROL=1` has the service lie about every third forget: the run must then fail. Not collected with the other tests; a
quarter of a minute of it is in test_histories.py.
"""

import os
import random
import time

import httpx
from django.db import connections

from apps.core.transactions import bind
from apps.dreaming.models import DreamRun
from apps.dreaming.states import OPEN
from apps.traces.models import Trace
from tests.faults.histories import MIX, PLACE, Histories, check_end, check_reads
from tests.faults.load import Desk, let_go, mined, verify_traces
from tests.faults.plane import Plane, kill_group, waited
from tests.faults.scale import SEED, report

GRACE = 5.0
"""Seconds after PostgreSQL is back in which a refusal still counts as its absence."""
BUDGET = 0.001
LATEST = 260.0
"""Seconds after the end in which everything has to be mined: two leases."""


def test_soak(plane: Plane) -> None:
    soak(plane, minutes=float(os.environ.get("MINUTES", "1")), rate=float(os.environ.get("RATE", "30")))


def soak(plane: Plane, *, minutes: float, rate: float, between: tuple[float, float] = (8, 20)) -> None:
    desk, chance = Desk.make(), random.Random(SEED)
    web, seconds = plane.web(), 60 * minutes
    worker = plane.worker()
    begun, done, away = time.monotonic(), {"postgres": 0, "worker": 0, "redis": 0}, []
    dreams = 0
    agents = 2 + int(seconds * rate * MIX["fact"] / sum(MIX.values()) / PLACE)
    with Histories(desk, web, rate=rate, lies=bool(os.environ.get("CONTROL")), agents=agents) as load:
        while time.monotonic() - begun < seconds:
            time.sleep(chance.uniform(*between))
            dreams += dream(load)
            # Each in turn first, so that a short run has all three.
            fault = next((name for name, count in done.items() if not count), chance.choice([*done]))
            done[fault] += 1
            if fault == "worker":
                kill_group(worker)
                worker = plane.worker(f"worker-{done[fault]}")
            elif fault == "redis":
                plane.stop_redis()
                time.sleep(chance.uniform(1, 10))
                plane.start_redis()
            else:
                stopped = time.monotonic()
                plane.stop_postgres()
                time.sleep(chance.uniform(0.1, 2))
                plane.start_postgres()
                away.append((stopped, time.monotonic() + GRACE))
    connections.close_all()
    if minutes < 1:
        let_go(desk.project)
    drained = waited("every trace is mined", LATEST, lambda: mined(desk.project))
    waited("every dream has ended", LATEST, lambda: not dreaming(desk))
    outside = [one for one in load.asked if not any(one.began + one.seconds >= a and one.began <= b for a, b in away)]
    refused = [one for one in outside if not one.ok]
    anomalies = check_reads(load) + check_end(desk.project, load) + verify_traces(desk.project, load.asked)
    with bind(desk.project.id):
        traces = Trace.objects.count()
    report(
        "F25 soak",
        minutes=round(minutes, 1),
        requests=len(load.asked),
        answers=load.statuses(),
        reads_checked=len(load.reads),
        facts=len(load.stories),
        taken=sum(1 for one in load.stories.values() if one.tries),
        traces=traces,
        dreams=dreams,
        faults=done,
        anomalies=len(anomalies),
        refused_outside_faults=f"{len(refused)} of {len(outside)}",
        all_mined_after=f"{drained:.0f} s",
    )
    assert anomalies == [], "\n".join(anomalies[:20])
    assert load.unforeseen() == []
    assert minutes < 1 or len(refused) <= BUDGET * len(outside), refused[:5]


def dream(load: Histories) -> int:
    """Ask for a run, as a back end does; 1 if it was taken."""
    body = {"scope": "agent", "scope_id": f"agent-{len(load.reads) % load.agents}"}
    try:
        answer = httpx.post(f"{load.server.url}/v1/dreams", json=body, headers={"X-API-Key": load.desk.key}, timeout=40)
    except httpx.HTTPError:
        return 0
    return int(answer.is_success)


def dreaming(desk: Desk) -> bool:
    with bind(desk.project.id):
        return DreamRun.objects.filter(state__in=sorted(OPEN)).exists()
