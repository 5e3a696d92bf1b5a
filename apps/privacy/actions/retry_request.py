"""Go on with what stopped."""

from uuid import UUID

from apps.access.actor import Actor
from apps.access.policies import require
from apps.core.errors import Conflict
from apps.core.transactions import bind
from apps.privacy.models import PrivacyRequest
from apps.privacy.moves import locked_request, move


def retry_request(*, actor: Actor, project_id: int, request_id: UUID) -> PrivacyRequest:
    """Go on where it stopped, after somebody has looked. Raises NotFound, Conflict ``wrong_state``."""
    require(actor, "privacy.handle", project_id=project_id)
    with bind(project_id):
        request = locked_request(project_id, request_id)
        if request.state != "needs_attention":
            raise Conflict("wrong_state", "The request needs no attention.")
        # What is left has to be erased and written over, not only looked for again.
        to = "erasing" if request.stopped_in in {"purging", "verifying"} else request.stopped_in
        move(request, to, actor=actor, attempts=0, not_before=None, error_code="", stopped_in="")
    return request
