"""The list of facts in a real browser: filters that survive a reload, and masking by its key."""

from collections.abc import Callable
from urllib.parse import quote

import pytest
from playwright.sync_api import expect

from tests.e2e.conftest import Scene, Tab
from tests.e2e.test_facts_jobs import keys
from tests.factories import make_fact

OpenTab = Callable[..., Tab]
ODD = "a|b\"c' %20&=+ 田中 مريم"
SECRET = "Is allergic to nuts."


@pytest.fixture
def facts(scene: Scene) -> None:
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


@pytest.mark.e2e
def test_any_id_in_a_filter_survives_a_reload(tab: Tab) -> None:
    page = tab.page
    tab.go(f"/p/acme/facts?scope=user&scope_id={quote(ODD)}")
    for _ in range(2):
        expect(page.locator("#results tbody tr")).to_have_count(1)
        expect(page.locator(".chips .chip").first).to_contain_text(ODD)
        page.reload()


@pytest.mark.e2e
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
