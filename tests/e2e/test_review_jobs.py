"""What a reviewer does beside deciding one by one: later, whose, many at once, edits."""

import re
from collections.abc import Callable

import pytest
from playwright.sync_api import Page, expect

from apps.core.transactions import bind
from apps.curation.actions.reject_proposal import reject_proposal
from apps.curation.models import Proposal
from apps.tenancy.models import Project
from tests.console.stage import learn
from tests.e2e.conftest import Scene, Tab, ask
from tests.factories import PASSWORD, make_user, user_actor

pytestmark = pytest.mark.e2e


def said(scene: Scene, name: str, words: str, **run: str) -> list[Proposal]:
    """The proposals of a conversation."""
    return ask(lambda: learn(scene.project, name, words, **run))


def states(project: Project) -> dict[str, int]:
    def read() -> dict[str, int]:
        found: dict[str, int] = {}
        with bind(project.id):
            for state in Proposal.objects.values_list("state", flat=True):
                found[state] = found.get(state, 0) + 1
        return found

    return ask(read)


def start(tab: Tab, slug: str) -> Page:
    """Logged in, on the facts of a project."""
    tab.go(f"/account/login/?next=/p/{slug}/facts")
    tab.page.get_by_label("Email").fill("ada@example.test")
    tab.page.get_by_label("Password").fill(PASSWORD)
    tab.page.get_by_role("button", name="Sign in").click()
    tab.page.wait_for_url("**/facts")
    tab.unmask(slug)
    return tab.page


def drawer_open(page: Page) -> None:
    expect(page.get_by_role("complementary", name="Details").locator(".d-fact")).to_be_visible()


def test_later_and_whose_by_keyboard(scene: Scene, open_tab: Callable[..., Tab]) -> None:
    said(scene, "t", "Our refund window is 30 days. We always ship on Tuesdays.", user="ada.k")
    page = start(tab := open_tab(), "acme")
    tab.go("/p/acme/review")
    drawer_open(page)
    page.keyboard.press("i")
    page.keyboard.press("1")
    drawer = page.get_by_role("complementary", name="Details")
    expect(drawer.locator(".d-head .tag.info")).to_have_text("you")
    expect(page.locator("tr.open .tag.info")).to_have_text("you")
    page.keyboard.press("h")
    page.keyboard.press("2")
    expect(page.locator("tr.done")).to_contain_text("comes back")
    page.get_by_role("link", name="Later 1").click()
    expect(page.locator("tr[data-row]")).to_have_count(1)
    drawer_open(page)
    page.keyboard.press("h")
    page.keyboard.press("3")
    # It was the only one of its page, which makes room for what is put off still: nothing.
    page.wait_for_load_state("networkidle")
    page.get_by_role("link", name="Mine 1").click()
    expect(page.locator("tr[data-row]")).to_have_count(1)
    assert (tab.errors, tab.violations()) == ([], [])


def test_a_row_decided_by_somebody_else_says_so_in_a_batch(scene: Scene, open_tab: Callable[..., Tab]) -> None:
    rows = said(scene, "t", "Our refund window is 30 days. We always ship on Tuesdays.", user="ada.k")
    # One is left undecided, and stands in the drawer: a page whose rows are all decided makes room for the next.
    (later,) = said(scene, "u", "I prefer trains.", user="bo")
    page = start(tab := open_tab(), "acme")
    tab.go(f"/p/acme/review?open={later.id}")
    drawer_open(page)
    for row in rows:
        page.locator(f"#p{row.id} [data-select]").check()
    expect(page.locator("[data-selected]")).to_contain_text("2")

    def decide() -> None:
        other = user_actor(scene.project, "curator", user=make_user(scene.project, "curator", name="Bo Ek"))
        reject_proposal(actor=other, project_id=scene.project.id, proposal_id=rows[0].id, reason="vague")

    ask(decide)
    with page.expect_response(lambda answer: answer.url.endswith("/review/batch")) as answered:
        page.keyboard.press("a")
    assert answered.value.status == 200
    expect(page.locator("#toasts")).to_contain_text("1 approved, 1 failed")
    expect(page.locator(f"#p{rows[0].id}")).to_contain_text("by Bo Ek: too vague")
    expect(page.locator(f"#p{rows[1].id}")).to_contain_text("Approved")
    expect(page.locator(f"#p{later.id}:not(.done)")).to_be_visible()
    assert (tab.errors, tab.violations()) == ([], [])


def test_the_last_of_a_page_brings_the_next_page(scene: Scene, open_tab: Callable[..., Tab]) -> None:
    words = " ".join(f"Our rule {letter} is number {number}." for number, letter in enumerate("abcdefgh"))
    for name in range(5):
        said(scene, f"t{name}", words.replace("Our rule", f"Our rule {name}"), user="ada.k")
    page = start(tab := open_tab(), "acme")
    tab.go("/p/acme/review?group=none")
    drawer_open(page)
    page.keyboard.press("Shift+X")
    page.keyboard.press("r")
    page.keyboard.press("1")
    expect(page.locator("#toasts")).to_contain_text("30 rejected")
    expect(page.locator("tr.done")).to_have_count(0)
    expect(page.locator("tr[data-row]")).not_to_have_count(0)
    assert (tab.errors, tab.violations()) == ([], [])


def test_a_batch_without_javascript(scene: Scene, open_tab: Callable[..., Tab]) -> None:
    rows = said(scene, "t", "Our refund window is 30 days. We always ship on Tuesdays.", user="ada.k")
    held = said(scene, "u", "I prefer trains.")
    page = start(open_tab(java_script_enabled=False), "acme")
    page.get_by_role("link", name=re.compile("^Review")).click()
    for row in [*rows, *held]:
        page.get_by_label(f"Select proposal {row.number}").check()
    page.get_by_role("toolbar", name="Actions for selected proposals").get_by_role("button", name="Approve").click()
    expect(page.locator(".banner")).to_contain_text("2 approved, 1 failed")
    expect(page.get_by_label(f"Select proposal {held[0].number}")).to_be_checked()
    expect(page.locator("td .err")).to_have_text("It is held: open it and decide it by itself.")
    page.get_by_role("button", name="Undo").click()
    expect(page.locator(".toast")).to_contain_text("2 taken back.")
    assert states(scene.project) == {"pending": 2, "quarantined": 1}


def test_ctrl_enter_saves_an_edit(scene: Scene, open_tab: Callable[..., Tab]) -> None:
    said(scene, "t", "I prefer email.", user="ada.k")
    page = start(tab := open_tab(), "acme")
    tab.go("/p/acme/review")
    drawer_open(page)
    page.keyboard.press("e")
    page.get_by_label("Statement").fill("Prefers letters.")
    page.keyboard.press("Control+Enter")
    # The only one of its page: the queue, now empty, says what was done.
    expect(page.get_by_role("link", name="1 approved")).to_be_visible()
    assert states(scene.project) == {"applied": 1}
    assert (tab.errors, tab.violations()) == ([], [])
