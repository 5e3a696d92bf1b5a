"""The way in: the member's projects and what waits in them."""

import re

import pytest
from django.test import Client

from apps.access.actions.grant_role import grant_role
from apps.access.models import Role, User
from apps.core.clock import now
from apps.core.transactions import bind
from apps.dreaming.models import DreamRun
from apps.dreaming.queries import waiting_runs
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


def test_dream_runs_that_wait_are_counted_for_who_may_read_them() -> None:
    acme, bolt = make_project("acme"), make_project("bolt")
    for project, waits in ((acme, 2), (bolt, 1)):
        with bind(project.id):
            for state, dry in [("proposed", False)] * waits + [("proposed", True), ("settled", False)]:
                DreamRun.objects.create(
                    project=project, scope="project", scope_id=project.slug, origin="button", requested_by="user:1", engine="rules",
                    state=state, dry_run=dry, started_at=now(), finished_at=now(),
                )  # fmt: skip
    user = make_user(acme, "curator")
    grant(bolt, user, "viewer")
    assert waiting_runs(user.id) == {acme.id: 2, bolt.id: 1}
    page = login(None, user=user).get("/")
    assert link(page, "2 dream runs to decide") == "/p/acme/dreams"
    assert "1 dream run to decide" not in page.text
    grant(bolt, user, "privacy_officer")
    assert link(login(None, user=user).get("/"), "1 dream run to decide") == "/p/bolt/dreams"


def test_the_login_begins_in_its_first_field() -> None:
    fields = re.findall(r"<input[^>]*>", Client().get("/account/login/").text)
    assert [field for field in fields if "autofocus" in field] == [field for field in fields if 'name="login"' in field]


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
