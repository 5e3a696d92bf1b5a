"""The one table of what may follow what in a request's life; the database holds the same pairs (sql/legal_moves.sql)."""

from apps.core.errors import Conflict

KINDS = ["access", "correction", "erasure", "restriction", "portability", "objection"]
DESTROYS = frozenset(["erasure", "objection"])
"""Kinds that delete what is of a person: they go through preview, approval by a second person, purge and verification."""
WIPE = "wipe"
"""No request of a person: the whole project is emptied, on the word of two. It begins where approval is waited for."""
ERASES = DESTROYS | {WIPE}

MOVES: dict[str, frozenset[str]] = {
    "received": frozenset(["identity_check", "triage", "duplicate", "rejected", "cancelled"]),
    "identity_check": frozenset(["triage", "duplicate", "rejected", "cancelled"]),
    "triage": frozenset(["previewed", "fulfilling", "duplicate", "rejected", "cancelled"]),
    "previewed": frozenset(["previewed", "awaiting_approval", "rejected", "cancelled"]),
    "awaiting_approval": frozenset(["previewed", "suppressing", "rejected", "cancelled"]),
    # From here on nothing is taken back: what was begun is finished, or somebody has to look.
    "suppressing": frozenset(["erasing", "previewed", "needs_attention"]),
    "erasing": frozenset(["purging", "needs_attention"]),
    "purging": frozenset(["verifying", "needs_attention"]),
    "verifying": frozenset(["completed", "completed_with_exceptions", "needs_attention"]),
    "needs_attention": frozenset(["suppressing", "erasing", "purging", "verifying", "fulfilling"]),
    "fulfilling": frozenset(["completed", "completed_with_exceptions", "needs_attention"]),
    # A hold was released: what it kept is looked at again.
    "completed_with_exceptions": frozenset(["triage"]),
    "duplicate": frozenset(["triage", "cancelled"]),
    "completed": frozenset(),
    "rejected": frozenset(),
    "cancelled": frozenset(),
}
STATES = list(MOVES)
FINISHED = frozenset(["completed", "completed_with_exceptions", "rejected", "cancelled", "duplicate"])
AT_WORK = frozenset(["suppressing", "erasing", "purging", "verifying", "fulfilling"])
"""States in which a worker goes on by itself."""

PAIRS = sorted(f"{before}>{after}" for before, following in MOVES.items() for after in following)


def check_move(before: str, after: str) -> None:
    """Raises Conflict ``wrong_state`` unless a request may go from one state to the other."""
    if after not in MOVES[before]:
        words = before.replace("_", " ")
        raise Conflict("wrong_state", f"The request is {words}; that can't be done with it now.")
