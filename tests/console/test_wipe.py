"""The page of a wipe: one asks, another approves, and the project is closed until it is opened again."""

from datetime import timedelta
from typing import Any

import pytest
from django.test import Client
from django.urls import reverse

from apps.access.models import Membership
from apps.core.clock import now
from apps.core.transactions import bind
from apps.facts.models import Fact
from apps.privacy.actions import carry_out as at_work
from apps.privacy.models import PrivacyRequest
from apps.tenancy.models import Project
from tests.console.stage import login
from tests.factories import make_fact, make_project, make_user
from tests.privacy.stage import work

pytestmark = pytest.mark.django_db


@pytest.fixture
def project(settings: Any, monkeypatch: pytest.MonkeyPatch) -> Project:
    settings.PURGE_WAITS = False
    monkeypatch.setattr(at_work, "CLOSING_SECONDS", 0)
    project = make_project("acme", "Acme & Söhne")
    make_fact(project, "Refunds take five days.")
    return project


def member(project: Project, *roles: str) -> Client:
    who = make_user(project, *roles, name=f"Member {'-'.join(roles)}")
    Membership.objects.filter(user=who).update(created_at=now() - timedelta(days=2))
    return login(None, user=who)


def test_two_people_empty_a_project_and_an_administrator_opens_it(project: Project) -> None:
    admin, officer = member(project, "admin"), member(project, "privacy_officer")
    page, ask = reverse("settings-wipe", args=["acme"]), reverse("wipe-ask", args=["acme"])
    shown = admin.get(page).content.decode()
    assert "Facts, every version" in shown and "Ask for the wipe" in shown
    refused = admin.post(ask, {"typed_name": "Acme"})
    assert refused.status_code == 422 and "just as it is shown" in refused.content.decode()
    with bind(project.id):
        assert not PrivacyRequest.objects.exists() and Fact.objects.count() == 1
    assert admin.post(ask, {"typed_name": "Acme & Söhne"}).status_code == 302
    assert "Somebody else, a privacy officer, approves" in admin.get(page).content.decode()
    approve = reverse("wipe-approve", args=["acme"])
    assert admin.post(approve, {"typed_name": "Acme & Söhne"}).status_code == 403
    with bind(project.id):
        request = PrivacyRequest.objects.get()
    # It is in the list of privacy requests, and leads here.
    listed = officer.get(reverse("privacy", args=["acme"])).content.decode()
    assert f"/privacy/{request.id}" in listed
    assert officer.get(reverse("privacy-request", args=["acme", request.id])).headers["Location"] == page
    assert officer.post(approve, {"typed_name": "Acme & Söhne"}).status_code == 302
    assert "being hidden" in officer.get(page).content.decode()
    assert work(project) == ["closed"] and work(project) == ["completed"]
    first = admin.get(reverse("project", args=["acme"]))
    assert first.status_code == 200 and "This project was wiped" in first.content.decode()
    assert admin.get(reverse("facts", args=["acme"])).status_code == 403
    shown = officer.get(page).content.decode()
    assert "is empty, and closed since" in shown and "Open the project" not in shown
    receipt = officer.get(reverse("privacy-receipt", args=["acme", request.id])).content.decode()
    assert "Facts, every version" in receipt and "valid" in receipt
    assert "Open the project" in admin.get(page).content.decode()
    reopen = reverse("wipe-reopen", args=["acme"])
    assert officer.post(reopen).status_code == 403
    assert admin.post(reopen).status_code == 302
    assert admin.get(reverse("facts", args=["acme"])).status_code == 200
    assert "there is nothing to wipe" in admin.get(page).content.decode()


def test_who_asked_can_take_it_back_and_can_not_approve(project: Project) -> None:
    officer = member(project, "privacy_officer")
    officer.post(reverse("wipe-ask", args=["acme"]), {"typed_name": "Acme & Söhne"})
    answer = officer.post(reverse("wipe-approve", args=["acme"]), {"typed_name": "Acme & Söhne"})
    assert answer.status_code == 403 and "Somebody else has to approve" in answer.content.decode()
    with bind(project.id):
        assert PrivacyRequest.objects.get().state == "awaiting_approval"
    assert officer.post(reverse("wipe-ask", args=["acme"]), {"do": "cancel"}).status_code == 302
    with bind(project.id):
        assert PrivacyRequest.objects.get().state == "cancelled" and Fact.objects.count() == 1
    assert "Ask for the wipe" in officer.get(reverse("settings-wipe", args=["acme"])).content.decode()


def test_somebody_without_settings_sees_that_it_is_closed(project: Project) -> None:
    viewer = member(project, "viewer")
    Project.objects.filter(id=project.id).update(closed_at="2026-01-01T00:00:00Z")
    shown = viewer.get(reverse("project", args=["acme"])).content.decode()
    assert "This project was wiped" in shown and "/settings/wipe" not in shown
    assert viewer.get(reverse("facts", args=["acme"])).status_code == 403
