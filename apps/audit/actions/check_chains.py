"""Go on with the checks that are open, of whichever project."""

import time

from django.db import connection

from apps.audit.actions.check_chain import check_chain

MOST = 20
PIECE = 10.0


def check_chains(*, seconds: float = 30) -> int:
    """A piece of each open check in turn, until none is open or the time is over; returns how many were finished. A
    worker that dies loses nothing: the next one goes on where the last piece ended."""
    end, finished = time.monotonic() + seconds, 0
    while time.monotonic() < end:
        with connection.cursor() as cursor:
            cursor.execute("SELECT project_id, check_id FROM open_chain_checks(%s)", [MOST])
            waiting = cursor.fetchall()
        moved = [check_chain(project_id=project, check_id=check, seconds=PIECE) for project, check in waiting]
        finished += sum(check is not None and check.finished_at is not None for check in moved)
        if not any(moved):
            return finished
    return finished
