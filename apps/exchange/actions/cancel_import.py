"""End an import that has not ended."""

from apps.access.actor import Actor
from apps.access.policies import require
from apps.audit.actions.record import record
from apps.core.clock import now
from apps.core.errors import Conflict
from apps.core.transactions import bind
from apps.exchange.locks import locked_import
from apps.exchange.models import Import
from apps.exchange.states import ENDED


def cancel_import(*, actor: Actor, project_id: int, import_id: int) -> Import:
    """What it brought in so far stays. A batch that a worker is at ends first. Raises NotFound, Conflict ``import_moved``."""
    require(actor, "imports.run", project_id=project_id)
    with bind(project_id):
        upload = locked_import(project_id, import_id)
        if upload.state in ENDED:
            raise Conflict("import_moved", f"This import is {upload.state}; nothing was changed.")
        upload.state, upload.finished_at = "cancelled", now()
        upload.lease_until = upload.lease_token = None
        upload.save(update_fields=["state", "finished_at", "lease_until", "lease_token"])
        record(actor=actor, verb="imports.cancel", object_type="import", object_id=upload.id, data=dict(upload.counts))
    return upload
