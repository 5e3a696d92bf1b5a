"""The table of who may do what, and what is written down of a refusal."""

import pytest

from apps.access.actions.create_user import create_user
from apps.access.actions.record_denial import record_denial
from apps.access.actions.record_login import record_login
from apps.access.actor import Actor, system_actor
from apps.access.models import Membership, Role, User
from apps.access.policies import POLICIES, Refused, allowed, require
from apps.access.queries import actor_for_user, projects_of
from apps.access.scopes import SCOPES
from apps.audit.models import AuditEvent
from apps.core.errors import Conflict, Invalid
from apps.core.transactions import bind
from tests.factories import PASSWORD, make_project, make_user, setup_actor

pytestmark = pytest.mark.django_db


def user(*roles: str, project_id: int = 1) -> Actor:
    return Actor(kind="user", id="1", project_id=project_id, roles=frozenset(roles))


def test_the_table_names_roles_and_scopes_that_exist() -> None:
    for verb, rule in POLICIES.items():
        assert rule.roles <= set(Role.values) and rule.scopes <= set(SCOPES), verb
        assert rule.roles or rule.scopes or rule.system, verb


@pytest.mark.parametrize(
    ("verb", "roles"),
    [
        ("facts.read", {"viewer", "curator", "privacy_officer", "admin"}),
        ("facts.read_personal", {"curator", "privacy_officer"}),
        ("facts.unmask", {"curator", "privacy_officer"}),
        ("facts.export", {"curator", "privacy_officer"}),
        ("facts.add", {"curator"}),
        ("proposals.approve", {"curator"}),
        ("privacy.forget_fact", {"curator", "privacy_officer"}),
        ("keys.issue", {"admin"}),
        ("recall.settings", {"admin"}),
        ("members.change", {"admin"}),
        ("audit.read", {"privacy_officer", "admin", "auditor"}),
    ],
)
def test_separation_of_duties(verb: str, roles: set[str]) -> None:
    assert {role for role in Role.values if allowed(user(role), verb)} == roles


def test_nobody_is_allowed_by_default() -> None:
    for verb in POLICIES:
        assert not allowed(user(), verb)
        assert not allowed(Actor(kind="anonymous", id="x"), verb)
        assert not allowed(Actor(kind="key", id="1", project_id=1), verb)
        assert not allowed(system_actor("something else", 1), verb)
    with pytest.raises(KeyError):
        allowed(user("admin"), "facts.paint")


def test_another_project_is_refused_whatever_the_role() -> None:
    require(user("curator"), "facts.add", project_id=1)
    with pytest.raises(Refused) as refused:
        require(user("curator"), "facts.add", project_id=2)
    assert (refused.value.verb, refused.value.project_id) == ("facts.add", 2)


def test_a_denial_is_an_event_of_its_own() -> None:
    project = make_project()
    viewer = make_user(project, "viewer")
    actor = actor_for_user(viewer, project)
    assert actor is not None
    with pytest.raises(Refused) as refused:
        require(actor, "facts.add", project_id=project.id)
    record_denial(refused.value)
    with bind(project.id):
        event = AuditEvent.objects.get(result="denied")
        assert (event.verb, event.actor_kind, event.actor_id) == ("facts.add", "user", str(viewer.id))


def test_logins_stand_in_the_installations_chain_without_the_address() -> None:
    record_login(user_id=7, succeeded=True)
    record_login(user_id=None, succeeded=False)
    events = list(
        AuditEvent.objects.filter(verb="users.login").order_by("seq").values_list("actor_id", "result", "data")
    )
    assert events == [("7", "done", {}), ("anonymous", "denied", {})]


@pytest.mark.parametrize(
    ("email", "password", "pointer"),
    [
        ("nonsense", PASSWORD, "/email"),
        ("ada@example.test", "short", "/password"),
        ("ada@example.test", "password1234", "/password"),
    ],
)
def test_a_bad_account_is_not_made(email: str, password: str, pointer: str) -> None:
    with pytest.raises(Invalid) as refused:
        create_user(actor=setup_actor(), email=email, name="Ada", password=password)
    assert refused.value.errors[0].pointer == pointer
    assert User.objects.count() == 0


def test_an_address_is_one_account_in_any_case() -> None:
    make_user(email="ada@example.test")
    with pytest.raises(Conflict):
        make_user(email="ADA@example.test")
    assert User.objects.count() == 1
    assert User.objects.get().password.startswith("argon2")


def test_members_see_their_projects_and_no_others() -> None:
    first, second = make_project("acme"), make_project("globex")
    member = make_user(first, "viewer", "curator")
    assert projects_of(member) == [first]
    actor = actor_for_user(member, first)
    assert actor is not None and actor.roles == {"viewer", "curator"}
    assert actor_for_user(member, second) is None
    assert Membership.objects.count() == 2
