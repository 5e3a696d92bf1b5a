"""Members and invitations on their pages, and the password that is asked once more."""

import re

import pytest
from django.test import Client

from apps.access.models import ApiKey, Invitation, Membership, User
from apps.access.policies import FRESH
from apps.tenancy.models import Project
from tests.console.pages import text, told
from tests.console.stage import give_password, login, moved, state
from tests.factories import PASSWORD, make_key, make_project, make_user

pytestmark = pytest.mark.django_db
URL = "/p/acme/settings/members"


@pytest.fixture
def project() -> Project:
    return make_project("acme", "Acme Support")


@pytest.fixture
def ada(project: Project) -> User:
    return make_user(project, "admin", name="Ada Byron", email="ada@example.test")


@pytest.fixture
def admin(project: Project, ada: User) -> Client:
    return login(project, user=ada)


def test_members_and_who_is_invited(project: Project, admin: Client) -> None:
    make_user(project, "viewer", "curator", email="bea@example.test")
    answer = admin.post(f"{URL}/invite", {"email": "new@example.test", "roles": ["auditor", "viewer"]})
    link = re.search(r'value="(http://testserver/invitations/[^"]+)"', answer.text)
    assert link and answer["Cache-Control"] == "no-store"
    page = admin.get(URL)
    assert link[1] not in page.text
    rows = [text(row.split("</tr>")[0].partition(">")[2]) for row in page.text.split("<tr data-row")[1:]]
    assert rows[0].startswith("Ada Byron you ada@example.test Admin")
    assert rows[1].startswith("bea@example.test Viewer, Curator never")
    assert rows[2].startswith("new@example.test by Ada Byron Viewer, Auditor good until")
    seen = login(project, "auditor").get(URL)
    assert "bea@example.test" in seen.text and "Invite" not in seen.text.split("<table")[0].split("<h1")[1]


def test_the_link_leads_to_an_account(project: Project, admin: Client) -> None:
    answer = admin.post(f"{URL}/invite", {"email": "new@example.test", "roles": ["curator"]})
    path = re.search(r'value="http://testserver(/invitations/[^"]+)"', answer.text)[1]  # type: ignore[index]
    visitor = Client()
    page = visitor.get(path)
    assert "new@example.test is invited as curator by Ada Byron" in text(page.text)
    assert page["Referrer-Policy"] == "no-referrer" and page["Cache-Control"] == "no-store"
    wrong = visitor.post(path, {"name": "Neo", "password": PASSWORD, "again": "other"})
    assert wrong.status_code == 422 and "The two passwords are not the same." in wrong.text
    weak = visitor.post(path, {"name": "Neo", "password": "short", "again": "short"})
    assert weak.status_code == 422 and not User.objects.filter(email="new@example.test").exists()
    made = visitor.post(path, {"name": "Neo", "password": PASSWORD, "again": PASSWORD}, follow=True)
    assert made.redirect_chain == [("/account/login/", 302)] and "is made. Sign in with it." in made.text
    signed_in = visitor.post("/account/login/", {"login": "new@example.test", "password": PASSWORD}, follow=True)
    assert signed_in.redirect_chain[-1][0] == "/p/acme"
    assert visitor.get(path).status_code == 404 and Invitation.objects.get().accepted_by.name == "Neo"  # type: ignore[union-attr]


def test_somebody_with_an_account_joins_with_it(project: Project, admin: Client) -> None:
    old = make_user(make_project("other"), "viewer", email="old@example.test")
    answer = admin.post(f"{URL}/invite", {"email": "old@example.test", "roles": ["curator"]})
    path = re.search(r'value="http://testserver(/invitations/[^"]+)"', answer.text)[1]  # type: ignore[index]
    visitor = Client()
    assert "There is an account with this address already." in visitor.get(path).text
    assert visitor.post(path, {"name": "x", "password": PASSWORD, "again": PASSWORD})["Location"] == (
        f"/account/login/?next={path}"
    )
    assert "You are signed in as ada@example.test." in text(admin.get(path).text)
    assert admin.post(path).status_code == 403
    mine = login(None, user=old)
    assert mine.get(path).status_code == 200
    assert mine.post(path)["Location"] == "/p/acme"
    assert list(Membership.objects.filter(user=old, project=project).values_list("role", flat=True)) == ["curator"]


def test_roles_change_and_a_member_goes(project: Project, admin: Client, ada: User) -> None:
    bea = make_user(project, "viewer", email="bea@example.test")
    done = admin.post(f"{URL}/{bea.id}", {"roles": ["curator", "auditor"]}, follow=True)
    assert "bea@example.test is now curator and auditor." in told(done)
    own = admin.post(f"{URL}/{ada.id}", {"roles": ["admin", "curator"]})
    assert own.status_code == 403 and "Nobody gives himself a role." in own.text
    last = admin.post(f"{URL}/{ada.id}", {"roles": ["viewer"]})
    assert last.status_code == 403
    assert admin.post(f"{URL}/{ada.id}/remove").status_code == 409
    assert Membership.objects.filter(project=project, user=ada).count() == 1
    gone = admin.post(f"{URL}/{bea.id}/remove", follow=True)
    assert (
        "bea@example.test is no longer a member." in told(gone)
        and "bea@" not in gone.text.split("<table")[1].split("</table")[0]
    )
    assert admin.get(f"{URL}/{bea.id}").status_code == 404


def test_dangerous_acts_ask_for_the_password_again(project: Project, ada: User) -> None:
    key, _ = make_key(project)
    admin = login(project, user=ada)
    give_password(admin, ada, seconds_ago=301)
    before = state(project)
    pages = ["settings/keys/new", f"settings/keys/{key.id}/roll", f"settings/keys/{key.id}/revoke"]
    pages += ["settings/members/invite", f"settings/members/{ada.id}", f"settings/members/{ada.id}/remove"]
    for page in pages:
        for answer in (admin.get(f"/p/acme/{page}"), admin.post(f"/p/acme/{page}", {"reason": "leaked"})):
            assert answer["Location"].startswith("/account/reauthenticate/?next=%2Fp%2Facme%2Fsettings%2F"), page
    assert moved(before, state(project)) == set()
    assert admin.get("/p/acme/settings/keys").status_code == 200
    # With it the form goes where it was going.
    sent = admin.post(f"/p/acme/settings/keys/{key.id}/revoke", {"reason": "leaked"})
    assert admin.post(sent["Location"], {"password": "wrong"}).status_code == 422
    assert ApiKey.objects.get(id=key.id).revoked_at is None
    assert admin.post(sent["Location"], {"password": PASSWORD}).status_code == 302
    assert ApiKey.objects.get(id=key.id).revoke_reason == "leaked"
    assert admin.get("/p/acme/settings/keys/new").status_code == 200
    # Inside htmx the whole page goes there.
    give_password(admin, ada, seconds_ago=301)
    answer = admin.get("/p/acme/settings/keys/new", HTTP_HX_REQUEST="true")
    assert answer.status_code == 204 and answer["HX-Redirect"].startswith("/account/reauthenticate/?next=/p/acme/")


def test_a_login_counts_as_a_password(project: Project, ada: User) -> None:
    client = Client()
    client.post("/account/login/", {"login": ada.email, "password": PASSWORD})
    assert client.get("/p/acme/settings/keys/new").status_code == 200
    assert "members.change" in FRESH
