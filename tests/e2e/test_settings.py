"""A new key in four clicks or by keyboard alone, and preferences without scripts."""

import re
from collections.abc import Callable

import pytest
from playwright.sync_api import expect

from apps.access.models import ApiKey
from tests.e2e.conftest import Scene, Tab, ask

pytestmark = pytest.mark.e2e
TEXT = re.compile(r"mp_[0-9A-Za-z]{8}_[0-9A-Za-z]{43}_[0-9A-Za-z]{6}")


def made(scene: Scene) -> list[str]:
    return ask(lambda: list(ApiKey.objects.filter(project=scene.project).values_list("name", flat=True)))


def test_a_new_key_in_four_clicks(scene: Scene, open_tab: Callable[..., Tab]) -> None:
    tab = open_tab()
    page = tab.page
    tab.log_in()
    page.get_by_role("link", name="Settings").click()
    page.get_by_role("link", name="New key").click()
    page.get_by_role("textbox", name="Name").fill("backend")
    page.get_by_role("button", name="Create key").dblclick()
    expect(page.get_by_label("API key")).to_have_value(TEXT)
    assert made(scene) == ["backend"]
    page.get_by_role("link", name="I have stored it").click()
    expect(page.get_by_role("table")).to_contain_text("backend")
    assert not TEXT.search(page.content())


def test_the_same_by_keyboard_alone(scene: Scene, open_tab: Callable[..., Tab]) -> None:
    tab = open_tab()
    page = tab.page
    tab.log_in()
    page.keyboard.press("g")
    page.keyboard.press("p")
    page.wait_for_url("**/settings/keys")
    page.keyboard.press("c")
    page.wait_for_url("**/settings/keys/new")
    page.get_by_role("textbox", name="Name").focus()
    page.keyboard.type("backend")
    page.keyboard.press("Enter")
    expect(page.get_by_label("API key")).to_have_value(TEXT)
    assert made(scene) == ["backend"]


def test_preferences_without_scripts(scene: Scene, open_tab: Callable[..., Tab]) -> None:
    tab = open_tab(java_script_enabled=False)
    page = tab.page
    tab.log_in()
    tab.go("/me")
    page.get_by_label("Dark").check()
    page.get_by_label("Time zone").select_option("Asia/Tokyo")
    page.get_by_role("button", name="Save").click()
    expect(page.locator("html")).to_have_attribute("data-theme", "dark")
    expect(page.locator("#toasts")).to_contain_text("Saved.")
    expect(page.get_by_text("JST")).to_be_visible()
