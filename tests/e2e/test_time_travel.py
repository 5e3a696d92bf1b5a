"""Time travel in a real browser: a moment chosen, without JavaScript too, and for axe."""

from collections.abc import Callable
from datetime import timedelta
from urllib.parse import urlencode

import pytest
from playwright.sync_api import expect

from apps.core.clock import now
from apps.core.transactions import bind
from apps.recall.queries import reader_for, told_facts
from tests.console.past import ago, make_older, past_fact
from tests.e2e.conftest import Scene, Tab
from tests.e2e.test_pages import AXE, IDLE, RUN, TAGS
from tests.factories import make_agent, make_fact, make_key

pytestmark = pytest.mark.e2e


@pytest.fixture
def past(scene: Scene) -> Scene:
    """A project of a month with facts that stayed, were replaced, ended and came, and a read."""
    project = scene.project
    make_older(project, days=30)
    support = make_agent(project, "support")
    new = make_fact(project, "The refund window is 30 days.")
    early = ago(days=20)
    past_fact(project, "The refund window is 14 days.", early, superseded_at=ago(days=2), superseded_by=new)
    past_fact(project, "Ships on Tuesdays.", early, agent=support)
    past_fact(project, "Ships on Sundays.", early, retired_at=ago(days=1), retired_reason="wrong")
    past_fact(project, "العميل يفضل الرد عبر البريد الإلكتروني" + "x" * 300, early, sensitivity="special")
    key, _ = make_key(project, sensitivity_ceiling="special")
    with bind(project.id):
        told_facts(reader_for(key, "support", None, None, "p" * 60), limit=50)
    return scene


def address(**given: str) -> str:
    return f"/p/acme/time-travel?{urlencode({'at': f'{ago(days=5):%Y-%m-%dT%H:%M}'} | given)}"


def test_a_moment_is_chosen(past: Scene, open_tab: Callable[..., Tab]) -> None:
    page = (tab := open_tab()).page
    tab.log_in()
    tab.unmask()
    page.keyboard.press("g")
    page.keyboard.press("m")
    page.wait_for_url("**/time-travel")
    page.get_by_role("link", name="a week ago").click()
    expect(page.locator(".banner.past")).to_contain_text("read only")
    expect(page.locator("tr", has_text="14 days")).to_contain_text("replaced on")
    page.get_by_role("link", name="Replaced since 1").click()
    expect(page.locator(".diff ins")).to_have_text("30")
    page.locator("#at").fill(f"{now() + timedelta(days=2):%Y-%m-%dT%H:%M}")
    page.get_by_role("button", name="Go").click()
    expect(page.get_by_role("alert").filter(has_text="That moment is still to come.")).to_be_visible()
    page.locator("#at").fill(f"{ago(days=25):%Y-%m-%dT%H:%M}")
    page.get_by_role("button", name="Go").click()
    expect(page.get_by_text("No fact held then")).to_be_visible()
    expect(page.locator("#live")).to_contain_text("True then 0")
    assert [error for error in tab.errors if "status of 422" not in error] == [] and tab.violations() == []


def test_without_javascript(past: Scene, open_tab: Callable[..., Tab]) -> None:
    page = (tab := open_tab(java_script_enabled=False)).page
    tab.log_in()
    tab.unmask()
    page.get_by_role("navigation", name="Main").get_by_role("link", name="Time travel").click()
    page.locator("#at").fill(f"{now():%Y-%m-%dT%H:%M}")
    page.get_by_label("Agent", exact=True).select_option("support")
    page.get_by_role("button", name="Go").click()
    expect(page.locator("tr", has_text="Ships on Tuesdays.")).to_contain_text("still told")
    page.get_by_role("link", name="What would an agent have been told?").click()
    expect(page.locator(".banner.past")).to_be_visible()
    expect(page.locator(".prompt-text")).to_contain_text("Ships on Tuesdays.")


@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_axe_finds_nothing_and_nothing_scrolls_sideways(past: Scene, open_tab: Callable[..., Tab], scheme: str) -> None:
    tab = open_tab(color_scheme=scheme, bypass_csp=True)
    tab.log_in()
    tab.unmask()
    found: dict[str, list[str]] = {}
    for path in (
        "/p/acme/time-travel",
        address(),
        address(show="replaced"),
        address(show="ended"),
        address(show="read", agent="support", at=f"{now():%Y-%m-%dT%H:%M:%S}"),
        address(show="read"),
        address(at="soon"),
    ):
        for width in (1440, 320):
            tab.page.set_viewport_size({"width": width, "height": 900})
            assert tab.go(path) in {200, 422}
            tab.page.add_script_tag(content=AXE)
            tab.page.wait_for_function(IDLE)
            violations = tab.page.evaluate(RUN, TAGS)
            beyond = tab.page.evaluate("document.documentElement.scrollWidth - document.documentElement.clientWidth")
            if violations or beyond > 0:
                found[f"{path} {width}"] = [*violations, f"{beyond} px too wide"]
    assert found == {}
