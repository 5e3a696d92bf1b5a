"""The reviewer's work in a real browser: by mouse, by keyboard alone, and without JavaScript."""

import re
from collections.abc import Callable

import pytest
from playwright.sync_api import expect

from apps.core.transactions import bind
from apps.curation.actions.reject_proposal import reject_proposal
from apps.curation.models import Proposal
from apps.facts.models import Fact
from tests.console.stage import learn
from tests.e2e.conftest import Scene, Tab, ask
from tests.factories import make_user, user_actor

pytestmark = pytest.mark.e2e

SAID = "Our refund window is 30 days. We always ship on Tuesdays. I prefer email."
FIRST, SECOND, THIRD = "Prefers email.", "We always ship on Tuesdays.", "Our refund window is 30 days."


@pytest.fixture
def waiting(scene: Scene) -> list[Proposal]:
    """Three proposals; the queue shows the last said first."""
    return learn(scene.project, "t", SAID, user="ada.k")


def states(scene: Scene) -> dict[str, str]:
    def read() -> dict[str, str]:
        with bind(scene.project.id):
            return dict(Proposal.objects.values_list("content", "state"))

    return ask(read)


def facts(scene: Scene) -> list[tuple[str, str, str]]:
    def read() -> list[tuple[str, str, str]]:
        with bind(scene.project.id):
            return list(Fact.objects.current().order_by("id").values_list("content", "scope", "scope_id"))

    return ask(read)


def test_log_in_review_approve_and_see_it_under_facts(
    scene: Scene, waiting: list[Proposal], open_tab: Callable[..., Tab]
) -> None:
    tab = open_tab()
    page = tab.page
    tab.log_in()
    tab.unmask()
    page.get_by_role("navigation", name="Main").get_by_role("link", name="Review").click()
    expect(page).to_have_title(re.compile("3 to review"))
    page.get_by_role("link", name=THIRD).click()
    drawer = page.get_by_role("complementary", name="Details")
    expect(drawer.get_by_role("heading", level=2)).to_be_focused()
    expect(drawer.locator(".d-fact")).to_have_text(THIRD)
    expect(page).to_have_url(re.compile(r"\?open="))
    drawer.get_by_role("button", name="Approve").click()
    expect(page.locator("tr.done")).to_contain_text("Approved")
    expect(page.locator("#toasts")).to_contain_text("Approved P-")
    expect(page.locator("#count")).to_have_text("2 waiting")
    expect(page.locator(".nav a[aria-current=page] .n")).to_have_text("2")
    assert facts(scene) == [(THIRD, "agent", "support")]
    page.get_by_role("link", name="Facts").click()
    expect(page.get_by_role("link", name=THIRD)).to_be_visible()
    assert (tab.errors, tab.violations()) == ([], [])


def test_by_keyboard_alone(scene: Scene, waiting: list[Proposal], open_tab: Callable[..., Tab]) -> None:
    tab = open_tab()
    page, keys = tab.page, tab.page.keyboard
    tab.log_in()
    tab.unmask()
    keys.press("g")
    keys.press("r")
    page.wait_for_url("**/review")
    keys.press("j")
    expect(page.get_by_role("link", name=FIRST)).to_be_focused()
    keys.press("o")
    drawer = page.get_by_role("complementary", name="Details")
    expect(drawer.locator(".d-fact")).to_have_text(FIRST)
    expect(drawer.get_by_role("heading", level=2)).to_be_focused()
    keys.press("a")
    # The decided row stays in its place, the next one has the focus and stands in the drawer.
    expect(page.locator("tr.done")).to_contain_text(FIRST)
    expect(page.get_by_role("link", name=SECOND)).to_be_focused()
    expect(drawer.locator(".d-fact")).to_have_text(SECOND)
    expect(page.locator("tr.open")).to_contain_text(SECOND)
    keys.press("r")
    keys.press("2")
    expect(page.get_by_role("link", name=THIRD)).to_be_focused()
    expect(page.locator("tr.done")).to_have_count(2)
    expect(page.locator("tr.done").nth(1)).to_contain_text("by you: too vague")
    keys.press("e")
    expect(drawer.get_by_label("Statement")).to_have_value(THIRD)
    expect(drawer.get_by_role("heading", level=2)).to_be_focused()
    keys.press("Escape")
    expect(page.get_by_role("link", name=THIRD)).to_be_focused()
    expect(drawer.locator("*")).to_have_count(0)
    assert states(scene) == {FIRST: "applied", SECOND: "rejected", THIRD: "pending"}
    assert (tab.errors, tab.violations()) == ([], [])


def test_without_javascript(scene: Scene, waiting: list[Proposal], open_tab: Callable[..., Tab]) -> None:
    page = (tab := open_tab(java_script_enabled=False)).page
    tab.log_in()
    tab.unmask()
    page.get_by_role("navigation", name="Main").get_by_role("link", name="Review").click()
    page.get_by_role("link", name=THIRD).click()
    expect(page.get_by_role("heading", level=1)).to_contain_text("Proposal P-")
    page.get_by_role("button", name="Approve").click()
    expect(page.locator(".toast")).to_contain_text("Approved P-")
    page.get_by_role("link", name=SECOND).click()
    page.get_by_text("Reject", exact=False).first.click()
    page.get_by_role("button", name="Out of date").click()
    expect(page.locator(".toast")).to_contain_text("out of date")
    page.get_by_role("link", name=FIRST).click()
    page.get_by_role("link", name="Edit").click()
    page.get_by_label("Statement").fill("Prefers letters.")
    page.get_by_label("Confidence").fill("7")
    page.get_by_role("button", name="Approve as edited").click()
    expect(page.get_by_text("The confidence lies between 0 and 1.")).to_be_visible()
    page.get_by_label("Confidence").fill("0.7")
    page.get_by_role("button", name="Approve as edited").click()
    expect(page.get_by_text("Nothing to review")).to_be_visible()
    page.get_by_role("link", name="Facts").click()
    expect(page.get_by_role("link", name=THIRD)).to_be_visible()
    assert facts(scene) == [(THIRD, "agent", "support"), ("Prefers letters.", "user", "ada.k")]
    assert states(scene) == {FIRST: "applied", SECOND: "rejected", THIRD: "applied"}


def test_edit_in_the_drawer(scene: Scene, waiting: list[Proposal], open_tab: Callable[..., Tab]) -> None:
    page = (tab := open_tab()).page
    tab.log_in()
    tab.unmask()
    tab.go("/p/acme/review")
    page.get_by_role("link", name=FIRST).click()
    drawer = page.get_by_role("complementary", name="Details")
    expect(drawer.get_by_role("heading", level=2)).to_be_focused()
    drawer.get_by_role("link", name="Edit").click()
    expect(drawer.get_by_role("heading", level=2)).to_be_focused()
    expect(drawer.get_by_role("heading", level=2)).to_contain_text("Edit")
    drawer.get_by_label("User id").fill("")
    drawer.get_by_role("button", name="Approve as edited").click()
    expect(drawer.get_by_text("Say which user this is about.")).to_be_visible()
    expect(drawer.get_by_role("heading", level=2)).to_be_focused()
    assert facts(scene) == []
    drawer.get_by_label("The whole project", exact=False).check()
    drawer.get_by_role("button", name="Approve as edited").click()
    expect(page.locator("tr.done")).to_contain_text("Approved")
    expect(drawer.locator(".d-fact")).to_have_text(SECOND)
    assert facts(scene) == [(FIRST, "project", "acme")]
    # The refused form is the one thing that the browser's log has of it.
    assert [error for error in tab.errors if "status of 422" not in error] == [] and tab.violations() == []


def test_somebody_else_was_faster(scene: Scene, waiting: list[Proposal], open_tab: Callable[..., Tab]) -> None:
    page = (tab := open_tab()).page
    tab.log_in()
    tab.go(f"/p/acme/review?open={waiting[0].id}")
    drawer = page.get_by_role("complementary", name="Details")
    expect(drawer.locator(".d-fact")).to_have_text(THIRD)

    def decide() -> None:
        other = user_actor(scene.project, "curator", user=make_user(scene.project, "curator", name="Bo Ek"))
        reject_proposal(actor=other, project_id=scene.project.id, proposal_id=waiting[0].id, reason="vague")

    ask(decide)
    # Two are left undecided: a page whose rows are all decided makes room for the next.
    with page.expect_response(lambda answer: answer.url.endswith(f"/{waiting[0].id}/approve")) as refused:
        page.keyboard.press("a")
    assert refused.value.status == 409
    expect(page.locator(f"#p{waiting[0].id}.done")).to_contain_text("by Bo Ek: too vague")
    expect(drawer.locator(".banner")).to_contain_text("Your decision changed nothing.")
    expect(drawer.get_by_role("button", name="Approve")).to_have_count(0)
    expect(page.locator("tr[data-row]:not(.done)")).to_have_count(2)
    assert facts(scene) == [] and states(scene)[THIRD] == "rejected"


def test_filters_swap_the_list_and_keep_their_address(
    scene: Scene, waiting: list[Proposal], open_tab: Callable[..., Tab]
) -> None:
    page = (tab := open_tab()).page
    tab.log_in()
    tab.unmask()
    tab.go("/p/acme/review")
    page.keyboard.press("f")
    page.get_by_label("Personal", exact=False).check()
    expect(page.get_by_role("link", name=SECOND)).to_have_count(0)
    expect(page.get_by_role("link", name=FIRST)).to_be_visible()
    expect(page).to_have_url(re.compile(r"\?flag=personal$"))
    page.get_by_role("link", name="Held 0").click()
    expect(page.get_by_text("No proposal matches")).to_be_visible()
    page.get_by_role("link", name="Clear all").click()
    expect(page.get_by_role("link", name=SECOND)).to_be_visible()
    page.go_back()
    expect(page.get_by_text("No proposal matches")).to_be_visible()
    assert (tab.errors, tab.violations()) == ([], [])
