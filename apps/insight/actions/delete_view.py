"""A saved view goes."""

from apps.access.actor import Actor
from apps.access.policies import allowed, require
from apps.audit.actions.record import record
from apps.core.transactions import bind
from apps.insight.models import SavedView
from apps.insight.saved import not_there


def delete_view(*, actor: Actor, project_id: int, view_id: int) -> None:
    """One of the actor's own, or, for who tidies up, one that somebody shares. Raises NotFound, also for one that was
    deleted meanwhile."""
    require(actor, "views.save", project_id=project_id)
    with bind(project_id):
        view = SavedView.objects.select_for_update().filter(project_id=project_id, id=view_id).first()
        own = view is not None and view.user_id == int(actor.id)
        if view is None or not (own or (view.shared and allowed(actor, "views.tidy"))):
            raise not_there()
        view.delete()
        record(
            actor=actor,
            verb="views.delete",
            object_type="view",
            object_id=view_id,
            data={"shared": view.shared, "own": own},
        )
