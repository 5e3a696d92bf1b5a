"""How runs are started, carried on and ended: one of a place at a time, each phase once, nothing after an erasure."""

from datetime import timedelta
from typing import Any

import pytest

from apps.access.actor import system_actor
from apps.access.policies import Refused
from apps.audit.models import AuditEvent
from apps.core.clock import now
from apps.core.errors import Conflict, Invalid, NotFound
from apps.core.transactions import bind
from apps.dreaming.actions.cancel_dream import cancel_dream
from apps.dreaming.actions.change_settings import Choice, change_settings
from apps.dreaming.actions.reset_gate import reset_gate
from apps.dreaming.actions.run_phase import run_phase
from apps.dreaming.actions.start_dream import start_dream
from apps.dreaming.actions.start_due import start_due
from apps.dreaming.engine import EngineFailed, Report, Spent
from apps.dreaming.leases import claim_dream, claim_dreams
from apps.dreaming.models import DreamGate, DreamPhase, DreamRun, DreamSettings
from apps.dreaming.operations import Operation
from apps.dreaming.queries import COOL_DOWN
from apps.tenancy.models import Agent, Project, Subject
from apps.traces.actions.add_session_messages import NewMessage, add_session_messages
from tests.dreaming.stage import Scripted, changes, choose, dream, fresh, go_on, outputs, said, start
from tests.factories import make_agent, make_project, user_actor

pytestmark = pytest.mark.django_db


@pytest.fixture
def project() -> Project:
    project = make_project()
    choose(project, fact_cap=None)
    return project


@pytest.fixture
def agent(project: Project) -> Agent:
    return make_agent(project, "support")


@pytest.fixture
def twins(project: Project, agent: Agent) -> list[int]:
    return [said(project, text, agent=agent).id for text in ("Ships on Tuesdays", "Ships on Tuesdays.")]


class Failing(Scripted):
    """Fails in a phase, with a code."""

    def __init__(self, phase: str = "consolidate", **how: Any) -> None:
        super().__init__()
        self.phase, self.how = phase, how

    def _report(self, name: str) -> Report:
        super()._report(name)
        if name == self.phase:
            raise EngineFailed("model_timeout", **self.how)
        return Report()


def test_one_run_of_a_place_and_the_phases_in_their_order(project: Project, twins: list[int]) -> None:
    actor = system_actor("dreaming", project.id)
    first = start_dream(actor=actor, project_id=project.id, scope="agent", scope_id="support")
    again = start_dream(actor=actor, project_id=project.id, scope="agent", scope_id="support")
    other = start_dream(actor=actor, project_id=project.id, scope="project")
    assert (first.created, again.created, other.created) == (True, False, True)
    assert again.run.id == first.run.id
    go_on(project)
    with bind(project.id):
        phases = DreamPhase.objects.filter(run=first.run).order_by("id")
        assert [(one.name, one.state, one.attempts) for one in phases] == [
            (name, "done", 1) for name in ("orient", "gather", "consolidate", "prune")
        ]
        assert [(event.verb, event.object_id) for event in AuditEvent.objects.filter(object_type="dream_run").order_by("seq")] == [
            ("dreams.start", str(first.run.id)),
            ("dreams.start", str(other.run.id)),
            ("dreams.propose", str(first.run.id)),
            ("dreams.settle", str(other.run.id)),
        ]  # fmt: skip
    assert start(project).id != first.run.id  # it has ended


def test_the_same_key_is_the_same_run(project: Project, twins: list[int]) -> None:
    run = dream(project, idempotency_key="execution-7")
    assert start(project, idempotency_key="execution-7").id == run.id
    assert start(project, idempotency_key="execution-8").id != run.id


def test_places_that_name_nobody(project: Project, agent: Agent) -> None:
    for scope, scope_id, error in (
        ("user", "", Invalid),
        ("user", "*", Invalid),
        ("session", " ", Invalid),
        ("planet", "x", Invalid),
        ("user", "nobody_1", NotFound),
        ("agent", "ghost", NotFound),
    ):
        with pytest.raises(error):
            start(project, scope, scope_id)
    with pytest.raises(NotFound):
        start(project, session="none")
    with pytest.raises(Refused):
        start_dream(actor=user_actor(project, "viewer"), project_id=project.id, scope="project")
    with bind(project.id):
        assert DreamRun.objects.count() == 0


def test_runs_that_come_often_wait_for_quiet(project: Project, twins: list[int]) -> None:
    choose(project, settle_seconds=60)
    run = start(project, origin="session")
    assert run.not_before is not None and run.not_before > now() + timedelta(seconds=50)
    assert claim_dreams() == [] and claim_dream(project_id=project.id, run_id=run.id, phase="orient") is None
    later = start(project, origin="session")
    assert later.id == run.id and later.not_before is not None and later.not_before >= run.not_before
    assert start(project).not_before is None  # somebody pressed the button
    assert len(claim_dreams()) == 1


def test_a_cancelled_run_writes_nothing_more(project: Project, twins: list[int]) -> None:
    curator = user_actor(project, "curator")
    run = start(project)
    for _ in range(3):
        (claim,) = claim_dreams()
        run_phase(claim=claim)
    (claim,) = claim_dreams()
    assert len(changes(run)) == 1
    cancel_dream(actor=curator, project_id=project.id, run_id=run.id)
    assert run_phase(claim=claim) is None
    assert (fresh(run).state, changes(run)) == ("cancelled", [])
    with bind(project.id):
        assert DreamPhase.objects.filter(run=run, state="running").count() == 0


def test_a_worker_beyond_its_lease_writes_nothing(project: Project, twins: list[int]) -> None:
    run = start(project)
    (old,) = claim_dreams()
    with bind(project.id):
        DreamRun.objects.update(lease_until=now() - timedelta(seconds=1))
    (new,) = claim_dreams()
    assert run_phase(claim=old) is None
    assert fresh(run).phase == "orient"
    assert run_phase(claim=new) is not None and fresh(run).phase == "gather"
    assert run_phase(claim=new) is None  # a doubled message
    assert fresh(run).phase == "gather"


def test_three_failures_close_the_gate_and_one_trial_opens_it(project: Project, twins: list[int]) -> None:
    for number in range(3):
        run = dream(project, engine=Failing())
        assert (run.state, run.error_code, changes(run)) == ("failed", "model_timeout", []), number
    with pytest.raises(Conflict) as refused:
        start(project)
    assert (refused.value.code, refused.value.retry_after) == ("gate_closed", int(COOL_DOWN.total_seconds()))
    start(project, "project", "")  # another place has a gate of its own
    with bind(project.id):
        DreamGate.objects.update(closed_at=now() - COOL_DOWN)
    trial = start(project)
    with bind(project.id):
        DreamRun.objects.filter(id=trial.id).update(not_before=now() + timedelta(hours=1))
    cancel_dream(actor=user_actor(project, "curator"), project_id=project.id, run_id=trial.id)
    assert dream(project, engine=Failing()).state == "failed"
    with pytest.raises(Conflict):
        start(project)
    with bind(project.id):
        gate = DreamGate.objects.get(scope="agent")
        assert (gate.failures, gate.closed_at is not None) == (4, True)
    reset_gate(actor=user_actor(project, "admin"), project_id=project.id, gate_id=gate.id)
    assert dream(project).state == "proposed"
    with bind(project.id):
        gate.refresh_from_db()
        assert (gate.failures, gate.closed_at, gate.trial_at, gate.last_error) == (0, None, None, "")


def test_what_was_asked_badly_is_not_counted(project: Project, twins: list[int]) -> None:
    for _ in range(4):
        assert dream(project, engine=Failing(counts=False)).state == "failed"
    assert dream(project).state == "proposed"


def test_it_is_tried_again_and_then_fails(project: Project, twins: list[int]) -> None:
    engine = Failing(retry=True)
    run = dream(project, engine=engine)
    assert (run.state, run.error_code) == ("failed", "model_timeout")
    assert engine.asked == ["orient", "gather", *["consolidate"] * 4]


def test_what_a_failed_run_staged_is_put_before_nobody(project: Project, twins: list[int]) -> None:
    wanted = Operation(op="merge", targets=tuple(twins), keep=twins[0], evidence=(("fact", twins[0]),))
    engine = Failing("prune")
    engine.given["consolidate"] = [wanted]
    run = dream(project, engine=engine)
    assert (run.state, changes(run)) == ("failed", [])


def test_it_stops_at_its_budget_and_says_so(project: Project, twins: list[int]) -> None:
    class Costly(Scripted):
        def _report(self, name: str) -> Report:
            super()._report(name)
            wanted = Operation(op="merge", targets=tuple(twins), keep=twins[0], evidence=(("fact", twins[0]),))
            stop = "tokens" if name == "consolidate" else ""
            return Report({}, [wanted] if stop else [], Spent(tool_calls=2, prompt_tokens=100), stop)

    run = dream(project, engine=Costly())
    assert (run.state, run.stop_reason, run.prompt_tokens, run.tool_calls) == ("proposed", "tokens", 300, 6)
    with bind(project.id):
        phases = DreamPhase.objects.filter(run=run).order_by("id")
        assert [one.state for one in phases] == ["done", "done", "done", "skipped"]


def test_it_ends_when_its_time_is_over(project: Project, twins: list[int]) -> None:
    run = start(project)
    (claim,) = claim_dreams()
    run_phase(claim=claim)
    with bind(project.id):
        DreamRun.objects.update(started_at=now() - timedelta(days=1))
    go_on(project)
    assert (fresh(run).state, fresh(run).stop_reason) == ("settled", "time")


@pytest.mark.parametrize("moment", ["queued", "staged"])
def test_of_somebody_who_was_erased_meanwhile_nothing_is_written(project: Project, moment: str) -> None:
    for text in ("Likes tea", "Likes tea."):
        said(project, text, user="user_1")
    run = start(project, "user", "user_1")
    if moment == "staged":
        for _ in range(3):
            (claim,) = claim_dreams()
            run_phase(claim=claim)
        assert len(changes(run)) == 1
    with bind(project.id):
        Subject.objects.update(epoch=1)
    go_on(project)
    assert (fresh(run).state, fresh(run).stop_reason, changes(run)) == ("cancelled", "erased", [])
    with bind(project.id):
        Subject.objects.update(suppressed_at=now())
    with pytest.raises(Conflict) as refused:
        start(project, "user", "user_1")
    assert refused.value.code == "suppressed"


def test_a_session_is_read_as_it_stood(project: Project, twins: list[int]) -> None:
    def add(name: str, text: str) -> None:
        add_session_messages(
            actor=system_actor("dreaming", project.id),
            project_id=project.id,
            session="chat-1",
            messages=[NewMessage(external_id=name, role="user", content=text)],
        )

    add("m1", "Scratch that, we ship on Tuesdays.")
    run = start(project, session="chat-1")
    add("m2", "From now on we ship on Fridays.")
    go_on(project)
    gathered = outputs(run)["gather"]
    assert gathered["read"] == 1 and [one["type"] for one in gathered["signals"]] == ["correction"]


def test_by_number_and_by_time(project: Project, agent: Agent) -> None:
    assert start_due() == 0
    choose(project, threshold=3, settle_seconds=0)
    for number in range(2):
        said(project, f"Thing {number} ships on day {number}.", agent=agent)
    assert start_due() == 0
    said(project, "One more thing ships.", agent=agent)
    assert start_due() == 1 and start_due() == 0
    go_on(project)
    assert start_due() == 0  # nothing new
    choose(project, threshold=None, schedule_hours=24)
    said(project, "Yet another thing ships.", agent=agent)
    assert start_due() == 0  # not yet
    with bind(project.id):
        newest = DreamRun.objects.order_by("-id").first()
        assert newest is not None and newest.origin == "threshold"
    said(project, "Paid by card.", user="user_9")
    assert start_due() == 1
    with bind(project.id):
        newest = DreamRun.objects.order_by("-id").first()
        assert newest is not None and (newest.origin, newest.scope) == ("schedule", "user")


def test_settings_name_each_bad_field(project: Project) -> None:
    admin = user_actor(project, "admin")
    chosen = change_settings(actor=admin, project_id=project.id, choice=Choice(threshold=50, auto_exact=True))
    assert (chosen.threshold, chosen.auto_exact, chosen.fact_cap) == (50, True, 100)
    with pytest.raises(Invalid) as refused:
        change_settings(
            actor=admin, project_id=project.id, choice=Choice(engine="llm", model="none", fact_cap=0, retire_percent=51)
        )
    assert [error.pointer for error in refused.value.errors] == ["/model", "/fact_cap", "/retire_percent"]
    with pytest.raises(Refused):
        change_settings(actor=user_actor(project, "curator"), project_id=project.id, choice=Choice())
    with bind(project.id):
        assert DreamSettings.objects.get().threshold == 50
