"""A category is offered from now on."""

from apps.access.actor import Actor
from apps.access.policies import require
from apps.audit.actions.record import record
from apps.core.errors import Invalid
from apps.core.text import normalise
from apps.core.transactions import bind
from apps.facts.categories import MOST_KEPT, MOST_OFFERED, clean_name
from apps.facts.locks import locked_categories
from apps.facts.models import Category


def add_category(*, actor: Actor, project_id: int, name: str) -> Category:
    """At the end of the list. The audit row has its id, not its name. Raises Invalid: ``invalid_category``,
    ``category_exists`` for one that reads the same, offered or retired, and ``too_many_categories``."""
    require(actor, "categories.change", project_id=project_id)
    name = clean_name(name)
    with bind(project_id):
        known = locked_categories(project_id)
        added = new_category(project_id, known, name)
        record(actor=actor, verb="categories.add", object_type="category", object_id=added.pk)
    return added


def new_category(project_id: int, known: dict[str, Category], name: str) -> Category:
    """A row under the lock of the list. Raises as `add_category` does."""
    for other in known.values():
        if normalise(other.name) == normalise(name):
            what = "retired; enable it instead" if other.retired_at else "in the list already"
            raise Invalid("category_exists", f"“{other.name}” is {what}.", pointer="/name")
    if sum(row.retired_at is None for row in known.values()) >= MOST_OFFERED or len(known) >= MOST_KEPT:
        raise Invalid(
            "too_many_categories",
            f"A project offers at most {MOST_OFFERED} categories and keeps {MOST_KEPT} names.",
            pointer="/name",
        )
    return Category.objects.create(project_id=project_id, name=name)
