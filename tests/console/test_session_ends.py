"""Sessions end by the clock: without a click after half an hour, and after eight hours in any case."""

from datetime import timedelta

import pytest
from django.contrib.sessions.models import Session
from django.test import Client

from apps.access.actions.change_roles import change_roles
from apps.access.models import User
from apps.core.clock import now
from apps.tenancy.models import Project
from tests.factories import PASSWORD, make_project, make_user, user_actor

pytestmark = pytest.mark.django_db
PAGE = "/p/acme/facts"


@pytest.fixture
def project() -> Project:
    return make_project("acme")


@pytest.fixture
def olga(project: Project) -> User:
    return make_user(project, "curator", "admin", email="olga@example.test")


@pytest.fixture
def browser(olga: User) -> Client:
    client = Client()
    client.post("/account/login/", {"login": olga.email, "password": PASSWORD})
    assert client.get(PAGE).status_code == 200
    return client


def row(client: Client) -> Session:
    return Session.objects.get(session_key=client.cookies["sessionid"].value)


def earlier(client: Client, **ago: float) -> None:
    """As if the last click had been so long ago."""
    Session.objects.filter(session_key=row(client).session_key).update(
        expire_date=now() + timedelta(minutes=30) - timedelta(**ago)
    )


def begun(client: Client, **ago: float) -> None:
    """As if the sign-in had been so long ago."""
    session = client.session
    session["began"] = int((now() - timedelta(**ago)).timestamp())
    held = row(client)
    held.session_data = session.encode(dict(session.items()))
    held.save()


def test_nobody_there_for_half_an_hour(browser: Client) -> None:
    earlier(browser, minutes=29)
    assert browser.get(PAGE).status_code == 200
    assert row(browser).expire_date > now() + timedelta(minutes=29)  # that was a click
    earlier(browser, minutes=30)
    assert browser.get(PAGE).status_code == 302 and browser.get("/me").status_code == 302


def test_what_a_page_asks_by_itself_is_no_click(browser: Client) -> None:
    earlier(browser, minutes=20)
    before = row(browser).expire_date
    assert browser.get("/p/acme/pulse", headers={"X-Poll": "1"}).status_code == 200
    assert row(browser).expire_date == before
    assert browser.get("/p/acme/pulse").status_code == 200
    assert row(browser).expire_date > before


def test_a_click_is_noted_once_a_minute(browser: Client) -> None:
    earlier(browser, seconds=50)
    before = row(browser).expire_date
    browser.get(PAGE)
    assert row(browser).expire_date == before


def test_eight_hours_are_the_end_whatever_is_clicked(browser: Client) -> None:
    begun(browser, hours=7, minutes=50)
    assert browser.get(PAGE).status_code == 200
    earlier(browser, minutes=25)
    assert browser.get(PAGE).status_code == 200
    assert now() + timedelta(minutes=9) < row(browser).expire_date < now() + timedelta(minutes=10, seconds=1)
    begun(browser, hours=8)
    assert browser.get(PAGE).status_code == 302 and not Session.objects.exists()


def test_a_session_that_says_not_when_it_began_is_none(browser: Client) -> None:
    held = row(browser)
    data = dict(browser.session.items())
    data["began"] = "yesterday"
    held.session_data = browser.session.encode(data)
    held.save()
    assert browser.get(PAGE).status_code == 302


def test_a_sign_in_has_a_new_key_and_a_new_beginning(browser: Client, olga: User) -> None:
    begun(browser, hours=7)
    old = row(browser).session_key
    browser.post("/account/logout/")
    assert not Session.objects.filter(session_key=old).exists()
    # What an attacker planted is not what is signed in.
    planted = browser.session
    planted["began"] = int((now() - timedelta(hours=7)).timestamp())
    planted.save()
    before = browser.cookies["sessionid"].value
    browser.post("/account/login/", {"login": olga.email, "password": PASSWORD})
    assert browser.cookies["sessionid"].value != before and not Session.objects.filter(session_key=before).exists()
    assert now().timestamp() - browser.session["began"] < 60


def test_roles_end_at_the_next_click(project: Project, browser: Client, olga: User) -> None:
    admin = user_actor(project, "admin")
    change_roles(actor=admin, project_id=project.id, user_id=olga.id, roles=["auditor"])
    assert browser.get(PAGE).status_code == 403
    change_roles(actor=admin, project_id=project.id, user_id=olga.id, roles=[])
    assert browser.get(PAGE).status_code == 404


def test_somebody_switched_off_is_out_at_the_next_click(browser: Client, olga: User) -> None:
    User.objects.filter(id=olga.id).update(is_active=False)
    assert browser.get(PAGE).status_code == 302
