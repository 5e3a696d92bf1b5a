"""Jobs 7 and 8 on the demo's data, by mouse in their clicks and by keyboard alone; what goes on by itself, and all of it
without scripts."""

import io
import re
from collections.abc import Callable

import pytest
from django.core.management import call_command
from playwright.sync_api import Page, expect

from apps.core.transactions import bind
from apps.dreaming.models import DreamChange, DreamRun
from apps.facts.models import Fact
from apps.tenancy.models import Project
from tests.dreaming import stage
from tests.e2e.conftest import Scene, Tab, ask
from tests.factories import PASSWORD, make_agent

pytestmark = pytest.mark.e2e

OpenTab = Callable[..., Tab]


@pytest.fixture
def demo(scene: Scene) -> Project:
    def load() -> Project:
        call_command("demo", stdout=io.StringIO())
        return Project.objects.get(slug="demo")

    return ask(load)


def log_in(tab: Tab, path: str) -> Page:
    tab.go(f"/account/login/?next={path}")
    tab.page.get_by_label("Email").fill("ada@example.test")
    tab.page.get_by_label("Password").fill(PASSWORD)
    tab.page.get_by_role("button", name="Sign in").click()
    tab.page.wait_for_url(f"**{path}")
    return tab.page


def states(project: Project) -> dict[int, str]:
    def read() -> dict[int, str]:
        with bind(project.id):
            return dict(DreamChange.objects.order_by("id").values_list("id", "state"))

    return ask(read)


def told(project: Project) -> list[str]:
    def read() -> list[str]:
        with bind(project.id):
            return sorted(Fact.objects.current().values_list("content", flat=True))

    return ask(read)


def boxes(page: Page) -> list[int]:
    """The changes that are ticked."""
    return [int(one.get_attribute("value") or "") for one in page.locator("input[data-select]:checked").all()]


def test_jobs_7_and_8_in_their_clicks(demo: Project, open_tab: OpenTab) -> None:
    page = log_in(open_tab(), "/p/demo/facts")
    before, open_ones = told(demo), states(demo)
    page.get_by_role("navigation", name="Main").get_by_role("link", name="Dream runs").click()  # 1
    page.get_by_role("link", name=re.compile(r"^Run \d+$")).click()  # 2
    ticked = boxes(page)
    assert len(ticked) >= 4
    left = ticked[:2]
    for number in left:  # 3 and 4
        page.get_by_role("checkbox", name=f"Apply change {number}").click()
    page.get_by_role("button", name="Apply ticked").click()  # 5
    expect(page.locator("#toasts")).to_contain_text(f"Applied {len(ticked) - 2} changes.")
    assert states(demo) == open_ones | dict.fromkeys(ticked[2:], "applied")
    assert told(demo) != before
    page.get_by_role("button", name="Undo", exact=False).locator("visible=true").last.click()  # job 8, 1
    expect(page.locator("#toasts")).to_contain_text("taken back")
    assert states(demo) == open_ones | dict.fromkeys(ticked[2:], "undone")
    assert told(demo) == before


def test_jobs_7_and_8_by_keyboard(demo: Project, open_tab: OpenTab) -> None:
    page = log_in(open_tab(), "/p/demo/facts")
    before, open_ones = told(demo), states(demo)
    page.keyboard.press("g")
    page.keyboard.press("d")
    page.wait_for_url("**/dreams")
    page.keyboard.press("j")
    page.keyboard.press("o")
    page.wait_for_url("**/dreams/*")
    ticked = boxes(page)
    # Down to the first ticked one; it and the next are left out.
    for _ in range(20):
        page.keyboard.press("j")
        if page.evaluate("document.activeElement.checked"):
            break
    page.keyboard.press("x")
    page.keyboard.press("j")
    page.keyboard.press("x")
    kept = boxes(page)
    assert kept == ticked[2:]
    page.keyboard.press("Control+Enter")
    expect(page.locator("#toasts")).to_contain_text(f"Applied {len(kept)} changes.")
    assert states(demo) == open_ones | dict.fromkeys(kept, "applied")
    page.keyboard.press("z")
    expect(page.locator("#toasts")).to_contain_text("taken back")
    assert states(demo) == open_ones | dict.fromkeys(kept, "undone")
    assert told(demo) == before


def test_each_by_a_key_and_on_to_the_next(demo: Project, open_tab: OpenTab) -> None:
    page = log_in(open_tab(), "/p/demo/dreams")
    page.keyboard.press("j")
    page.keyboard.press("o")
    page.wait_for_url("**/dreams/*")
    first, second, *_ = [
        int((row.get_attribute("id") or "").removeprefix("ch")) for row in page.locator("tr[data-row]").all()
    ]
    page.keyboard.press("j")
    page.keyboard.press("r")
    expect(page.locator(f"#ch{first}")).to_contain_text("Rejected by you")
    expect(page.locator(f"#ch{second} input")).to_be_focused()
    page.keyboard.press("a")
    expect(page.locator(f"#ch{second}")).to_contain_text("Accepted by you")
    found = states(demo)
    assert (found[first], found[second]) == ("rejected", "accepted")
    page.keyboard.press("z")
    expect(page.locator(f"#ch{second}")).not_to_contain_text("Accepted by you")
    assert states(demo)[second] == "pending"


def test_without_scripts(demo: Project, open_tab: OpenTab) -> None:
    page = log_in(open_tab(java_script_enabled=False), "/p/demo/dreams")
    before, open_ones = told(demo), states(demo)
    page.get_by_role("link", name=re.compile(r"^Run \d+$")).click()
    ticked = boxes(page)
    page.get_by_role("checkbox", name=f"Apply change {ticked[0]}").uncheck()
    page.get_by_role("button", name="Apply ticked").click()
    assert states(demo) == open_ones | dict.fromkeys(ticked[1:], "applied")
    page.get_by_role("button", name="Undo the run").click()
    assert states(demo) == open_ones | dict.fromkeys(ticked[1:], "undone")
    assert told(demo) == before


@pytest.fixture
def waiting(scene: Scene) -> DreamRun:
    night = make_agent(scene.project, "night-shift")
    for place, words in enumerate(["The warehouse opens at 7:00.", "the warehouse opens at 7:00"]):
        stage.said(scene.project, words, agent=night, days=place)
    return stage.start(scene.project, "agent", "night-shift")


def test_a_run_that_goes_on_shows_what_it_found_when_it_has_ended(
    scene: Scene, waiting: DreamRun, open_tab: OpenTab
) -> None:
    page = log_in(open_tab(), f"/p/acme/dreams/{waiting.id}")
    expect(page.locator("#run")).to_contain_text("waits for a worker")
    ask(lambda: stage.go_on(scene.project))
    expect(page.locator(".changes del")).to_have_text("the warehouse opens at 7:00")
    expect(page.locator("#count")).to_contain_text("To decide")
    expect(page.locator("#run")).not_to_have_attribute("hx-trigger", re.compile(""))
