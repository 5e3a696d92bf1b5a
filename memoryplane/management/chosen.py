"""The project that somebody at the command line means."""

from django.core.management.base import CommandError

from apps.tenancy.models import Project


def chosen_project(slug: str | None) -> Project:
    """The one of this slug, or the only one there is. Raises CommandError."""
    projects = list(Project.objects.filter(archived_at=None).order_by("slug"))
    chosen = [project for project in projects if slug in (None, project.slug)]
    if len(chosen) != 1:
        names = ", ".join(project.slug for project in projects)
        raise CommandError(f"Name one project with --project: {names or 'there is none yet'}.")
    return chosen[0]
