"""The jobs on a fact in at most the clicks of the design, and each by keyboard alone: why it is believed, correcting it,
forgetting it; changing several, and taking that back."""

import os
from collections.abc import Callable

import pytest
from playwright.sync_api import Page, expect

from apps.core.transactions import bind
from apps.curation.actions.approve_proposal import approve_proposal
from apps.facts.models import Fact
from tests.console.stage import learn
from tests.e2e.conftest import Scene, Tab, ask
from tests.factories import make_fact, user_actor

OpenTab = Callable[..., Tab]
SAID = "Good morning. Our refund window is 30 days. That was all."


@pytest.fixture
def facts(scene: Scene) -> list[Fact]:
    """One that was said in a conversation, and three more."""
    (proposal,) = learn(scene.project, "run", SAID)
    actor = user_actor(scene.project, "curator", user=scene.user)
    done = approve_proposal(actor=actor, project_id=scene.project.id, proposal_id=proposal.id)
    with bind(scene.project.id):
        said = Fact.objects.get(id=done.fact_id)
    return [said, *(make_fact(scene.project, f"Shop {number} opens at nine.") for number in (1, 2, 3))]


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


def open_by_keys(page: Page, words: str) -> None:
    """`j` until the row is reached, then Enter; the focus is in the drawer."""
    for _ in range(10):
        page.keyboard.press("j")
        if words in page.evaluate("document.activeElement.closest('tr')?.innerText || ''"):
            break
    page.keyboard.press("Enter")
    expect(page.locator("#drawer h2")).to_be_focused()


@pytest.mark.e2e
def test_why_an_agent_believes_it(tab: Tab) -> None:
    page = tab.page
    page.get_by_role("link", name="Our refund window is 30 days.").click()  # 1
    expect(page.locator("#drawer mark")).to_have_text("Our refund window is 30 days.")
    expect(page.locator("#drawer .turns")).to_contain_text("Understood.")
    picture(page, "drawer")
    page.get_by_role("link", name="open trace").click()  # 2
    page.wait_for_url("**/traces/*")
    tab.go("/p/acme/facts")
    open_by_keys(page, "refund window")
    keys(page, "t")
    page.wait_for_url("**/traces/*")
    assert (tab.errors, tab.violations()) == ([], [])


@pytest.mark.e2e
def test_correcting_a_fact_in_three_clicks_and_taking_it_back(scene: Scene, tab: Tab) -> None:
    page = tab.page
    page.get_by_role("link", name="Shop 1 opens").click()  # 1
    page.get_by_role("link", name="Edit as new version").click()  # 2
    page.get_by_label("Fact", exact=True).fill("Shop 1 opens at ten.")
    page.get_by_role("button", name="Save new version").click()  # 3
    expect(page.locator("#toasts")).to_contain_text("which replaces")
    picture(page, "edited")
    assert "Shop 1 opens at ten." in current(scene)
    keys(page, "z")
    expect(page.locator("#toasts")).to_contain_text("Taken back.")
    assert "Shop 1 opens at nine." in current(scene) and "Shop 1 opens at ten." not in current(scene)
    assert (tab.errors, tab.violations()) == ([], [])


@pytest.mark.e2e
def test_correcting_a_fact_by_keyboard(scene: Scene, tab: Tab) -> None:
    page = tab.page
    open_by_keys(page, "Shop 2")
    keys(page, "e")
    page.wait_for_url("**/edit")
    expect(page.get_by_label("Fact", exact=True)).to_be_focused()
    keys(page, "Control+a")
    page.keyboard.type("Shop 2 opens at eight.")
    keys(page, "Control+Enter")
    expect(page.locator("#toasts")).to_contain_text("which replaces")
    assert "Shop 2 opens at eight." in current(scene)


@pytest.mark.e2e
def test_forgetting_a_fact_in_three_clicks_and_by_keyboard(scene: Scene, tab: Tab) -> None:
    page = tab.page
    page.get_by_role("link", name="Shop 3 opens").click()  # 1
    page.get_by_role("link", name="Forget…").click()  # 2
    page.get_by_role("button", name="Forget #").click()  # 3
    expect(page.locator("#toasts")).to_contain_text("Forgot")
    assert "Shop 3 opens at nine." not in current(scene)
    open_by_keys(page, "Shop 2")
    page.get_by_role("link", name="Forget…").focus()
    keys(page, "Enter")
    page.get_by_role("button", name="Forget #").focus()
    keys(page, "Enter")
    expect(page.locator("#toasts")).to_contain_text("Forgot")
    assert "Shop 2 opens at nine." not in current(scene)


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
