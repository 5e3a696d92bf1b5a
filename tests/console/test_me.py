"""One's own preferences: kept with the account, in force without scripts, and times in one's own zone."""

from datetime import UTC, datetime

import pytest
from django.test import Client

from apps.access.actions.change_preferences import change_preferences
from apps.access.actions.end_sessions import end_sessions
from apps.access.models import User
from apps.access.policies import POLICIES
from apps.core.errors import Invalid
from apps.core.transactions import bind
from apps.facts.models import Fact
from apps.tenancy.models import Project
from tests.console.stage import login
from tests.factories import PASSWORD, make_fact, make_project, make_user, user_actor

pytestmark = pytest.mark.django_db


@pytest.fixture
def project() -> Project:
    return make_project("acme")


@pytest.fixture
def ada(project: Project) -> User:
    return make_user(project, "curator", "admin", email="ada@example.test")


def chosen(user: User) -> tuple[str, str, bool, str]:
    user.refresh_from_db()
    return user.theme, user.density, user.single_keys, user.time_zone


def html_of(client: Client, path: str = "/p/acme/facts") -> str:
    return client.get(path).text.split("<html")[1].split(">")[0]


def test_preferences_hold_on_every_page(project: Project, ada: User) -> None:
    client = login(project, user=ada)
    assert "data-theme" not in html_of(client) and "data-account" in html_of(client)
    wish = {"theme": "dark", "density": "comfortable", "time_zone": "Asia/Tokyo"}
    assert "Saved." in client.post("/me", wish, follow=True).text
    assert chosen(ada) == ("dark", "comfortable", False, "Asia/Tokyo")
    for part in ('data-theme="dark"', 'data-density="comfortable"', 'data-keys="off"'):
        assert part in html_of(client) and part in html_of(client, "/me")
    assert "Nothing was different." in client.post("/me", wish, follow=True).text


@pytest.mark.parametrize("wrong", [{"theme": "pink"}, {"density": "loose"}, {"time_zone": "Mars/Olympus"}, {}])
def test_what_is_no_choice_changes_nothing(project: Project, ada: User, wrong: dict[str, str]) -> None:
    answer = login(project, user=ada).post("/me", wrong)
    assert answer.status_code == 422 and chosen(ada) == ("", "", True, "UTC")


def test_the_switches_of_every_page(project: Project, ada: User) -> None:
    client = login(project, user=ada)
    menu = client.get("/p/acme/facts").text.split('action="/me/set"')[1].split("</form>")[0]
    assert "csrfmiddlewaretoken" in menu
    assert client.post("/me/set", {"theme": "light"}, HTTP_HX_REQUEST="true").status_code == 204
    assert client.post("/me/set", {"keys": "1"}, HTTP_HX_REQUEST="true").status_code == 204
    assert chosen(ada) == ("light", "", False, "UTC")
    client.post("/me/set", {"keys": "1", "single_keys": "1"})
    back = client.post("/me/set", {"theme": ""}, HTTP_REFERER="http://testserver/p/acme/facts")
    assert back["Location"] == "http://testserver/p/acme/facts" and chosen(ada) == ("", "", True, "UTC")
    assert client.post("/me/set", {"theme": "dark"}, HTTP_REFERER="https://evil.example/")["Location"] == "/me"
    assert client.post("/me/set", {"theme": "pink"}).status_code == 422
    assert client.get("/me/set").status_code == 405


def test_times_are_in_the_readers_zone(project: Project, ada: User) -> None:
    fact = make_fact(project, "One.", expires_at=datetime(2031, 3, 1, 23, 30, tzinfo=UTC))
    client = login(project, user=ada)
    assert "1 Mar 2031 23:30 UTC" in client.get(f"/p/acme/facts/{fact.id}").text
    User.objects.filter(id=ada.id).update(time_zone="Asia/Tokyo")
    page = client.get(f"/p/acme/facts/{fact.id}")
    assert "2 Mar 2031 08:30 JST" in page.text and "2031-03-02T08:30:00+09:00" in page.text
    # What is typed is in that zone too.
    assert 'value="2031-03-02T08:30"' in client.get(f"/p/acme/facts/{fact.id}/edit").text
    # One that is no longer known is read as UTC.
    User.objects.filter(id=ada.id).update(time_zone="Mars/Olympus")
    assert "1 Mar 2031 23:30 UTC" in client.get(f"/p/acme/facts/{fact.id}").text
    assert client.get("/me").status_code == 200
    with bind(project.id):
        assert Fact.objects.get(id=fact.id).expires_at == datetime(2031, 3, 1, 23, 30, tzinfo=UTC)


def test_other_sessions_end_and_this_one_goes_on(project: Project, ada: User) -> None:
    here, there = Client(), Client()
    for client in (here, there):
        client.post("/account/login/", {"login": ada.email, "password": PASSWORD})
        assert client.get("/me").status_code == 200
    assert "Signed out everywhere else." in here.post("/me/sign-out-elsewhere", follow=True).text
    assert here.get("/p/acme/facts").status_code == 200
    assert there.get("/p/acme/facts").status_code == 302
    there.post("/account/login/", {"login": ada.email, "password": PASSWORD})
    new = "otter-91-Quiet-bay"
    here.post("/account/password/change/", {"oldpassword": PASSWORD, "password1": new, "password2": new})
    assert here.get("/me").status_code == 200 and there.get("/me").status_code == 302


def test_nobody_changes_anybody_elses(project: Project, ada: User) -> None:
    other = user_actor(project, "admin")
    with pytest.raises(ValueError):
        change_preferences(actor=other, user_id=ada.id, changes={"theme": "dark"})
    with pytest.raises(ValueError):
        end_sessions(actor=other, user_id=ada.id)
    with pytest.raises(Invalid):
        change_preferences(actor=user_actor(project, user=ada), user_id=ada.id, changes={"time_zone": "soon"})
    assert chosen(ada) == ("", "", True, "UTC") and "members.change" in POLICIES
