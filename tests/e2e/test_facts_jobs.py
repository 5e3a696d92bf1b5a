"""Several facts at once and taken back, one after the other in the drawer, and all of it without scripts."""

import os
from collections.abc import Callable

import pytest
from playwright.sync_api import Page, expect

from apps.core.transactions import bind
from apps.facts.models import Fact
from tests.e2e.conftest import Scene, Tab, ask
from tests.factories import make_fact

OpenTab = Callable[..., Tab]


@pytest.fixture
def facts(scene: Scene) -> list[Fact]:
    said = ["Our refund window is 30 days.", *(f"Shop {number} opens at nine." for number in (1, 2, 3))]
    return [make_fact(scene.project, words) for words in said]


@pytest.fixture
def tab(facts: list[Fact], open_tab: OpenTab) -> Tab:
    tab = open_tab()
    tab.log_in()
    tab.go("/p/acme/facts")
    return tab


def current(scene: Scene) -> list[str]:
    def answer() -> list[str]:
        with bind(scene.project.id):
            return list(Fact.objects.current().order_by("content").values_list("content", flat=True))

    return ask(answer)


def picture(page: Page, name: str) -> None:
    """Kept where E2E_PICTURES says, to be looked at."""
    if folder := os.environ.get("E2E_PICTURES"):
        page.screenshot(path=f"{folder}/{name}.png")


def keys(page: Page, *pressed: str) -> None:
    for key in pressed:
        page.keyboard.press(key)


@pytest.mark.e2e
def test_several_facts_by_keyboard(scene: Scene, tab: Tab) -> None:
    page = tab.page
    keys(page, "j", "x", "j", "x")
    bar = page.get_by_role("toolbar", name="Acts on selected facts")
    expect(bar).to_contain_text("2 selected")
    picture(page, "bulk")
    # One tab stop; the arrows go round.
    first = bar.locator("summary").first
    first.focus()
    assert bar.evaluate("bar => [...bar.querySelectorAll('[tabindex=\"0\"]')].length") == 1
    keys(page, "ArrowRight")
    expect(bar.locator("summary").nth(1)).to_be_focused()
    keys(page, "ArrowLeft", "Enter")
    picture(page, "bulk_menu")
    bar.get_by_role("button", name="personal").focus()
    keys(page, "Enter")
    expect(page.locator("#toasts")).to_contain_text("2 facts marked personal")
    keys(page, "z")
    expect(page.locator("#toasts")).to_contain_text("2 taken back.")
    assert (tab.errors, tab.violations()) == ([], [])


@pytest.mark.e2e
def test_the_next_and_the_previous_fact(tab: Tab, facts: list[Fact]) -> None:
    page = tab.page
    page.get_by_role("link", name="Shop 2 opens").click()
    heading = page.locator("#drawer h2")
    expect(heading).to_contain_text(f"#{facts[2].id}")
    keys(page, "]")
    expect(heading).to_contain_text(f"#{facts[1].id}")
    keys(page, "[")
    expect(heading).to_contain_text(f"#{facts[2].id}")
    page.locator("#drawer summary", has_text="Change").click()
    picture(page, "menu")
    page.get_by_role("button", name="Retire…").click()
    page.get_by_label("stale").check()
    picture(page, "retire")
    page.get_by_role("button", name="Retire 1 fact").click()
    expect(page.locator("#toasts")).to_contain_text("retired as stale")
    picture(page, "retired")
    assert (tab.errors, tab.violations()) == ([], [])


@pytest.mark.e2e
def test_all_of_it_without_scripts(scene: Scene, facts: list[Fact], open_tab: OpenTab) -> None:
    tab = open_tab(java_script_enabled=False)
    tab.log_in()
    tab.go("/p/acme/facts")
    page = tab.page
    page.get_by_label(f"Select fact {facts[1].id}").check()
    page.get_by_label(f"Select fact {facts[2].id}").check()
    page.get_by_role("button", name="Merge…").click()
    page.get_by_label("The one fact").fill("Shops 1 and 2 open at nine.")
    picture(page, "merge")
    page.get_by_role("button", name="Merge 2 facts").click()
    assert "Shops 1 and 2 open at nine." in current(scene)
    page.get_by_role("link", name="compare versions").click()
    picture(page, "history")
    page.go_back()
    tab.go("/p/acme/facts")
    page.get_by_label(f"Select fact {facts[3].id}").check()
    page.get_by_role("toolbar").locator("summary", has_text="Expiry").click()
    page.get_by_role("button", name="in 30 days").click()
    page.get_by_role("button", name="Undo").click()
    expect(page.locator("#toasts")).to_contain_text("Taken back.")
