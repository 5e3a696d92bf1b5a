"""Delete the lines of imports that have no further use for them."""

from django.db import connection

from apps.access.actor import system_actor
from apps.access.policies import require
from apps.audit.actions.record import record
from apps.core.clock import now
from apps.core.transactions import bind
from apps.exchange.locks import locked_import
from apps.exchange.models import ImportLine
from apps.exchange.states import ENDED

AFTER_END, AFTER_CHECK = "1 day", "7 days"
"""How long lines are kept once an import has ended, and while nobody says how it goes on."""


def empty_imports() -> int:
    """How many imports were emptied. Those that nobody carried on are cancelled. What stays is counts, and the numbers and
    reasons of refused lines."""
    with connection.cursor() as cursor:
        cursor.execute("SELECT project_id, id FROM imports_to_empty(%s, %s)", [AFTER_END, AFTER_CHECK])
        found = cursor.fetchall()
    for project_id, import_id in found:
        actor = system_actor("exchange", project_id)
        require(actor, "imports.carry_on", project_id=project_id)
        with bind(project_id):
            upload = locked_import(project_id, import_id)
            lines = ImportLine.objects.filter(project_id=project_id, upload_id=import_id)
            gone = lines.filter(reason="")._raw_delete("default")
            lines.filter(record__isnull=False).update(record=None, digest=None)
            if upload.state not in ENDED:
                upload.state, upload.finished_at = "cancelled", now()
            upload.emptied_at, upload.header, upload.columns = now(), [], {}
            upload.save(update_fields=["state", "finished_at", "emptied_at", "header", "columns"])
            record(
                actor=actor, verb="imports.empty", object_type="import", object_id=import_id, data={"lines": int(gone)}
            )
    return len(found)
