"""Begin a dry run: find out what would become of each line, and write nothing but that."""

from typing import Any

from apps.access.actor import Actor
from apps.access.policies import require
from apps.audit.actions.record import record
from apps.core.errors import Conflict, FieldError, Invalid
from apps.core.transactions import bind
from apps.exchange.locks import locked_import
from apps.exchange.models import Import
from apps.exchange.readers.table import FIELDS, Table
from apps.exchange.states import WAITING
from apps.facts.models import SCOPES


def check_import(
    *,
    actor: Actor,
    project_id: int,
    import_id: int,
    columns: dict[str, Any] | None = None,
    direct: bool = False,
    register_agents: bool = False,
) -> Import:
    """A worker goes through the lines; what they come to stands in ``forecast``. What is chosen here is what runs.

    ``columns`` of a table: ``columns`` by field, and ``scope`` and ``scope_id`` for rows that don't say. ``direct`` and
    ``register_agents`` are an administrator's to choose. Raises Refused, NotFound, Conflict ``import_moved`` and Invalid.
    """
    require(actor, "imports.run", project_id=project_id)
    if direct:
        require(actor, "imports.direct", project_id=project_id)
    if register_agents:
        require(actor, "imports.register_agents", project_id=project_id)
    with bind(project_id):
        upload = locked_import(project_id, import_id)
        if upload.state not in WAITING or upload.emptied_at is not None:
            raise Conflict("import_moved", f"This import is {upload.state}; nothing was changed.")
        if columns is not None:
            upload.columns = _chosen(upload, columns)
        if upload.shape == Table.shape and not (upload.columns.get("columns") or {}).get("content"):
            raise Invalid("content_required", "Say which column holds the statement.", pointer="/content")
        upload.direct, upload.register_agents = direct, register_agents
        upload.state, upload.position, upload.forecast, upload.attempts = "checking", 0, {}, 0
        upload.save(update_fields=["columns", "direct", "register_agents", "state", "position", "forecast", "attempts"])
        record(
            actor=actor,
            verb="imports.check",
            object_type="import",
            object_id=upload.id,
            data={"direct": direct, "register_agents": register_agents},
        )
    return upload


def _chosen(upload: Import, given: dict[str, Any]) -> dict[str, Any]:
    """What a person chose, as it is kept. Raises Invalid."""
    errors = []
    chosen = {field: name for field, name in (given.get("columns") or {}).items() if name}
    for field, name in chosen.items():
        if field not in FIELDS or name not in upload.header:
            errors.append(FieldError("unknown_choice", "There is no such column.", pointer=f"/{field}"))
    scope = given.get("scope") or "user"
    if scope not in SCOPES:
        errors.append(FieldError("unknown_choice", "Not a scope.", pointer="/scope"))
    if errors:
        raise Invalid("invalid_columns", "The columns can't be used so.", errors=errors)
    return {"columns": chosen, "scope": scope, "scope_id": str(given.get("scope_id") or "").strip()[:255]}
