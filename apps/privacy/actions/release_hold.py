"""Let go of what was held."""

from uuid import UUID

from apps.access.actor import Actor
from apps.access.policies import require
from apps.audit.actions.record import record
from apps.core.clock import now
from apps.core.errors import Conflict, NotFound
from apps.core.transactions import bind
from apps.facts.models import Fact
from apps.privacy.models import Hold, PrivacyRequest
from apps.privacy.moves import move
from apps.tenancy.models import Subject


def release_hold(*, actor: Actor, project_id: int, hold_id: int) -> list[UUID]:
    """Let go; what is not to be erased is told again, and each request that the hold kept from finishing is taken up
    again. Returns these. Raises NotFound, Conflict ``released_already``."""
    require(actor, "privacy.hold", project_id=project_id)
    with bind(project_id):
        hold = Hold.objects.select_for_update().filter(project_id=project_id, id=hold_id).first()
        if hold is None:
            raise NotFound("not_found", "There is no such hold in this project.")
        if hold.released_at is not None:
            raise Conflict("released_already", "It was released before.")
        hold.released_at, hold.released_by = now(), actor.name
        hold.save(update_fields=["released_at", "released_by"])
        again = _resumed(project_id, hold, actor)
        if not again:
            _told_again(project_id, hold)
        record(
            actor=actor,
            verb="privacy.release",
            object_type=hold.object_type,
            object_id=hold.object_id,
            data={"hold": hold.id, "requests": [str(number) for number in again]},
        )
    return again


def _resumed(project_id: int, hold: Hold, actor: Actor) -> list[UUID]:
    waiting = PrivacyRequest.objects.select_for_update().filter(
        project_id=project_id, state="completed_with_exceptions"
    )
    found = []
    for request in waiting.order_by("number"):
        held = {str(number) for number in request.preview.get("held", [])}
        traces = set(request.preview.get("held_traces", []))
        mine = {"fact": held, "trace": traces, "subject": {str(request.subject_id)}}[hold.object_type]
        if hold.object_id in mine:
            move(request, "triage", actor=actor)
            found.append(request.id)
    return found


def _told_again(project_id: int, hold: Hold) -> None:
    held = Fact.objects.in_project(project_id).filter(restricted_reason="hold")
    if hold.object_type == "fact":
        held.filter(id=int(hold.object_id)).update(restricted_at=None, restricted_reason="")
    elif hold.object_type == "subject":
        Subject.objects.filter(project_id=project_id, id=int(hold.object_id)).update(suppressed_at=None)
        others = Hold.objects.filter(project_id=project_id, object_type="fact", released_at=None)
        kept = [int(number) for number in others.values_list("object_id", flat=True)]
        held.filter(subject_id=int(hold.object_id)).exclude(id__in=kept).order_by("id").update(
            restricted_at=None, restricted_reason=""
        )
