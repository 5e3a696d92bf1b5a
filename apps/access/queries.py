"""Who is acting, and in which projects."""

from apps.access.actor import Actor
from apps.access.models import ApiKey, Membership, User
from apps.tenancy.models import Project


def actor_for_user(user: User, project: Project) -> Actor | None:
    """The user with his roles in the project; None when he is no member of it."""
    roles = frozenset(Membership.objects.filter(user=user, project=project).values_list("role", flat=True))
    if not roles:
        return None
    return Actor(kind="user", id=str(user.id), project_id=project.id, roles=roles)


def actor_for_key(key: ApiKey) -> Actor:
    """The key with its scopes and agents in its project."""
    return key.actor


def projects_of(user: User) -> list[Project]:
    """Every project the user is a member of, by name."""
    return list(Project.objects.filter(memberships__user=user, archived_at=None).distinct().order_by("name", "id"))
