"""A trace that kills whoever is at it, two schedulers, messages that nobody knows, and workers that are asked to end."""

import json
import os
import signal
import time
from collections.abc import Iterator

import psutil
import pytest
from pytest_django import Settings

from apps.audit.queries import verify_chain
from apps.core.transactions import bind
from apps.curation.models import Proposal
from apps.dreaming.models import DreamPhase, DreamRun
from apps.extraction.actions.change_settings import Choice, change_settings
from apps.extraction.models import ExtractionRun
from apps.tenancy.models import Project
from apps.traces.models import Trace
from memoryplane.celery import app
from tests import model_server as script
from tests.browserless import Person
from tests.dreaming.stage import choose, said
from tests.extraction.talk import answer, entry
from tests.extraction.traces import make_desk, push
from tests.factories import PASSWORD, make_agent, make_user, user_actor
from tests.faults.load import Desk, Load, let_go, mined, verify
from tests.faults.plane import Plane, waited
from tests.faults.scale import report, scaled
from tests.live import Live
from tests.model_server import ModelServer, Reply
from tests.spans import run_of, trace_id

POISON = "I live in the house that nobody comes out of."


@pytest.fixture
def models() -> Iterator[ModelServer]:
    with ModelServer() as server:
        yield server


def test_a_trace_that_kills_its_worker_is_given_up_and_takes_no_other_along(
    plane: Plane, models: ModelServer, settings: Settings
) -> None:
    """Its worker is killed -9 while the model is asked about it, beside others that the model is slow with, every time."""
    settings.LLM_BASE_URL, settings.LLM_MODELS = models.url, [("small", "scripted", None, None)]
    poisoned, other, beside = make_desk("poisoned"), make_desk("other"), scaled("BESIDE", 6, 40)
    curator = make_user(poisoned, "curator")
    change_settings(
        actor=user_actor(poisoned, "admin"), project_id=poisoned.id, choice=Choice(extractor="llm", model="small")
    )
    worker: list[Live] = []
    deaths: list[float] = []

    def asked(request: script.Request) -> Reply:
        text = json.loads(request.body["messages"][1]["content"])["messages"][0]["text"]
        if text == POISON and worker:
            for child in psutil.Process(worker[0].process.pid).children():
                child.send_signal(signal.SIGKILL)
            deaths.append(time.monotonic())
        quote = text.rstrip(".")
        return script.delayed(0.0 if text == POISON else 1.0, answer(entry(quote, f"Lives{quote[6:]}.")))

    models.script(asked)
    push(poisoned, run_of("poison", POISON, user="poison"))
    for number in range(beside):
        push(poisoned, run_of(f"t{number}", f"I live in house number {number} of Porto.", user=f"user-{number}"))
    plane.beat()
    worker.append(
        plane.worker(beat=False, MEMORYPLANE_LLM_BASE_URL=models.url, MEMORYPLANE_LLM_MODELS="small=scripted")
    )
    elsewhere = 0.0
    for attempt in range(1, 6):
        waited(f"death {attempt}", 60, lambda attempt=attempt: len(deaths) >= attempt)
        # The other project's queue goes on between two deaths.
        push(other, run_of(f"other-{attempt}", "I live in Porto.", user=f"user-{attempt}"))
        elsewhere = max(elsewhere, waited("another project's trace", 30, lambda: mined(other)))
        let_go(poisoned)
    time.sleep(6)
    let_go(poisoned)
    waited("all but one", 60, lambda: list(open_ones(poisoned)) == [trace_id("poison")])
    with bind(poisoned.id):
        left = Trace.objects.get(extracted_at=None)
        assert (left.attempts, len(deaths)) == (5, 5)
        assert Proposal.objects.count() == beside == ExtractionRun.objects.filter(outcome="done").count()
        assert verify_chain(poisoned.id).broken_at is None
    assert worker[0].process.poll() is None
    report(
        "F12 a trace that kills its worker", deaths=len(deaths), attempts=5, beside_it_mined=beside, beside_it_lost=0,
        another_projects_trace=f"{elsewhere:.1f} s at most",
    )  # fmt: skip
    # It stands among what was given up, and a person sends it round.
    web = plane.web()
    person = Person(web.url, curator.email, PASSWORD)
    assert "workers lost" in person.get(f"/p/poisoned/traces/{trace_id('poison')}").text
    models.script([answer(entry(POISON.rstrip("."), "Lives in the house that nobody comes out of."))])
    assert person.post("/p/poisoned/health/retry", {"reason": "workers lost"}).status_code == 200
    waited("the one that was sent round", 60, lambda: mined(poisoned))


def open_ones(project: Project) -> list[str]:
    with bind(project.id):
        return list(Trace.objects.filter(extracted_at=None).values_list("trace_id", flat=True))


def test_two_schedulers_start_one_run(plane: Plane) -> None:
    project = make_desk()
    places = [make_agent(project, f"agent-{number}") for number in range(scaled("PLACES", 3, 20))]
    choose(project, threshold=2, settle_seconds=0)
    for agent in places:
        said(project, "Ships on Tuesdays", agent=agent)
        said(project, "Ships on Tuesdays.", agent=agent, days=1)
    for number in range(2):
        plane.worker(f"worker-{number}")

    def ended() -> int:
        with bind(project.id):
            return DreamRun.objects.filter(state="proposed").count()

    waited("a run for each place", 90, lambda: ended() == len(places))
    time.sleep(11)  # each scheduler sweeps once more
    with bind(project.id):
        assert DreamRun.objects.count() == len(places)
        assert DreamPhase.objects.filter(state="done", attempts=1).count() == DreamPhase.objects.count()
        assert verify_chain(project.id).broken_at is None
    report("F19 two schedulers", places=len(places), runs=len(places))


def test_messages_of_another_release_stop_nobody(plane: Plane) -> None:
    """A task that is no more, one with too few arguments and one with too many: said in the log, by name and never by what
    they hold; what there is to do stands in the rows."""
    project = make_desk()
    worker = plane.worker(beat=False)
    push(project, run_of("t", "I live in Porto.", user="user-1"))
    time.sleep(1.5)
    with app.connection_for_write(plane.redis.url.replace("unix://", "redis+socket://", 1)) as connection:
        for name, arguments in (
            ("dreaming.think", ["Gracehopper"]),
            ("dreaming.phase", [project.id]),
            ("exchange.carry_on", [project.id, 1, "Gracehopper"]),
            ("extraction.sweep", []),
        ):
            app.send_task(name, arguments, connection=connection)
        waited("the trace", 30, lambda: mined(project))
    waited("the log", 10, lambda: all(name in worker.said() for name in ("dreaming.think", "dreaming.phase")))
    assert worker.process.poll() is None
    assert "Gracehopper" not in worker.said()
    report("F20 messages of another release", sent=3, worker="goes on", in_the_log="by name")


def test_asked_to_end_a_worker_ends_what_it_is_at_and_loses_nothing(plane: Plane) -> None:
    desk, times = Desk.make(), scaled("ENDS", 1, 10)
    web, asked = plane.web(), []
    slowest = 0.0
    for number in range(times):
        with Load(desk, web, rate=60, mix={"trace": 1}, prefix=f"round-{number}") as load:
            worker = plane.worker(f"worker-{number}")
            waited("work", 30, lambda: held(desk) > 0)
            os.kill(worker.process.pid, signal.SIGTERM)
            begun = time.monotonic()
            assert worker.process.wait(30) == 0
            slowest = max(slowest, time.monotonic() - begun)
        asked += load.asked
        assert held(desk) == 0, "what it was at it wrote, and what it had claimed it had begun"
    plane.worker("last")
    waited("every trace is mined", 60, lambda: mined(desk.project))
    assert all(one.ok for one in asked)
    assert verify(desk.project, asked) == []
    with bind(desk.project.id):
        assert not Trace.objects.exclude(attempts=0).exists()
    report("F21 workers asked to end", times=times, ended_after=f"{slowest:.1f} s at most", traces=len(asked), lost=0)


def held(desk: Desk) -> int:
    """Traces in some worker's hands."""
    with bind(desk.project.id):
        return Trace.objects.filter(extracted_at=None).exclude(lease_token=None).count()
