"""An id stops meaning a subject."""

from apps.access.actor import Actor
from apps.access.policies import require
from apps.audit.actions.record import record
from apps.core.errors import NotFound
from apps.core.transactions import bind
from apps.tenancy.models import SubjectAlias


def remove_alias(*, actor: Actor, project_id: int, subject_id: int, alias_id: int) -> str:
    """Take an alias from a subject and return what it was. What came in under it stays with the subject. Raises
    NotFound, also for one that somebody else took away meanwhile."""
    require(actor, "subjects.alias", project_id=project_id)
    with bind(project_id):
        alias = (
            SubjectAlias.objects.select_for_update()
            .filter(project_id=project_id, subject_id=subject_id, id=alias_id)
            .first()
        )
        if alias is None:
            raise NotFound("not_found", "The subject has no such alias any more.")
        alias.delete()
        record(
            actor=actor,
            verb="subjects.remove_alias",
            object_type="subject",
            object_id=subject_id,
            data={"alias": alias_id},
        )
    return alias.external_id
