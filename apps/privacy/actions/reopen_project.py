"""Open a project again that was wiped: empty, with its members, agents and settings."""

from apps.access.actor import Actor
from apps.access.policies import require
from apps.audit.actions.record import record
from apps.core.errors import Conflict
from apps.core.transactions import bind
from apps.privacy.models import PrivacyRequest
from apps.privacy.states import FINISHED, WIPE
from apps.tenancy.models import Project


def reopen_project(*, actor: Actor, project_id: int) -> Project:
    """From now on its keys work again, and what is observed from now on is learned. Raises Conflict ``not_closed`` and
    ``wipe_open`` while it is still being emptied."""
    require(actor, "project.reopen", project_id=project_id)
    with bind(project_id):
        project = Project.objects.select_for_update().get(id=project_id)
        if project.closed_at is None:
            raise Conflict("not_closed", "The project is open.")
        wipes = PrivacyRequest.objects.filter(project_id=project_id, kind=WIPE)
        if wipes.exclude(state__in=FINISHED).exists():
            raise Conflict("wipe_open", "It is still being emptied.")
        project.closed_at = None
        project.save(update_fields=["closed_at"])
        record(actor=actor, verb="project.reopen", object_type="project", object_id=project_id, data={})
    return project
