"""Note that somebody's identity has to be, or was, checked: nothing is done for a request before."""

from uuid import UUID

from apps.access.actor import Actor
from apps.access.policies import require
from apps.core.clock import now
from apps.core.errors import Invalid
from apps.core.transactions import bind
from apps.privacy.models import IDENTITY_METHODS, PrivacyRequest
from apps.privacy.moves import locked_request, move


def ask_identity(*, actor: Actor, project_id: int, request_id: UUID) -> PrivacyRequest:
    """A proof was asked for: the clock stands until it comes. Raises NotFound, Conflict ``wrong_state``."""
    require(actor, "privacy.handle", project_id=project_id)
    with bind(project_id):
        request = locked_request(project_id, request_id)
        move(request, "identity_check", actor=actor, paused_at=now())
    return request


def check_identity(*, actor: Actor, project_id: int, request_id: UUID, method: str) -> PrivacyRequest:
    """It was checked, in this way; a clock that stood goes on where it was. Raises NotFound, Invalid, Conflict."""
    require(actor, "privacy.handle", project_id=project_id)
    if method not in IDENTITY_METHODS:
        raise Invalid("unknown_choice", "There is no such way to check.", pointer="/method")
    with bind(project_id):
        request, at = locked_request(project_id, request_id), now()
        waited = at - request.paused_at if request.paused_at else None
        move(
            request,
            "triage",
            actor=actor,
            identity_method=method,
            identity_checked_by=actor.name,
            identity_checked_at=at,
            paused_at=None,
            due_at=request.due_at + waited if waited else request.due_at,
            duplicate_of=None,
            data={"method": method},
        )
    return request
