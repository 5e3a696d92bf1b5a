"""The second person's word, on which a project is closed and emptied."""

from uuid import UUID

from apps.access.actor import Actor
from apps.access.policies import require
from apps.core.clock import now
from apps.core.errors import Conflict
from apps.core.transactions import bind
from apps.privacy.actions.request_wipe import REASONS, check_name
from apps.privacy.approval import check_second_person
from apps.privacy.models import PrivacyRequest
from apps.privacy.moves import locked_request, move
from apps.privacy.states import WIPE
from apps.privacy.wiping import in_the_way


def approve_wipe(*, actor: Actor, project_id: int, request_id: UUID, typed_name: str) -> PrivacyRequest:
    """Let workers close the project and empty it; it is not undone. ``typed_name`` is the project's name, typed.

    Raises NotFound, NotAllowed ``second_person`` and ``role_too_new``, Conflict ``wrong_state``, ``held`` and
    ``requests_open``, Invalid ``typed_name``.
    """
    require(actor, "privacy.approve", project_id=project_id)
    with bind(project_id):
        request = locked_request(project_id, request_id)
        if request.kind != WIPE:
            raise Conflict("wrong_state", "This request is no wipe.")
        alone = check_second_person(actor, request)
        check_name(project_id, typed_name)
        if why := in_the_way(project_id):
            raise Conflict(why, REASONS[why])
        move(
            request,
            "suppressing",
            actor=actor,
            approved_by=actor.name,
            approved_at=now(),
            approved_digest=request.preview_digest,
            single_operator=alone,
            attempts=0,
            not_before=None,
            data={"single_operator": alone},
        )
    return request
