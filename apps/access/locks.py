"""Locks of this room, each in the one order in which they are taken."""

from apps.tenancy.models import Project


def lock_members(project_id: int) -> None:
    """Who is a member, and as what, changes one at a time in a project. Not a lock that keeps others from referring to
    the project meanwhile."""
    Project.objects.select_for_update(no_key=True).only("id").get(id=project_id)
