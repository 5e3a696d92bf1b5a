"""An account of staff that bears the erased person's name blocks the end until an officer decides on it, by name."""

from datetime import timedelta
from typing import Any

import pytest

from apps.access.models import Invitation, Membership, User
from apps.access.policies import Refused
from apps.audit.models import AuditEvent
from apps.core.clock import now
from apps.core.errors import Conflict, Invalid, NotAllowed, NotFound
from apps.core.transactions import bind
from apps.privacy.actions.approve_request import approve_request, submit_request
from apps.privacy.actions.close_account import close_account
from apps.privacy.actions.keep_account import keep_account
from apps.privacy.actions.open_request import open_request
from apps.privacy.actions.preview_request import preview_request
from apps.privacy.actions.retry_request import retry_request
from apps.privacy.models import PrivacyRequest, Receipt, RequestIdentity
from apps.tenancy.models import Project
from tests.console.stage import login
from tests.factories import make_fact, make_project, make_user, user_actor
from tests.privacy.stage import approved, fresh, officer, work

pytestmark = pytest.mark.django_db
ADDRESS = "sophie.quint@example.test"


@pytest.fixture
def project(settings: object) -> Project:
    settings.PURGE_WAITS = False  # type: ignore[attr-defined]
    project = make_project()
    make_fact(project, "Prefers trains.", user=ADDRESS)
    return project


@pytest.fixture
def sophie(project: Project) -> User:
    return make_user(project, "curator", email=ADDRESS, name="Sophie")


def stopped(project: Project) -> PrivacyRequest:
    request = approved(project, ADDRESS)
    assert work(project) == ["needs_attention"]
    return fresh(request)


def test_it_stops_and_says_whose_account_it_is(project: Project, sophie: User) -> None:
    request = stopped(project)
    assert (request.error_code, request.preview["staff"]) == ("residue", [sophie.id])
    page = login(project, "privacy_officer").get(f"/p/{project.slug}/privacy/{request.id}").content.decode()
    assert "Staff accounts" in page and "Keep the account" in page and "Close it and take its name off" in page


def test_kept_on_a_ground_it_is_an_exception_on_the_receipt(project: Project, sophie: User) -> None:
    request = stopped(project)
    who = officer(project)
    asked: dict[str, Any] = {"project_id": project.id, "request_id": request.id, "user_id": sophie.id}
    other = make_user(project, "viewer", email="somebody.else@example.test")
    for given, error in [
        ({"ground": " "}, Invalid),
        ({"ground": "x" * 301}, Invalid),
        ({"ground": "Works here.", "user_id": other.id}, NotFound),
    ]:
        with pytest.raises(error):
            keep_account(actor=who, **{**asked, **given})
    with pytest.raises(Refused):
        keep_account(actor=user_actor(project, "admin"), **asked, ground="Works here.")
    assert fresh(request).accounts == {}
    keep_account(actor=who, **asked, ground="Works here: the contract.")
    retry_request(actor=who, project_id=project.id, request_id=request.id)
    assert work(project) == ["completed_with_exceptions"]
    with bind(project.id):
        body = Receipt.objects.get(request_id=request.id).body
        assert body["exceptions"] == [{"what": "staff account", "count": 1, "ground": "Works here: the contract."}]
        # Nothing of the person is held, so nothing of her stays in the request.
        assert not RequestIdentity.objects.filter(request_id=request.id).exists()
        assert AuditEvent.objects.filter(verb="privacy.keep_account").count() == 1
    assert User.objects.get(id=sophie.id).email == ADDRESS
    with pytest.raises(Conflict):
        keep_account(actor=who, **asked, ground="Again.")


def test_closed_it_bears_no_name_and_the_erasure_completes(project: Project, sophie: User) -> None:
    Invitation.objects.create(
        project=project,
        email=ADDRESS,
        roles=["curator"],
        token_hash=b"1" * 32,
        expires_at=now() + timedelta(days=1),
        accepted_at=now(),
    )
    browser = login(None, user=sophie)
    request = stopped(project)
    who = officer(project)
    close_account(actor=who, project_id=project.id, request_id=request.id, user_id=sophie.id)
    account = User.objects.get(id=sophie.id)
    assert (account.email, account.name, account.is_active) == (f"closed-{sophie.id}@account.invalid", "", False)
    assert not account.has_usable_password() and not Membership.objects.filter(user=sophie).exists()
    assert browser.get(f"/p/{project.slug}/review").status_code == 302
    retry_request(actor=who, project_id=project.id, request_id=request.id)
    assert work(project) == ["completed"]
    with bind(project.id):
        assert Receipt.objects.get(request_id=request.id).body["exceptions"] == []
        event = AuditEvent.objects.get(verb="privacy.close_account")
        assert (event.object_id, event.actor_id) == (str(sophie.id), who.id)


def test_what_may_not_be_closed_changes_nothing(project: Project, sophie: User) -> None:
    request = stopped(project)
    who = officer(project)
    asked: dict[str, Any] = {"project_id": project.id, "request_id": request.id, "user_id": sophie.id}
    with pytest.raises(Refused):
        close_account(actor=user_actor(project, "admin"), **asked)
    with pytest.raises(NotAllowed, match="own"):
        close_account(actor=user_actor(project, "privacy_officer", user=sophie), **asked)
    with pytest.raises(NotFound):
        close_account(actor=who, **{**asked, "user_id": int(user_actor(project, "viewer").id)})
    elsewhere = Membership.objects.create(user=sophie, project=make_project("other"), role="viewer")
    with pytest.raises(Conflict, match="other projects"):
        close_account(actor=who, **asked)
    elsewhere.delete()
    Membership.objects.filter(project=project, role="admin").delete()
    Membership.objects.create(user=sophie, project=project, role="admin")
    with pytest.raises(Conflict, match="last administrator"):
        close_account(actor=who, **asked)
    account = User.objects.get(id=sophie.id)
    assert (account.email, account.is_active) == (ADDRESS, True)
    assert set(Membership.objects.filter(user=sophie).values_list("role", flat=True)) == {"curator", "admin"}


def test_decided_before_the_approval_it_never_stops(project: Project, sophie: User) -> None:
    first, second = officer(project), officer(project)
    asked: dict[str, Any] = {"actor": first, "project_id": project.id}
    request = open_request(**asked, kind="erasure", external_id=ADDRESS, identity_method="document")
    request, reach = preview_request(**asked, request_id=request.id)
    assert request.preview["staff"] == [sophie.id]
    with pytest.raises(Conflict, match="approved"):
        close_account(**asked, request_id=request.id, user_id=sophie.id)
    keep_account(**asked, request_id=request.id, user_id=sophie.id, ground="Works here.")
    typed: dict[str, Any] = {"request_id": request.id, "digest": reach.digest().hex(), "typed_id": ADDRESS}
    submit_request(**asked, **typed)
    approve_request(actor=second, project_id=project.id, **typed)
    assert work(project) == ["completed_with_exceptions"]
