"""The list of facts in a real browser: search while somebody writes, facets, masking, saved views, and nothing that jumps."""

import re
from collections.abc import Callable
from urllib.parse import quote

import pytest
from playwright.sync_api import Page, Request, expect

from tests.e2e.conftest import Scene, Tab, make_scene
from tests.e2e.test_facts_jobs import keys, picture
from tests.factories import make_fact, make_user
from tests.live import Live

pytestmark = pytest.mark.e2e

OpenTab = Callable[..., Tab]
ODD = "a|b\"c' %20&=+ 田中 مريم"
SECRET = "Is allergic to nuts."


@pytest.fixture(scope="module")
def server(shared_server: Live) -> Live:
    return shared_server


@pytest.fixture(scope="module")
def scene(server: Live) -> Scene:
    return make_scene()


@pytest.fixture(scope="module")
def facts(scene: Scene) -> None:
    make_user(scene.project, "curator", name="Grace Hopper", email="grace@example.test")
    make_fact(scene.project, SECRET, user=ODD, sensitivity="special")
    for number in range(60):
        make_fact(scene.project, f"Shop {number} opens at nine.", category="shops" if number % 2 else "hours")
    make_fact(scene.project, "東京の店は十時に開く。", category="hours")


@pytest.fixture
def tab(facts: None, open_tab: OpenTab) -> Tab:
    tab = open_tab()
    tab.log_in()
    tab.go("/p/acme/facts")
    return tab


def counted(page: Page) -> None:
    """The counts of the facets are there."""
    expect(page.locator("#facets a.more", has_text="with counts")).to_have_count(0)


def lists(tab: Tab) -> list[str]:
    """Addresses of the list that are asked for from now on, as they come in."""
    asked: list[str] = []

    def note(request: Request) -> None:
        if re.search(r"/facts(\?|$)", request.url):
            asked.append(request.url)

    tab.page.on("request", note)
    return asked


def test_search_waits_for_what_is_being_composed(tab: Tab) -> None:
    page, asked = tab.page, lists(tab)
    keys(page, "/")
    expect(page.locator("#q")).to_be_focused()
    session = page.context.new_cdp_session(page)
    for part in ("と", "とう", "とうきょ", "東京"):
        session.send("Input.imeSetComposition", {"text": part, "selectionStart": len(part), "selectionEnd": len(part)})
        page.wait_for_timeout(450)
    assert asked == []
    session.send("Input.insertText", {"text": "東京"})
    expect(page.locator("#results tbody tr")).to_have_count(1)
    expect(page.locator("#live")).to_have_text("1 fact found")
    assert page.url.endswith(f"?q={quote('東京')}")
    page.reload()
    expect(page.locator("#q")).to_have_value("東京")
    assert (tab.errors, tab.violations()) == ([], [])


def test_a_facet_keeps_the_focus_and_the_menu_when_its_counts_come_back(tab: Tab) -> None:
    page = tab.page
    menu = page.locator('details[data-keep="category"]')
    counted(page)
    menu.locator("summary").focus()
    keys(page, "Enter", "Tab", "Space")
    box = page.locator('input[name="category"]').first
    with page.expect_response(re.compile("/facts/facets")):
        pass
    expect(menu).to_have_attribute("open", "")
    expect(box).to_be_focused()
    expect(box).to_be_checked()
    picture(page, "facet")
    assert (tab.errors, tab.violations()) == ([], [])


def test_nothing_moves_when_the_list_comes_back(tab: Tab) -> None:
    page = tab.page
    counted(page)
    places = """['h1', '#q', '.filters .sort', '#facets', 'table.grid thead'].map((one) =>
      document.querySelector(one).getBoundingClientRect().toJSON())"""
    before = page.evaluate(places)
    with page.expect_response(re.compile(r"/facts\?q=Shop")), page.expect_response(re.compile("/facts/facets")):
        page.locator("#q").press_sequentially("Shop")
    page.wait_for_load_state("networkidle")
    assert page.evaluate(places) == before


def test_any_id_in_a_filter_survives_a_reload(tab: Tab) -> None:
    page = tab.page
    tab.go(f"/p/acme/facts?scope=user&scope_id={quote(ODD)}")
    for _ in range(2):
        expect(page.locator("#results tbody tr")).to_have_count(1)
        expect(page.locator(".chips .chip").first).to_contain_text(ODD)
        page.reload()


def test_personal_text_is_masked_until_m(tab: Tab) -> None:
    page = tab.page
    tab.go("/p/acme/facts?sensitivity=special")
    row = page.locator("#results tbody tr")
    expect(row).to_have_count(1)
    assert SECRET not in page.content()
    keys(page, "m")
    expect(row).to_contain_text(SECRET)
    assert page.url.endswith("?sensitivity=special")
    keys(page, "m")
    expect(row).not_to_contain_text(SECRET)
    assert (tab.errors, tab.violations()) == ([], [])


def test_a_view_is_saved_by_keyboard_opens_first_and_is_left(facts: None, open_tab: OpenTab) -> None:
    # Somebody else's: what opens first for her is no business of the other tests.
    tab = open_tab()
    page = tab.page
    tab.log_in("grace@example.test")
    tab.go("/p/acme/facts")
    page.locator("#q").fill("Shop 59")
    expect(page.locator("#results tbody tr").first).to_contain_text("Shop 59")
    page.locator("h1").click()
    keys(page, "w")
    page.get_by_label("Save this filter and order as").focus()
    page.keyboard.type("Shops")
    picture(page, "views")
    page.get_by_label("Open it first").check()
    page.get_by_label("Save this filter and order as").press("Enter")
    expect(page.locator("#toasts")).to_contain_text("Saved as “Shops”.")
    expect(page.locator(".chips")).to_contain_text("view Shops")
    picture(page, "view_saved")
    tab.go("/p/acme/facts")
    expect(page.locator("#q")).to_have_value("Shop 59")
    page.get_by_role("link", name="Clear all").click()
    expect(page.locator("#q")).to_have_value("")
    expect(page.locator("#results tbody tr")).to_have_count(50)
    tab.go("/p/acme/facts/views")
    picture(page, "views_page")
    page.set_viewport_size({"width": 390, "height": 844})
    tab.go("/p/acme/facts")
    page.locator('summary[data-hotkey="w"]').click()
    picture(page, "views_390")
    assert page.evaluate("document.documentElement.scrollWidth <= innerWidth")
    assert (tab.errors, tab.violations()) == ([], [])


def test_a_view_without_scripts(tab: Tab, open_tab: OpenTab) -> None:
    plain = open_tab(java_script_enabled=False)
    plain.log_in()
    plain.go("/p/acme/facts?category=hours")
    page = plain.page
    page.locator('summary[data-hotkey="w"]').click()
    page.get_by_label("Save this filter and order as").fill("Hours")
    page.get_by_role("button", name="Save", exact=True).click()
    expect(page.locator(".chips")).to_contain_text("Hours")
    expect(page.locator("#results tbody tr")).to_have_count(31)
