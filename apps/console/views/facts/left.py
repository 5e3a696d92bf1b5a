"""Which facts a change of several left as they were, and why: kept for the next look at the list alone."""

from apps.console.hx import ConsoleRequest

KEY = "facts_left"
MOST = 200
"""As many are kept; a session is no place for more."""


def keep_left(request: ConsoleRequest, left: list[tuple[int, str]]) -> None:
    if left:
        reasons = {str(fact_id): reason for fact_id, reason in left[:MOST]}
        request.session[KEY] = {"project": request.project.id, "reasons": reasons}


def take_left(request: ConsoleRequest) -> dict[int, str]:
    """The reasons by fact, once."""
    kept = request.session.get(KEY)
    if kept is None or kept["project"] != request.project.id:
        return {}
    del request.session[KEY]
    return {int(fact_id): reason for fact_id, reason in kept["reasons"].items()}
