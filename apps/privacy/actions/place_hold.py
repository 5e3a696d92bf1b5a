"""Keep one thing though it should go, for a ground; what is held is told to nobody."""

from datetime import date

from apps.access.actor import Actor
from apps.access.policies import Refused, require
from apps.audit.actions.record import record
from apps.core.clock import now
from apps.core.errors import Conflict, Invalid, NotFound
from apps.core.transactions import bind
from apps.facts.models import Fact
from apps.privacy.models import HELD, Hold, PrivacyRequest
from apps.privacy.states import AT_WORK, DESTROYS, FINISHED, WIPE
from apps.tenancy.models import Subject
from apps.traces.models import Trace


def place_hold(
    *, actor: Actor, project_id: int, object_type: str, object_id: str, ground: str, review_on: date
) -> Hold:
    """On a fact (its number), a trace (its id) or a subject (its row id). Raises Invalid, NotFound, NotAllowed
    ``own_request`` for who asked for the person's erasure, and Conflict ``held_already``."""
    require(actor, "privacy.hold", project_id=project_id)
    said = ground.strip()
    if object_type not in HELD:
        raise Invalid("unknown_choice", "A hold is on a fact, a trace or a subject.", pointer="/object_type")
    if not said or len(said) > 300:
        raise Invalid("ground_required", "A hold needs a ground of at most 300 characters.", pointer="/ground")
    if review_on <= now().date():
        raise Invalid("in_past", "The day of review lies ahead.", pointer="/review_on")
    with bind(project_id):
        if PrivacyRequest.objects.filter(project_id=project_id, kind=WIPE, state__in=AT_WORK).exists():
            raise Conflict("wipe_open", "The project is being wiped.")
        subject_id = _subject_of(project_id, object_type, object_id)
        asked = PrivacyRequest.objects.filter(project_id=project_id, kind__in=DESTROYS, opened_by=actor.name)
        if subject_id and asked.filter(subject_id=subject_id).exclude(state__in=FINISHED).exists():
            detail = "Who asked for an erasure can't hold it up."
            raise Refused(actor, "privacy.hold", detail, project_id, code="own_request")
        hold, created = Hold.objects.get_or_create(
            project_id=project_id,
            object_type=object_type,
            object_id=object_id,
            released_at=None,
            defaults={"ground": said, "placed_by": actor.name, "review_on": review_on},
        )
        if not created:
            raise Conflict("held_already", "It is held already.")
        held = Fact.objects.in_project(project_id).filter(restricted_at=None)
        held = held.filter(id=int(object_id)) if object_type == "fact" else held.filter(subject_id=subject_id or 0)
        if object_type != "trace":
            held.order_by("id").update(restricted_at=now(), restricted_reason="hold")
        if object_type == "subject" and subject_id:
            Subject.objects.filter(project_id=project_id, id=subject_id).update(suppressed_at=now())
        record(
            actor=actor,
            verb="privacy.hold",
            object_type=object_type,
            object_id=object_id,
            data={"hold": hold.id, "review_on": review_on.isoformat()},
        )
    return hold


def _subject_of(project_id: int, object_type: str, object_id: str) -> int | None:
    if object_type == "trace":
        trace = Trace.objects.filter(project_id=project_id, trace_id=object_id).first()
        if trace is None:
            raise NotFound("not_found", "There is no such trace in this project.")
        return trace.subject_id
    if not (object_id.isascii() and object_id.isdecimal() and len(object_id) <= 18):
        raise Invalid("invalid_number", "It is named by its number.", pointer="/object_id")
    if object_type == "fact":
        fact = Fact.objects.in_project(project_id).filter(id=int(object_id)).first()
        if fact is None:
            raise NotFound("not_found", "There is no such fact in this project.")
        return fact.subject_id
    if not Subject.objects.filter(project_id=project_id, id=int(object_id)).exists():
        raise NotFound("not_found", "There is no such subject in this project.")
    return int(object_id)
