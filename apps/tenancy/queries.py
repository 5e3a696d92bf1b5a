"""Who is meant by an id."""

import re
from uuid import UUID

from django.db.models import Q

from apps.tenancy.models import AGENT_ID, Agent, Subject, SubjectAlias


def find_subject(*, project_id: int, external_id: str) -> Subject | None:
    """The user known by this id or, failing that, by this alias; None when nobody is."""
    name = external_id.strip()
    subject = Subject.objects.filter(project_id=project_id, kind="user", external_id=name).first()
    if subject:
        return subject
    alias = SubjectAlias.objects.filter(project_id=project_id, external_id=name).first()
    return Subject.objects.get(project_id=project_id, id=alias.subject_id) if alias else None


def find_agent(*, project_id: int, name_or_id: str) -> Agent | None:
    """The agent of this unique name or id; None when the project has none."""
    if "\x00" in name_or_id:
        return None
    wanted = Q(name=name_or_id)
    if re.fullmatch(AGENT_ID, name_or_id):
        wanted |= Q(id=UUID(name_or_id))
    return Agent.objects.filter(wanted, project_id=project_id).first()
