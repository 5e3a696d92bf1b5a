"""A saved view gets another name or filter, is shared or not, is what its member is shown first or not."""

from typing import Any

from apps.access.actor import Actor
from apps.access.policies import require
from apps.audit.actions.record import record
from apps.core.transactions import bind
from apps.insight.models import SavedView
from apps.insight.saved import Query, clean_name, clean_query, not_there, own_views


def change_view(
    *,
    actor: Actor,
    project_id: int,
    view_id: int,
    name: str | None = None,
    query: Query | None = None,
    shared: bool | None = None,
    default: bool | None = None,
) -> bool:
    """Change what is given of one of the actor's own views; returns whether anything was different. Raises NotFound for
    another's, and what `clean_name` and `clean_query` say."""
    require(actor, "views.save", project_id=project_id)
    if shared:
        require(actor, "views.share", project_id=project_id)
    with bind(project_id):
        own = own_views(project_id, actor)
        view = own.pop(view_id, None)
        if view is None:
            raise not_there()
        wanted: dict[str, Any] = {"shared": shared, "is_default": default}
        if name is not None:
            wanted["name"] = clean_name(name, list(own.values()))
        if query is not None:
            wanted["query"] = clean_query(query)
        changed = {key: value for key, value in wanted.items() if value is not None and value != getattr(view, key)}
        if not changed:
            return False
        if changed.get("is_default"):
            # One at a time; the others of this member are locked.
            SavedView.objects.filter(project_id=project_id, id__in=list(own), is_default=True).update(is_default=False)
        SavedView.objects.filter(project_id=project_id, id=view_id).update(**changed)
        record(
            actor=actor,
            verb="views.change",
            object_type="view",
            object_id=view_id,
            data={"changed": sorted(changed)},
        )
    return True
