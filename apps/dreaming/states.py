"""The tables of what may follow what, for runs and for their changes; the database holds the same pairs."""

from apps.core.errors import Conflict

PHASES = ["orient", "gather", "consolidate", "prune"]
"""In their order; the first two only read."""
CALLS = {"orient": 20, "gather": 10, "consolidate": 30, "prune": 20}
"""Tool calls a phase may make at most."""

RUN_MOVES: dict[str, frozenset[str]] = {
    "queued": frozenset(["running", "cancelled", "failed"]),
    "running": frozenset(["proposed", "settled", "cancelled", "failed"]),
    # Every change of a settled run is decided; taking one back may not open it again, taking all back ends it.
    "proposed": frozenset(["settled", "undone"]),
    "settled": frozenset(["proposed", "undone"]),
    "undone": frozenset(),
    "cancelled": frozenset(),
    "failed": frozenset(),
}
RUN_STATES = list(RUN_MOVES)
OPEN = frozenset(["queued", "running"])
"""States in which a worker has something to do: of a place there is one such run."""

CHANGE_MOVES: dict[str, frozenset[str]] = {
    "pending": frozenset(["accepted", "rejected", "applied", "conflicted"]),
    "accepted": frozenset(["pending", "rejected", "applied", "conflicted"]),
    "rejected": frozenset(["pending", "accepted"]),
    "applied": frozenset(["undone"]),
    "conflicted": frozenset(),
    "undone": frozenset(),
}
CHANGE_STATES = list(CHANGE_MOVES)
UNDECIDED = frozenset(["pending", "accepted"])


def pairs(moves: dict[str, frozenset[str]]) -> list[str]:
    """As the database has them: ``before>after``."""
    return sorted(f"{before}>{after}" for before, following in moves.items() for after in following)


def check_move(moves: dict[str, frozenset[str]], before: str, after: str, what: str) -> None:
    """Raises Conflict ``wrong_state`` unless one may follow the other."""
    if after not in moves[before]:
        raise Conflict("wrong_state", f"The {what} is {before}; that can't be done with it now.")
