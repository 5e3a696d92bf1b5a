"""A member says that he has seen what changed."""

from apps.access.actor import Actor
from apps.access.policies import require
from apps.core.clock import now
from apps.core.transactions import bind
from apps.insight.models import Visit


def mark_seen(*, actor: Actor, project_id: int) -> None:
    """From now on, what is new is counted from this moment. His own mark alone: nothing of the project changes, so that
    no event is recorded."""
    require(actor, "project.open", project_id=project_id)
    with bind(project_id):
        Visit.objects.update_or_create(project_id=project_id, user_id=int(actor.id), defaults={"seen_at": now()})
