"""A retired category is offered again."""

from apps.access.actor import Actor
from apps.access.policies import require
from apps.audit.actions.record import record
from apps.core.errors import Conflict, Invalid, NotFound
from apps.core.transactions import bind
from apps.facts.categories import MOST_OFFERED
from apps.facts.locks import locked_categories
from apps.facts.models import Category


def enable_category(*, actor: Actor, project_id: int, name: str) -> Category:
    """Nothing takes its place any more. Raises NotFound, Conflict ``category_offered`` and Invalid ``too_many_categories``."""
    require(actor, "categories.change", project_id=project_id)
    with bind(project_id):
        known = locked_categories(project_id)
        row = known.get(name)
        if row is None:
            raise NotFound("not_found", "There is no such category in this project.")
        if row.retired_at is None:
            raise Conflict("category_offered", f"“{name}” is offered already.")
        if sum(other.retired_at is None for other in known.values()) >= MOST_OFFERED:
            raise Invalid("too_many_categories", f"A project offers at most {MOST_OFFERED} categories.")
        row.retired_at, row.now_called = None, ""
        row.save(update_fields=["retired_at", "now_called"])
        record(actor=actor, verb="categories.enable", object_type="category", object_id=row.pk)
    return row
