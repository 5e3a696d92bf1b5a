"""One try of a password or a code, counted before it is made."""

from django.db import connection

from apps.access.actor import Actor
from apps.access.queries import known_places
from apps.access.tries import Try
from apps.audit.actions.record import record
from apps.core.errors import RateLimited
from apps.core.sqlfiles import load
from apps.core.transactions import unit

SWEPT = 20


def take_try(*, actor: Actor, attempt: Try) -> None:
    """Count ``attempt`` in the database, where all processes count together; what turns out right is given back
    (`give_back_try`). Raises RateLimited ``too_many_tries``: then nothing was counted, so that whoever goes on knocking
    makes nobody wait longer; the first refusal of a window is recorded."""
    with unit():
        try:
            with unit():
                refused = _count(attempt)
                if refused and not refused[1]:
                    raise _Undone(refused)
        except _Undone as undone:
            refused = undone.refused
        if refused and refused[1]:
            record(
                actor=actor,
                verb="users.throttle",
                object_type="user",
                object_id=actor.id if actor.kind == "user" else "unknown",
                reason=attempt.purpose,
                result="denied",
            )
    _sweep()
    if refused:
        raise RateLimited("too_many_tries", "Too many tries. Wait a while.", retry_after=refused[0])


class _Undone(Exception):
    """Takes back what a refused try had counted."""

    def __init__(self, refused: tuple[int, bool]) -> None:
        self.refused = refused


def _count(attempt: Try) -> tuple[int, bool] | None:
    """None, or the seconds until another try makes sense and whether this is the first that was refused."""
    windows = attempt.counted(known_places(attempt))
    seconds = [limit.seconds for limit in windows.values()]
    with connection.cursor() as cursor:
        cursor.execute(load(__package__, "count_tries"), {"digests": list(windows), "seconds": seconds})
        found = cursor.fetchall()
    over = [
        (seconds, tries - windows[digest].tries) for digest, tries, seconds in found if tries > windows[digest].tries
    ]
    return (max(wait for wait, _ in over), all(beyond == 1 for _, beyond in over)) if over else None


def _sweep() -> None:
    """What is over goes, a little with each try: as fast as it comes. Last, for it locks in an order of its own."""
    with unit(), connection.cursor() as cursor:
        cursor.execute(
            "DELETE FROM access_signincount WHERE digest IN (SELECT digest FROM access_signincount"
            " WHERE ends_at < now() ORDER BY ends_at LIMIT %s FOR UPDATE SKIP LOCKED)",
            [SWEPT],
        )
