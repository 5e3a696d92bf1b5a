"""Two people: one asks for the erasure as it was shown, another approves just that."""

from uuid import UUID

from apps.access.actor import Actor
from apps.access.policies import require
from apps.core.clock import now
from apps.core.errors import Conflict, Invalid
from apps.core.transactions import bind
from apps.privacy.approval import check_second_person
from apps.privacy.models import PrivacyRequest, RequestIdentity
from apps.privacy.moves import locked_request, move


def submit_request(*, actor: Actor, project_id: int, request_id: UUID, digest: str, typed_id: str) -> PrivacyRequest:
    """Ask for the approval of the preview with this digest (hex); ``typed_id`` is the user's id, typed once more. Raises
    NotFound, Conflict ``preview_outdated`` and ``wrong_state``, Invalid ``typed_id``."""
    require(actor, "privacy.handle", project_id=project_id)
    with bind(project_id):
        request = locked_request(project_id, request_id)
        _same(request, digest, typed_id)
        move(request, "awaiting_approval", actor=actor, data={"digest": digest})
    return request


def approve_request(*, actor: Actor, project_id: int, request_id: UUID, digest: str, typed_id: str) -> PrivacyRequest:
    """Let it be carried out, as the preview with this digest showed it; workers begin at once.

    Nobody approves what he opened, unless the installation says that one person runs it alone. Raises NotFound,
    NotAllowed ``second_person`` and ``role_too_new``, Conflict, Invalid.
    """
    require(actor, "privacy.approve", project_id=project_id)
    with bind(project_id):
        request = locked_request(project_id, request_id)
        alone = check_second_person(actor, request)
        _same(request, digest, typed_id)
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
            data={"digest": digest, "single_operator": alone},
        )
    return request


def _same(request: PrivacyRequest, digest: str, typed_id: str) -> None:
    if request.preview_digest is None or bytes(request.preview_digest).hex() != digest:
        raise Conflict("preview_outdated", "The preview is another one by now; look at it again.")
    named = RequestIdentity.objects.filter(project_id=request.project_id, request_id=request.id, kind="user_id")
    if typed_id.strip() not in set(named.values_list("value", flat=True)):
        raise Invalid("typed_id", "Type the user's id just as it is shown.", pointer="/typed_id")
