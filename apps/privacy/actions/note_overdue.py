"""Record that requests are past their date, each one time."""

from django.db import connection

from apps.access.actor import system_actor
from apps.access.policies import require
from apps.audit.actions.record import record
from apps.audit.queries import history_of
from apps.core.transactions import bind
from apps.privacy.moves import locked_request

MOST = 100
VERB = "privacy.overdue"


def note_overdue() -> int:
    """How many were noted, of any project. Who follows the audit hears of it there."""
    with connection.cursor() as cursor:
        cursor.execute("SELECT project_id, id FROM overdue_requests(%s)", [MOST])
        found = cursor.fetchall()
    noted = 0
    for project_id, request_id in found:
        actor = system_actor("privacy", project_id)
        require(actor, "privacy.carry_out", project_id=project_id)
        with bind(project_id):
            request = locked_request(project_id, request_id)
            # Behind the lock: another worker may have been quicker.
            if history_of(project_id, "privacy_request", request_id).filter(verb=VERB).exists():
                continue
            data = {"kind": request.kind, "number": request.number}
            record(actor=actor, verb=VERB, object_type="privacy_request", object_id=request_id, data=data)
            noted += 1
    return noted
