"""Agent view in a real browser: by keyboard, by its knobs, without JavaScript, and for axe."""

import re
from collections.abc import Callable
from datetime import timedelta
from urllib.parse import urlencode

import pytest
from playwright.sync_api import expect

from apps.core.clock import now
from apps.core.transactions import bind
from apps.facts.models import Fact
from tests.console.pages import revised
from tests.console.stage import learn
from tests.e2e.conftest import Scene, Tab
from tests.e2e.test_pages import AXE, IDLE, RUN, TAGS
from tests.factories import make_agent, make_fact, make_key

pytestmark = pytest.mark.e2e

QUESTION = "How long do refunds take?"


@pytest.fixture
def told(scene: Scene) -> Scene:
    """Facts of each kind of outcome, long and short, of left and of right."""
    project = scene.project
    support = make_agent(project, "support")
    make_fact(project, "Refunds take five days.", agent=support, importance=0.9)
    make_fact(project, "refunds take five days")
    disputed = make_fact(project, f"Refunds are {'very' * 200} slow.", importance=0.6)
    with bind(project.id):
        Fact.objects.filter(id=disputed.id).update(contested_at=now())
    make_fact(project, "العميل يفضل الرد عبر البريد الإلكتروني refunds", user="ada", sensitivity="personal")
    revised(project, make_fact(project, "Refunds took six days.", user="ada"), "Her refunds took seven days.")
    make_fact(project, "Refunds of spring.", expired=True)
    make_fact(project, "Refunds held.", restricted="hold")
    make_fact(project, "Refunds to come.", valid_from=now() + timedelta(days=1))
    make_fact(project, "Allergic to refunds.", user="ada", sensitivity="special")
    make_fact(project, "His refunds.", user="u" * 200)
    learn(project, "t", "Our refunds window is 30 days.", user="ada")
    make_key(project, name="backend")
    return scene


def address(**knobs: object) -> str:
    """Of the view with its reasons, which load by themselves otherwise."""
    given = {"agent": "support", "user": "ada", "q": QUESTION, "why": 1} | knobs
    return f"/p/acme/agent-view?{urlencode(given)}"


def test_the_key_v_and_the_knobs(told: Scene, open_tab: Callable[..., Tab]) -> None:
    page = (tab := open_tab()).page
    tab.log_in()
    tab.unmask()
    tab.go("/p/acme/agents")
    page.keyboard.press("v")
    page.wait_for_url("**/agent-view")
    lines = page.locator(".prompt-text li")
    expect(lines.first).to_contain_text("Curated facts (agent:support):")
    before = lines.count()
    page.get_by_label("Question").fill(QUESTION)
    page.get_by_label("Max facts").fill("1")
    page.get_by_role("button", name="Preview").click()
    expect(lines).to_have_count(2)
    assert before > 2
    expect(lines.nth(1)).to_contain_text("Refunds take five days.")
    expect(page).to_have_url(re.compile(r"\?agent=support&q=How.*take%3F&limit=1$"))
    expect(page.get_by_text("over the limit of 1").first).to_be_visible()
    expect(page.locator("#live")).to_contain_text("1 fact told")
    page.get_by_label("Max facts").fill("999")
    page.keyboard.press("Tab")
    expect(page.get_by_text("Max facts: Has to be a number from 1 to 200.")).to_be_visible()
    page.go_back()
    expect(lines).to_have_count(2)
    page.get_by_role("link", name="Open as a test case").click()
    page.get_by_label("Expected").fill("five days")
    page.get_by_role("button", name="Write into the case").click()
    expect(page.get_by_text("Complete: the evaluation takes it as it is.")).to_be_visible()
    page.get_by_label("Must not say").fill("six days")
    with page.expect_download() as download:
        page.get_by_role("button", name="Download").click()
    assert '"must_not": ["six days"]' in download.value.path().read_text()
    assert download.value.suggested_filename == "case-how-long-do-refunds-take.jsonl"
    assert [error for error in tab.errors if "status of 422" not in error] == [] and tab.violations() == []


def test_without_javascript(told: Scene, open_tab: Callable[..., Tab]) -> None:
    page = (tab := open_tab(java_script_enabled=False)).page
    tab.log_in()
    tab.unmask()
    page.get_by_role("link", name="Agent view").click()
    page.get_by_label("Question").fill(QUESTION)
    page.get_by_label("User", exact=True).fill("ada")
    page.get_by_text("Category, purpose, key, sensitivity").click()
    page.get_by_label("Sensitivity up to").select_option("special")
    page.get_by_role("spinbutton", name="Tokens").fill("12")
    page.get_by_role("button", name="Preview").click()
    expect(page.get_by_text("the budget of 12 tokens ends here")).to_be_visible()
    page.get_by_role("link", name="Show each fact that was compared").click()
    expect(page.locator("tr", has_text="Allergic to refunds.")).to_contain_text("told, line")
    expect(page.get_by_label("Question")).to_have_value(QUESTION)


@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_axe_finds_nothing(told: Scene, open_tab: Callable[..., Tab], scheme: str) -> None:
    tab = open_tab(color_scheme=scheme, bypass_csp=True)
    tab.log_in()
    tab.unmask()
    found: dict[str, list[str]] = {}
    for path in (
        address(limit=3, budget=40, ceiling="special"),
        address(at=f"{now():%Y-%m-%dT%H:%M:%S}"),
        address(q="", limit="none"),
        address().replace("why=1", "why="),
        address(threshold=0.99),
        address().replace("agent-view", "agent-view/case"),
    ):
        for width in (1440, 390):
            tab.page.set_viewport_size({"width": width, "height": 900})
            assert tab.go(path) in {200, 422}
            tab.page.add_script_tag(content=AXE)
            # What loads by itself is pale until it is there.
            tab.page.wait_for_function(IDLE)
            if violations := tab.page.evaluate(RUN, TAGS):
                found[f"{path} {width}"] = violations
    assert found == {}


@pytest.mark.parametrize("width", [320, 820, 1000, 1300])
def test_nothing_scrolls_sideways(told: Scene, open_tab: Callable[..., Tab], width: int) -> None:
    tab = open_tab()
    tab.log_in()
    tab.unmask()
    tab.page.set_viewport_size({"width": width, "height": 900})
    for path in (address(budget=40), address().replace("agent-view", "agent-view/case")):
        tab.go(path)
        wide = "document.documentElement.scrollWidth - document.documentElement.clientWidth"
        assert tab.page.evaluate(wide) <= 0, path
        body = "(() => { const b = document.querySelector('.body'); return b.scrollWidth - b.clientWidth; })()"
        assert tab.page.evaluate(body) <= 0, path
        # The statement is what the row is there for, whichever columns have left.
        for cell in tab.page.locator("tr[data-row] td:nth-child(2)").all():
            box = cell.bounding_box()
            assert box is not None and box["width"] >= 190, (path, box)
    assert tab.violations() == []
