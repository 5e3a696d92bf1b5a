"""A real browser on a live server."""

import json
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, field
from typing import Any, TypeVar

import pytest
from django.db import connections
from playwright.sync_api import Browser, BrowserContext, Page, sync_playwright
from pytest_django import DjangoDbBlocker

from apps.access.actions.grant_role import grant_role
from apps.access.models import User
from apps.tenancy.models import Project
from tests.conftest import find_browser, own_database
from tests.factories import PASSWORD, make_agent, make_project, make_user, setup_actor
from tests.live import Live, run_server

ARGS = [
    "--no-sandbox",
    "--disable-gpu",
    "--disable-quic",
    "--no-first-run",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-sync",
]

# Runs before anything of the page, and is not held by its policy.
WATCH = """
window.violations = [];
document.addEventListener('securitypolicyviolation', (event) => {
  window.violations.push(`${event.violatedDirective} ${event.blockedURI} ${event.sample}`);
});
"""


T = TypeVar("T")


@dataclass
class Scene:
    """A project with an agent, and somebody who may do everything in it."""

    project: Project
    user: User


@dataclass
class Tab:
    """A page that remembers what went wrong in it."""

    page: Page
    server: Live
    errors: list[str] = field(default_factory=list)

    def go(self, path: str) -> int:
        answer = self.page.goto(self.server.url + path)
        assert answer is not None
        return answer.status

    def violations(self) -> list[str]:
        found: list[str] = self.page.evaluate("window.violations || []")
        return found

    def log_in(self, email: str = "ada@example.test") -> None:
        """Through the form, or with the session of who has logged in to this server before."""
        if session := self.server.sessions.get(email):
            self.page.context.add_cookies(session)
            self.go("/")
        else:
            self.go("/")
            self.page.get_by_label("Email").fill(email)
            self.page.get_by_label("Password").fill(PASSWORD)
            self.page.get_by_role("button", name="Sign in").click()
        self.page.wait_for_url("**/p/*")
        self.server.sessions[email] = self.page.context.cookies()

    def unmask(self, slug: str = "acme") -> None:
        unmask(self.page, self.server.url, slug)


def unmask(page: Page, url: str, slug: str) -> None:
    """Personal text of a project is shown from here on, as the key m does it, without leaving the page that is open."""
    headers = json.loads(page.locator("body").get_attribute("hx-headers") or "{}")
    answer = page.request.post(f"{url}/p/{slug}/facts/masking", form={"show": "1"}, headers=headers)
    assert answer.ok, answer.status


def ask(question: Callable[[], T]) -> T:
    """What the database says while a browser is open: Playwright's loop runs in the test's thread, where Django would
    refuse the query or keep a connection of its own."""

    def answered() -> T:
        try:
            return question()
        finally:
            connections.close_all()

    with ThreadPoolExecutor(1) as pool:
        return pool.submit(answered).result()


@pytest.fixture(scope="module")
def shared_server(django_db_blocker: DjangoDbBlocker, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Live]:
    """One server on one database for all tests of a module, which then leave each other's rows alone. The module says
    so by a `server` of its own, of its scope."""
    with pytest.MonkeyPatch.context() as patch, own_database(django_db_blocker, patch) as name:
        live = run_server(name, tmp_path_factory.mktemp("server"))
        yield live
        live.stop()


@pytest.fixture
def scene(server: Live) -> Scene:
    return make_scene()


def make_scene() -> Scene:
    project = make_project("acme", "Acme Support")
    make_agent(project, "support")
    user = make_user(project, "curator", name="Ada Byron", email="ada@example.test")
    for role in ("admin", "privacy_officer"):
        grant_role(actor=setup_actor(project), project_id=project.id, user=user, role=role)
    return Scene(project, user)


@pytest.fixture
def browser() -> Iterator[Browser]:
    path = find_browser()
    if path is None:
        pytest.fail("REQUIRE_BROWSER=1 and no chromium on this machine: apt-get install chromium")
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=path, args=ARGS)
        yield browser
        browser.close()


@pytest.fixture
def open_tab(server: Live, browser: Browser) -> Callable[..., Tab]:
    """A tab in a browser of its own: `open_tab(java_script_enabled=False, color_scheme="dark")`."""

    def make(**options: Any) -> Tab:
        context: BrowserContext = browser.new_context(viewport={"width": 1440, "height": 900}, **options)
        context.set_default_timeout(10_000)
        context.add_init_script(WATCH)
        tab = Tab(context.new_page(), server)
        tab.page.on("pageerror", lambda error: tab.errors.append(str(error)))
        tab.page.on("console", lambda said: tab.errors.append(said.text) if said.type == "error" else None)
        return tab

    return make
