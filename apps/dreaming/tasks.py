"""The phases of runs as tasks, and the sweep that is their net. A message is a wake-up: the row says what there is to do."""

from celery import shared_task

from apps.core import ending
from apps.dreaming.actions.check_lost import check_lost as look_for_lost
from apps.dreaming.actions.run_phase import run_phase
from apps.dreaming.actions.start_due import start_due
from apps.dreaming.leases import claim_dream, claim_dreams
from apps.dreaming.models import DreamRun

LONGEST = 4_000
"""Seconds after which a phase is given up by its worker: beyond the longest that a project may choose."""


@shared_task(name="dreaming.phase", time_limit=LONGEST)
def phase(project_id: int, run_id: int, name: str) -> str:
    """One phase of one run, if it stands there and is in nobody's hands; then the next one is woken."""
    claim = claim_dream(project_id=project_id, run_id=run_id, phase=name)
    return _go_on(run_phase(claim=claim)) if claim else ""


@shared_task(name="dreaming.sweep", time_limit=LONGEST)
def sweep() -> int:
    """Begin runs that are due and carry on what nobody is at."""
    start_due()
    done = 0
    while not ending.is_asked() and (claims := claim_dreams()):
        for claim in claims:
            _go_on(run_phase(claim=claim))
            done += 1
    return done


@shared_task(name="dreaming.check_lost")
def check_lost() -> int:
    """Every fact that a run closed leads to one that is there; how many do not."""
    return sum(map(len, look_for_lost().values()))


def _go_on(run: DreamRun | None) -> str:
    if run is None or not run.is_open or run.not_before is not None:
        return ""
    phase.delay(run.project_id, run.id, run.phase)
    return run.phase
