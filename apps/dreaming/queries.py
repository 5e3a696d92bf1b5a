"""Reading runs and their changes, and what a run has before it."""

from dataclasses import dataclass
from datetime import timedelta
from typing import Any

from django.db import connection
from django.db.models import Count, Prefetch, Q, QuerySet

from apps.core.clock import now
from apps.core.counting import MOST
from apps.dreaming.models import CLOSING, DreamChange, DreamGate, DreamPhase, DreamRun, DreamSettings, DreamTarget
from apps.dreaming.operations import Said
from apps.dreaming.scene import NOT_READ, Scene
from apps.dreaming.states import UNDECIDED
from apps.facts.models import Fact
from apps.tenancy.models import Subject
from apps.traces.keeping import NAMED
from apps.traces.models import Message, SessionMessage, Trace

MESSAGES = 300
"""The newest so many that a run reads."""
MESSAGE_LETTERS = 4_000
SINCE = timedelta(days=30)
FAILURES = 3
"""Failed runs of a place in a row that close its gate."""
COOL_DOWN = timedelta(hours=1)


def settings_of(project_id: int) -> DreamSettings:
    """What the project chose, or an unsaved row of the defaults."""
    return DreamSettings.objects.filter(project_id=project_id).first() or DreamSettings(project_id=project_id)


def waiting_runs(user_id: int) -> dict[int, int]:
    """The runs that wait for a verdict in each project the user is a member of, by project id, each up to `counting.MOST` and
    one more; works while none is bound."""
    with connection.cursor() as cursor:
        cursor.execute("SELECT project_id, runs FROM waiting_runs(%s, %s)", [user_id, MOST + 1])
        return dict(cursor.fetchall())


def last_run(project_id: int, scope: str, scope_id: str, *, before: int | None = None) -> DreamRun | None:
    """The newest run of a place that came to an end with what it found."""
    runs = DreamRun.objects.filter(
        project_id=project_id,
        scope=scope,
        scope_id=scope_id,
        state__in=["proposed", "settled", "undone"],
        dry_run=False,
    )
    return (runs.filter(id__lt=before) if before else runs).order_by("-id").first()


def scene_of(run: DreamRun, chosen: DreamSettings, subject: Subject | None) -> Scene:
    """What the run may look at now. The project is bound."""
    scene = Scene(run=run, chosen=chosen, subject=subject)
    targets = DreamTarget.objects.filter(project_id=run.project_id, run_id=run.id)
    merged: set[int] = set()
    for change, fact_id, role, op, content in targets.values_list(
        "change_id", "fact_id", "role", "change__op", "change__content"
    ):
        (scene.kept if role == "keep" else scene.taken).add(fact_id)
        scene.retired += op in CLOSING
        scene.closed += role == "source" and op in ("merge", "resolve", *CLOSING)
        if op == "merge" and content:
            merged.add(change)
    # Of a merge in new words one fact comes for those that go.
    scene.closed -= len(merged)
    for one in _said(run):
        scene.said[one.kind, one.id] = one
    return scene


def _said(run: DreamRun) -> list[Said]:
    """The newest messages, oldest first: those of the session it was started with, else what was said since the last run."""
    if run.session_id is not None:
        rows = SessionMessage.objects.filter(project_id=run.project_id, session_id=run.session_id)
        if run.message_upto is not None:
            rows = rows.filter(id__lte=run.message_upto)
        # Summaries alone are what traces told of: what was said is in the traces themselves then.
        found = [
            Said("said", number, text[:MESSAGE_LETTERS], at, role == "user")
            for number, role, text, at in rows.exclude(external_id__startswith=NAMED)
            .order_by("-id")
            .values_list("id", "role", "content", "at")[:MESSAGES]
        ]
        return found[::-1] or _in_traces(_of_session(run))
    before = last_run(run.project_id, run.scope, run.scope_id, before=run.id)
    since = before.created_at if before else (run.started_at or now()) - SINCE
    said = Message.objects.filter(project_id=run.project_id, at__gte=since, at__lte=run.started_at or now())
    if run.subject_id is not None:
        said = said.filter(subject_id=run.subject_id)
    elif run.scope == "session":
        said = said.filter(trace_id__in=_traces(run, session__external_id=run.scope_id))
    elif run.scope == "agent":
        said = said.filter(trace_id__in=_traces(run, agent_name=run.scope_id))
    else:
        return []
    return _in_traces(said)


def _of_session(run: DreamRun) -> QuerySet[Message]:
    """What was said in the traces of the run's session until it was asked for, by its person if it has one."""
    said = Message.objects.filter(
        project_id=run.project_id, at__lte=run.created_at, trace_id__in=_traces(run, session_id=run.session_id)
    )
    return said.filter(subject_id=run.subject_id) if run.subject_id is not None else said


def _in_traces(said: QuerySet[Message]) -> list[Said]:
    messages = said.order_by("-at", "-id").values_list("id", "role", "content", "at", "trace_id")[:MESSAGES]
    return [
        Said("message", number, text[:MESSAGE_LETTERS], at, role == "user", trace)
        for number, role, text, at, trace in messages
    ][::-1]


def _traces(run: DreamRun, **of: Any) -> list[str]:
    rows = Trace.objects.filter(project_id=run.project_id, origin="", **of)
    return list(rows.order_by("-started_at", "-id").values_list("trace_id", flat=True)[:MESSAGES])


@dataclass(frozen=True)
class Tally:
    """How many changes of a run are in each state, and how many of the undecided are safe."""

    by_state: dict[str, int]
    safe: int

    @property
    def undecided(self) -> int:
        return sum(self.by_state.get(state, 0) for state in UNDECIDED)

    @property
    def total(self) -> int:
        return sum(self.by_state.values())


def tally_of(project_id: int, run_ids: list[int]) -> dict[int, Tally]:
    """By run; one statement. A run without changes is not in it."""
    rows = (
        DreamChange.objects.filter(project_id=project_id, run_id__in=run_ids)
        .values("run_id", "state")
        .annotate(n=Count("id"), safe=Count("id", filter=Q(safe=True, state__in=sorted(UNDECIDED))))
        .order_by("run_id", "state")
    )
    found: dict[int, Tally] = {}
    for row in rows:
        before = found.get(row["run_id"]) or Tally({}, 0)
        found[row["run_id"]] = Tally(before.by_state | {row["state"]: row["n"]}, before.safe + row["safe"])
    return found


def changes_of(project_id: int, run_id: int) -> QuerySet[DreamChange]:
    """The changes of a run in their order, each with ``targets`` and their facts: two statements for any number."""
    facts = Fact.objects.in_project(project_id).defer(*NOT_READ)
    targets = DreamTarget.objects.filter(project_id=project_id).order_by("id").prefetch_related(Prefetch("fact", facts))
    return (
        DreamChange.objects.filter(project_id=project_id, run_id=run_id)
        .prefetch_related(Prefetch("targets", targets))
        .order_by("id")
    )


def phases_of(project_id: int, run_id: int) -> list[DreamPhase]:
    """In the order they ran."""
    return list(DreamPhase.objects.filter(project_id=project_id, run_id=run_id).order_by("id"))


def closed_gates(project_id: int) -> QuerySet[DreamGate]:
    """Places whose runs failed too often, for Health: the longest closed first."""
    return DreamGate.objects.filter(project_id=project_id, closed_at__isnull=False).order_by("closed_at")


def gate_lets(gate: DreamGate | None) -> bool:
    """Whether a run may start: the gate is open, or it has cooled down and nobody tries it."""
    if gate is None or gate.closed_at is None:
        return True
    at = now()
    tried = gate.trial_at is not None and at - gate.trial_at < COOL_DOWN
    return at - gate.closed_at >= COOL_DOWN and not tried
