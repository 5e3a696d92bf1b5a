"""Note that somebody took a request back."""

from uuid import UUID

from apps.access.actor import Actor
from apps.access.policies import require
from apps.core.transactions import bind
from apps.privacy.models import PrivacyRequest
from apps.privacy.moves import locked_request, move


def cancel_request(*, actor: Actor, project_id: int, request_id: UUID) -> PrivacyRequest:
    """The person took it back; possible until the first row is suppressed. Raises NotFound, Conflict ``wrong_state``."""
    require(actor, "privacy.handle", project_id=project_id)
    with bind(project_id):
        request = locked_request(project_id, request_id)
        move(request, "cancelled", actor=actor)
    return request
