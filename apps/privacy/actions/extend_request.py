"""Take the time that the law gives for a hard request."""

from uuid import UUID

from apps.access.actor import Actor
from apps.access.policies import require
from apps.audit.actions.record import record
from apps.core.clock import now
from apps.core.errors import Conflict, Invalid
from apps.core.transactions import bind
from apps.privacy.calendar import EXTENSION, MONTHS, months_after
from apps.privacy.models import PrivacyRequest
from apps.privacy.moves import locked_request
from apps.privacy.preview import nameless
from apps.privacy.states import FINISHED


def extend_request(*, actor: Actor, project_id: int, request_id: UUID, reason: str) -> PrivacyRequest:
    """Two months more, once, told to the person with the reason within the first month. Raises NotFound, Invalid,
    Conflict ``too_late`` and ``extended_already``."""
    require(actor, "privacy.handle", project_id=project_id)
    said = reason.strip()
    if not said or len(said) > 300:
        raise Invalid("reason_required", "An extension needs a reason of at most 300 characters.", pointer="/reason")
    with bind(project_id):
        request = locked_request(project_id, request_id)
        if request.state in FINISHED:
            raise Conflict("wrong_state", "The request has ended.")
        if request.extended_until is not None:
            raise Conflict("extended_already", "It was extended already; once is all.")
        if now() > request.due_at:
            raise Conflict("too_late", "The month is over; an extension has to be told within it.")
        nameless(request, said, "/reason")
        request.extended_until = months_after(request.due_at, EXTENSION)
        request.extension_reason = said
        request.save(update_fields=["extended_until", "extension_reason"])
        record(
            actor=actor,
            verb="privacy.extend",
            object_type="privacy_request",
            object_id=request.id,
            data={"number": request.number, "months": MONTHS + EXTENSION},
        )
    return request
