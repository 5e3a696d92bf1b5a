"""The row locks of this room: the import first, then its lines."""

from apps.core.errors import NotFound
from apps.exchange.models import Import


def locked_import(project_id: int, import_id: int) -> Import:
    """Raises NotFound. The project is bound."""
    found = Import.objects.select_for_update().filter(project_id=project_id, id=import_id).first()
    if found is None:
        raise NotFound("not_found", "There is no such import in this project.")
    return found
