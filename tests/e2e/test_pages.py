"""Every page: nothing that axe-core finds, nothing that the policy forbids, nothing that scrolls sideways."""

import re
from collections.abc import Callable
from pathlib import Path

import pytest

from tests.e2e.conftest import Scene, Tab
from tests.factories import make_project
from tests.filled import fill
from tests.pages import addresses

pytestmark = pytest.mark.e2e

AXE = (Path(__file__).parents[1] / "vendor/axe.min.js").read_text()
TAGS = ["wcag2a", "wcag2aa", "wcag21a", "wcag21aa", "wcag22a", "wcag22aa", "best-practice"]
RUN = """async (tags) => {
  const found = await axe.run(document, { runOnly: { type: 'tag', values: tags } });
  return found.violations.flatMap((rule) => rule.nodes.map((node) => `${rule.id}: ${node.html.slice(0, 160)}`));
}"""


@pytest.fixture
def values(scene: Scene) -> dict[str, str]:
    """What the addresses of tests/pages.py name."""
    make_project("other")
    return fill(scene.project)


@pytest.fixture
def paths(values: dict[str, str]) -> list[str]:
    """The address of every page, with something to show, something long, something held and something decided."""
    return [address for _, address in addresses(values, pages_only=True)] + ["/p/other/facts"]


@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_axe_finds_nothing(values: dict[str, str], paths: list[str], open_tab: Callable[..., Tab], scheme: str) -> None:
    # Only this run may add a script of its own to the pages.
    tab = open_tab(color_scheme=scheme, bypass_csp=True)
    page = tab.page
    found: dict[str, list[str]] = {}

    def look(name: str) -> None:
        page.add_script_tag(content=AXE)
        if violations := page.evaluate(RUN, TAGS):
            found[name] = violations

    tab.go("/account/login/")
    look("login")
    tab.log_in()
    for path in paths:
        assert tab.go(path) in {200, 404, 422}
        look(path)
    for menu in ("Flags", "Reject"):
        tab.go(f"/p/acme/review?open={values['proposal_id']}")
        page.locator("summary", has_text=menu).click()
        look(f"review with {menu} open")
    tab.go("/p/acme/review")
    page.keyboard.press("?")
    look("keys")
    tab.go("/p/acme/settings/keys/new")
    page.get_by_role("button", name="Create key").click()
    look("a form with errors")
    page.get_by_role("textbox", name="Name").fill("backend")
    page.get_by_role("button", name="Create key").click()
    page.get_by_label("API key").wait_for()
    look("a new key")
    assert found == {}


def test_the_policy_is_never_broken(scene: Scene, paths: list[str], open_tab: Callable[..., Tab]) -> None:
    tab = open_tab()
    found: dict[str, list[str]] = {}
    tab.log_in()
    for path in ["/account/login/", *paths]:
        tab.errors.clear()
        status = tab.go(path)
        # A page that is not there is an error to the browser too.
        errors = [error for error in tab.errors if status == 200 or str(status) not in error]
        if violations := [*tab.violations(), *errors]:
            found[path] = violations
    assert found == {}
    # The watch itself sees what it should.
    tab.page.evaluate("document.body.setAttribute('style', 'color: red')")
    assert any("style-src" in violation for violation in tab.violations())


@pytest.mark.parametrize("width", [320, 820])
def test_nothing_scrolls_sideways(scene: Scene, paths: list[str], open_tab: Callable[..., Tab], width: int) -> None:
    tab = open_tab()
    tab.log_in()
    tab.page.set_viewport_size({"width": width, "height": 900})
    wide: dict[str, int] = {}
    for path in paths:
        tab.go(path)
        beyond = tab.page.evaluate("document.documentElement.scrollWidth - document.documentElement.clientWidth")
        if beyond > 0:
            wide[path] = beyond
    assert wide == {}


def test_each_page_names_itself(scene: Scene, paths: list[str], open_tab: Callable[..., Tab]) -> None:
    tab = open_tab()
    tab.log_in()
    for path in paths:
        tab.go(path)
        assert tab.page.locator("h1").count() == 1, path
        assert tab.page.locator("main").count() == 1, path
        assert len(re.sub(r"\s+", " ", tab.page.title())) > len("· Memory plane") + 3, path
