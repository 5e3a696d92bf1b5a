"""The locks of this room: the import first, then its lines; a webhook after the messages it sends."""

from django.db import connection

from apps.core.errors import NotFound
from apps.exchange.models import Import


def locked_import(project_id: int, import_id: int) -> Import:
    """Raises NotFound. The project is bound."""
    found = Import.objects.select_for_update().filter(project_id=project_id, id=import_id).first()
    if found is None:
        raise NotFound("not_found", "There is no such import in this project.")
    return found


def lock_webhooks(project_id: int) -> None:
    """Which webhooks there are, and to where, changes one at a time in a project, until the transaction ends."""
    with connection.cursor() as cursor:
        cursor.execute("SELECT pg_advisory_xact_lock(hashtext('webhooks'), %s)", [project_id])
