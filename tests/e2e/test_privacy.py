"""Erasing a person from the console: in five clicks, and without the mouse; then the second officer."""

import io
import re
from collections.abc import Callable
from datetime import timedelta

import pytest
from django.core.management import call_command
from playwright.sync_api import Page, expect

from apps.access.models import Membership
from apps.core.clock import now
from apps.core.transactions import bind
from apps.facts.models import Fact
from apps.privacy.actions.carry_out import carry_out
from apps.privacy.claims import claim_requests
from apps.privacy.models import PrivacyRequest
from apps.tenancy.models import Project
from tests.e2e.conftest import Scene, Tab, ask
from tests.factories import PASSWORD, make_user

pytestmark = pytest.mark.e2e

PERSON = "bea.moura"


@pytest.fixture
def demo(scene: Scene) -> Project:
    """The demo, with a second privacy officer of long standing who can log in."""

    def load() -> Project:
        call_command("demo", stdout=io.StringIO())
        project = Project.objects.get(slug="demo")
        second = make_user(project, "privacy_officer", name="Grace Hopper", email="grace@example.test")
        Membership.objects.filter(user=second).update(created_at=now() - timedelta(days=2))
        return project

    return ask(load)


def start(tab: Tab, path: str, email: str = "ada@example.test") -> Page:
    tab.go(f"/account/login/?next={path}")
    tab.page.get_by_label("Email").fill(email)
    tab.page.get_by_label("Password").fill(PASSWORD)
    tab.page.get_by_role("button", name="Sign in").click()
    tab.page.wait_for_url(f"**{path}")
    return tab.page


def asked(project: Project) -> PrivacyRequest:
    """The newest request."""

    def read() -> PrivacyRequest:
        with bind(project.id):
            return PrivacyRequest.objects.latest("number")

    return ask(read)


def known(project: Project) -> int:
    """Facts about the person, whatever their state."""

    def read() -> int:
        with bind(project.id):
            return Fact.objects.in_project(project.id).filter(scope="user", scope_id=PERSON).count()

    return ask(read)


def test_job_11_a_person_in_five_clicks(demo: Project, open_tab: Callable[..., Tab]) -> None:
    page = start(tab := open_tab(), "/p/demo/facts")
    clicks = 0

    def click(name: str | re.Pattern[str], role: str = "link") -> None:
        nonlocal clicks
        page.get_by_role(role, name=name).click()  # type: ignore[arg-type]
        clicks += 1

    before = known(demo)
    assert before > 0
    click(re.compile("^Privacy"))
    click(re.compile("^New request"))
    expect(page.get_by_label("User", exact=True)).to_be_focused()
    page.keyboard.type(PERSON)
    # How the identity was checked is nobody's default: the fifth click.
    page.get_by_label("Identity").select_option("document")
    clicks += 1
    click("Open and preview", "button")
    expect(page.get_by_role("heading", name="What will go")).to_be_visible()
    page.get_by_label("Type the user's id").press_sequentially(PERSON)
    click("Submit", "button")
    expect(page.locator("#toasts")).to_contain_text("Another privacy officer has to approve it.")
    assert clicks == 5
    assert (asked(demo).state, asked(demo).kind, known(demo)) == ("awaiting_approval", "erasure", before)
    assert (tab.errors, tab.violations()) == ([], [])

    # Who opened it can't approve it; the second officer can, from the list.
    page.get_by_label("Type the user's id").fill(PERSON)
    page.get_by_role("button", name="Erase everything listed").click()
    expect(page.get_by_role("alert").filter(has_text="Somebody else has to approve")).to_be_visible()
    assert asked(demo).state == "awaiting_approval"
    other = start(second := open_tab(), "/p/demo/privacy", "grace@example.test")
    other.get_by_role("link", name=f"Erasure for {PERSON}").click()
    other.get_by_label("Type the user's id").fill(PERSON)
    other.get_by_role("button", name="Erase everything listed").click()
    expect(other.locator("#toasts")).to_contain_text("Approved. It is being carried out.")
    request = asked(demo)
    assert request.state == "suppressing" and request.approved_by != request.opened_by
    assert (second.errors, second.violations()) == ([], [])

    # A worker erases it; the page follows by itself.
    def work() -> None:
        for claim in claim_requests(limit=10):
            carry_out(claim)

    ask(work)
    expect(other.get_by_text("The rows are gone, and nobody is told them.")).to_be_visible()
    assert known(demo) == 0


def test_job_11_without_the_mouse(demo: Project, open_tab: Callable[..., Tab]) -> None:
    page = start(tab := open_tab(), "/p/demo/facts")
    page.keyboard.press("g")
    page.keyboard.press("e")
    page.wait_for_url("**/p/demo/privacy")
    page.keyboard.press("c")
    page.wait_for_url("**/privacy/new")
    expect(page.get_by_label("User", exact=True)).to_be_focused()
    page.keyboard.type(PERSON)
    for _ in range(2):
        page.keyboard.press("Tab")
    expect(page.get_by_label("Identity")).to_be_focused()
    page.keyboard.type("Showed")
    page.keyboard.press("Shift+Tab")
    page.keyboard.press("Shift+Tab")
    page.keyboard.press("Enter")
    expect(page.get_by_role("heading", name="What will go")).to_be_visible()
    page.keyboard.press("i")
    expect(page.get_by_label("Type the user's id")).to_be_focused()
    page.keyboard.type(PERSON)
    page.keyboard.press("Enter")
    expect(page.locator("#toasts")).to_contain_text("Another privacy officer has to approve it.")
    assert asked(demo).state == "awaiting_approval"
    assert (tab.errors, tab.violations()) == ([], [])
