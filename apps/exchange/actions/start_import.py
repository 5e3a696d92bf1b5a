"""Have a checked import run."""

from apps.access.actor import Actor
from apps.access.policies import require
from apps.audit.actions.record import record
from apps.core.clock import now
from apps.core.errors import Conflict
from apps.core.transactions import bind
from apps.exchange.locks import locked_import
from apps.exchange.models import Import


def start_import(*, actor: Actor, project_id: int, import_id: int) -> Import:
    """It runs as it was checked. One that is told directly needs somebody who may say so here too.

    Raises Refused, NotFound, and Conflict: ``import_moved``, ``nothing_new`` where the check found nothing to take in.
    """
    require(actor, "imports.run", project_id=project_id)
    with bind(project_id):
        upload = locked_import(project_id, import_id)
        for wanted, verb in ((upload.direct, "imports.direct"), (upload.register_agents, "imports.register_agents")):
            if wanted:
                require(actor, verb, project_id=project_id)
        if upload.state != "checked" or upload.emptied_at is not None:
            raise Conflict("import_moved", f"This import is {upload.state}; nothing was changed.")
        if not upload.forecast.get("new"):
            raise Conflict("nothing_new", "Nothing in it would be taken in.")
        upload.state, upload.position, upload.counts, upload.attempts = "running", 0, {}, 0
        upload.started_by, upload.started_at = actor.name, now()
        upload.save(update_fields=["state", "position", "counts", "attempts", "started_by", "started_at"])
        record(
            actor=actor,
            verb="imports.start",
            object_type="import",
            object_id=upload.id,
            data={"direct": upload.direct, "register_agents": upload.register_agents},
        )
    return upload
