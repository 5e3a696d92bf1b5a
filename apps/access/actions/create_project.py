"""A new tenant."""

import re

from apps.access.actor import Actor
from apps.access.policies import require
from apps.audit.actions.record import record
from apps.core.errors import Conflict, Invalid
from apps.core.text import normalise
from apps.core.transactions import unit
from apps.tenancy.models import SLUG, Project


def create_project(*, actor: Actor, slug: str, name: str) -> Project:
    """Make a project. Its slug never changes. Raises Invalid for a bad slug or name, Conflict for one in use."""
    require(actor, "projects.create")
    if not re.fullmatch(SLUG, slug):
        raise Invalid("invalid_slug", "A slug is lower-case letters, digits and hyphens.", pointer="/slug")
    if not normalise(name) or len(name) > 120:
        raise Invalid("blank", "A project needs a name of 1 to 120 characters.", pointer="/name")
    with unit():
        if Project.objects.filter(slug=slug).exists():
            raise Conflict("slug_in_use", "There is a project with this slug.")
        project = Project.objects.create(slug=slug, name=name.strip())
        record(actor=actor, verb="projects.create", object_type="project", object_id=project.id)
    return project
