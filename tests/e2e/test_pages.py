"""Every page: nothing that axe-core finds, nothing that the policy forbids, nothing that scrolls sideways."""

import re
from collections.abc import Callable
from pathlib import Path
from typing import cast

import pytest

from apps.access.actor import system_actor
from apps.core.transactions import bind
from apps.curation.actions.approve_proposal import approve_proposal
from apps.curation.actions.cap_learned import cap_learned
from apps.curation.models import Proposal, ProposalTarget
from apps.extraction.models import CandidateDecision, ExtractionRun
from apps.facts.models import Fact
from apps.recall.actions.roll_up_reads import roll_up_reads
from apps.tenancy.models import Agent, Project
from apps.traces.models import Trace
from tests.console.stage import learn, push
from tests.curation import stage as gate
from tests.e2e.conftest import Scene, Tab
from tests.factories import make_agent, make_fact, make_key, make_project, make_subject, user_actor
from tests.recall.test_servings import read
from tests.spans import run_of, span, span_id, trace_id

pytestmark = pytest.mark.e2e

AXE = (Path(__file__).parents[1] / "vendor/axe.min.js").read_text()
TAGS = ["wcag2a", "wcag2aa", "wcag21a", "wcag21aa", "wcag22a", "wcag22aa", "best-practice"]
RUN = """async (tags) => {
  const found = await axe.run(document, { runOnly: { type: 'tag', values: tags } });
  return found.violations.flatMap((rule) => rule.nodes.map((node) => `${rule.id}: ${node.html.slice(0, 160)}`));
}"""
LONG = "Our rule is " + "unbreakable" * 12 + "."


def to_choose(project: Project) -> list[Proposal]:
    """What repeats a fact, what contradicts one, and what would retire one; and a trace that was given up."""
    known = gate.learn(project, gate.wish(project, f"Lives in {'Porto' * 30}.", user="bea", attribute="home-city"))
    against = gate.propose_one(
        project, gate.wish(project, "Lives in Lisbon.", user="bea", attribute="home-city", trace="u", trust=2)
    )
    again = gate.propose_one(project, gate.wish(project, "Has the home in Porto.", user="bea", trace="u"))
    retired = cap_learned(
        actor=system_actor("extraction", project.id),
        project_id=project.id,
        subject_id=cast(int, known.subject_id),
        max_learned=0,
    )
    push(project, run_of("dead", "Hello."))
    with bind(project.id):
        Proposal.objects.filter(id=again.id).update(flags=["duplicate"])
        ProposalTarget.objects.create(project_id=project.id, proposal=again, fact=known)
        run = ExtractionRun.objects.get(trace_id=trace_id("t"))
        CandidateDecision.objects.create(project_id=project.id, run=run, outcome="dropped", rule="no_witness")
        ExtractionRun.objects.filter(id=run.id).update(model="x" * 80, raw_answer="y" * 900)
        Trace.objects.filter(trace_id=trace_id("dead")).update(attempts=5, dead_reason="model_timeout")
    return [again, against, *retired]


@pytest.fixture
def paths(scene: Scene) -> list[str]:
    """The address of every page, with something to show, something long, something held and something decided."""
    project = scene.project
    make_fact(project, "Our refund window is 14 days.", agent=make_agent(project, "support"))
    make_fact(project, "Has a nut allergy.", user="ada.k", sensitivity="special")
    make_agent(project, "x" * 120, system_prompt="Be kind.", definition={"tools": ["y" * 200]})
    key, _ = make_key(project, agents=[make_agent(project, "support")])
    make_key(project, expired=True)
    make_key(project, revoked=True)
    first, *_ = learn(project, "t", f"Our refund window is 30 days. I prefer email. {LONG}", user="ada.k")
    (held,) = learn(project, "u", "I prefer trains.")
    push(project, run_of("waits", "Hello " + "there" * 60, user="u" * 200, agent="x" * 120))
    push(project, [span("t", "tool.lookup", parent="agent.support", status="ERROR", attributes={"a": "z" * 900})])
    approve_proposal(actor=user_actor(project, "curator"), project_id=project.id, proposal_id=first.id)
    make_project("other")
    with bind(project.id):
        waiting = Proposal.objects.waiting().exclude(id=held.id).latest("id")
        agent = Agent.objects.get(name="support")
    chosen = to_choose(project)
    with bind(project.id):
        fact = Fact.objects.latest("id")
    for name in ("ada.k", "u" * 200, None):
        read(project, [fact], agent=agent, key=key, subject=make_subject(project, name) if name else None)
    roll_up_reads()
    p = "/p/acme"
    trace = f"{p}/traces/{trace_id('t')}"
    return [
        f"{p}/facts",
        f"{p}/facts?superseded=1&open={fact.id}",
        f"{p}/facts?q=nothing-like-it",
        f"{p}/facts?served=never",
        f"{p}/facts/new",
        f"{p}/facts/{fact.id}",
        f"{p}/facts/{fact.id}/edit",
        f"{p}/facts/{fact.id}/forget",
        f"{p}/review",
        f"{p}/review?open={waiting.id}",
        f"{p}/review?open={held.id}&flag=no_subject",
        f"{p}/review?state=applied",
        f"{p}/review?show=project",
        f"{p}/review/{waiting.id}",
        f"{p}/review/{first.id}",
        f"{p}/review/{held.id}/approve",
        f"{p}/traces",
        f"{p}/traces?q=ffffffff",
        trace,
        f"{trace}?span={span_id('t/tool.lookup')}",
        f"{p}/agents",
        f"{p}/agents/{agent.id}",
        f"{p}/health",
        f"{p}/settings/extraction",
        f"{p}/settings/recall",
        f"{p}/settings/recall?preset=formula&r=0.2&i=0.1",
        f"{p}/traces/learn",
        f"{p}/traces?state=dead",
        *[f"{p}/review?open={one.id}" for one in chosen],
        f"{p}/review/{chosen[1].id}/approve",
        f"{p}/keys",
        f"{p}/keys/new",
        f"{p}/keys/{key.id}/revoke",
        f"{p}/facts/999999",
        "/p/other/facts",
        "/account/logout/",
        "/account/password/change/",
    ]


@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_axe_finds_nothing(scene: Scene, paths: list[str], open_tab: Callable[..., Tab], scheme: str) -> None:
    # Only this run may add a script of its own to the pages.
    tab = open_tab(color_scheme=scheme, bypass_csp=True)
    page = tab.page
    found: dict[str, list[str]] = {}

    def look(name: str) -> None:
        page.add_script_tag(content=AXE)
        if violations := page.evaluate(RUN, TAGS):
            found[name] = violations

    tab.go("/account/login/")
    look("login")
    tab.log_in()
    for path in paths:
        assert tab.go(path) in {200, 404}
        look(path)
    for menu in ("Flags", "Reject"):
        tab.go(paths[9])
        page.locator("summary", has_text=menu).click()
        look(f"{paths[9]} with {menu} open")
    tab.go(paths[8])
    page.keyboard.press("?")
    look("keys")
    tab.go("/p/acme/keys/new")
    page.get_by_role("button", name="Create key").click()
    look("a form with errors")
    page.get_by_role("textbox", name="Name").fill("backend")
    page.get_by_role("button", name="Create key").click()
    page.get_by_label("API key").wait_for()
    look("a new key")
    assert found == {}


def test_the_policy_is_never_broken(scene: Scene, paths: list[str], open_tab: Callable[..., Tab]) -> None:
    tab = open_tab()
    found: dict[str, list[str]] = {}
    tab.log_in()
    for path in ["/account/login/", *paths]:
        tab.errors.clear()
        status = tab.go(path)
        # A page that is not there is an error to the browser too.
        errors = [error for error in tab.errors if status == 200 or "404" not in error]
        if violations := [*tab.violations(), *errors]:
            found[path] = violations
    assert found == {}
    # The watch itself sees what it should.
    tab.page.evaluate("document.body.setAttribute('style', 'color: red')")
    assert any("style-src" in violation for violation in tab.violations())


@pytest.mark.parametrize("width", [320, 820])
def test_nothing_scrolls_sideways(scene: Scene, paths: list[str], open_tab: Callable[..., Tab], width: int) -> None:
    tab = open_tab()
    tab.log_in()
    tab.page.set_viewport_size({"width": width, "height": 900})
    wide: dict[str, int] = {}
    for path in paths:
        tab.go(path)
        beyond = tab.page.evaluate("document.documentElement.scrollWidth - document.documentElement.clientWidth")
        if beyond > 0:
            wide[path] = beyond
    assert wide == {}


def test_each_page_names_itself(scene: Scene, paths: list[str], open_tab: Callable[..., Tab]) -> None:
    tab = open_tab()
    tab.log_in()
    for path in paths:
        tab.go(path)
        assert tab.page.locator("h1").count() == 1, path
        assert tab.page.locator("main").count() == 1, path
        assert len(re.sub(r"\s+", " ", tab.page.title())) > len("· Memory plane") + 3, path
