"""Who is acting, and in which projects."""

from datetime import timedelta
from typing import Any, cast

from allauth.mfa.models import Authenticator
from allauth.socialaccount.models import SocialAccount
from django.conf import settings
from django.contrib.postgres.aggregates import ArrayAgg
from django.db.models import Exists, OuterRef, QuerySet

from apps.access.actor import Actor
from apps.access.keys import hash_key
from apps.access.models import ApiKey, Invitation, Membership, SignInCount, User
from apps.access.policies import POLICIES
from apps.access.tries import Try
from apps.audit.models import AuditEvent
from apps.core.clock import now
from apps.tenancy.models import Project


def known_user(user_id: int) -> User | None:
    """The user with his memberships, their projects, and whether he signs in with a code, in one statement where he has
    any: what every page asks."""
    rows: list[Any] = list(
        Membership.objects.filter(user_id=user_id, project__archived_at=None)
        .select_related("user", "project")
        .annotate(second_step=has_second_step("user_id"))
        .order_by("project__name", "project_id", "role")
    )
    user: Any = (
        rows[0].user if rows else User.objects.annotate(second_step=has_second_step("id")).filter(id=user_id).first()
    )
    if user is not None:
        user.known_memberships = rows
        user.has_second_step = (rows[0] if rows else user).second_step
    return cast("User | None", user)


def has_second_step(user: str) -> Exists:
    """Whether the user in the column ``user`` signs in with a code too."""
    return Exists(Authenticator.objects.filter(user_id=OuterRef(user), type=Authenticator.Type.TOTP))


def is_linked(user: User) -> bool:
    """Whether the user can sign in through the identity provider."""
    issuer = settings.OIDC_ISSUER
    return bool(issuer) and SocialAccount.objects.filter(user_id=user.id, provider=issuer).exists()


def memberships_of(user: User) -> list[Membership]:
    """Those in projects that are in use, by the project's name; read once for a user of `known_user`."""
    if user.known_memberships is not None:
        return user.known_memberships
    rows = Membership.objects.filter(user=user, project__archived_at=None).select_related("project")
    return list(rows.order_by("project__name", "project_id", "role"))


def actor_for_user(user: User, project: Project) -> Actor | None:
    """The user with his roles in the project; None when he is no member of it."""
    roles = frozenset(one.role for one in memberships_of(user) if one.project_id == project.id)
    if not roles:
        return None
    return Actor(kind="user", id=str(user.id), project_id=project.id, roles=roles, closed=project.closed_at is not None)


def actor_for_key(key: ApiKey) -> Actor:
    """The key with its scopes and agents in its project."""
    return key.actor


def projects_of(user: User) -> list[Project]:
    """Every project the user is a member of, by name."""
    return list({one.project_id: one.project for one in memberships_of(user)}.values())


def project_of(user: User, slug: str) -> Project | None:
    """The project of this slug, where the user is a member of it."""
    return next((project for project in projects_of(user) if project.slug == slug), None)


def members_who_may(project_id: int, verb: str) -> "QuerySet[User]":
    """Members of a project with a role that opens ``verb``, by name; those who can't log in any more are left out."""
    ours = Membership.objects.filter(project_id=project_id, role__in=POLICIES[verb].roles)
    return User.objects.filter(id__in=ours.values("user_id"), is_active=True).order_by("name", "email")


def members_of(project_id: int) -> "QuerySet[User]":
    """Users with ``held``, their roles in the project, and ``second_step``, in no order yet."""
    users = User.objects.filter(memberships__project_id=project_id).annotate(second_step=has_second_step("id"))
    return users.annotate(held=ArrayAgg("memberships__role", distinct=True, default=[]))


def open_invitation(token: str) -> Invitation | None:
    """The invitation of a link, with its project, if it can still be accepted."""
    found = Invitation.objects.select_related("project").filter(token_hash=hash_key(token)).first()
    if found is None or found.accepted_at or found.revoked_at or found.expires_at <= now() or found.project.archived_at:
        return None
    return found


AUDIT_READ_ANEW = timedelta(hours=1)
"""Who goes on reading the audit log is noted once in this time: a log that grows by each look at it would hold little else."""


def audit_reads(actor: Actor, project_id: int) -> QuerySet[AuditEvent]:
    """The reads of the bound project's audit log by ``actor`` that were recorded within the hour."""
    theirs = AuditEvent.objects.filter(project_id=project_id, actor_kind=actor.kind, actor_id=actor.id)
    return theirs.filter(verb="audit.read", result="done", at__gte=now() - AUDIT_READ_ANEW)


def known_places(attempt: Try) -> set[str]:
    """Of the address and the browser of a try those that its account has signed in from of late."""
    held = SignInCount.objects.filter(digest__in=attempt.places, known_until__gt=now())
    return set(held.values_list("digest", flat=True))
