"""The way in: the member's projects and what waits in them."""

import pytest
from django.test import Client

from apps.access.actions.grant_role import grant_role
from apps.access.models import Role, User
from apps.tenancy.models import Project
from tests.console.pages import between, link, text
from tests.console.stage import learn, login
from tests.factories import make_agent, make_project, make_user, setup_actor

pytestmark = pytest.mark.django_db


def grant(project: Project, user: User, role: str) -> None:
    grant_role(actor=setup_actor(project), project_id=project.id, user=user, role=Role(role))


def test_each_project_with_what_waits_for_this_person() -> None:
    acme, bolt, core = make_project("acme", "Acme <b>"), make_project("bolt"), make_project("core")
    make_project("none-of-his")
    for project, said in ((acme, "Remember that our refund window is 30 days."), (bolt, "We ship on Mondays.")):
        make_agent(project, "support")
        learn(project, "run", said)
    user = make_user(acme, "curator")
    grant(bolt, user, "viewer")
    grant(core, user, "privacy_officer")
    client = login(None, user=user)

    page = client.get("/")
    assert page.status_code == 200 and page["Cache-Control"] == "no-store"
    cards = [text("<li" + card) for card in page.text.split('<ul class="cards">')[1].split("</ul>")[0].split("<li")[1:]]
    # What waits in a project is for those who may review it.
    assert cards == ["Acme <b> acme 1 to review", "Bolt bolt Reading only", "Core core Nothing waits"]
    assert between(page, '<div class="head">', "</div>") == "Projects 1 to review"
    assert text(page.text).startswith("1 to review · Projects")
    assert link(page, "1 to review") == "/p/acme/review"
    assert link(page, "Bolt") == "/p/bolt"
    assert "none-of-his" not in page.text and "<b>" not in page.text.split("cards")[1]


def test_the_only_project_opens_at_once() -> None:
    client = login(make_project("acme"), "viewer")
    assert client.get("/")["Location"] == "/p/acme"


def test_somebody_without_a_project_is_told_whom_to_ask() -> None:
    page = login(None, user=make_user()).get("/")
    assert "No project yet" in page.text and "Ask an admin" in page.text


def test_only_people_who_are_logged_in_and_only_for_reading() -> None:
    assert Client().get("/")["Location"] == "/account/login/?next=/"
    assert login(None, user=make_user()).post("/").status_code == 405


@pytest.mark.parametrize("role", ["viewer", "curator", "privacy_officer", "admin"])
def test_a_project_opens_at_its_overview(role: str) -> None:
    acme = make_project("acme")
    assert login(None, user=make_user(acme, role)).get("/", follow=True).redirect_chain == [("/p/acme", 302)]


def test_an_auditor_begins_at_the_first_page_of_his() -> None:
    acme = make_project("acme")
    page = login(acme, "auditor").get("/p/acme", follow=True)
    assert page.status_code == 200 and page.redirect_chain[0][0].startswith("/p/acme/")
