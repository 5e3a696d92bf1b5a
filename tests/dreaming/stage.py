"""A project to dream in, and the shortest way to facts, runs and what came of them."""

from datetime import UTC, datetime, timedelta
from typing import Any

from apps.access.actor import system_actor
from apps.core.transactions import bind
from apps.dreaming.actions.run_phase import run_phase
from apps.dreaming.actions.start_dream import start_dream
from apps.dreaming.choosing import EngineOf, engine_for
from apps.dreaming.engine import Report
from apps.dreaming.leases import claim_dreams
from apps.dreaming.models import DreamChange, DreamPhase, DreamRun, DreamSettings
from apps.dreaming.operations import Operation
from apps.facts.append import Origin
from apps.facts.models import Fact
from apps.tenancy.models import Agent, Project
from tests.factories import make_fact

LONG_AGO = datetime(2026, 1, 10, 9, 0, tzinfo=UTC)


def said(project: Project, content: str, *, agent: Agent | None = None, days: int = 0, **fields: Any) -> Fact:
    """A fact that was learned ``days`` after a day in January 2026. ``fields``: trust, pinned, contested and the marks of
    `make_fact`."""
    origin = Origin(
        source=fields.pop("source", "learned"),
        speaker=fields.pop("speaker", "user"),
        trust=fields.pop("trust", 3),
        observed_at=fields.pop("at", LONG_AGO + timedelta(days=days)),
    )
    late = {name: fields.pop(name) for name in ("pinned", "corroborations") if name in fields}
    fact = make_fact(project, content, agent=agent, origin=origin, **fields)
    if late:
        with bind(project.id):
            Fact.objects.filter(project_id=project.id, id=fact.id).update(**late)
            fact.refresh_from_db()
    return fact


def choose(project: Project, **columns: Any) -> None:
    """The project's settings, past the verb."""
    with bind(project.id):
        DreamSettings.objects.update_or_create(project_id=project.id, defaults=columns)


def start(project: Project, scope: str = "agent", scope_id: str = "support", **options: Any) -> DreamRun:
    actor = system_actor("dreaming", project.id)
    return start_dream(actor=actor, project_id=project.id, scope=scope, scope_id=scope_id, **options).run


def go_on(project: Project, engine_of: EngineOf = engine_for, *, phases: int = 20) -> None:
    """Do the phases of whatever may be claimed, one after another."""
    for _ in range(phases):
        with bind(project.id):
            DreamRun.objects.update(not_before=None)
        claims = claim_dreams(limit=5)
        if not claims:
            return
        for claim in claims:
            run_phase(claim=claim, engine_of=engine_of)


def dream(project: Project, scope: str = "agent", scope_id: str = "support", **options: Any) -> DreamRun:
    """A run from its start to its end by the rules, or by the ``engine`` given."""
    engine = options.pop("engine", None)
    run = start(project, scope, scope_id, **options)
    go_on(project, (lambda _: engine) if engine else engine_for)
    return fresh(run)


def fresh(run: DreamRun) -> DreamRun:
    with bind(run.project_id):
        return DreamRun.objects.get(id=run.id)


def changes(run: DreamRun, **which: Any) -> list[DreamChange]:
    with bind(run.project_id):
        return list(DreamChange.objects.filter(run_id=run.id, **which).order_by("id"))


def shown(run: DreamRun) -> list[tuple[Any, ...]]:
    """``(op, rule, ids of targets in the order of their rows, content)`` of each change."""
    with bind(run.project_id):
        rows = DreamChange.objects.filter(run_id=run.id).order_by("id").prefetch_related("targets")
        return [
            (row.op, row.rule, tuple(target.fact_id for target in sorted(row.targets.all(), key=lambda t: t.id)), row.content)
            for row in rows
        ]  # fmt: skip


def outputs(run: DreamRun) -> dict[str, dict[str, Any]]:
    with bind(run.project_id):
        return dict(DreamPhase.objects.filter(run_id=run.id).order_by("id").values_list("name", "output"))


def told(project: Project, **which: Any) -> list[str]:
    """What agents may be told now, by its words."""
    with bind(project.id):
        return sorted(Fact.objects.filter(project_id=project.id, **which).active().values_list("content", flat=True))


class Scripted:
    """An engine that says in each phase what it was given."""

    name, version, waits = "scripted", "1", False

    def __init__(self, *consolidate: Operation, prune: tuple[Operation, ...] = ()) -> None:
        self.given = {"consolidate": list(consolidate), "prune": list(prune)}
        self.asked: list[str] = []

    def _report(self, name: str) -> Report:
        self.asked.append(name)
        return Report({}, list(self.given.get(name, [])))

    def orient(self, scene: Any, before: dict[str, Any]) -> Report:
        return self._report("orient")

    def gather(self, scene: Any, before: dict[str, Any]) -> Report:
        return self._report("gather")

    def consolidate(self, scene: Any, before: dict[str, Any]) -> Report:
        return self._report("consolidate")

    def prune(self, scene: Any, before: dict[str, Any]) -> Report:
        return self._report("prune")
