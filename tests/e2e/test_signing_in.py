"""Signing in as people do it: a code of the app, a recovery code, the identity provider; with scripts and without."""

import re
import time
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
from allauth.mfa.totp.internal.auth import format_hotp_value, hotp_value
from playwright.sync_api import Page, expect

from tests.console import provider as providers
from tests.console.provider import CLIENT, Provider
from tests.e2e.conftest import Scene, Tab
from tests.factories import PASSWORD
from tests.live import Live, run_server

pytestmark = pytest.mark.e2e


@pytest.fixture
def provider() -> Iterator[Provider]:
    running = Provider()
    yield running
    running.stop()


@pytest.fixture
def server(fresh_db: str, tmp_path: Path, provider: Provider) -> Iterator[Live]:
    live = run_server(
        fresh_db,
        tmp_path,
        MEMORYPLANE_OIDC_ISSUER=provider.url,
        MEMORYPLANE_OIDC_CLIENT_ID=CLIENT,
        MEMORYPLANE_OIDC_CLIENT_SECRET=providers.SECRET,
        MEMORYPLANE_OIDC_NAME="Example login",
    )
    yield live
    live.stop()


def look(page: Page, name: str) -> None:
    """No wider than a phone, and nothing that the page's policy refused."""
    page.set_viewport_size({"width": 390, "height": 844})
    heading = page.locator("h1")
    expect(heading).to_have_count(1)
    box = page.locator("main").bounding_box()
    assert box and box["width"] <= 390, name
    page.set_viewport_size({"width": 1440, "height": 900})


def press(page: Page, name: str) -> None:
    page.get_by_role("button", name=name).click()


def give_password(page: Page) -> None:
    page.get_by_label("Email").fill("ada@example.test")
    page.get_by_label("Password").fill(PASSWORD)
    page.get_by_role("button", name="Sign in", exact=True).click()


@pytest.mark.parametrize("scripts", [True, False])
def test_every_way_in(scene: Scene, provider: Provider, open_tab: Callable[..., Tab], scripts: bool) -> None:
    tab = open_tab(java_script_enabled=scripts)
    page = tab.page
    tab.go("/account/login/?next=/me")
    look(page, "login")
    give_password(page)
    page.get_by_role("link", name="Two-step sign-in: off").click()
    look(page, "set-up")
    secret = page.locator(".mono").inner_text().replace(" ", "")
    expect(page.get_by_role("img", name="QR code with the secret below")).to_be_visible()

    def shown(ahead: int = 0) -> str:
        return format_hotp_value(hotp_value(secret, int(time.time()) // 30 + ahead))

    page.get_by_label("Code that the app shows").fill("000000")
    press(page, "Switch on")
    expect(page.get_by_text("This code is not right. Look at the app again.")).to_be_visible()
    page.get_by_label("Code that the app shows").fill(shown())
    press(page, "Switch on")
    expect(page.get_by_role("heading", name="Recovery codes")).to_be_visible()
    codes = re.findall(r"\d{4} \d{4}", page.locator("#codes").inner_text())
    assert len(codes) == 10
    look(page, "codes")
    tab.go("/me/two-step")
    expect(page.get_by_text("10 left")).to_be_visible()
    look(page, "on")
    tab.go("/me")
    look(page, "me")
    press(page, "Link Example login")
    expect(page.get_by_text("You can sign in with Example login from now on.")).to_be_visible()
    tab.go("/p/acme/settings/members")
    look(page, "members")

    tab.go("/account/logout/")
    press(page, "Sign out")
    tab.go("/account/login/?next=/me")
    give_password(page)
    look(page, "code")
    page.get_by_label("Code").fill(shown(1))
    press(page, "Sign in")
    expect(page.get_by_role("heading", name="Preferences")).to_be_visible()

    tab.go("/account/logout/")
    press(page, "Sign out")
    tab.go("/account/login/?next=/me")
    press(page, "Sign in with Example login")
    page.get_by_label("Code").fill(codes[0])
    press(page, "Sign in")
    expect(page.get_by_role("heading", name="Preferences")).to_be_visible()

    tab.go("/account/logout/")
    press(page, "Sign out")
    tab.go("/account/login/?next=/me")
    for _ in range(6):
        page.get_by_label("Email").fill("ada@example.test")
        page.get_by_label("Password").fill("not this one")
        page.get_by_role("button", name="Sign in", exact=True).click()
    expect(page.get_by_role("heading", name="Too many tries")).to_be_visible()
    look(page, "too-many")
    if scripts:
        assert [error for error in tab.errors if "429" not in error and "422" not in error] == []
        assert tab.violations() == []
