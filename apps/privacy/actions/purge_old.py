"""Do what a project's rules of retention ask for: have facts looked at again, hide them, delete what is over."""

import time
from datetime import timedelta

from django.conf import settings
from django.db.models import Exists, OuterRef

from apps.access.actor import Actor, system_actor
from apps.access.policies import require
from apps.audit.actions.record import record
from apps.core.clock import now
from apps.core.transactions import bind
from apps.facts.models import WrittenOnce
from apps.facts.once import KEPT
from apps.privacy.models import Backup, RetentionRule
from apps.privacy.retention import Rules, Step, rules_of, steps_of
from apps.tenancy.models import Project, Tombstone


def purge_old(*, seconds: float = 240) -> dict[int, dict[str, int]]:
    """What is due by each project's rules, in batches of a transaction each, until nothing is left or the time is over; the
    next purge goes on. Hiding comes before deleting. Each batch is recorded with what it took, so that a purge that is
    killed leaves nothing unsaid. Returns the counts by project, by store and step ("traces.delete")."""
    end, found = time.monotonic() + seconds, {}
    for project_id in list(Project.objects.order_by("id").values_list("id", flat=True)):
        gone = _purge(project_id, end)
        if gone:
            found[project_id] = gone
    return found


def _purge(project_id: int, end: float) -> dict[str, int]:
    actor = system_actor("retention", project_id)
    require(actor, "retention.purge", project_id=project_id)
    with bind(project_id):
        rules = rules_of(project_id)
    gone: dict[str, int] = {}
    todo = [(rule, step) for rule in rules for step in steps_of(rule)]
    # What nobody is to be told any more is hidden for every rule before the slow work begins.
    for rule, step in sorted(todo, key=lambda one: one[1].name == "delete" or one[1].name == "purge"):
        while time.monotonic() < end and (some := _batch(project_id, actor, rule, step, rules)):
            name = f"{rule.store}.{step.name}"
            gone[name] = gone.get(name, 0) + some
    if some := _old_tombstones(project_id, actor):
        gone["tombstones.delete"] = some
    # Digests, which say nothing: what no client sends again any more goes unrecorded.
    with bind(project_id):
        WrittenOnce.objects.filter(project_id=project_id, at__lt=now() - KEPT).delete()
    return gone


def _batch(project_id: int, actor: Actor, rule: RetentionRule, step: Step, rules: Rules) -> int:
    with bind(project_id):
        some = step.act(project_id, rule, rules)
        if some:
            # With the batch, or not at all: what goes is never unrecorded.
            _record(project_id, actor, rule.store, step.name, some, getattr(rule, step.days))
    return some


def _old_tombstones(project_id: int, actor: Actor) -> int:
    """Those that nothing can bring back any more what they stand for: older than `TOMBSTONE_DAYS`, in the log, and than the
    oldest backup there is. An objection's is for ever."""
    with bind(project_id):
        live = Backup.objects.filter(removed_at=None, expires_at__gt=now(), taken_at__lte=OuterRef("created_at"))
        rows = Tombstone.objects.filter(
            ~Exists(live),
            project_id=project_id,
            permanent=False,
            logged_at__isnull=False,
            created_at__lt=now() - timedelta(days=settings.TOMBSTONE_DAYS),
        )
        gone = int(rows._raw_delete("default"))
        if gone:
            _record(project_id, actor, "tombstones", "delete", gone, settings.TOMBSTONE_DAYS)
    return gone


def _record(project_id: int, actor: Actor, store: str, step: str, count: int, days: int) -> None:
    record(
        actor=actor,
        verb="retention.purge",
        object_type="retention_settings",
        object_id=project_id,
        data={"store": store, "step": step, "count": count, "days": days},
    )
