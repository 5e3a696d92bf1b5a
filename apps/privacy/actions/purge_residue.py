"""Take up what erasures asked to be written over."""

from django.db import connections

from apps.core.clock import now
from apps.privacy.models import Purge
from apps.privacy.purging import purge


def purge_residue(*, rewrite: bool = True, force: bool = False, using: str = "owner") -> Purge | None:
    """Purge once for all that wait; None when none does, unless ``force``. Run by the tables' owner alone, in a process of
    its own, outside any transaction. Two at once: the second finds nothing to do.

    A purge that an old snapshot stands in the way of is left waiting, its report saying who holds it.
    """
    connection = connections[using]
    with connection.cursor() as cursor:
        cursor.execute("SELECT pg_try_advisory_lock(hashtext('privacy_purge'))")
        if not cursor.fetchone()[0]:
            return None
    try:
        waiting = list(Purge.objects.using(using).filter(finished_at=None).order_by("id"))
        if not waiting and not force:
            return None
        if not waiting:
            waiting = [Purge.objects.using(using).create(requested_at=now())]
        ids = [row.id for row in waiting]
        rows = Purge.objects.using(using).filter(id__in=ids)
        rows.update(started_at=now())
        report = purge(rewrite=rewrite, using=using)
        if report.blocked_by:
            rows.update(report=report.as_dict())
        else:
            rows.update(report=report.as_dict(), failed=report.failed, finished_at=now())
        return Purge.objects.using(using).get(id=ids[-1])
    finally:
        with connection.cursor() as cursor:
            cursor.execute("SELECT pg_advisory_unlock(hashtext('privacy_purge'))")
