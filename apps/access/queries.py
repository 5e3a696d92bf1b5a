"""Who is acting, and in which projects."""

from django.db.models import QuerySet

from apps.access.actor import Actor
from apps.access.models import ApiKey, Membership, User
from apps.access.policies import POLICIES
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


def members_who_may(project_id: int, verb: str) -> "QuerySet[User]":
    """Members of a project with a role that opens ``verb``, by name; those who can't log in any more are left out."""
    ours = Membership.objects.filter(project_id=project_id, role__in=POLICIES[verb].roles)
    return User.objects.filter(id__in=ours.values("user_id"), is_active=True).order_by("name", "email")
