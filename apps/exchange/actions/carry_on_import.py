"""Do the next batch of a claimed import, one transaction."""

from collections import Counter
from datetime import timedelta
from typing import Any

from django.db import connection
from django.db.models import F

from apps.access.actor import Actor, system_actor
from apps.access.policies import require
from apps.audit.actions.record import record
from apps.core.clock import now
from apps.core.failpoints import reached
from apps.core.transactions import bind
from apps.exchange.judging import Judged, going, read_lines, weigh
from apps.exchange.leases import LEASE_SECONDS, Claim, LeaseLost
from apps.exchange.models import Import, ImportLine
from apps.exchange.queries import earlier_digests, next_lines
from apps.exchange.states import WORKING
from apps.exchange.writing import write

BATCH = 500
"""Lines of a transaction."""
MOST_ATTEMPTS = 5
"""How often a batch is begun before the import is given up."""


def carry_on_import(*, claim: Claim, most: int = BATCH) -> Import | None:
    """The import after its batch, or None when there was nothing to do: the lease was lost, or it ended before.

    A batch is written whole or not at all, so that a worker may die at any moment of it. An attempt is counted when a
    batch is begun; after five of them for one place the import fails with ``gave_up``, and keeps what came in before.
    """
    actor = system_actor("exchange", claim.project_id)
    require(actor, "imports.carry_on", project_id=claim.project_id)
    if not _begun(actor, claim):
        return None
    reached("import.begun")
    try:
        with bind(claim.project_id):
            upload = _batch(actor, claim, most)
            reached("import.before-commit")
    except LeaseLost:
        return None
    reached("import.committed")
    return upload


def _begun(actor: Actor, claim: Claim) -> bool:
    with bind(claim.project_id):
        rows = Import.objects.filter(
            project_id=claim.project_id, id=claim.import_id, lease_token=claim.lease_token, state__in=WORKING
        )
        if not rows.update(attempts=F("attempts") + 1, lease_until=now() + timedelta(seconds=LEASE_SECONDS)):
            return False
        if not rows.filter(attempts__gt=MOST_ATTEMPTS).exists():
            return True
        rows.update(state="failed", error_code="gave_up", finished_at=now(), lease_until=None, lease_token=None)
        record(
            actor=actor, verb="imports.fail", object_type="import", object_id=claim.import_id, data={"code": "gave_up"}
        )
    return False


def _batch(actor: Actor, claim: Claim, most: int) -> Import:
    # Locked: who would end it waits for the batch.
    rows = Import.objects.filter(
        project_id=claim.project_id, id=claim.import_id, lease_token=claim.lease_token, state__in=WORKING
    )
    upload = rows.select_for_update(no_key=True).first()
    if upload is None:
        raise LeaseLost
    _plan_anew()
    first, lines, conflicts = upload.position, next_lines(upload, most), list[int]()
    judged = read_lines(upload, lines)
    reached("import.read")
    if upload.state == "running":
        counts, conflicts = write(actor, upload, judged)
        upload.counts = _sum(upload.counts, counts)
    else:
        counts = _forecast(upload, judged)
        upload.forecast = _sum(upload.forecast, counts)
    reached("import.written")
    _note(upload, judged, digests=upload.state == "checking")
    upload.position, upload.attempts = (lines[-1].number if lines else upload.last_line), 0
    if upload.state == "running":
        record(
            actor=actor,
            verb="imports.batch",
            object_type="import",
            object_id=upload.id,
            data={"after": first, "upto": upload.position, "direct": upload.direct, "conflicts": conflicts, **counts},
        )
    if len(lines) < most:
        _end(actor, upload)
    names = ["state", "position", "attempts", "counts", "forecast", "checked_at", "finished_at", "lease_until"]
    upload.lease_until = None if upload.state not in WORKING else now() + timedelta(seconds=LEASE_SECONDS)
    if not rows.update(**{name: getattr(upload, name) for name in names}):
        raise LeaseLost
    return upload


def _plan_anew() -> None:
    # A session keeps the plans by which it looks at foreign keys. Made while a table was empty and not analysed yet, they
    # read all that is in it by now for each new row: the more came in, the longer a batch would take.
    with connection.cursor() as cursor:
        cursor.execute("DISCARD PLANS")


def _end(actor: Actor, upload: Import) -> None:
    upload.position = upload.last_line
    if upload.state == "checking":
        upload.state, upload.checked_at = "checked", now()
        return
    upload.state, upload.finished_at = "done", now()
    record(actor=actor, verb="imports.finish", object_type="import", object_id=upload.id, data=dict(upload.counts))


def _forecast(upload: Import, judged: list[Judged]) -> Counter[str]:
    """What would become of them; a line that an earlier one of the file says already is known by then."""
    weigh(upload, judged)
    rest = going(judged)
    if rest:
        before = earlier_digests(upload, [one.digest for one in rest], min(one.line.number for one in judged))
        for one in rest:
            if one.digest in before:
                one.outcome = "known"
    counts = Counter(one.outcome for one in judged)
    counts["new"] += counts["held"]
    return counts


def _note(upload: Import, judged: list[Judged], *, digests: bool) -> None:
    """Which lines are refused and why; while it is checked, by what a line is known and that it is clean; and which fact says
    what others were derived from. Never which were suppressed."""
    changed = [one for one in judged if digests or one.line.reason != one.reason or (one.line.parent and one.fact_id)]
    if not changed:
        return
    given: list[Any] = [
        upload.project_id,
        upload.id,
        [one.line.number for one in changed],
        [one.reason for one in changed],
        [one.digest if digests and one.digest else None for one in changed],
        [one.fact_id if one.line.parent else None for one in changed],
        [one.seal if digests else None for one in changed],
    ]
    checked = ", digest = v.digest, seal = v.seal" if digests else ""
    with connection.cursor() as cursor:
        cursor.execute(
            f"UPDATE {ImportLine._meta.db_table} l SET reason = v.reason, fact_id = v.fact_id{checked}"  # noqa: S608
            " FROM (SELECT %s::bigint AS project_id, %s::bigint AS upload_id) t,"
            " unnest(%s::int[], %s::text[], %s::bytea[], %s::bigint[], %s::bytea[])"
            " AS v (number, reason, digest, fact_id, seal)"
            " WHERE l.project_id = t.project_id AND l.upload_id = t.upload_id AND l.number = v.number",
            given,
        )


def _sum(before: dict[str, int], more: Counter[str]) -> dict[str, int]:
    return {name: before.get(name, 0) + more.get(name, 0) for name in ("new", "held", "known", "suppressed", "refused")}
