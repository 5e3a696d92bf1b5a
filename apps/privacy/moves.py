"""One step of a request: the row locked, the pair looked up, the change and its audit event in one transaction."""

from typing import Any
from uuid import UUID

from django.db import connection
from django.db.models import Max

from apps.access.actor import Actor
from apps.audit.actions.record import record
from apps.core.clock import now
from apps.core.errors import NotFound
from apps.privacy.models import PrivacyRequest, RequestIdentity
from apps.privacy.states import FINISHED, check_move


def locked_request(project_id: int, request_id: UUID) -> PrivacyRequest:
    """The row, locked. Raises NotFound. The project is bound."""
    found = PrivacyRequest.objects.select_for_update().filter(project_id=project_id, id=request_id).first()
    if found is None:
        raise NotFound("not_found", "There is no such request in this project.")
    return found


def next_number(project_id: int) -> int:
    """The number of the next request, without gaps: one at a time in a project, until the transaction ends."""
    with connection.cursor() as cursor:
        cursor.execute("SELECT pg_advisory_xact_lock(hashtext('privacy_request'), %s)", [project_id])
    ours = PrivacyRequest.objects.filter(project_id=project_id)
    return int((ours.aggregate(last=Max("number"))["last"] or 0) + 1)


def move(request: PrivacyRequest, to: str, *, actor: Actor, data: dict[str, Any] | None = None, **changes: Any) -> None:
    """Put a locked request into the state ``to`` with these changes, and say so in the audit log. Raises Conflict."""
    before = request.state
    check_move(before, to)
    if to in FINISHED:
        changes |= {"finished_at": now()}
    elif before in FINISHED:
        changes |= {"finished_at": None}
    for name, value in (changes | {"state": to}).items():
        setattr(request, name, value)
    request.save(update_fields=["state", *changes])
    if to in FINISHED and to != "duplicate":
        close(request)
    record(
        actor=actor,
        verb=f"privacy.{to}",
        object_type="privacy_request",
        object_id=request.id,
        data={"from": before, "kind": request.kind, "number": request.number, **(data or {})},
    )


def close(request: PrivacyRequest) -> None:
    """Nothing about the person stays in a request that ended, unless something of hers is held and it will go on."""
    kept = request.preview.get("held") or request.preview.get("held_traces") or request.exceptions
    if request.state == "completed_with_exceptions" and kept:
        return
    RequestIdentity.objects.filter(project_id=request.project_id, request_id=request.id).delete()
    if request.wish or request.correction:
        request.wish = request.correction = ""
        request.save(update_fields=["wish", "correction"])
