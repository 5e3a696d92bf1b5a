"""The tasks themselves: beat begins a run, and its phases wake each other."""

import time
from collections.abc import Callable

from apps.core.transactions import bind
from apps.dreaming.models import DreamPhase
from tests.dreaming.stage import fresh, said, shown, start
from tests.factories import make_agent, make_project
from tests.live import Live


def test_a_worker_takes_a_run_from_its_start_to_its_end(fresh_db: str, worker: Callable[..., Live]) -> None:
    project = make_project()
    agent = make_agent(project, "support")
    first, second = (said(project, text, agent=agent) for text in ("Ships on Tuesdays", "Ships on Tuesdays."))
    run = start(project)
    live = worker()
    end = time.monotonic() + 90
    while fresh(run).is_open and time.monotonic() < end:
        time.sleep(0.2)
    assert fresh(run).state == "proposed", live.said()[-2000:]
    assert shown(run) == [("merge", "same-text", (second.id, first.id), "")]
    with bind(project.id):
        assert DreamPhase.objects.filter(run=run, state="done", attempts=1).count() == 4
    # A phase woke the next one.
    assert "dreaming.phase" in live.said(), live.said()[-3000:]
