"""Rules that every act on saved views shares."""

from collections.abc import Mapping, Sequence

from apps.access.actor import Actor
from apps.core.errors import Conflict, Invalid, NotFound
from apps.core.text import normalise, one_line
from apps.insight.models import SavedView

MOST_VIEWS = 50
"""Views that one member has in a project."""
MAX_NAME, MAX_QUERY = 60, 8_000
"""Characters of a name, and of all names and values of a query."""

Query = Mapping[str, str | Sequence[str]]


def own_views(project_id: int, actor: Actor) -> dict[int, SavedView]:
    """The actor's own, locked in the order of their ids, by id."""
    rows = SavedView.objects.select_for_update().filter(project_id=project_id, user_id=int(actor.id))
    return {view.id: view for view in rows.order_by("id")}


def clean_name(name: str, others: Sequence[SavedView]) -> str:
    """The name as it is kept. Raises Invalid ``invalid_name``, and Conflict ``name_taken`` where one of ``others`` has it."""
    line = one_line(name)
    if not normalise(line) or len(line) > MAX_NAME:
        raise Invalid("invalid_name", f"A name has 1 to {MAX_NAME} characters.", pointer="/name")
    if any(normalise(view.name) == normalise(line) for view in others):
        raise Conflict("name_taken", "You have a view of this name already.", pointer="/name")
    return line


def clean_query(query: Query) -> dict[str, str | list[str]]:
    """The query as it is kept. Raises Invalid ``empty_view`` and ``view_too_long``."""
    kept = {name: value if isinstance(value, str) else list(value) for name, value in query.items() if value}
    if not kept:
        raise Invalid("empty_view", "There is no filter to save; choose one first.", pointer="/query")
    if sum(len(name) + len("".join(value)) for name, value in kept.items()) > MAX_QUERY:
        raise Invalid("view_too_long", "The filter is too long to be saved.", pointer="/query")
    return kept


def not_there() -> NotFound:
    return NotFound("not_found", "There is no such view any more.")
