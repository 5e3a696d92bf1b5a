"""Who is meant by an id."""

import re
from collections.abc import Collection
from uuid import UUID

from django.db.models import Q

from apps.core.transactions import bind
from apps.tenancy.models import AGENT_ID, Agent, Subject, SubjectAlias


def find_subject(*, project_id: int, external_id: str) -> Subject | None:
    """The user known by this id or, failing that, by this alias; None when nobody is."""
    name = external_id.strip()
    subject = Subject.objects.filter(project_id=project_id, kind="user", external_id=name).first()
    if subject:
        return subject
    alias = SubjectAlias.objects.filter(project_id=project_id, external_id=name).first()
    return Subject.objects.get(project_id=project_id, id=alias.subject_id) if alias else None


def find_subjects(*, project_id: int, external_ids: Collection[str]) -> dict[str, Subject]:
    """What `find_subject` finds, of many at once, by those of ``external_ids`` that somebody is known by; they are trimmed."""
    if not external_ids:
        return {}
    own = Subject.objects.filter(project_id=project_id, kind="user", external_id__in=external_ids)
    found = {subject.external_id: subject for subject in own}
    others = SubjectAlias.objects.filter(project_id=project_id, external_id__in=set(external_ids) - found.keys())
    return found | {alias.external_id: alias.subject for alias in others.select_related("subject")}


def find_agent(*, project_id: int, name_or_id: str) -> Agent | None:
    """The agent of this unique name or id; None when the project has none."""
    if "\x00" in name_or_id:
        return None
    wanted = Q(name=name_or_id)
    if re.fullmatch(AGENT_ID, name_or_id):
        wanted |= Q(id=UUID(name_or_id))
    return Agent.objects.filter(wanted, project_id=project_id).first()


def subjects_called(project_id: int, names: list[str]) -> dict[str, int]:
    """Ids of users by those of ``names`` that are their id or an alias, exactly; suppressed ones are not known."""
    found = Subject.objects.filter(project_id=project_id, kind="user", suppressed_at=None)
    with bind(project_id):
        own = found.filter(external_id__in=names).values_list("external_id", "id")
        other = SubjectAlias.objects.filter(
            project_id=project_id, external_id__in=names, subject__suppressed_at=None
        ).values_list("external_id", "subject_id")
        return dict(other.union(own))
