"""Roles and invitations: nobody raises himself, the last administrator stays, a link is good once."""

from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from datetime import timedelta
from threading import Barrier

import pytest
from django.db import connections

from apps.access.actions.accept_invitation import accept_invitation
from apps.access.actions.change_roles import change_roles
from apps.access.actions.grant_role import grant_role
from apps.access.actions.invite_member import invite_member
from apps.access.actions.withdraw_invitation import withdraw_invitation
from apps.access.models import Invitation, Membership, User
from apps.access.policies import Refused
from apps.access.queries import members_of
from apps.audit.models import AuditEvent
from apps.core.clock import now
from apps.core.errors import Conflict, DomainError, Invalid, NotAllowed, NotFound
from apps.core.transactions import bind
from apps.tenancy.models import Project
from tests.factories import PASSWORD, make_project, make_user, setup_actor, user_actor


def roles(project: Project) -> dict[str, list[str]]:
    return {user.email: sorted(user.held) for user in members_of(project.id)}  # type: ignore[attr-defined]


def refused(call: Callable[..., object], code: str, error: type[DomainError], **arguments: object) -> None:
    with pytest.raises(error) as caught:
        call(**arguments)
    assert caught.value.code == code


@pytest.mark.django_db
def test_roles_are_what_was_chosen() -> None:
    project = make_project("acme")
    admin = user_actor(project, "admin", user=make_user(project, "admin", email="ada@example.test"))
    bea = make_user(project, "viewer", "curator", email="bea@example.test")
    change = {"actor": admin, "project_id": project.id, "user_id": bea.id}
    assert change_roles(**change, roles=["curator", "auditor"]) == ["auditor", "viewer"]  # type: ignore[arg-type]
    assert roles(project) == {"ada@example.test": ["admin"], "bea@example.test": ["auditor", "curator"]}
    assert change_roles(**change, roles=["curator", "auditor"]) == []  # type: ignore[arg-type]
    assert change_roles(**change, roles=[]) == ["auditor", "curator"]  # type: ignore[arg-type]
    assert roles(project) == {"ada@example.test": ["admin"]}
    with bind(project.id):
        events = list(AuditEvent.objects.filter(actor_kind="user").order_by("seq").values_list("verb", "data"))
    assert events == [
        ("members.change", {"granted": ["auditor"], "removed": ["viewer"]}),
        ("members.remove", {"granted": [], "removed": ["auditor", "curator"]}),
    ]


@pytest.mark.django_db
def test_nobody_raises_himself_and_the_last_administrator_stays() -> None:
    project = make_project("acme")
    ada, bea = make_user(project, "admin"), make_user(project, "admin", "curator")
    admin = user_actor(project, "admin", user=ada)
    make_user(make_project("other"), "admin")
    before = roles(project)
    mine = {"actor": admin, "project_id": project.id, "user_id": ada.id}
    refused(change_roles, "own_role", NotAllowed, **mine, roles=["admin", "curator"])
    refused(grant_role, "own_role", NotAllowed, actor=admin, project_id=project.id, user=ada, role="curator")
    refused(change_roles, "unknown_role", Invalid, **mine, roles=["owner"])
    refused(change_roles, "not_found", NotFound, **(mine | {"user_id": 999_999}), roles=["viewer"])
    for role in ("viewer", "curator", "privacy_officer", "auditor"):
        with pytest.raises(Refused):
            change_roles(actor=user_actor(project, role, user=bea), project_id=project.id, user_id=ada.id, roles=[])
    assert roles(project) == before
    # One who can't log in keeps no project open.
    User.objects.filter(id=bea.id).update(is_active=False)
    refused(change_roles, "last_admin", Conflict, **mine, roles=[])
    assert roles(project) == before
    User.objects.filter(id=bea.id).update(is_active=True)
    assert change_roles(**mine, roles=[]) == ["admin"]  # type: ignore[arg-type]
    assert roles(project) == {bea.email: ["admin", "curator"]}


def test_two_who_demote_each_other_leave_one(fresh_db: str) -> None:
    project = make_project("acme")
    users = [make_user(project, "admin") for _ in range(2)]
    start = Barrier(2)

    def demote(actor: User, other: User) -> str:
        start.wait()
        try:
            change_roles(
                actor=user_actor(project, "admin", user=actor), project_id=project.id, user_id=other.id, roles=[]
            )
        except Conflict as error:
            return error.code
        finally:
            connections.close_all()
        return "done"

    with ThreadPoolExecutor(2) as pool:
        said = list(pool.map(demote, users, reversed(users)))
    assert sorted(said) == ["done", "last_admin"]
    assert Membership.objects.filter(project=project, role="admin").count() == 1


@pytest.mark.django_db
def test_a_link_makes_an_account_once() -> None:
    project = make_project("acme")
    admin = user_actor(project, "admin")
    invitation, token = invite_member(
        actor=admin, project_id=project.id, email=" New@Example.test ", roles=["curator", "viewer", "viewer"]
    )
    assert (invitation.email, invitation.roles) == ("new@example.test", ["curator", "viewer"])
    assert token.encode() not in bytes(invitation.token_hash)
    joined = accept_invitation(token=token, user=None, name="Neo", password=PASSWORD)
    assert (joined.email, joined.name, joined.check_password(PASSWORD)) == ("new@example.test", "Neo", True)
    assert roles(project)["new@example.test"] == ["curator", "viewer"]
    refused(accept_invitation, "invitation_over", NotFound, token=token, user=None, name="Neo", password=PASSWORD)
    refused(accept_invitation, "invitation_over", NotFound, token="x" * 43, user=None, password=PASSWORD)
    with bind(project.id):
        event = AuditEvent.objects.get(verb="members.join")
    assert (event.actor_id, event.data) == (
        str(joined.id),
        {"invitation": invitation.id, "granted": ["curator", "viewer"]},
    )


@pytest.mark.django_db
def test_a_link_opens_no_account_that_there_is() -> None:
    project, other = make_project("acme"), make_project("other")
    admin = user_actor(project, "admin")
    old, stranger = make_user(other, "viewer", email="old@example.test"), make_user(other, "viewer")
    _, token = invite_member(actor=admin, project_id=project.id, email="old@example.test", roles=["viewer"])
    refused(accept_invitation, "sign_in_first", NotAllowed, token=token, user=None, name="x", password="y")
    refused(accept_invitation, "other_account", NotAllowed, token=token, user=stranger)
    old.refresh_from_db()
    assert old.check_password(PASSWORD) and "old@example.test" not in roles(project)
    assert accept_invitation(token=token, user=old) == old
    assert roles(project)["old@example.test"] == ["viewer"]


@pytest.mark.django_db
def test_a_weak_password_leaves_the_link_open() -> None:
    project = make_project("acme")
    _, token = invite_member(
        actor=user_actor(project, "admin"), project_id=project.id, email="new@example.test", roles=["viewer"]
    )
    refused(accept_invitation, "weak_password", Invalid, token=token, user=None, name="x", password="short")
    assert not User.objects.filter(email="new@example.test").exists()
    assert accept_invitation(token=token, user=None, name="x", password=PASSWORD).email == "new@example.test"


@pytest.mark.django_db
def test_a_second_invitation_ends_the_first_and_one_can_be_withdrawn() -> None:
    project = make_project("acme")
    admin = user_actor(project, "admin")
    wish = {"actor": admin, "project_id": project.id, "email": "new@example.test", "roles": ["viewer"]}
    _, first = invite_member(**wish)  # type: ignore[arg-type]
    second, token = invite_member(**wish)  # type: ignore[arg-type]
    refused(accept_invitation, "invitation_over", NotFound, token=first, user=None, name="x", password=PASSWORD)
    withdraw_invitation(actor=admin, project_id=project.id, invitation_id=second.id)
    refused(
        withdraw_invitation,
        "invitation_over",
        Conflict,
        actor=admin,
        project_id=project.id,
        invitation_id=second.id,
    )
    refused(accept_invitation, "invitation_over", NotFound, token=token, user=None, name="x", password=PASSWORD)
    third, token = invite_member(**wish)  # type: ignore[arg-type]
    late = now() - timedelta(minutes=1)
    Invitation.objects.filter(id=third.id).update(created_at=late - timedelta(days=7), expires_at=late)
    refused(accept_invitation, "invitation_over", NotFound, token=token, user=None, name="x", password=PASSWORD)
    assert "new@example.test" not in roles(project)


@pytest.mark.django_db
def test_who_cannot_be_invited() -> None:
    project = make_project("acme")
    admin = user_actor(project, "admin")
    make_user(project, "viewer", email="bea@example.test")
    wish = {"actor": admin, "project_id": project.id}
    refused(invite_member, "already_member", Conflict, **wish, email="Bea@example.test", roles=["admin"])
    for email, chosen in (("nobody", ["viewer"]), ("x@example.test", []), ("x@example.test", ["owner"])):
        refused(invite_member, "invalid_invitation", Invalid, **wish, email=email, roles=chosen)
    with pytest.raises(Refused):
        invite_member(
            actor=user_actor(project, "curator"), project_id=project.id, email="x@example.test", roles=["admin"]
        )
    assert Invitation.objects.count() == 0
    assert setup_actor(project).kind == "system"
