"""`manage.py deadletters`: what was given up, and having it tried again."""

from io import StringIO

import pytest
from django.core.management import CommandError, call_command

from apps.audit.models import AuditEvent
from apps.core.transactions import bind
from apps.tenancy.models import Project
from apps.traces.models import Trace
from tests.extraction.traces import make_desk, push, settle
from tests.spans import run_of, trace_id


@pytest.fixture
def desk(db: None) -> Project:
    """Two traces are given up for one reason, one for another, and one waits."""
    project = make_desk()
    for name in ("a", "b", "c", "d"):
        push(project, run_of(name, "I live in Porto.", user=name))
    settle(project)
    with bind(project.id):
        dead = Trace.objects.filter(trace_id__in=[trace_id("a"), trace_id("b")])
        dead.update(attempts=5, last_arrival_at="2026-01-02T03:04:05Z")
        Trace.objects.filter(trace_id=trace_id("c")).update(
            attempts=5, dead_reason="llm_error", last_arrival_at="2026-01-03T03:04:05Z"
        )
    return project


def said(*options: str) -> list[str]:
    out = StringIO()
    call_command("deadletters", *options, stdout=out)
    return out.getvalue().splitlines()


def standing(project: Project) -> dict[str, tuple[int, str]]:
    with bind(project.id):
        rows = Trace.objects.values_list("trace_id", "attempts", "dead_reason")
        names = {trace_id(name): name for name in "abcd"}
        return {names[one]: (attempts, reason) for one, attempts, reason in rows}


BEFORE = {"a": (5, ""), "b": (5, ""), "c": (5, "llm_error"), "d": (0, "")}


def test_they_are_listed_by_reason_and_left_alone(desk: Project) -> None:
    lines = said()
    assert [line.split(". ")[0] for line in lines] == [
        "workers lost: 2, the oldest of 2026-01-02 03:04 UTC",
        "llm_error: 1, the oldest of 2026-01-03 03:04 UTC",
    ]
    assert standing(desk) == BEFORE


def test_those_of_one_reason_are_queued_again_with_a_row_each_in_the_audit(desk: Project) -> None:
    assert said("--requeue", "--reason", "workers lost")[-1] == "Queued again: 2."
    assert standing(desk) == BEFORE | {"a": (0, ""), "b": (0, "")}
    with bind(desk.id):
        again = AuditEvent.objects.filter(verb="traces.extract_again").order_by("seq")
        assert {event.object_id for event in again} == {trace_id("a"), trace_id("b")} and again.count() == 2
    assert [line.split(":")[0] for line in said()] == ["llm_error"]


def test_the_oldest_first_and_no_more_than_asked(desk: Project) -> None:
    assert said("--requeue", "--most", "2")[-1] == "Queued again: 2."
    assert standing(desk) == BEFORE | {"a": (0, ""), "b": (0, "")}
    assert said("--requeue")[-1] == "Queued again: 1."
    assert said("--requeue") == ["Nothing is given up in acme."]


@pytest.mark.parametrize("options", [("--reason", "no such"), ("--most", "0"), ("--project", "other")])
def test_what_is_refused_changes_nothing(desk: Project, options: tuple[str, str]) -> None:
    with pytest.raises(CommandError):
        said("--requeue", *options)
    assert standing(desk) == BEFORE
