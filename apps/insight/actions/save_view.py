"""A filter of the list of facts gets a name."""

from apps.access.actor import Actor
from apps.access.policies import require
from apps.audit.actions.record import record
from apps.core.errors import Invalid
from apps.core.transactions import bind
from apps.insight.models import SavedView
from apps.insight.saved import MOST_VIEWS, Query, clean_name, clean_query, own_views


def save_view(
    *, actor: Actor, project_id: int, name: str, query: Query, shared: bool = False, default: bool = False
) -> SavedView:
    """A view of the actor's; ``default`` takes that from the one that was it. ``query`` was read by whoever shows the list.
    Raises what `clean_name` and `clean_query` say, and Invalid ``too_many_views`` beyond 50."""
    require(actor, "views.save", project_id=project_id)
    if shared:
        require(actor, "views.share", project_id=project_id)
    with bind(project_id):
        own = own_views(project_id, actor)
        if len(own) >= MOST_VIEWS:
            raise Invalid("too_many_views", f"You have {MOST_VIEWS} views, which is the most; delete one first.")
        name, kept = clean_name(name, list(own.values())), clean_query(query)
        if default:
            SavedView.objects.filter(project_id=project_id, id__in=list(own), is_default=True).update(is_default=False)
        view = SavedView.objects.create(
            project_id=project_id, user_id=int(actor.id), name=name, query=kept, shared=shared, is_default=default
        )
        record(
            actor=actor,
            verb="views.save",
            object_type="view",
            object_id=view.id,
            data={"shared": shared, "default": default, "parameters": sorted(kept)},
        )
    return view
