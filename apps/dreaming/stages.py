"""One phase of a claimed run: begun in one transaction, worked out, and written in another with all that follows.

The commit names the lease token and the subject's epoch: a worker that was paused beyond its lease, or whose person was
erased meanwhile, writes nothing. Whatever dies in between is done again from the row; nothing is written twice.
"""

from dataclasses import dataclass
from datetime import timedelta
from typing import Any

from django.db import connection
from django.db.models import F

from apps.access.actor import Actor
from apps.audit.actions.record import record
from apps.core.clock import now
from apps.core.failpoints import reached
from apps.core.transactions import bind
from apps.curation.changes import marks_seen
from apps.dreaming import gate
from apps.dreaming.engine import Engine, EngineFailed, Report, Spent
from apps.dreaming.leases import LEASE_SECONDS, Claim
from apps.dreaming.models import DreamChange, DreamPhase, DreamRun, DreamSettings, DreamTarget
from apps.dreaming.operations import Checked, Verdict
from apps.dreaming.queries import scene_of, settings_of, tally_of
from apps.dreaming.scene import Scene
from apps.dreaming.states import PHASES, RUN_MOVES, check_move
from apps.dreaming.validator import check
from apps.facts.models import Fact
from apps.tenancy.models import Subject
from apps.traces.models import Message, SessionMessage

MAX_ATTEMPTS = 5
"""How often the phases of a run are begun beyond their number before it fails."""
RETRY_SECONDS = (10, 60, 300)
_FREE: dict[str, Any] = {"lease_until": None, "lease_token": None, "claimed_by": ""}
WRITING = {"consolidate", "prune"}


@dataclass(frozen=True)
class Begun:
    """A phase that this worker alone is at."""

    claim: Claim
    run: DreamRun
    chosen: DreamSettings
    subject: Subject | None
    before: dict[str, Any]

    @property
    def name(self) -> str:
        return self.run.phase


def begin(actor: Actor, claim: Claim, engine_of: Any) -> tuple[Begun, Engine] | None:
    """The phase the run stands at, counted and under a lease as long as it may take; None when there is nothing to do any
    more: the lease is lost, or the run has ended here."""
    with bind(claim.project_id):
        run, subject = held(claim)
        if run is None:
            return None
        if _gone(run, subject):
            end(actor, run, "cancelled", stop="erased")
            return None
        at, chosen = now(), settings_of(claim.project_id)
        if run.attempts >= len(PHASES) + MAX_ATTEMPTS:
            fail(actor, run, "attempts")
            return None
        try:
            engine: Engine = engine_of(run)
        except EngineFailed as error:
            fail(actor, run, error.code, counts=error.counts)
            return None
        if run.state == "queued":
            start(run, engine)
        elif run.started_at and at - run.started_at > timedelta(seconds=run.max_seconds):
            stop(actor, run, "time")
            return None
        phase, created = DreamPhase.objects.get_or_create(
            project_id=run.project_id, run_id=run.id, name=run.phase, defaults={"state": "running", "started_at": at}
        )
        if not created:
            DreamPhase.objects.filter(id=phase.id).update(
                state="running", started_at=at, finished_at=None, attempts=F("attempts") + 1
            )
        lease = timedelta(seconds=LEASE_SECONDS if not engine.waits else run.max_seconds + LEASE_SECONDS)
        run.attempts, run.lease_until = run.attempts + 1, at + lease
        run.save(
            update_fields=["state", "started_at", "base_fact_id", "facts_before", "version", "attempts", "lease_until"]
        )
        done = DreamPhase.objects.filter(project_id=run.project_id, run_id=run.id, state="done")
        before = dict(done.values_list("name", "output"))
    reached(f"{run.phase}.begun")
    return Begun(claim, run, chosen, subject, before), engine


def start(run: DreamRun, engine: Engine) -> None:
    """Pin what it looks at."""
    check_move(RUN_MOVES, run.state, "running", "run")
    run.state, run.started_at, run.version = "running", now(), engine.version
    place = Fact.objects.in_project(run.project_id).of_scope(run.scope, run.scope_id)
    run.base_fact_id = place.order_by("-id").values_list("id", flat=True).first() or 0
    run.facts_before = place.current().filter(key=None, label="", restricted_at=None).count()


def work_out(begun: Begun, engine: Engine) -> Report:
    """What the engine says, outside any transaction of ours where it waits for somebody. Raises EngineFailed."""
    with bind(begun.run.project_id):
        scene = scene_of(begun.run, begun.chosen, begun.subject)
    if not connection.in_atomic_block:
        connection.close()
    report: Report = getattr(engine, begun.name)(scene, begun.before)
    reached(f"{begun.name}.answered")
    return report


def finish(actor: Actor, begun: Begun, engine: Engine, report: Report | None) -> DreamRun | None:
    """Write what came of the phase; None when the lease was lost or the person erased. Without a report the engine, which
    waits for nobody, works it out here, on the rows that it will be written about."""
    with bind(begun.claim.project_id):
        run, subject = held(begun.claim)
        if run is None or run.phase != begun.name or run.state != "running":
            return None
        if _gone(run, subject):
            end(actor, run, "cancelled", stop="erased")
            return None
        scene = scene_of(run, begun.chosen, subject)
        if report is None:
            report = getattr(engine, begun.name)(scene, begun.before)
        verdict = Verdict()
        if begun.name in WRITING:
            _hold_messages(scene, report)
            verdict = check(report.operations, scene)
            _stage(scene, begun.name, verdict)
        _close_phase(run, begun.name, "done", report.spent, output=report.output | _counts(begun.name, verdict))
        reached(f"{begun.name}.staged")
        _advance(actor, run, report)
        reached(f"{begun.name}.before-commit")
    reached(f"{begun.name}.committed")
    return run


def failed(actor: Actor, begun: Begun, error: EngineFailed) -> DreamRun | None:
    """The phase came to nothing: it is tried again later, or the run fails; what it staged before stays unseen."""
    with bind(begun.claim.project_id):
        run, _ = held(begun.claim)
        if run is None or run.state != "running":
            return None
        phase = DreamPhase.objects.get(project_id=run.project_id, run_id=run.id, name=begun.name)
        _spend(run, error.spent)
        # What it failed of before says more than that nobody was asked this time.
        code = error.code if error.counts else phase.error_code or error.code
        if error.retry and phase.attempts <= len(RETRY_SECONDS):
            DreamPhase.objects.filter(id=phase.id).update(error_code=code[:60])
            run.not_before = now() + timedelta(seconds=RETRY_SECONDS[phase.attempts - 1])
            run.save(update_fields=["not_before", *_set(run, _FREE), *SPENDING])
            return run
        fail(actor, run, code, counts=error.counts or code != error.code)
        return run


def fail(actor: Actor, run: DreamRun, code: str, *, counts: bool = True) -> None:
    """End a locked run as failed. Nothing that it staged is put before anybody."""
    DreamChange.objects.filter(project_id=run.project_id, run_id=run.id).delete()
    DreamPhase.objects.filter(project_id=run.project_id, run_id=run.id, state="running").update(
        state="failed", finished_at=now(), error_code=code[:60]
    )
    end(actor, run, "failed", error=code[:60])
    if counts:
        gate.failed(run, code[:60])
    else:
        gate.let_go(run)


def stop(actor: Actor, run: DreamRun, why: str) -> None:
    """End a locked run early with what it has."""
    at = now()
    DreamPhase.objects.filter(project_id=run.project_id, run_id=run.id, state="running").update(
        state="skipped", finished_at=at
    )
    begun = set(DreamPhase.objects.filter(project_id=run.project_id, run_id=run.id).values_list("name", flat=True))
    DreamPhase.objects.bulk_create(
        DreamPhase(
            project_id=run.project_id,
            run_id=run.id,
            name=name,
            state="skipped",
            started_at=at,
            finished_at=at,
            attempts=0,
        )
        for name in PHASES
        if name not in begun
    )
    conclude(actor, run, why)


def conclude(actor: Actor, run: DreamRun, why: str = "") -> None:
    tally = tally_of(run.project_id, [run.id]).get(run.id)
    end(actor, run, "proposed" if tally else "settled", stop=why, data={"changes": tally.total if tally else 0})
    gate.succeeded(run)


def end(
    actor: Actor, run: DreamRun, state: str, *, stop: str = "", error: str = "", data: dict[str, Any] | None = None
) -> None:
    """Put a locked run into a state in which no worker takes it up again, and say so in the audit log."""
    check_move(RUN_MOVES, run.state, state, "run")
    if state == "cancelled":
        DreamChange.objects.filter(project_id=run.project_id, run_id=run.id).delete()
        DreamPhase.objects.filter(project_id=run.project_id, run_id=run.id, state="running").update(
            state="skipped", finished_at=now()
        )
        gate.let_go(run)
    run.state, run.finished_at, run.stop_reason, run.error_code = state, now(), stop, error
    run.save(update_fields=["state", "finished_at", "stop_reason", "error_code", "phase", *_set(run, _FREE), *SPENDING])
    told = (
        {"scope": run.scope, "engine": run.engine}
        | ({"stop": stop} if stop else {})
        | ({"error": error} if error else {})
    )
    record(
        actor=actor, verb=f"dreams.{VERBS[state]}", object_type="dream_run", object_id=run.id, data=told | (data or {})
    )


VERBS = {"cancelled": "cancel", "failed": "fail", "proposed": "propose", "settled": "settle"}
SPENDING = ["tool_calls", "prompt_tokens", "completion_tokens", "cost"]


def held(claim: Claim) -> tuple[DreamRun | None, Subject | None]:
    """The claimed run, locked, with its person held as he is; (None, None) when it is somebody else's by now. The person
    first, as an erasure takes them."""
    runs = DreamRun.objects.filter(project_id=claim.project_id, id=claim.run_id)
    subject_id = runs.values_list("subject_id", flat=True).first()
    subject = None
    if subject_id is not None:
        with connection.cursor() as cursor:
            cursor.execute(
                "SELECT id FROM tenancy_subject WHERE project_id = %s AND id = %s FOR SHARE",
                [claim.project_id, subject_id],
            )
        subject = Subject.objects.filter(project_id=claim.project_id, id=subject_id).first()
    run = runs.select_for_update().filter(lease_token=claim.lease_token).first()
    return run, subject


def _gone(run: DreamRun, subject: Subject | None) -> bool:
    """Whether the person was erased or hidden since the run was asked for."""
    if run.subject_id is None:
        return False
    return subject is None or subject.suppressed_at is not None or subject.epoch != run.subject_epoch


def _hold_messages(scene: Scene, report: Report) -> None:
    """Messages that are cited stay until what cites them is written; those that are gone are known no more."""
    cited = {ref for one in report.operations for ref in one.evidence if ref in scene.said}
    for kind, model in (("message", Message), ("said", SessionMessage)):
        ids = sorted(number for name, number in cited if name == kind)
        if not ids:
            continue
        with connection.cursor() as cursor:
            cursor.execute(
                f"SELECT id FROM {model._meta.db_table} WHERE project_id = %s AND id = ANY (%s) ORDER BY id FOR SHARE",  # noqa: S608
                [scene.project_id, ids],
            )
            still = {row[0] for row in cursor.fetchall()}
        for number in set(ids) - still:
            del scene.said[kind, number]


def _stage(scene: Scene, phase: str, verdict: Verdict) -> None:
    """Write what was let through. Its facts are held meanwhile: one that was closed or forgotten since takes its change
    along."""
    run = scene.run
    ids = sorted({fact.id for one in verdict.passed for fact, _ in one.targets})
    with connection.cursor() as cursor:
        cursor.execute(
            "SELECT id FROM facts_fact WHERE project_id = %s AND id = ANY (%s) AND superseded_at IS NULL"
            " AND retired_at IS NULL AND restricted_at IS NULL ORDER BY id FOR SHARE",
            [run.project_id, ids],
        )
        still = {row[0] for row in cursor.fetchall()}
    passed = [one for one in verdict.passed if all(fact.id in still for fact, _ in one.targets)]
    if len(passed) < len(verdict.passed):
        verdict.refuse("moved", len(verdict.passed) - len(passed))
        verdict.passed = passed
    rows = DreamChange.objects.bulk_create([_row(run, phase, place, one) for place, one in enumerate(passed)])
    DreamTarget.objects.bulk_create(
        [
            DreamTarget(
                project_id=run.project_id, run_id=run.id, change=row, fact_id=fact.id, role=role, seen=marks_seen(fact)
            )
            for row, one in zip(rows, passed, strict=True)
            for fact, role in one.targets
        ]
    )


def _row(run: DreamRun, phase: str, position: int, one: Checked) -> DreamChange:
    return DreamChange(
        project_id=run.project_id,
        run_id=run.id,
        phase=phase,
        position=position,
        op=one.op,
        safe=one.safe,
        automatic=one.automatic,
        flags=list(one.flags),
        rule=one.rule,
        reason=one.reason,
        content=one.content,
        subject_id=run.subject_id,
        attribute=one.attribute,
        category=one.category,
        memory_type=one.memory_type,
        sensitivity=one.sensitivity,
        trust=one.trust,
        confidence=one.confidence,
        observed_at=one.observed_at,
        evidence=[{kind: number} for kind, number in one.evidence],
        targets_count=len(one.targets),
        source_trace_id=one.source_trace_id,
    )


def _counts(phase: str, verdict: Verdict) -> dict[str, Any]:
    return {"staged": len(verdict.passed), "refused": verdict.refused} if phase in WRITING else {}


def _close_phase(run: DreamRun, name: str, state: str, spent: Spent, *, output: dict[str, Any]) -> None:
    DreamPhase.objects.filter(project_id=run.project_id, run_id=run.id, name=name).update(
        state=state,
        finished_at=now(),
        output=output,
        error_code="",
        tool_calls=F("tool_calls") + spent.tool_calls,
        prompt_tokens=F("prompt_tokens") + spent.prompt_tokens,
        completion_tokens=F("completion_tokens") + spent.completion_tokens,
        cost=spent.cost,
    )
    _spend(run, spent)


def _spend(run: DreamRun, spent: Spent) -> None:
    run.tool_calls += spent.tool_calls
    run.prompt_tokens += spent.prompt_tokens
    run.completion_tokens += spent.completion_tokens
    if spent.cost is not None:
        run.cost = (run.cost or 0) + spent.cost


def _advance(actor: Actor, run: DreamRun, report: Report) -> None:
    following = PHASES.index(run.phase) + 1
    if report.stop:
        stop(actor, run, report.stop)
    elif following == len(PHASES):
        conclude(actor, run)
    else:
        run.phase, run.not_before = PHASES[following], None
        run.save(update_fields=["phase", "not_before", *_set(run, _FREE), *SPENDING])


def _set(run: DreamRun, columns: dict[str, Any]) -> list[str]:
    for name, value in columns.items():
        setattr(run, name, value)
    return list(columns)
