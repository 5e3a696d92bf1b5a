"""The whole line with the real SDK: a run, its proposals, a decision in the console, the next turn's prompt."""

import json
import subprocess
import sys
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any
from uuid import UUID

import pytest

from apps.core.transactions import bind
from apps.curation.models import Proposal
from apps.facts.models import Fact
from apps.recall.models import ReadLedger
from apps.tenancy.models import Project
from apps.traces.models import Message, SessionMessage, Span, Trace
from tests.browserless import Person
from tests.factories import PASSWORD, make_agent, make_fact, make_key, make_project, make_user
from tests.live import Live

pytestmark = pytest.mark.pipeline

WORK = "Our refund window is 30 days."
SELF = "I prefer email over phone calls."


def agent_process(
    server: Live, key: str, *runs: dict[str, Any], agent: str = "support", block: bool = False, summary: str = ""
) -> dict:
    order = {"target": server.url, "key": key, "agent": agent, "runs": runs, "block": block, "summary": summary}
    done = subprocess.run(
        [sys.executable, str(Path(__file__).with_name("agent.py"))],
        input=json.dumps(order),
        capture_output=True,
        text=True,
        timeout=120,
    )
    assert done.returncode == 0, done.stderr
    return json.loads(done.stdout.strip().splitlines()[-1])


def curated(prompt: list[list[str]]) -> list[str]:
    """The facts in a prompt: the lines of its one `Curated facts` message."""
    blocks = [content for role, content in prompt if role == "system" and content.startswith("Curated facts (")]
    assert len(blocks) <= 1
    return [line.removeprefix("- ") for block in blocks for line in block.splitlines()[1:]]


def wait_for(what: Callable[[], bool], seconds: float = 60) -> None:
    deadline = time.monotonic() + seconds
    while not what():
        assert time.monotonic() < deadline, "it did not come about in time"
        time.sleep(0.2)


def all_mined(project: Project, traces: int) -> bool:
    with bind(project.id):
        found = list(Trace.objects.values_list("extracted_at", flat=True))
    return len(found) == traces and None not in found


def proposal_of(project: Project, content: str) -> UUID:
    with bind(project.id):
        return Proposal.objects.get(content=content, state__in=["pending", "quarantined"]).id


@pytest.fixture
def project(fresh_db: str) -> Project:
    return make_project("acme")


@pytest.fixture
def curator(project: Project, server: Live) -> Person:
    user = make_user(project, "curator")
    return Person(server.url, user.email, PASSWORD)


def test_from_a_run_to_the_next_turns_prompt(
    project: Project, server: Live, worker: Callable[..., Live], curator: Person
) -> None:
    worker(MEMORYPLANE_SETTLE_SECONDS="1")
    _, key = make_key(project)
    make_agent(project, "support")
    make_fact(project, "Parcels leave at noon.", agent=make_agent(project, "support"))
    first = agent_process(server, key, {"say": f"{WORK} {SELF}", "user": "ada"})
    assert curated(first["prompts"][0]) == ["Parcels leave at noon."]
    wait_for(lambda: all_mined(project, 1))
    with bind(project.id):
        assert Trace.objects.get().trace_id == first["trace_ids"][0]
        found = Proposal.objects.order_by("scope").values_list("content", "scope", "scope_id", "state")
        assert list(found) == [
            (WORK, "agent", "support", "pending"),
            ("Prefers email over phone calls.", "user", "ada", "pending"),
        ]
    # Nothing is told before somebody approved it.
    assert curated(agent_process(server, key, {"say": "Hello there."})["prompts"][0]) == ["Parcels leave at noon."]
    for content in (WORK, "Prefers email over phone calls."):
        answer = curator.post(f"/p/acme/review/{proposal_of(project, content)}/approve", {})
        assert answer.status_code == 200, answer.text
    next_turn = agent_process(server, key, {"say": "How long for refunds?", "user": "ada"}, block=True)
    assert curated(next_turn["prompts"][0]) == [WORK, "Parcels leave at noon."]
    assert next_turn["block"] == ["Curated facts (agent:support):", f"- {WORK}", "- Parcels leave at noon."] or set(
        next_turn["block"][1:]
    ) == {f"- {WORK}", "- Parcels leave at noon."}
    # A user's own fact reaches no prompt, whoever the run is for: the SDK's block names no user.
    assert not any("Prefers email" in content for prompt in next_turn["prompts"] for _, content in prompt)
    with bind(project.id):
        fact = Fact.objects.get(content=WORK)
        assert any(fact.id in row.fact_ids for row in ReadLedger.objects.all())


def test_what_is_rejected_superseded_or_forgotten_is_gone_at_the_next_turn(
    project: Project, server: Live, worker: Callable[..., Live], curator: Person
) -> None:
    worker(MEMORYPLANE_SETTLE_SECONDS="1")
    _, key = make_key(project)
    agent = make_agent(project, "support")
    told = make_fact(project, "Returns take 30 days.", agent=agent)
    agent_process(server, key, {"say": WORK})
    wait_for(lambda: all_mined(project, 1))
    curator.post(f"/p/acme/review/{proposal_of(project, WORK)}/reject", {"reason": "vague"})

    def next_prompt() -> list[str]:
        return curated(agent_process(server, key, {"say": "Hello there."})["prompts"][0])

    assert next_prompt() == ["Returns take 30 days."]
    page = curator.get(f"/p/acme/facts/{told.id}/edit")
    curator.http.post(f"/p/acme/facts/{told.id}/edit", data=fields_of(page.text) | {"content": "Returns take 45 days."})
    assert next_prompt() == ["Returns take 45 days."]
    with bind(project.id):
        newest = Fact.objects.active().get()
    page = curator.get(f"/p/acme/facts/{newest.id}/forget")
    curator.http.post(f"/p/acme/facts/{newest.id}/forget", data=fields_of(page.text))
    assert next_prompt() == []
    with bind(project.id):
        assert Fact.objects.count() == 0


def fields_of(page: str) -> dict[str, str]:
    """The values of the page's last form, as a browser would send them untouched."""
    import html
    import re

    form = re.findall(r"<form[^>]*method=\"post\".*?</form>", page, re.DOTALL)[-1]
    values = {}
    for tag in re.findall(r"<input[^>]*>", form):
        name, value = re.search(r'name="([^"]*)"', tag), re.search(r'value="([^"]*)"', tag)
        kind = re.search(r'type="([^"]*)"', tag)
        if name and (kind is None or kind[1] not in {"checkbox", "radio"} or "checked" in tag):
            values[name[1]] = html.unescape(value[1]) if value else ""
    for name, body in re.findall(r'<textarea[^>]*name="([^"]*)"[^>]*>(.*?)</textarea>', form, re.DOTALL):
        values[name] = html.unescape(body).strip()
    for name, body in re.findall(r'<select[^>]*name="([^"]*)"[^>]*>(.*?)</select>', form, re.DOTALL):
        chosen = re.search(r'<option value="([^"]*)"[^>]*selected', body)
        first = re.search(r'<option value="([^"]*)"', body)
        values[name] = html.unescape((chosen or first)[1]) if (chosen or first) else ""  # type: ignore[index]
    return values


def test_two_workers_on_one_trace_make_one_set_of_proposals(
    project: Project, server: Live, worker: Callable[..., Live]
) -> None:
    worker(MEMORYPLANE_SETTLE_SECONDS="1")
    worker(name="second", MEMORYPLANE_SETTLE_SECONDS="1")
    make_agent(project, "support")
    _, key = make_key(project)
    sentences = [f"Our warehouse {n} has blue boxes." for n in range(12)]
    agent_process(server, key, *[{"say": sentence} for sentence in sentences])
    wait_for(lambda: all_mined(project, 12))
    with bind(project.id):
        assert sorted(Proposal.objects.values_list("content", flat=True)) == sorted(sentences)
        assert Span.objects.count() == len(set(Span.objects.values_list("trace_id", "span_id")))


def test_two_projects_with_the_same_agent_and_user_share_nothing(
    project: Project, server: Live, worker: Callable[..., Live]
) -> None:
    worker(MEMORYPLANE_SETTLE_SECONDS="1")
    other = make_project("globex")
    keys = {}
    for one in (project, other):
        make_agent(one, "support")
        make_fact(one, f"Belongs to {one.slug}.", agent=make_agent(one, "support"))
        keys[one.slug] = make_key(one)[1]
    for one in (project, other):
        prompt = agent_process(
            server, keys[one.slug], {"say": f"Our {one.slug} refund window is 9 days.", "user": "ada"}
        )
        assert curated(prompt["prompts"][0]) == [f"Belongs to {one.slug}."]
    for one in (project, other):
        wait_for(lambda one=one: all_mined(one, 1))  # type: ignore[misc]
        with bind(one.id):
            assert list(Proposal.objects.values_list("content", flat=True)) == [
                f"Our {one.slug} refund window is 9 days."
            ]


def test_what_the_sdks_memory_sums_up_is_a_summary_of_the_session(project: Project, server: Live) -> None:
    make_agent(project, "support")
    _, key = make_key(project)
    said = [{"say": words, "user": "ada.k", "session": "chat-1"} for words in (WORK, SELF)]
    agent_process(server, key, *said, summary="They talked of refunds.")
    with bind(project.id):
        first, second = SessionMessage.objects.order_by("at")
        assert {row.session.external_id for row in (first, second)} == {"chat-1"}
        assert [(row.role, row.content) for row in (first, second)] == [("summary", "They talked of refunds.")] * 2
        words = dict(Message.objects.values_list("id", "content"))
        assert [words[one] for one in first.stands_for_said] == [WORK]
        assert [words[one] for one in second.stands_for_said] == [WORK, "Understood.", SELF]
        assert (first.stands_for, second.stands_for) == ([], [first.id])
