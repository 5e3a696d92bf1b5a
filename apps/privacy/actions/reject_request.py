"""Say no to a request, and why."""

from uuid import UUID

from apps.access.actor import Actor
from apps.access.policies import require
from apps.core.errors import Invalid
from apps.core.transactions import bind
from apps.privacy.models import REJECTIONS, PrivacyRequest
from apps.privacy.moves import locked_request, move


def reject_request(*, actor: Actor, project_id: int, request_id: UUID, reason: str) -> PrivacyRequest:
    """Say no, for one of REJECTIONS. Raises NotFound, Invalid, Conflict ``wrong_state``."""
    require(actor, "privacy.handle", project_id=project_id)
    if reason not in REJECTIONS:
        raise Invalid("unknown_choice", f"The reason is one of {', '.join(REJECTIONS)}.", pointer="/reason")
    with bind(project_id):
        request = locked_request(project_id, request_id)
        move(request, "rejected", actor=actor, rejected_for=reason, data={"reason": reason})
    return request
