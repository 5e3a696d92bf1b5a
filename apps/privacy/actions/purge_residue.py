"""Take up what erasures asked to be written over."""

from datetime import timedelta

from django.db import connections

from apps.core.clock import now
from apps.privacy.models import Purge
from apps.privacy.purging import in_window, purge

AGAIN = timedelta(minutes=10)
"""After which tables that were busy are tried again."""


def purge_residue(*, rewrite: bool | None = None, force: bool = False, using: str = "owner") -> Purge | None:
    """Purge once for all that wait; None when none does, unless ``force``. Run by the tables' owner alone, in a process of
    its own, outside any transaction. Two at once: the second finds nothing to do.

    ``rewrite``: whether tables are written anew, which the maintenance window decides if None. Outside of it, and where a
    table is busy, rows are vacuumed away and the rewrite stays due; in the window what is due is done, table by table, as
    long as the window lasts. A purge that an old snapshot stands in the way of is left waiting, its report saying who holds
    it.
    """
    connection = connections[using]
    with connection.cursor() as cursor:
        cursor.execute("SELECT pg_try_advisory_lock(hashtext('privacy_purge'))")
        if not cursor.fetchone()[0]:
            return None
    try:
        return _purged(rewrite, force, using)
    finally:
        with connection.cursor() as cursor:
            cursor.execute("SELECT pg_advisory_unlock(hashtext('privacy_purge'))")


def _purged(rewrite: bool | None, force: bool, using: str) -> Purge | None:
    by_hour = rewrite is None
    anew = in_window(now()) if rewrite is None else rewrite
    purges = Purge.objects.using(using)
    waiting = list(purges.filter(finished_at=None).order_by("id"))
    # Not again and again where a table is in use all the time: whoever uses it waits behind each try.
    due = purges.filter(rewrite_due=True, failed=False, started_at__lte=now() - AGAIN)
    owing = list(due.order_by("id")) if anew else []
    if not waiting and not owing:
        if not force:
            return None
        waiting = [purges.create(requested_at=now())]
    # Where nothing new has been erased since, only what is left of before; a new erasure needs them all.
    only = None if waiting else {table for row in owing for table in row.report.get("pending", [])}
    new = purges.filter(id__in=[row.id for row in waiting])
    purges.filter(id__in=[row.id for row in (*waiting, *owing)]).update(started_at=now())
    report = purge(rewrite=anew, using=using, may_go_on=lambda: not by_hour or in_window(now()), only=only)
    if report.blocked_by:
        new.update(report=report.as_dict())
        return purges.get(id=(waiting or owing)[-1].id)
    new.update(report=report.as_dict(), failed=report.failed, finished_at=now(), rewrite_due=bool(report.pending))
    if not report.pending and not report.failed:
        purges.filter(id__in=[row.id for row in (*waiting, *owing)]).update(rewrite_due=False, rewritten_at=now())
    else:
        for row in owing:
            left = [table for table in row.report.get("pending", []) if table in report.pending]
            purges.filter(id=row.id).update(report={**row.report, "pending": left})
    return purges.get(id=(waiting or owing)[-1].id)
