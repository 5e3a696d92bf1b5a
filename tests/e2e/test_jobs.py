"""The commonest jobs on the demo's data, in at most the clicks of the design, and each without the mouse.

Job 11 is in test_privacy.py. One server serves them all: each test takes rows of its own, or takes back what it did.
"""

import io
import re
from collections import Counter
from collections.abc import Callable
from dataclasses import dataclass

import pytest
from django.core.management import call_command
from playwright.sync_api import Locator, expect

from apps.access.models import ApiKey
from apps.core.transactions import bind
from apps.curation.models import Conflict, Proposal
from apps.facts.models import Fact
from apps.tenancy.models import Project
from tests.e2e.conftest import Tab, ask
from tests.factories import make_user
from tests.live import Live

pytestmark = pytest.mark.e2e

OpenTab = Callable[..., Tab]
TEXT = re.compile(r"mp_[0-9A-Za-z]{8}_[0-9A-Za-z]{43}_[0-9A-Za-z]{6}")
PERSON = "bea.moura"


@pytest.fixture(scope="module")
def server(shared_server: Live) -> Live:
    return shared_server


@pytest.fixture(scope="module")
def demo(server: Live) -> Project:
    make_user(name="Ada Byron", email="ada@example.test")
    call_command("demo", stdout=io.StringIO())
    return Project.objects.get(slug="demo")


@dataclass
class Hand:
    """A tab on the list of facts; counts what is clicked."""

    tab: Tab
    clicks: int = 0

    def click(self, what: Locator) -> None:
        what.click()
        self.clicks += 1

    def press(self, *keys: str) -> None:
        for key in keys:
            self.tab.page.keyboard.press(key)

    def reach(self, what: Locator, key: str = "Tab") -> None:
        """That key until it has the focus, as somebody without a mouse does."""
        expect(what).to_be_visible()
        for _ in range(60):
            if what.evaluate("one => one === document.activeElement"):
                return
            self.press(key)
        raise AssertionError(f"60 times {key} do not lead to {what}")

    def well(self) -> None:
        assert (self.tab.errors, self.tab.violations()) == ([], [])


@pytest.fixture
def hand(demo: Project, open_tab: OpenTab) -> Hand:
    tab = open_tab()
    tab.log_in()
    tab.unmask("demo")
    tab.go("/p/demo/facts")
    return Hand(tab)


def current(project: Project) -> list[str]:
    def answer() -> list[str]:
        with bind(project.id):
            return list(Fact.objects.in_project(project.id).current().values_list("content", flat=True))

    return ask(answer)


@pytest.fixture(scope="module")
def said(demo: Project) -> Fact:
    """The newest fact about one person that a conversation says."""
    with bind(demo.id):
        facts = Fact.objects.in_project(demo.id).current().filter(scope_id=PERSON, source="learned")
        return facts.filter(sources__isnull=False).select_related("subject").latest("id")


def test_jobs_1_2_and_9_by_clicks(said: Fact, hand: Hand) -> None:
    """What do we know about her, why does the agent believe it, and what will the agent be told?"""
    page = hand.tab.page
    hand.click(page.locator("a.scope", has_text=PERSON).first)
    page.wait_for_url(f"**/p/demo/subjects/{said.subject_id}")
    expect(page.get_by_role("heading", level=1)).to_contain_text(PERSON)
    assert page.locator("tr[data-row]").count() > 1
    assert hand.clicks == 1
    # Agent view is asked about whom the filter names.
    hand.tab.go(f"/p/demo/facts?scope=user&scope_id={PERSON}")
    hand.click(page.locator(".head").get_by_role("link", name="What will the agent be told?"))
    page.wait_for_url("**/agent-view?**")
    expect(page.get_by_label("User", exact=True)).to_have_value(PERSON)
    expect(page.locator(".prompt-text li").first).to_be_visible()
    assert hand.clicks == 2
    hand.tab.go(f"/p/demo/facts?q={said.content}")
    hand.click(page.locator(f"#f{said.id} a.fact"))
    expect(page.locator("#drawer mark").first).to_be_visible()
    hand.click(page.get_by_role("link", name="open trace"))
    page.wait_for_url(re.compile(r"/traces/[0-9a-f]+\?turn=\d+#m\d+$"))
    expect(page.locator("li:target mark").first).to_be_visible()
    assert hand.clicks == 4
    hand.well()


def test_jobs_1_2_and_9_by_keyboard(said: Fact, hand: Hand) -> None:
    page = hand.tab.page
    hand.press("Control+k")
    page.keyboard.type(PERSON)
    expect(page.locator("#go-results")).to_contain_text(PERSON)
    hand.press("Enter")
    page.wait_for_url(f"**/p/demo/subjects/{said.subject_id}")
    hand.press("v")
    page.wait_for_url("**/agent-view?**")
    expect(page.get_by_label("User", exact=True)).to_have_value(PERSON)
    page.go_back()
    page.wait_for_url(f"**/p/demo/subjects/{said.subject_id}")
    hand.reach(page.get_by_role("link", name=said.content), "j")
    hand.press("o")
    page.wait_for_url("**/facts/*")
    hand.press("t")
    page.wait_for_url("**/traces/*")
    expect(page.locator("mark").first).to_be_visible()
    hand.well()


def test_jobs_3_and_10_by_clicks(demo: Project, hand: Hand) -> None:
    """Correcting a fact, taking it back; forgetting one. Three clicks each."""
    page, words = hand.tab.page, "We deploy on Tuesdays and Thursdays only"
    hand.click(page.get_by_role("link", name=words, exact=True))
    hand.click(page.get_by_role("link", name="Edit as new version"))
    page.get_by_label("Fact", exact=True).fill("We deploy on Mondays only")
    hand.click(page.get_by_role("button", name="Save new version"))
    expect(page.locator("#toasts")).to_contain_text("which replaces")
    assert hand.clicks == 3 and "We deploy on Mondays only" in current(demo)
    hand.press("z")
    expect(page.locator("#toasts")).to_contain_text("Taken back.")
    assert "We deploy on Mondays only" not in current(demo)
    hand.tab.go("/p/demo/facts")
    hand.click(page.get_by_role("link", name="No appointments on 24 December!"))
    hand.click(page.get_by_role("link", name="Forget…"))
    hand.click(page.get_by_role("button", name="Forget #"))
    expect(page.locator("#toasts")).to_contain_text("Forgot")
    assert hand.clicks == 6 and "No appointments on 24 December!" not in current(demo)
    hand.well()


def test_jobs_3_and_10_by_keyboard(demo: Project, hand: Hand) -> None:
    page, words = hand.tab.page, "Never picks up unknown numbers"
    # By its words, then from the list; the focus is in the drawer.
    hand.press("/")
    page.keyboard.type(words)
    row = page.get_by_role("link", name=words, exact=True)
    expect(page.locator("#live")).to_contain_text("found")
    hand.reach(row)
    hand.press("Enter")
    expect(page.locator("#drawer h2")).to_be_focused()
    hand.press("e")
    page.wait_for_url("**/edit")
    expect(page.get_by_label("Fact", exact=True)).to_be_focused()
    hand.press("Control+a")
    page.keyboard.type("Picks up numbers that are known")
    hand.press("Control+Enter")
    expect(page.locator("#toasts")).to_contain_text("which replaces")
    assert "Picks up numbers that are known" in current(demo) and words not in current(demo)
    # The new version is open beside the list, with the focus in it.
    expect(page.locator("#drawer h2")).to_be_focused()
    hand.reach(page.get_by_role("link", name="Forget…"))
    hand.press("Enter")
    hand.reach(page.get_by_role("button", name="Forget #"))
    hand.press("Enter")
    expect(page.locator("#toasts")).to_contain_text("Forgot")
    assert "Picks up numbers that are known" not in current(demo)
    hand.well()


def states(project: Project) -> dict[str, int]:
    """How many proposals are in each state."""

    def read() -> dict[str, int]:
        with bind(project.id):
            return dict(Counter(Proposal.objects.filter(project_id=project.id).values_list("state", flat=True)))

    return ask(read)


def to_review(hand: Hand) -> Locator:
    """The queue without the mouse, with its first proposal in the drawer."""
    hand.press("g", "r")
    hand.tab.page.wait_for_url("**/review")
    drawer = hand.tab.page.get_by_role("complementary", name="Details")
    expect(drawer.locator(".d-fact")).to_be_visible()
    return drawer


def test_job_4_by_clicks(demo: Project, hand: Hand) -> None:
    """Approving a batch of proposals."""
    page, before = hand.tab.page, states(demo)
    hand.click(page.get_by_role("link", name=re.compile("^Review")))
    hand.click(page.get_by_role("button", name=re.compile("^Select .* with no flags")))
    ticked = page.locator("[data-select]:checked").count()
    bar = page.get_by_role("toolbar", name="Actions for selected proposals")
    hand.click(bar.get_by_role("button", name="Approve"))
    expect(page.locator("#toasts")).to_contain_text(f"{ticked} approved")
    expect(page.locator("tr.done")).to_have_count(ticked)
    assert ticked > 3 and hand.clicks == 3
    assert states(demo)["applied"] == before["applied"] + ticked
    # One key takes all of it back.
    hand.press("z")
    expect(page.locator(".toast")).to_contain_text(f"{ticked} taken back.")
    assert states(demo) == before
    hand.well()


def test_job_4_by_keyboard(demo: Project, hand: Hand) -> None:
    page, before = hand.tab.page, states(demo)
    to_review(hand)
    # Among what users said are some that have to be looked at by themselves.
    hand.tab.go("/p/demo/review?scope=user")
    on_page = page.locator("[data-select]").count()
    hand.press("Shift+X")
    expect(page.locator("[data-selected]")).to_have_text(f"{on_page} selected")
    hand.press("a")
    # What has to be looked at by itself stays ticked, each with its reason.
    expect(page.locator("#toasts")).to_contain_text(re.compile(r"^\s*\d+ approved, .*\d+ failed"))
    failed = page.locator("[data-select]:checked").count()
    assert failed == page.locator("td .err").count() > 0
    # Two that would replace the same fact: the second is overtaken by the first.
    after = states(demo)
    decided = sum(after.get(state, 0) - before.get(state, 0) for state in ("applied", "conflicted"))
    assert decided == on_page - failed
    expect(page.locator("[data-selected]")).to_have_text(f"{failed} selected")
    hand.press("z")
    expect(page.locator(".toast")).to_contain_text("taken back.")
    assert states(demo)["applied"] == before["applied"]
    hand.well()


def test_job_5_by_clicks_and_by_keyboard(demo: Project, hand: Hand) -> None:
    """Rejecting one with a reason, and taking it back."""
    page, before = hand.tab.page, states(demo)
    hand.click(page.get_by_role("link", name=re.compile("^Review")))
    drawer = page.get_by_role("complementary", name="Details")
    first = drawer.locator(".d-fact").inner_text()
    hand.click(drawer.get_by_text("Reject", exact=False).first)
    hand.click(drawer.get_by_role("button", name="Too vague"))
    expect(page.locator("tr.done")).to_contain_text(first[:60])
    expect(page.locator("tr.done")).to_contain_text("by you: too vague")
    # The next one stands in the drawer, and its row has the focus.
    expect(drawer.locator(".d-fact")).not_to_have_text(first)
    expect(page.locator("tr.open a.fact")).to_be_focused()
    assert hand.clicks == 3 and states(demo)["rejected"] == before["rejected"] + 1
    hand.press("z")
    expect(page.locator(".toast")).to_contain_text("Taken back.")
    assert states(demo) == before
    hand.tab.go("/p/demo/facts")
    to_review(hand)
    hand.press("r", "2")
    expect(page.locator("tr.done")).to_contain_text("by you: too vague")
    assert states(demo)["rejected"] == before["rejected"] + 1
    hand.press("z")
    expect(page.locator(".toast")).to_contain_text("Taken back.")
    assert states(demo) == before
    hand.well()


def test_job_6_by_clicks_and_by_keyboard(demo: Project, hand: Hand) -> None:
    """Settling what contradicts itself: undone in between, so that both are of the same conflict."""
    page = hand.tab.page

    def open_ones() -> int:
        def read() -> int:
            with bind(demo.id):
                return Conflict.objects.filter(project_id=demo.id, settled_at=None).count()

        return ask(read)

    before = open_ones()
    tag = page.locator("tr", has_text="The clinic opens at 7:30").get_by_role("link", name="conflict", exact=True)
    hand.click(tag)
    heading = page.get_by_role("heading", level=1)
    expect(heading).not_to_have_text("Facts")
    assert page.locator("input[name=verdict]:checked").count() == 0
    hand.click(page.get_by_role("radio", name="Keep right"))
    hand.click(page.get_by_role("button", name="Settle conflict"))
    expect(page.get_by_text("One was kept by you")).to_be_visible()
    assert hand.clicks == 3 and open_ones() == before - 1
    what = heading.inner_text()
    hand.press("z")
    expect(page.get_by_role("button", name="Settle conflict")).to_be_visible()
    assert open_ones() == before
    hand.press("g", "c")
    page.wait_for_url("**/conflicts")
    hand.reach(page.locator("a.fact", has_text=what), "j")
    hand.press("o")
    page.wait_for_url(re.compile(r"/conflicts/\d+$"))
    hand.press("1")
    expect(page.get_by_role("radio", name="Keep left")).to_be_focused()
    hand.press("Enter")
    expect(page.get_by_text("One was kept by you")).to_be_visible()
    assert open_ones() == before - 1
    hand.press("z")
    expect(page.get_by_role("button", name="Settle conflict")).to_be_visible()
    hand.press("3")
    expect(page.get_by_text("By time")).to_be_visible()
    hand.press("Tab", "Space", "Enter")
    expect(page.get_by_text("All were kept by you")).to_be_visible()
    assert open_ones() == before - 1
    hand.well()


def test_job_12_by_clicks_and_by_keyboard(demo: Project, hand: Hand) -> None:
    page = hand.tab.page

    def made() -> list[str]:
        mine = ApiKey.objects.filter(project=demo, name__startswith="backend")
        return ask(lambda: list(mine.values_list("name", flat=True)))

    hand.click(page.get_by_role("link", name="Settings"))
    hand.click(page.get_by_role("link", name="New key"))
    expect(page.get_by_role("textbox", name="Name")).to_be_focused()
    page.keyboard.type("backend one")
    # Twice, as somebody impatient does: one key.
    page.get_by_role("button", name="Create key").dblclick()
    expect(page.get_by_label("API key")).to_have_value(TEXT)
    assert hand.clicks + 1 <= 4 and made() == ["backend one"]
    page.get_by_role("link", name="I have stored it").click()
    expect(page.get_by_role("table")).to_contain_text("backend one")
    assert not TEXT.search(page.content())
    hand.press("g", "f")
    page.wait_for_url("**/facts")
    hand.press("g", "p")
    page.wait_for_url("**/settings/keys")
    hand.press("c")
    page.wait_for_url("**/settings/keys/new")
    expect(page.get_by_role("textbox", name="Name")).to_be_focused()
    page.keyboard.type("backend two")
    hand.press("Enter")
    expect(page.get_by_label("API key")).to_have_value(TEXT)
    assert sorted(made()) == ["backend one", "backend two"]
    hand.well()
