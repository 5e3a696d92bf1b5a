"""Traces: the list and one trace with everything around it."""

import re
from datetime import timedelta
from html import unescape

import pytest
from django.test import Client

from apps.core.clock import now
from apps.core.transactions import bind
from apps.curation.actions.approve_proposal import approve_proposal
from apps.extraction.models import CandidateDecision, ExtractionRun
from apps.extraction.queries import MAX_ATTEMPTS
from apps.facts.actions.retire_fact import retire_fact
from apps.privacy.actions.forget_fact import forget_fact
from apps.recall.queries import reader_for, told_facts
from apps.tenancy.models import Project
from apps.traces.models import Message, Span, Trace
from tests import spans as sdk
from tests.console.stage import HX, learn, login, mine, moved, push, state
from tests.factories import make_agent, make_fact, make_key, make_project, user_actor
from tests.spans import run_of, span, span_id, trace_id

pytestmark = pytest.mark.django_db

WORK = "Our refund window is 30 days."
PAGE = f"/p/acme/traces/{trace_id('t')}"


@pytest.fixture
def project() -> Project:
    project = make_project("acme")
    make_agent(project, "support")
    return project


@pytest.fixture
def curator(project: Project) -> Client:
    return login(project, "curator")


def text(html: str) -> str:
    """What is left to read of a page, in one line."""
    return " ".join(unescape(re.sub(r"<[^>]+>", " ", html)).split()).replace(" ,", ",").replace(" ;", ";")


def section(html: str, name: str) -> str:
    return text(html[html.index(f'aria-labelledby="{name}"') :].split("</section>")[0].partition(">")[2])


def of(client: Client, tab: str) -> str:
    return client.get(f"{PAGE}?tab={tab}").content.decode()


# --- the list -------------------------------------------------------------------------------------------------------


def rows(client: Client, query: str = "") -> list[str]:
    html = client.get(f"/p/acme/traces{query}").content.decode()
    return [text(row.split("</tr>")[0].partition(">")[2]) for row in html.split("<tr data-row")[1:]]


def test_the_list_says_what_became_of_each(project: Project, curator: Client) -> None:
    learn(project, "t", WORK, user="ada")
    push(project, run_of("waits", "Thanks!", agent="orders"))
    push(project, run_of("judged", "Evaluate.", **{"fastaiagent.source": "eval"}))
    for name, changes in {
        "leased": {"lease_until": now() + timedelta(minutes=1), "attempts": 1},
        "failed": {"attempts": 2, "not_before": now() + timedelta(minutes=1)},
        "dead": {"attempts": 5, "dead_reason": "ValueError"},
        "lost": {"attempts": 5, "lease_until": now() - timedelta(minutes=1)},
    }.items():
        push(project, run_of(name, f"This is {name}."))
        with bind(project.id):
            Trace.objects.filter(trace_id=trace_id(name)).update(**changes)
    found = {re.findall(r"\b[0-9a-f]{8}\b", row)[0]: row for row in rows(curator)}
    assert len(found) == 7
    ends = {name: found[trace_id(name)[:8]] for name in ("t", "waits", "judged", "leased", "failed", "dead", "lost")}
    assert WORK in ends["t"] and ends["t"].endswith("support user: ada 2 1 mined")
    assert ends["waits"].endswith("orders no user named 2 0 waiting")
    assert ends["judged"].endswith("not production a run of eval, never mined")
    assert ends["leased"].endswith("being mined")
    assert ends["failed"].endswith("failed 2 times is tried again")
    assert ends["dead"].endswith("given up 5 tries, ValueError")
    assert ends["lost"].endswith("given up 5 tries, workers lost")


def test_the_first_words_are_the_users(project: Project, curator: Client) -> None:
    push(
        project,
        [
            span("t", "agent.inner", parent="swarm", start=1, attributes={"agent.name": "x", "agent.input": "routed"}),
            span("t", "swarm", seconds=5, attributes={"swarm.input": "What I asked", "swarm.output": "Done"}),
        ],
    )
    (row,) = rows(curator)
    assert "What I asked" in row and "routed" not in row


def test_filter_by_agent_and_find_by_id(project: Project, curator: Client) -> None:
    make_agent(project, "orders")
    push(project, run_of("a", "Hello from a."))
    push(project, run_of("b", "Hello from b.", agent="orders"))
    assert len(rows(curator)) == 2
    (row,) = rows(curator, "?agent=orders")
    assert "Hello from b." in row
    (row,) = rows(curator, f"?q={trace_id('a')[:6].upper()}")
    assert "Hello from a." in row
    assert rows(curator, "?q=100%25_'") == [] and rows(curator, "?q=%00") == []
    assert "No trace matches" in curator.get("/p/acme/traces?agent=nobody").content.decode()
    part = curator.get("/p/acme/traces?agent=orders", **HX, HTTP_HX_TARGET="results").content.decode()
    assert "<html" not in part and "Hello from b." in part and "Hello from a." not in part


def test_several_agents_page_by_page(project: Project, curator: Client, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("apps.console.views.traces.PAGE", 2)
    for name in ("orders", "sales"):
        make_agent(project, name)
    for number, agent in enumerate(["support", "orders", "sales", "orders", "support"]):
        push(project, run_of(f"t{number}", f"Hello {number}.", agent=agent, user="ada" if number else "bob"))
    found, cursor = [], "/p/acme/traces?agent=support&agent=orders&user=ada"
    while cursor:
        page = curator.get(cursor).context
        found.append([(row["trace"].first_words, row["trace"].subject.external_id) for row in page["rows"]])
        cursor = page["older"]
    assert found == [[("Hello 4.", "ada"), ("Hello 3.", "ada")], [("Hello 1.", "ada")]]
    # So many agents are looked for one by one, more at once.
    monkeypatch.setattr("apps.console.queries.MERGED", 1)
    page = curator.get("/p/acme/traces?agent=support&agent=orders").context
    assert [row["trace"].first_words for row in page["rows"]] == ["Hello 4.", "Hello 3."]


def test_given_up_is_by_as_many_attempts_as_extraction_makes() -> None:
    (index,) = [one for one in Trace._meta.indexes if one.name == "traces_trace_dead_idx"]
    assert f"('attempts__gte', {MAX_ATTEMPTS})" in str(index.condition)


def test_pages_by_position(project: Project, curator: Client, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("apps.console.views.traces.PAGE", 2)
    for number in range(3):
        push(project, run_of(f"t{number}", f"Hello {number}."))
    first = curator.get("/p/acme/traces").context
    second = curator.get(first["older"]).context
    names = [row["trace"].first_words for row in (*first["rows"], *second["rows"])]
    assert names == ["Hello 2.", "Hello 1.", "Hello 0."] and second["older"] is None
    assert curator.get("/p/acme/traces?cursor=forged").status_code == 400


def test_nothing_came_in_yet(project: Project, curator: Client) -> None:
    html = curator.get("/p/acme/traces").content.decode()
    assert "No trace has come in yet" in html and "Connect an agent" in html


# --- one trace ------------------------------------------------------------------------------------------------------


def test_the_conversation_marks_what_was_learned(project: Project, curator: Client) -> None:
    (proposal,) = learn(project, "t", f"Hello. {WORK} Thanks!", "Understood.", user="ada")
    with bind(project.id):
        message = Message.objects.get(role="user")
        quote = proposal.evidence.get().quote
    html = curator.get(PAGE).content.decode()
    assert f'id="m{message.id}"' in html and f"Hello. <mark>{quote}</mark>" in html and "Understood." in html
    assert section(of(curator, "produced"), "produced").startswith(
        "What it produced 1 proposal, 0 facts Review 1 waiting"
    )
    assert f"/p/acme/review?trace={trace_id('t')}" in of(curator, "produced")
    assert f"{WORK} {proposal.number} agent: support Waiting" in section(of(curator, "produced"), "produced")


def test_what_it_produced_follows_the_facts(project: Project, curator: Client) -> None:
    actor = user_actor(project, "curator")
    stays, goes, refused = learn(project, "t", f"{WORK} We always ship on Tuesdays. Our desk closes at 6.", user="ada")
    made = [
        approve_proposal(actor=actor, project_id=project.id, proposal_id=proposal.id).fact_id
        for proposal in (stays, goes)
    ]
    retire_fact(actor=actor, project_id=project.id, fact_id=made[1], reason="wrong")
    curator.post(f"/p/acme/review/{refused.id}/reject", {"reason": "outdated"})
    said = section(of(curator, "produced"), "produced")
    assert said.startswith("What it produced 3 proposals, 2 facts")
    assert "Review" not in said.split("Statement")[0]
    assert "Rejected by you: out of date" in said
    assert f"{WORK} #{made[0]} agent: support Fact, current" in said
    assert f"#{made[1]} agent: support Fact, retired: wrong" in said


def test_runs_say_what_was_left_out(project: Project, curator: Client) -> None:
    learn(project, "t", WORK)
    with bind(project.id):
        ExtractionRun.objects.update(dropped={"question": 3, "joke": 1, "brand-new": 2})
        ExtractionRun.objects.create(
            project_id=project.id,
            trace_id=trace_id("t"),
            extractor="rules",
            version="0",
            started_at=now() - timedelta(hours=1),
            outcome="failed",
            error_code="ValueError",
        )
    said = section(of(curator, "runs"), "runs")
    assert said.startswith("Extraction 2 runs")
    assert "Left out: 3 × a question; 2 × brand new; 1 × a joke, or taken back as one." in said
    assert "An error that nobody foresaw (ValueError), of which the log says where." in said


def test_each_candidate_says_what_became_of_it_and_why(project: Project, curator: Client) -> None:
    (proposal,) = learn(project, "t", f"{WORK} I think so.", user="ada")
    fact = make_fact(project, "Refunds take five days.")
    with bind(project.id):
        run, message = ExtractionRun.objects.get(), Message.objects.get(role="user")
        shared = {"project_id": project.id, "run": run}
        rows = CandidateDecision.objects
        rows.create(**shared, message=message, start=30, end=41, outcome="dropped", rule="uncertain")
        rows.create(**shared, message=message, start=0, end=3, outcome="same", rule="known", fact=fact)
        rows.create(**shared, message=message, start=0, end=3, outcome="held", rule="no_subject")
        rows.create(**shared, outcome="dropped", rule="no_witness")
    said = section(of(curator, "runs"), "runs")
    table = said.split("and why ", 1)[1]
    assert table == (
        f"“{WORK}” Kept A lasting fact, which changes how the agent should act. {proposal.number}"
        " “I think so.” Left out The speaker was not sure."
        f" “Our” Known A current fact says it already. #{fact.id}"
        " “Our” Held Nobody knows yet whom it is about."
        " no words of the conversation Left out Its quote is not in the message, so nobody said it."
    )


def test_what_a_model_answered_is_for_curators_and_escaped(project: Project, curator: Client) -> None:
    raw = "<script>alert(1)</script>" + "x" * 20_000 + "END"
    push(project, run_of("t", WORK))
    with bind(project.id):
        ExtractionRun.objects.create(
            project_id=project.id, trace_id=trace_id("t"), extractor="llm", version="facts-v1", model="fast",
            started_at=now(), messages=2, prompt_tokens=1_240, completion_tokens=221, cost="0.000319",
            latency_ms=1_812, raw_answer=raw,
        )  # fmt: skip
    html = of(curator, "runs")
    said = section(html, "runs")
    assert "fast, prompt facts-v1; 1,240 + 221 tokens, cost 0.000319, 1,812 ms over 2 messages" in said
    assert "&lt;script&gt;alert(1)" in html and "<script>alert(1)" not in html
    assert "28 more characters are not shown." in said and "xEND" not in html
    officer = of(login(project, "privacy_officer"), "runs")
    assert "1,812 ms" in officer and "alert(1)" not in officer


def test_what_was_given_up_says_why_and_can_be_tried_again(project: Project, curator: Client) -> None:
    push(project, run_of("t", WORK))
    with bind(project.id):
        Trace.objects.update(attempts=5, dead_reason="model_timeout")
    said = section(of(curator, "runs"), "runs")
    assert "Given up after 5 tries. The model did not answer in time. Try again" in said
    said = section(of(login(project, "privacy_officer"), "runs"), "runs")
    assert "Given up after 5 tries." in said and "Try again" not in said
    assert curator.post(f"{PAGE}/extract").status_code == 302
    assert "Given up" not in curator.get(PAGE).content.decode()


def test_reads_are_joined_by_agent_and_time(project: Project, curator: Client, monkeypatch: pytest.MonkeyPatch) -> None:
    kept = make_fact(project, "Refunds take five days.")
    lost = make_fact(project, "Lost by tomorrow.")
    key, _ = make_key(project)
    make_agent(project, "orders")
    for agent in ("support", "orders"):
        with bind(project.id):
            told_facts(reader_for(key, agent, None, None), limit=50)
    forget_fact(actor=user_actor(project, "curator"), project_id=project.id, fact_id=lost.id)
    monkeypatch.setattr(sdk, "NOON", now())
    push(project, run_of("t", "Thanks!"))
    said = section(of(curator, "memory"), "reads")
    assert said.startswith("What was read 1 read A read carries no trace id.")
    assert f"2 #{kept.id} Refunds take five days. 1 of them is forgotten, or not for your role." in said
    monkeypatch.setattr(sdk, "NOON", now() + timedelta(minutes=11))
    push(project, run_of("late", "Thanks!"))
    late = curator.get(f"/p/acme/traces/{trace_id('late')}?tab=memory").content.decode()
    assert section(late, "reads").startswith("What was read 0 reads None.")


def test_spans_stand_under_their_parents(project: Project, curator: Client) -> None:
    push(
        project,
        [
            span("t", "llm", parent="agent", start=0.1, seconds=0.5),
            span("t", "tool", parent="agent", start=0.7, status="ERROR", attributes={"tool.args": '{"a": 1}'}),
            span("t", "http", parent="tool", start=0.8, seconds=0.25, status="OK"),
            span("t", "agent", seconds=3, attributes={"agent.name": "support", "note": "ü <b>"}),
            span("t", "stray", parent="never sent", start=2),
        ],
    )
    html = of(curator, "spans")
    lines = [text(row) for row in re.findall(r'<th scope="row">.*?</tr>', html[html.index('id="spans"') :], re.DOTALL)]
    assert lines == [
        "level 1: agent 3,000 ms not set",
        "level 2: llm 500 ms not set",
        "level 2: tool 1,000 ms error",
        "level 3: http 250 ms ok",
        "level 1: stray 1,000 ms not set",
    ]
    note = curator.get(f"{PAGE}?span={span_id('t/agent')}").content.decode()
    assert "&quot;note&quot;: &quot;ü &lt;b&gt;&quot;" in note
    opened = curator.get(f"{PAGE}?span={span_id('t/tool')}").content.decode()
    assert "<html" in opened and '<h2 tabindex="-1">Span</h2>' in opened
    part = curator.get(f"{PAGE}?span={span_id('t/tool')}", **HX, HTTP_HX_TARGET="drawer").content.decode()
    assert "<html" not in part and r"&quot;tool.args&quot;: &quot;{\&quot;a\&quot;: 1}&quot;" in part


def test_what_a_span_carries_is_on_its_own_page(project: Project, curator: Client) -> None:
    push(project, [span("t", "agent", attributes={"long": "x" * 9000 + "END"})])
    assert "xEND" not in of(curator, "spans")
    assert "xEND" in curator.get(f"{PAGE}?span={span_id('t/agent')}").content.decode()


def test_spans_that_name_each_other_and_very_deep_ones(project: Project, curator: Client) -> None:
    push(project, [span("t", "a", parent="b"), span("t", "b", parent="a"), span("t", "me", parent="me")])
    deep = [span("deep", f"s{n}", parent=f"s{n - 1}" if n else None, start=n) for n in range(400)]
    push(project, deep)
    html = of(curator, "spans")
    assert sorted(re.findall(r'hx-push-url="true">(\w+)</a>', html)) == ["a", "b", "me"]
    html = curator.get(f"/p/acme/traces/{trace_id('deep')}?tab=spans").content.decode()
    assert "the first 300 of 400" in section(html, "spans") and 'width="192"' in html and 'width="208"' not in html


def test_what_waits_to_be_searched_is_said(project: Project, curator: Client) -> None:
    push(project, [span("t", "agent", attributes={"a": "x"})])
    with bind(project.id):
        Span.objects.update(sealed=b"sealed", attributes={})
    said = curator.get(f"{PAGE}?span={span_id('t/agent')}").content.decode()
    assert "until they were searched for secrets" in said


def test_what_was_not_taken_as_sent_is_said(project: Project, curator: Client) -> None:
    push(project, [span("t", "agent", attributes={"a": "x\x00y"})])
    push(project, [span("t", "agent", attributes={"a": "other"})])
    html = text(curator.get(PAGE).content.decode())
    assert "One span came a second time saying something else. The first copy is shown." in html
    assert "Masked before" not in html
    assert "One character that can't be stored (U+0000, lone surrogates) became �." in html


def test_masked_secrets_are_counted(project: Project, curator: Client) -> None:
    learn(project, "t", WORK)
    with bind(project.id):
        Trace.objects.update(masked_secrets=2)
    html = text(curator.get(PAGE).content.decode())
    assert "Masked before anything was stored: a secret, such as a password or a key, in 2 places." in html


def test_a_trace_that_is_not_there(project: Project, curator: Client) -> None:
    learn(project, "t", WORK)
    for wrong in ("0" * 32, "nonsense", trace_id("t").upper(), trace_id("t")[:8], "%00"):
        assert curator.get(f"/p/acme/traces/{wrong}").status_code == 404
    make_project("other")
    assert curator.get(PAGE.replace("acme", "other")).status_code == 404
    stranger = login(make_project("third"), "curator")
    assert stranger.get(PAGE).status_code == 404
    assert stranger.get(PAGE.replace("acme", "third")).status_code == 404


@pytest.mark.parametrize("role", ["viewer", "admin", "auditor"])
def test_what_people_said_is_not_for_everybody(project: Project, role: str) -> None:
    learn(project, "t", WORK)
    other = login(project, role)
    for where in ("/p/acme/traces", PAGE):
        answer = other.get(where)
        assert answer.status_code == 403 and WORK not in answer.content.decode()


def test_ugly_text_is_shown_as_it_is(project: Project, curator: Client) -> None:
    ugly = "<script>alert(1)</script> {{ 7*7 }} '; -- שלום"
    push(project, run_of("t", ugly, ugly, agent="<b>x</b>", user="<i>u</i>", **{"<u>": ugly}))
    push(project, [span("t", "<s>name</s>", parent="agent.<b>x</b>")])
    for where in ("/p/acme/traces", PAGE, f"{PAGE}?span={span_id('t/agent.<b>x</b>')}"):
        html = curator.get(where).content.decode()
        assert unescape(html).count(ugly) >= 1
        assert not re.search(r"<script>alert|<b>x|<i>u|<s>name|<u>", html)


# --- extract again --------------------------------------------------------------------------------------------------


def test_extract_again_queues_it_and_nothing_comes_twice(project: Project, curator: Client) -> None:
    learn(project, "t", WORK)
    with bind(project.id):
        Trace.objects.update(dead_reason="ValueError", attempts=5)
    answer = curator.post(f"{PAGE}/extract", follow=True)
    assert answer.redirect_chain == [(PAGE, 302)] and "will be mined again" in answer.content.decode()
    with bind(project.id):
        trace = Trace.objects.get()
    assert (trace.extracted_at, trace.attempts, trace.dead_reason) == (None, 0, "")
    mine(project)
    said = section(of(curator, "runs"), "runs")
    assert said.startswith("Extraction 2 runs") and "1 × the same statement waits in the queue already" in said


def test_only_a_post_of_a_curator_extracts_again(project: Project, curator: Client) -> None:
    learn(project, "t", WORK)
    officer = login(project, "privacy_officer")
    before = state(project)
    assert curator.get(f"{PAGE}/extract").headers["Location"] == PAGE
    assert "Extract again" in curator.get(PAGE).content.decode()
    assert "Extract again" not in officer.get(PAGE).content.decode()
    assert curator.post(f"/p/acme/traces/{'0' * 32}/extract").status_code == 404
    assert moved(before, state(project)) == set()
    assert officer.post(f"{PAGE}/extract").status_code == 403
    assert moved(before, state(project)) == {"audit_auditevent", "audit_audithead"}
