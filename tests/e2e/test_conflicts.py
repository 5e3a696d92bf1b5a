"""Settling a conflict without JavaScript, and cleaning up duplicates by keyboard and many at once."""

from collections.abc import Callable
from datetime import timedelta

import pytest
from playwright.sync_api import expect

from apps.core.clock import now
from apps.core.transactions import bind
from apps.curation.actions.compare_facts import compare_facts
from apps.curation.models import Conflict
from apps.facts.models import Fact
from tests.console.stage import push
from tests.curation import stage as gate
from tests.e2e.conftest import Scene, Tab, ask
from tests.factories import make_agent, make_fact
from tests.spans import run_of

pytestmark = pytest.mark.e2e

HOME = {"user": "ada.k", "attribute": "home-city"}


@pytest.fixture
def disputed(scene: Scene) -> int:
    """The number of a conflict between a fact and a proposal said later."""
    project = scene.project
    for name in ("t", "u"):
        push(project, run_of(name, "Hello.", user="ada.k"))
    gate.learn(project, gate.wish(project, "Lives in Lisbon.", at=now() - timedelta(days=30), **HOME))
    gate.propose_one(project, gate.wish(project, "Lives in Porto.", trace="u", **HOME))
    with bind(project.id):
        return Conflict.objects.get().id


@pytest.fixture
def alike(scene: Scene) -> list[int]:
    whole = make_fact(scene.project, "Ships on Tuesdays.")
    mine = make_fact(scene.project, "Ships on Tuesdays", agent=make_agent(scene.project, "support"))
    compare_facts()
    return [whole.id, mine.id]


def told(scene: Scene) -> list[str]:
    def read() -> list[str]:
        with bind(scene.project.id):
            return list(Fact.objects.current().order_by("content").values_list("content", flat=True))

    return ask(read)


def test_without_javascript(scene: Scene, disputed: int, alike: list[int], open_tab: Callable[..., Tab]) -> None:
    page = (tab := open_tab(java_script_enabled=False)).page
    tab.log_in()
    tab.go("/p/acme/conflicts")
    page.get_by_role("link", name="Home city").click()
    page.get_by_role("radio", name="Write a third").check()
    page.get_by_label("What holds instead").fill("Moved from Lisbon to Porto.")
    page.get_by_role("button", name="Settle conflict").click()
    expect(page.get_by_text("A third was written by you")).to_be_visible()
    tab.go("/p/acme/facts/duplicates")
    page.get_by_role("radio", name=f"Keep fact {alike[0]}").check()
    page.get_by_role("button", name="Keep the chosen one").click()
    expect(page.get_by_text("No duplicates", exact=True)).to_be_visible()
    assert told(scene) == ["Moved from Lisbon to Porto.", "Ships on Tuesdays."]


def test_duplicates_by_keyboard_and_many_at_once(scene: Scene, alike: list[int], open_tab: Callable[..., Tab]) -> None:
    tab = open_tab()
    page, keys = tab.page, tab.page.keyboard
    tab.log_in()
    tab.go("/p/acme/facts/duplicates")
    page.get_by_role("link", name="What agents would be told").click()
    drawer = page.get_by_role("complementary", name="Details")
    expect(drawer.get_by_role("heading", level=2)).to_be_focused()
    expect(drawer).to_contain_text(f"Keep #{alike[0]}, supersede 1")
    keys.press("a")
    expect(page.get_by_text(f"Kept #{alike[0]}; 1 other superseded.").first).to_be_visible()
    assert told(scene) == ["Ships on Tuesdays."]
    keys.press("z")
    expect(page.get_by_text("Taken back.")).to_be_visible()
    ask(compare_facts)
    tab.go("/p/acme/facts/duplicates")
    page.get_by_role("button", name="Keep the suggested of 1").click()
    page.get_by_role("button", name="Keep 1, supersede 1").click()
    expect(page.get_by_text("Kept 1 fact; 1 other superseded.").first).to_be_visible()
    assert told(scene) == ["Ships on Tuesdays."]
    assert (tab.errors, tab.violations()) == ([], [])
