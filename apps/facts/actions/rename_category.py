"""A category gets another name, which new facts are filed under."""

from apps.access.actor import Actor
from apps.access.policies import require
from apps.audit.actions.record import record
from apps.core.clock import now
from apps.core.errors import Invalid
from apps.core.text import normalise
from apps.core.transactions import bind
from apps.facts.actions.add_category import new_category
from apps.facts.actions.retire_category import offered_category
from apps.facts.categories import clean_name
from apps.facts.locks import locked_categories
from apps.facts.models import Category


def rename_category(*, actor: Actor, project_id: int, name: str, to: str) -> Category:
    """Retire ``name`` in favour of ``to``, a new category or one of the list; returns that.

    No fact is touched: each says what it said, and a key that may read one category alone still names the one it named. What
    an extractor finds from now on, and what was renamed to ``name`` before, goes to ``to``. Raises what `retire_category`
    and `add_category` do, and Invalid ``unchanged``.
    """
    require(actor, "categories.change", project_id=project_id)
    to = clean_name(to)
    with bind(project_id):
        known = locked_categories(project_id)
        row = offered_category(known, name)
        if to == name:
            raise Invalid("unchanged", "It is called so already.", pointer="/name")
        target = known.get(to)
        if target is None or target.retired_at is not None:
            # Its place is free, and another spelling of itself is no second category.
            row.retired_at = now()
            others = {one: kept for one, kept in known.items() if one != name or normalise(name) != normalise(to)}
            target = new_category(project_id, others, to)
        row.retired_at, row.now_called = now(), target.name
        row.save(update_fields=["retired_at", "now_called"])
        Category.objects.filter(project_id=project_id, now_called=name).update(now_called=target.name)
        record(
            actor=actor,
            verb="categories.rename",
            object_type="category",
            object_id=row.pk,
            data={"to": target.pk},
        )
    return target
