"""Workers that die at any point of mining a trace, are paused beyond their lease, or get the same one at once."""

import random
import signal
import time
from collections import Counter
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import ExitStack
from threading import Barrier
from typing import Any

import httpx
import pytest

from apps.audit.models import AuditEvent
from apps.audit.queries import verify_chain
from apps.core.transactions import bind
from apps.curation.models import Proposal, ProposalEvidence
from apps.extraction.actions.claim_traces import LEASE_SECONDS
from apps.extraction.models import ExtractionRun
from apps.tenancy.models import Project
from apps.traces.models import Message, Span, Trace
from tests.extraction.traces import make_desk, push, settle
from tests.factories import make_key
from tests.faults.killing import Killer, killing
from tests.faults.load import let_go
from tests.faults.scale import SEED, WHOLE, report, scaled
from tests.live import Live
from tests.spans import run_of, trace_id

KILLS = scaled("KILLS", 12, 200)
PAUSES = scaled("PAUSES", 2, 6)
POINTS = [f"extract.{step}" for step in ("claimed", "begun", "answered", "proposed", "before-commit", "committed")]
SAID = "I prefer email over phone calls. I live in Porto."
LEARNED = ["Lives in Porto.", "Prefers email over phone calls."]

WORK = """
from apps.extraction.pool import mine

def work(project, trace, point):
    mine(slots=1)
"""


@pytest.fixture(autouse=True)
def without_vectors(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("MEMORYPLANE_EMBEDDER", "none")
    # The thread that comes to a point is the only one with a transaction: a second would be stopped within its own.
    monkeypatch.setenv("MEMORYPLANE_EXTRACT_CONNECTIONS", "1")


@pytest.fixture
def desk(fresh_db: str) -> Project:
    return make_desk()


@pytest.fixture
def killer(desk: Project) -> Iterator[Killer]:
    with killing(WORK) as job:
        yield job


def told(project: Project, name: str) -> Trace:
    """A settled trace in which the user of its name says two things worth keeping."""
    push(project, run_of(name, SAID, user=name))
    settle(project)
    with bind(project.id):
        return Trace.objects.get(trace_id=trace_id(name))


def learned(project: Project, name: str) -> tuple[list[str], int, list[str], int, int]:
    """What is there of one trace: proposals, their quotes, outcomes of runs, lines in the audit, messages not mined."""
    with bind(project.id):
        of_trace = {"trace_id": trace_id(name)}
        return (
            list(Proposal.objects.filter(scope_id=name).order_by("content").values_list("content", flat=True)),
            ProposalEvidence.objects.filter(**of_trace).count(),
            list(ExtractionRun.objects.filter(**of_trace).values_list("outcome", flat=True)),
            AuditEvent.objects.filter(verb="traces.extract", object_id=of_trace["trace_id"]).count(),
            Message.objects.filter(**of_trace, mined_at=None, role="user").count(),
        )


ONCE = (LEARNED, 2, ["done"], 1, 0)


def test_killed_at_any_point_nothing_is_lost_and_nothing_doubled(desk: Project, killer: Killer) -> None:
    chance = random.Random(SEED)
    points = [*POINTS, *(chance.choice(POINTS) for _ in range(KILLS - len(POINTS)))]
    for number, point in enumerate(points):
        name = f"person-{number}"
        trace = told(desk, name)
        assert killer(trace, point) == signal.SIGKILL, point
        before = learned(desk, name)
        assert before == (ONCE if point == "extract.committed" else ([], 0, [], 0, 1)), point
        let_go(desk)
        assert killer(trace) == 0, point
        assert learned(desk, name) == ONCE, point
    with bind(desk.id):
        assert not Trace.objects.filter(extracted_at=None).exists()
        assert not Trace.objects.exclude(lease_token=None).exists()
        assert Proposal.objects.count() == len(LEARNED) * len(points)
        assert verify_chain(desk.id).broken_at is None
    report(
        "F1 extraction killed at named points",
        kills=len(points),
        lost=0,
        doubled=0,
        not_ended=0,
        chain="valid",
        **{point.removeprefix("extract."): count for point, count in sorted(Counter(points).items())},
    )


def test_a_worker_paused_beyond_its_lease_writes_nothing(desk: Project, killer: Killer) -> None:
    """Paused where it has its answer and is about to write; another worker takes the trace meanwhile."""
    with killing(WORK) as other:
        for number in range(PAUSES):
            name = f"person-{number}"
            trace = told(desk, name)
            assert killer.paused(trace, "extract.answered")
            if WHOLE and not number:
                time.sleep(LEASE_SECONDS + 1)
            else:
                let_go(desk)
            assert other(trace) == 0
            assert learned(desk, name) == ONCE
            assert killer.go_on() == 0
            assert learned(desk, name) == ONCE
    with bind(desk.id):
        assert verify_chain(desk.id).broken_at is None
    report("F11 workers paused beyond their lease", pauses=PAUSES, late_writes=0, doubled=0)


def test_were_the_lease_not_asked_for_the_late_write_would_be_seen(desk: Project, killer: Killer) -> None:
    """The control of the test above: the paused worker is given its token back."""
    trace = told(desk, "person")
    assert killer.paused(trace, "extract.answered")
    with bind(desk.id):
        token = Trace.objects.get().lease_token
    let_go(desk)
    with killing(WORK) as other:
        assert other(trace) == 0
    with bind(desk.id):
        Trace.objects.update(lease_token=token)
    assert killer.go_on() == 0
    found = learned(desk, "person")
    assert found != ONCE and found[2] == ["done", "done"]


def test_one_trace_and_five_workers(desk: Project) -> None:
    rounds = scaled("ROUNDS", 2, 20)
    with ExitStack() as stack, ThreadPoolExecutor(5) as pool:
        workers = [stack.enter_context(killing(WORK)) for _ in range(5)]
        for number in range(rounds):
            name = f"person-{number}"
            trace, barrier = told(desk, name), Barrier(5)

            def mined(worker: Killer, trace: Trace = trace, barrier: Barrier = barrier) -> int:
                barrier.wait(60)
                return worker(trace)

            assert list(pool.map(mined, workers)) == [0] * 5
            assert learned(desk, name) == ONCE
    report("F5 five workers and one trace", rounds=rounds, doubled=0)


def test_one_batch_sent_five_times_at_once(desk: Project, server: Live, worker: Callable[..., Live]) -> None:
    rounds = scaled("ROUNDS", 3, 50)
    _, key = make_key(desk)

    def sent(name: str, barrier: Barrier) -> int:
        barrier.wait(60)
        body: dict[str, Any] = {"project": "acme", "spans": run_of(name, SAID, user=name)}
        answer = httpx.post(f"{server.url}/public/v1/traces/ingest", json=body, headers={"X-API-Key": key}, timeout=60)
        assert answer.status_code in {200, 201}, answer.text
        return int(answer.json()["ingested"])

    with ThreadPoolExecutor(5) as pool:
        for number in range(rounds):
            name, barrier = f"person-{number}", Barrier(5)
            taken = list(pool.map(lambda _, name=name, barrier=barrier: sent(name, barrier), range(5)))
            assert sorted(taken) == [0, 0, 0, 0, 2]
            with bind(desk.id):
                assert Span.objects.filter(trace_id=trace_id(name)).count() == 2
    settle(desk)
    worker(MEMORYPLANE_SETTLE_SECONDS="1")
    end = time.monotonic() + 120
    while time.monotonic() < end:
        with bind(desk.id):
            if not Trace.objects.filter(extracted_at=None).exists():
                break
        time.sleep(0.2)
    with bind(desk.id):
        assert Trace.objects.count() == AuditEvent.objects.filter(verb="traces.ingest").count() == rounds
    for number in range(rounds):
        assert learned(desk, f"person-{number}") == ONCE
    report("F5 one batch sent five times at once", rounds=rounds, doubled=0)
