"""What each day brought is counted from the rows themselves, again and again to the same numbers."""

from datetime import timedelta

import pytest

from apps.core.clock import now
from apps.core.transactions import bind
from apps.extraction.actions.note_worker import note_worker
from apps.extraction.actions.roll_up_days import roll_up_days
from apps.extraction.models import DayFigures, ExtractionRun, Worker
from apps.facts.actions.retire_fact import retire_fact
from apps.tenancy.models import Project
from tests.console.stage import learn
from tests.factories import make_fact, make_project, user_actor

pytestmark = pytest.mark.django_db


def days(project: Project) -> dict[str, tuple[int, ...]]:
    with bind(project.id):
        rows = DayFigures.objects.filter(project_id=project.id).order_by("day")
        return {
            str(row.day): (
                row.facts_added,
                row.facts_ended,
                row.traces,
                row.runs,
                row.failed_runs,
                row.proposed,
                row.left_out,
            )
            for row in rows
        }


def test_a_day_is_what_happened_on_it() -> None:
    project, other = make_project("acme"), make_project("other")
    make_fact(project, "One.")
    two = make_fact(project, "Two.")
    retire_fact(actor=user_actor(project, "curator"), project_id=project.id, fact_id=two.id, reason="stale")
    make_fact(other, "Three.")
    learn(project, "t", "Our refund window is 30 days. Hello there. How are you.")
    today = str(now().date())
    assert roll_up_days() == 2
    found = days(project)
    assert len(found) == 91 and list(found)[-1] == today
    with bind(project.id):
        run = ExtractionRun.objects.get()
        traces = found[today][2]
    assert found[today] == (2, 1, traces, 1, 0, run.proposed, 2)
    assert days(other)[today] == (1, 0, 0, 0, 0, 0, 0)
    assert roll_up_days() == 2 and days(project) == found
    # What goes later leaves the days before yesterday as they were counted.
    old = now().date() - timedelta(days=5)
    with bind(project.id):
        DayFigures.objects.filter(day=old).update(traces=7)
    roll_up_days()
    assert days(project)[str(old)][2] == 7


def test_a_run_counts_its_tokens_cost_and_failure() -> None:
    project = make_project("acme")
    learn(project, "t", "Our refund window is 30 days.")
    with bind(project.id):
        ExtractionRun.objects.update(
            prompt_tokens=100, completion_tokens=20, cost="0.25", dropped={"known": 5, "small-talk": 3}
        )
    roll_up_days()
    with bind(project.id):
        row = DayFigures.objects.latest("day")
        assert (row.tokens_in, row.tokens_out, float(row.cost or 0), row.left_out) == (100, 20, 0.25, 3)
        ExtractionRun.objects.update(outcome="failed", error_code="model_timeout")
    roll_up_days()
    with bind(project.id):
        assert DayFigures.objects.latest("day").failed_runs == 1


def test_workers_are_known_by_their_last_sign() -> None:
    note_worker("one@host")
    Worker.objects.create(name="gone@host", seen_at=now() - timedelta(days=2))
    note_worker("one@host")
    assert list(Worker.objects.values_list("name", flat=True)) == ["one@host"]
