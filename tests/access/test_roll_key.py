"""A key's successor: the same grants, a time in which both work, one for each wish."""

from datetime import timedelta

import pytest

from apps.access.actions.authenticate_key import authenticate_key
from apps.access.actions.issue_key import issue_key
from apps.access.actions.revoke_key import revoke_key
from apps.access.actions.roll_key import roll_key
from apps.access.actor import Actor
from apps.access.models import ApiKey
from apps.access.policies import Refused
from apps.audit.models import AuditEvent
from apps.core.clock import now
from apps.core.errors import Conflict, Invalid, NotAuthenticated, NotFound
from apps.core.transactions import bind
from apps.tenancy.models import Project
from tests.factories import make_agent, make_key, make_project, user_actor

pytestmark = pytest.mark.django_db
DAY = timedelta(days=1)


@pytest.fixture
def project() -> Project:
    return make_project("acme")


@pytest.fixture
def admin(project: Project) -> Actor:
    return user_actor(project, "admin")


def test_both_work_until_the_old_one_ends(project: Project, admin: Actor) -> None:
    agent = make_agent(project, "support")
    old, old_text = make_key(
        project, ["facts:read"], name="live", agents=[agent], categories=["billing"], sensitivity_ceiling="internal"
    )
    new, text = roll_key(actor=admin, project_id=project.id, key_id=old.id, overlap=DAY)
    assert authenticate_key(text).id == new.id and authenticate_key(old_text).id == old.id
    old.refresh_from_db()
    same = ("name", "scopes", "agents", "categories", "purposes", "sensitivity_ceiling", "write_mode", "environment")
    assert [getattr(new, name) for name in same] == [getattr(old, name) for name in same]
    assert new.rotated_from_id == old.id and new.created_by_id == int(admin.id)
    assert abs(old.expires_at - now() - DAY) < timedelta(minutes=1) and old.revoked_at is None
    assert abs(new.expires_at - now() - timedelta(days=90)) < timedelta(minutes=1)
    with bind(project.id):
        event = AuditEvent.objects.get(verb="keys.roll")
    assert (event.object_id, event.data["successor"]) == (str(old.id), new.id) and text[12:] not in str(event.data)


def test_without_overlap_the_old_one_stops_at_once(project: Project, admin: Actor) -> None:
    old, old_text = make_key(project)
    assert authenticate_key(old_text).id == old.id
    roll_key(actor=admin, project_id=project.id, key_id=old.id, overlap=timedelta())
    with pytest.raises(NotAuthenticated):
        authenticate_key(old_text)
    old.refresh_from_db()
    assert (old.revoke_reason, old.revoked_by_id) == ("replaced", int(admin.id))


def test_a_key_that_ends_sooner_is_not_given_longer(project: Project, admin: Actor) -> None:
    old, _ = make_key(project, expires_at=now() + timedelta(hours=1))
    roll_key(actor=admin, project_id=project.id, key_id=old.id, overlap=30 * DAY)
    old.refresh_from_db()
    assert old.expires_at < now() + timedelta(hours=2)


def test_what_is_refused_changes_nothing(project: Project, admin: Actor) -> None:
    live, _ = make_key(project)
    over, _ = make_key(project, expired=True)
    gone, _ = make_key(project, revoked=True)
    roll_key(actor=admin, project_id=project.id, key_id=live.id, overlap=DAY)
    before = list(ApiKey.objects.order_by("id").values())
    wrong = [
        (live.id, DAY, Conflict, "already_rolled"),
        (over.id, DAY, Conflict, "key_over"),
        (gone.id, DAY, Conflict, "key_over"),
        (live.id, -DAY, Invalid, "out_of_range"),
        (live.id, 31 * DAY, Invalid, "out_of_range"),
        (999_999, DAY, NotFound, "not_found"),
    ]
    for key_id, overlap, error, code in wrong:
        with pytest.raises(error) as caught:
            roll_key(actor=admin, project_id=project.id, key_id=key_id, overlap=overlap)
        assert caught.value.code == code
    with pytest.raises(NotFound):
        other = make_project("other")
        roll_key(actor=user_actor(other, "admin"), project_id=other.id, key_id=live.id, overlap=DAY)
    with pytest.raises(Refused):
        roll_key(actor=user_actor(project, "auditor"), project_id=project.id, key_id=live.id, overlap=DAY)
    assert list(ApiKey.objects.order_by("id").values()) == before


def test_once_its_successor_is_revoked_a_key_can_be_rolled_again(project: Project, admin: Actor) -> None:
    old, _ = make_key(project)
    first, _ = roll_key(actor=admin, project_id=project.id, key_id=old.id, overlap=DAY)
    revoke_key(actor=admin, project_id=project.id, key_id=first.id, reason="leaked")
    second, _ = roll_key(actor=admin, project_id=project.id, key_id=old.id, overlap=DAY)
    assert second.rotated_from_id == old.id


def test_a_wish_that_is_sent_twice_makes_one_key(project: Project, admin: Actor) -> None:
    wish = {"name": "one", "scopes": ["facts:read"], "idempotency_key": "w"}
    key, _ = issue_key(actor=admin, project_id=project.id, **wish)
    with pytest.raises(Conflict) as caught:
        issue_key(actor=admin, project_id=project.id, **wish)
    assert caught.value.code == "made_before"
    with pytest.raises(Conflict) as caught:
        roll_key(actor=admin, project_id=project.id, key_id=key.id, overlap=DAY, idempotency_key="w")
    assert caught.value.code == "made_before"
    assert list(ApiKey.objects.filter(project=project)) == [key]
    # Another project's wishes have names of their own.
    other = make_project("other")
    issue_key(actor=user_actor(other, "admin"), project_id=other.id, **wish)
