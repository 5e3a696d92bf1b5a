"""Ask for a whole project to be emptied; somebody else approves it, or it is taken back."""

import hashlib
from uuid import UUID

from apps.access.actor import Actor
from apps.access.policies import require
from apps.audit.actions.record import record
from apps.core.clock import now
from apps.core.errors import Conflict, Invalid
from apps.core.transactions import bind
from apps.privacy.backups import backups_holding
from apps.privacy.calendar import MONTHS, months_after
from apps.privacy.models import PrivacyRequest
from apps.privacy.moves import locked_request, move, next_number
from apps.privacy.states import FINISHED, WIPE
from apps.privacy.wiping import in_the_way, wipe_counts
from apps.tenancy.models import Project
from apps.tenancy.tombstones import project_digest

REASONS = {
    "held": "Something is held in this project. Release the holds first.",
    "requests_open": "People's requests are open in this project. End them first.",
}


def request_wipe(*, actor: Actor, project_id: int, typed_name: str) -> PrivacyRequest:
    """Ask for everything in the project to go; nothing changes until a second person approves. ``typed_name`` is the
    project's name, typed.

    Raises Invalid ``typed_name``, Conflict ``wipe_open``, ``held`` and ``requests_open``.
    """
    require(actor, "project.wipe", project_id=project_id)
    check_name(project_id, typed_name)
    with bind(project_id):
        number = next_number(project_id)
        ours = PrivacyRequest.objects.filter(project_id=project_id)
        if ours.filter(kind=WIPE).exclude(state__in=FINISHED).exists():
            raise Conflict("wipe_open", "A wipe of this project was asked for already.")
        if why := in_the_way(project_id):
            raise Conflict(why, REASONS[why])
        at = now()
        request = PrivacyRequest(
            project_id=project_id,
            number=number,
            kind=WIPE,
            state="awaiting_approval",
            subject_digest=project_digest(project_id),
            opened_by=actor.name,
            received_at=at,
            due_at=months_after(at, MONTHS),
            preview={"stores": wipe_counts(project_id, capped=True), "backups": backups_holding()},
            # Everything, whatever comes in until then: no list of it could be approved.
            preview_digest=hashlib.sha256(b"everything:" + project_digest(project_id)).digest(),
            previewed_at=at,
        )
        request.save(force_insert=True)
        record(
            actor=actor,
            verb="privacy.open",
            object_type="privacy_request",
            object_id=request.id,
            data={"kind": WIPE, "number": number, "state": request.state},
        )
    return request


def cancel_wipe(*, actor: Actor, project_id: int, request_id: UUID) -> PrivacyRequest:
    """Take it back; possible until it was approved. Raises NotFound, Conflict ``wrong_state``."""
    require(actor, "project.wipe", project_id=project_id)
    with bind(project_id):
        request = locked_request(project_id, request_id)
        if request.kind != WIPE:
            raise Conflict("wrong_state", "This request is no wipe.")
        move(request, "cancelled", actor=actor)
    return request


def check_name(project_id: int, typed: str) -> None:
    """Raises Invalid ``typed_name`` unless it is just the project's name."""
    name = Project.objects.values_list("name", flat=True).get(id=project_id)
    if typed.strip() != name.strip():
        raise Invalid("typed_name", "Type the project's name just as it is shown.", pointer="/typed_name")
