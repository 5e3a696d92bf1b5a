"""A category is offered no longer."""

from apps.access.actor import Actor
from apps.access.policies import require
from apps.audit.actions.record import record
from apps.core.clock import now
from apps.core.errors import Conflict, Invalid, NotFound
from apps.core.transactions import bind
from apps.facts.categories import GENERAL
from apps.facts.locks import locked_categories
from apps.facts.models import Category


def retire_category(*, actor: Actor, project_id: int, name: str) -> Category:
    """Facts that hold it keep it; what an extractor would still file under it goes to `GENERAL`. Raises NotFound, Invalid
    ``category_needed`` for that one, and Conflict ``category_retired``."""
    require(actor, "categories.change", project_id=project_id)
    with bind(project_id):
        row = offered_category(locked_categories(project_id), name)
        row.retired_at = now()
        row.save(update_fields=["retired_at"])
        record(actor=actor, verb="categories.retire", object_type="category", object_id=row.pk)
    return row


def offered_category(known: dict[str, Category], name: str) -> Category:
    """One that may be retired or renamed. Raises as `retire_category` does."""
    row = known.get(name)
    if row is None:
        raise NotFound("not_found", "There is no such category in this project.")
    if name == GENERAL:
        raise Invalid(
            "category_needed", f"“{GENERAL}” stays: what fits nowhere else is filed under it.", pointer="/name"
        )
    if row.retired_at is not None:
        raise Conflict("category_retired", f"“{name}” was retired meanwhile.")
    return row
