"""Begin what asks for no erasure: to be told, to be corrected, to be left alone, to take one's facts along."""

from typing import Any
from uuid import UUID

from apps.access.actor import Actor
from apps.access.policies import require
from apps.core.errors import Conflict, Invalid
from apps.core.text import storable
from apps.core.transactions import bind
from apps.privacy.models import PrivacyRequest
from apps.privacy.moves import locked_request, move
from apps.privacy.states import DESTROYS


def fulfil_request(*, actor: Actor, project_id: int, request_id: UUID, correction: str = "") -> PrivacyRequest:
    """Let a worker do it; for a correction ``correction`` is what is right, unless the request says so already.

    Raises NotFound, Conflict ``identity_unchecked``, ``wrong_state`` and ``needs_preview`` for an erasure, and Invalid.
    """
    require(actor, "privacy.handle", project_id=project_id)
    with bind(project_id):
        request = locked_request(project_id, request_id)
        if request.kind in DESTROYS:
            raise Conflict("needs_preview", "An erasure is previewed and approved first.")
        if request.identity_checked_at is None:
            raise Conflict("identity_unchecked", "Check first that the person is who she says.")
        changes: dict[str, Any] = {}
        if request.kind == "correction":
            right = storable(correction)[0].strip() or request.correction
            if not right or len(right) > 2_000:
                raise Invalid("required", "Say what is right, in at most 2,000 characters.", pointer="/correction")
            changes["correction"] = right
        move(request, "fulfilling", actor=actor, attempts=0, not_before=None, **changes)
    return request
