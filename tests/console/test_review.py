"""Review: the queue, one proposal, and the verdicts, as a page and as a fragment."""

import json
import re
from datetime import timedelta
from uuid import uuid4

import pytest
from django.test import Client

from apps.audit.models import AuditEvent
from apps.core.clock import now
from apps.core.transactions import bind
from apps.curation.actions.approve_proposal import approve_proposal
from apps.curation.models import REJECT_REASONS, Change, Proposal, ProposalEvidence, ProposalTarget
from apps.facts.actions.retire_fact import retire_fact
from apps.facts.append import Origin
from apps.facts.models import Fact, FactSource
from apps.tenancy.models import Project
from apps.traces.models import Message
from tests.console.stage import HX, learn, login, moved, proposals, push, state, unmask
from tests.factories import make_agent, make_fact, make_project, make_user, user_actor
from tests.spans import run_of, trace_id

pytestmark = pytest.mark.django_db

WORK = "Our refund window is 30 days."
PERSON = "I prefer email."


@pytest.fixture
def project() -> Project:
    project = make_project("acme")
    make_agent(project, "support")
    return project


@pytest.fixture
def curator(project: Project) -> Client:
    return login(project, "curator")


def url(proposal: Proposal, verb: str = "") -> str:
    return f"/p/acme/review/{proposal.id}" + (f"/{verb}" if verb else "")


def fresh(proposal: Proposal) -> Proposal:
    with bind(proposal.project_id):
        return Proposal.objects.get(id=proposal.id)


def quote(proposal: Proposal) -> str:
    with bind(proposal.project_id):
        return ProposalEvidence.objects.get(proposal_id=proposal.id).quote


def facts(project: Project) -> list[tuple[str, str, str]]:
    with bind(project.id):
        return list(Fact.objects.current().order_by("id").values_list("content", "scope", "scope_id"))


# --- the queue ------------------------------------------------------------------------------------------------------


def test_the_queue_shows_words_evidence_scope_and_why(project: Project, curator: Client) -> None:
    old = make_fact(
        project,
        "Our refund window is 14 days.",
        scope="agent",
        scope_id="support",
        attribute="refund-window",
        origin=Origin(trust=2, observed_at=now() - timedelta(days=400)),
    )
    work, person = learn(project, "t", f"Hello there. {WORK} {PERSON}", user="ada")
    page = curator.get("/p/acme/review")
    html = page.content.decode()
    assert page.status_code == 200 and page["Cache-Control"] == "no-store" and "HX-Request" in page["Vary"]
    assert "<title>" in html and "2 to review" in html
    row = html[html.index(f'id="p{work.id}"') :].split("</tr>")[0]
    assert WORK in row and work.number in row
    assert f"“Hello there. <mark>{quote(work)}</mark>" in row and "I prefer email.”" in row
    assert f"approving replaces #{old.id} “Our refund window is 14 days.”" in row
    assert "support" in row and "0.60" in row
    row = html[html.index(f'id="p{person.id}"') :].split("</tr>")[0]
    assert "<b>Personal:</b> says something about a person." in row and "ada" in row
    group = html[html.index('class="grp"') :].split("</tr>")[0]
    assert f"/p/acme/traces/{trace_id('t')}" in group and trace_id("t")[:8] in group
    assert "ada with" in group and "support" in group and "0 of 2 decided" in group


def test_newest_first_and_one_group_a_trace(project: Project, curator: Client) -> None:
    learn(project, "first", f"{WORK} We always ship on Tuesdays.", user="ada")
    learn(project, "second", "Our support hours are 9 to 17.", user="ada")
    html = curator.get("/p/acme/review").content.decode()
    assert html.count('class="grp"') == 2
    order = [
        html.index(text) for text in ("Our support hours are 9 to 17.", "We always ship on Tuesdays.", f">{WORK}<")
    ]
    assert order == sorted(order)


def test_segment_facet_and_decided_today(project: Project, curator: Client) -> None:
    learn(project, "t", f"{WORK} {PERSON}", user="ada")
    (held,) = learn(project, "u", "I prefer trains.")
    (gone,) = learn(project, "w", "We always ship on Tuesdays.", user="ada")
    assert held.state == "quarantined"
    curator.post(url(gone, "reject"), {"reason": "vague"})
    page = curator.get("/p/acme/review")
    counts = {item["label"]: item["count"] for item in page.context["segment"]}
    assert counts == {"All": 3, "Mine": 0, "Held": 1, "Later": 0}
    assert page.context["today"] == {"applied": 0, "rejected": 1, "conflicted": 0}
    assert '<b class="num">1</b> rejected' in page.content.decode()
    options = {item["value"]: item["count"] for item in page.context["flag_options"]}
    assert options == {"none": 1, "no_subject": 1, "personal": 2}
    options = {item["label"]: item["count"] for item in page.context["scope_options"]}
    assert options == {"Users": 2, "Agents": 1}

    def shown(query: str) -> set[str]:
        context = curator.get(f"/p/acme/review?{query}").context
        return {row.proposal.content for group in context["groups"] for row in group.rows}

    assert shown("scope=user") == {"Prefers email.", "Prefers trains."}
    assert shown("scope=agent") == {WORK}
    assert shown("scope=user&scope=agent&from=0.6&to=1") == {WORK, "Prefers email.", "Prefers trains."}
    assert shown("from=0.61") == shown("to=.5") == set()
    assert shown("id=ada") == {"Prefers email."}
    assert shown("flag=none") == {WORK}
    assert shown("flag=none&flag=no_subject") == {WORK, "Prefers trains."}
    assert shown("origin=extraction") == {WORK, "Prefers email.", "Prefers trains."}
    assert shown("origin=dream") == shown("show=mine") == shown("show=snoozed") == set()
    assert shown("assignee=0") == {WORK, "Prefers email.", "Prefers trains."}
    assert shown("show=held") == {"Prefers trains."}
    assert shown("flag=no_subject") == {"Prefers trains."}
    assert shown("flag=no_subject&flag=personal") == {"Prefers email.", "Prefers trains."}
    assert shown(f"trace={trace_id('t')}") == {WORK, "Prefers email."}
    assert shown("state=rejected") == {"We always ship on Tuesdays."}
    odd = "show=nonsense&flag=nonsense&trace=%00&state=nonsense&agent=x&id=%00&from=nan&to=7&assignee=-1&group=x"
    assert shown(odd) == {WORK, "Prefers email.", "Prefers trains."}


def test_a_fragment_is_the_list_alone(project: Project, curator: Client) -> None:
    learn(project, "t", WORK)
    html = curator.get("/p/acme/review?scope=agent", **HX, HTTP_HX_TARGET="results").content.decode()
    assert "<html" not in html and 'aria-label="Main"' not in html
    assert WORK in html and 'id="segment" hx-swap-oob="innerHTML"' in html


def test_pages_by_position(project: Project, curator: Client, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("apps.console.shaping.queue.PAGE", 2)
    learn(project, "t", "Our A is 1. Our B is 2. Our C is 3. Our D is 4. Our E is 5.")
    found, where = [], "/p/acme/review"
    for _ in range(3):
        context = curator.get(where).context
        found.append([row.proposal.content for group in context["groups"] for row in group.rows])
        where = context["older"]
    assert found == [["Our E is 5.", "Our D is 4."], ["Our C is 3.", "Our B is 2."], ["Our A is 1."]]
    assert where is None
    assert curator.get("/p/acme/review?cursor=forged").status_code == 400


def test_nothing_to_review_says_what_came_in(project: Project, curator: Client) -> None:
    html = curator.get("/p/acme/review").content.decode()
    assert "Nothing to review" in html and "No trace has come in yet." in html
    push(project, run_of("t", "Thanks!"))
    html = curator.get("/p/acme/review").content.decode()
    assert "The last trace came in just now. One trace waits to be mined." in html
    html = curator.get("/p/acme/review?show=held").content.decode()
    assert "No proposal matches" in html and "Nothing to review" not in html


def test_the_number_of_queries_does_not_grow(
    project: Project, curator: Client, django_assert_max_num_queries: object
) -> None:
    for number in range(12):
        learn(project, f"t{number}", f"Our limit {number} is {number} days.", user=f"user{number}")
    with django_assert_max_num_queries(36):  # type: ignore[operator]
        curator.get("/p/acme/review")


# --- one proposal ---------------------------------------------------------------------------------------------------


def test_a_proposal_as_page_and_in_the_drawer(project: Project, curator: Client) -> None:
    near = make_fact(project, "Our refund window is 14 days.", scope="agent", scope_id="support")
    (proposal,) = learn(project, "t", WORK, "Understood, 30 days it is.", user="ada")
    page = curator.get(url(proposal)).content.decode()
    drawer = curator.get(url(proposal), **HX, HTTP_HX_TARGET="drawer").content.decode()
    assert "<html" in page and "<html" not in drawer and '<h2 tabindex="-1">' in drawer
    for html in (page, drawer):
        assert f"<mark>{quote(proposal)}</mark>" in html and "Understood, 30 days it is." in html
        assert "turn 1," in html and f"/p/acme/traces/{trace_id('t')}?turn=" in html
        assert f"#{near.id}" in html and "<del>14</del><ins>30</ins>" in html and "related, both can hold" in html
        assert "Told to support in every read, whoever the user is." in html
        assert 'data-hotkey="a"' in html and "Reject because" in html
    assert 'hx-post="/p/acme/review' in drawer and 'hx-post="/p/acme/review' not in page
    opened = curator.get(f"/p/acme/review?open={proposal.id}").content.decode()
    assert 'class="open ' in opened and f'data-opens="/p/acme/review/{proposal.id}"' in opened
    assert curator.get("/p/acme/review?open=nonsense").status_code == 200


def test_evidence_whose_message_is_gone_still_quotes(project: Project, curator: Client) -> None:
    (proposal,) = learn(project, "t", WORK)
    with bind(project.id):
        Message.objects.all().delete()
    html = curator.get(url(proposal)).content.decode()
    assert f"<mark>{quote(proposal)}</mark>" in html and "the message is no longer there" in html


def test_other_projects_and_unknown_ones_are_not_there(project: Project) -> None:
    (proposal,) = learn(project, "t", WORK)
    other = make_project("other")
    stranger = login(other, "curator")
    assert stranger.get(url(proposal)).status_code == 404
    assert stranger.get(url(proposal).replace("acme", "other")).status_code == 404
    before = state(project)
    assert stranger.post(url(proposal, "approve").replace("acme", "other")).status_code == 404
    assert moved(before, state(project)) == set()
    assert login(project, "curator").get(f"/p/acme/review/{uuid4()}").status_code == 404


# --- approving ------------------------------------------------------------------------------------------------------


def test_approve_in_one_post(project: Project, curator: Client) -> None:
    (proposal,) = learn(project, "t", WORK, user="ada")
    answer = curator.post(url(proposal, "approve"), follow=True)
    assert answer.redirect_chain == [("/p/acme/review", 302)]
    decided = fresh(proposal)
    assert decided.state == "applied"
    assert f"Approved {decided.number}: fact #{decided.fact_id}" in answer.content.decode()
    assert facts(project) == [(WORK, "agent", "support")]
    with bind(project.id):
        assert FactSource.objects.get().quote == quote(proposal)
        event = AuditEvent.objects.filter(verb="proposals.approve").get()
    assert event.data == {"fact": decided.fact_id, "created": True, "edited": False, "supersedes": []}


def test_approve_by_htmx_swaps_the_row_and_opens_the_next(project: Project, curator: Client) -> None:
    older, newer = learn(project, "t", f"{WORK} We always ship on Tuesdays.", user="ada")
    answer = curator.post(url(newer, "approve"), {"list": "scope=agent&open=x"}, **HX)
    html = answer.content.decode()
    assert answer.status_code == 200 and fresh(newer).state == "applied"
    with bind(project.id):
        change = Change.objects.get()
    assert json.loads(answer["HX-Trigger"])["toast"] == {
        "text": f"Approved {newer.number}: fact #{fresh(newer).fact_id}",
        "level": "ok",
        "url": f"/p/acme/undo/{change.id}",
    }
    assert answer["HX-Replace-Url"] == f"/p/acme/review?scope=agent&open={older.id}"
    done = html[html.index(f'id="p{newer.id}"') :].split("</tr>")[0]
    assert 'hx-swap-oob="true"' in done and "Approved" in done and f"by you as #{fresh(newer).fact_id}" in done
    assert f'data-of="p{older.id}"' in html and answer["HX-Trigger-After-Settle"] == "decided"
    assert f'action="/p/acme/review/{older.id}/approve"' in html
    assert re.search(r'id="count" hx-swap-oob="innerHTML">\s*1 waiting', html)
    assert re.search(rf'id="g{trace_id("t")}"[^>]*hx-swap-oob="true">1 of 2 decided', html)
    last = curator.post(url(older, "approve"), **HX)
    assert last["HX-Replace-Url"] == "/p/acme/review" and "<form" not in last.content.decode()


def test_somebody_was_faster(project: Project, curator: Client) -> None:
    (proposal,) = learn(project, "t", WORK)
    bo = make_user(project, "curator", name="Bo Ek")
    edited = _form(curator, proposal)
    approve_proposal(actor=user_actor(project, "curator", user=bo), project_id=project.id, proposal_id=proposal.id)
    before = state(project)
    text = f"Approved by Bo Ek as #{fresh(proposal).fact_id}, just now. Your decision changed nothing."
    for verb, fields in (("approve", {}), ("reject", {"reason": "vague"}), ("approve", edited)):
        page = curator.post(url(proposal, verb), fields)
        assert page.status_code == 409 and text in page.content.decode() and "<html" in page.content.decode()
        part = curator.post(url(proposal, verb), fields, **HX)
        html = part.content.decode()
        assert part.status_code == 409 and "<html" not in html and text in html
        assert json.loads(part["HX-Trigger"])["toast"] == {"text": text, "level": "warn"}
        assert 'class="done"' in html[html.index(f'id="p{proposal.id}"') - 20 :]
    assert moved(before, state(project)) == set()


def test_a_target_that_moved_makes_it_overtaken(project: Project, curator: Client) -> None:
    old = make_fact(project, "Our refund window is 14 days.", scope="agent", scope_id="support")
    (proposal,) = learn(project, "t", WORK)
    with bind(project.id):
        ProposalTarget.objects.create(project_id=project.id, proposal=proposal, fact=old)
    retire_fact(actor=user_actor(project, "curator"), project_id=project.id, fact_id=old.id, reason="stale")
    answer = curator.post(url(proposal, "approve"), **HX)
    assert answer.status_code == 200 and fresh(proposal).state == "conflicted" and facts(project) == []
    assert json.loads(answer["HX-Trigger"])["toast"]["level"] == "warn"
    assert "the fact it would replace had changed" in answer.content.decode()
    page = curator.get("/p/acme/review?state=conflicted").content.decode()
    assert WORK in page and "Overtaken" in page


def test_a_secret_can_only_be_rejected(project: Project, curator: Client) -> None:
    (proposal,) = learn(project, "t", WORK)
    with bind(project.id):
        Proposal.objects.update(flags=["secret"], state="quarantined")
    assert 'data-hotkey="a"' not in curator.get(url(proposal)).content.decode()
    before = state(project)
    for extra in ({}, HX):
        answer = curator.post(url(proposal, "approve"), **extra)  # type: ignore[arg-type]
        assert answer.status_code == 409
        assert "A proposal that holds a secret can only be rejected." in answer.content.decode()
    assert moved(before, state(project)) == set()
    assert curator.post(url(proposal, "reject"), {"reason": "private"}).status_code == 302
    assert fresh(proposal).state == "rejected"


def test_nobody_known_holds_it_until_somebody_says_who(project: Project, curator: Client) -> None:
    (proposal,) = learn(project, "t", PERSON)
    assert (proposal.state, proposal.flags) == ("quarantined", ["no_subject", "personal"])
    page = curator.get(url(proposal)).content.decode()
    assert "Nobody knows yet whom this is about" in page and 'data-hotkey="a"' not in page
    assert "Say who it is about" in page
    before = state(project)
    for extra in ({}, HX):
        answer = curator.post(url(proposal, "approve"), **extra)  # type: ignore[arg-type]
        assert answer.status_code == 422
        assert answer.context["form"].errors == {"user": ["Say which user this is about."]}
        assert "Say which user this is about." in answer.content.decode()
    assert answer["HX-Retarget"] == "#drawer" and answer["HX-Reswap"] == "innerHTML"
    assert moved(before, state(project)) == set()
    fields = _form(curator, proposal) | {"user": " ada "}
    assert curator.post(url(proposal, "approve"), fields).status_code == 302
    assert facts(project) == [("Prefers email.", "user", "ada")]


def _form(client: Client, proposal: Proposal) -> dict[str, str]:
    form = client.get(url(proposal, "approve")).context["form"]
    return {name: "" if (value := form[name].value()) is None else str(value) for name in form.fields}


def test_edit_shows_who_would_be_told_by_each_choice(project: Project, curator: Client) -> None:
    (proposal,) = learn(project, "t", PERSON, user="ada")
    page = unmask(curator).get(url(proposal, "approve"))
    html = page.content.decode()
    assert "Told to support in every read, whoever the user is." in html
    assert "Told to every agent of this project in every read." in html
    assert "Told only in reads that name the user ada" in html
    assert _form(curator, proposal) == {
        "content": "Prefers email.",
        "scope": "user",
        "agent": "support",
        "user": "ada",
        "category": "preference",
        "sensitivity": "personal",
        "confidence": "0.6",
        "importance": "0.6",
    }
    drawer = curator.get(url(proposal, "approve"), **HX).content.decode()
    assert "<html" not in drawer and "hx-post" in drawer


@pytest.mark.parametrize(
    ("edits", "fact"),
    [
        ({}, ("Prefers email.", "user", "ada", "preference", "personal", 0.6, 0.6)),
        ({"content": "Ada likes mail."}, ("Ada likes mail.", "user", "ada", "preference", "personal", 0.6, 0.6)),
        ({"scope": "agent"}, ("Prefers email.", "agent", "support", "preference", "personal", 0.6, 0.6)),
        ({"scope": "project"}, ("Prefers email.", "project", "acme", "preference", "personal", 0.6, 0.6)),
        ({"user": "bea"}, ("Prefers email.", "user", "bea", "preference", "personal", 0.6, 0.6)),
        (
            {"category": "contact", "sensitivity": "internal", "confidence": "0.9", "importance": "1"},
            ("Prefers email.", "user", "ada", "contact", "internal", 0.9, 1.0),
        ),
    ],
)
def test_edit_and_approve(project: Project, curator: Client, edits: dict[str, str], fact: tuple) -> None:
    (proposal,) = learn(project, "t", PERSON, user="ada")
    answer = curator.post(url(proposal, "approve"), _form(curator, proposal) | edits)
    assert answer.status_code == 302
    with bind(project.id):
        row = Fact.objects.get()
        event = AuditEvent.objects.filter(verb="proposals.approve").get()
    assert (
        row.content, row.scope, row.scope_id, row.category, row.sensitivity, row.confidence, row.importance
    ) == fact  # fmt: skip
    assert event.data["edited"] is bool(edits)


@pytest.mark.parametrize(
    ("edits", "field", "text"),
    [
        ({"content": " "}, "content", "This field is required."),
        ({"content": "\u200b"}, "content", "A fact needs words."),
        ({"content": "x" * 2001}, "content", "A fact has at most 2,000 characters."),
        ({"scope": "user", "user": ""}, "user", "Say which user this is about."),
        ({"scope": "user", "user": "*"}, "user", "'*' names nobody."),
        ({"scope": "agent", "agent": ""}, "agent", "Choose the agent that is told."),
        ({"scope": "agent", "agent": "nobody"}, "agent", "Select a valid choice."),
        ({"scope": "everybody"}, "scope", "Select a valid choice."),
        ({"category": "x" * 61}, "category", "A category is one line of 1 to 60 characters."),
        ({"sensitivity": "none"}, "sensitivity", "Select a valid choice."),
        ({"confidence": "1.01"}, "confidence", "The confidence lies between 0 and 1."),
        ({"importance": "nan"}, "importance", "Enter a number."),
    ],
)
def test_edits_that_can_not_be(project: Project, curator: Client, edits: dict[str, str], field: str, text: str) -> None:
    (proposal,) = learn(project, "t", PERSON, user="ada")
    fields = _form(curator, proposal) | edits
    before = state(project)
    for extra in ({}, HX):
        answer = curator.post(url(proposal, "approve"), fields, **extra)  # type: ignore[arg-type]
        assert answer.status_code == 422
        (error,) = answer.context["form"].errors[field]
        assert error.startswith(text)
        html = answer.content.decode()
        assert ("<html" in html) is (extra == {}) and 'class="errorlist"' in html
    assert moved(before, state(project)) == set()


# --- rejecting ------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("reason", REJECT_REASONS)
def test_reject_with_a_reason(project: Project, curator: Client, reason: str) -> None:
    (proposal,) = learn(project, "t", WORK)
    assert f'value="{reason}"' in curator.get(url(proposal)).content.decode()
    answer = curator.post(url(proposal, "reject"), {"reason": reason}, **HX)
    assert answer.status_code == 200 and 'class="done"' in answer.content.decode()
    assert (fresh(proposal).state, fresh(proposal).reason, facts(project)) == ("rejected", reason, [])


def test_reject_without_a_reason(project: Project, curator: Client) -> None:
    (proposal,) = learn(project, "t", WORK)
    before = state(project)
    answer = curator.post(url(proposal, "reject"), {"reason": "no such"})
    assert answer.status_code == 422 and "Choose one of the reasons." in answer.content.decode()
    assert moved(before, state(project)) == set()
    assert curator.get(url(proposal, "reject")).headers["Location"] == url(proposal)


# --- who may --------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("role", ["viewer", "privacy_officer", "admin", "auditor"])
def test_only_curators_decide(project: Project, role: str) -> None:
    (proposal,) = learn(project, "t", PERSON, user="ada")
    other = login(project, role)
    before = state(project)
    for verb in ("approve", "reject"):
        for extra in ({}, HX):
            answer = other.post(url(proposal, verb), {"reason": "vague"}, **extra)  # type: ignore[arg-type]
            assert answer.status_code == 403 and "This needs the role Curator" in answer.content.decode()
    # What was refused is on record, and nothing else happened.
    assert moved(before, state(project)) == {"audit_auditevent", "audit_audithead"}
    with bind(project.id):
        assert AuditEvent.objects.filter(result="denied").count() == 4
    sees = other.get(url(proposal))
    assert sees.status_code == (200 if role == "privacy_officer" else 403)
    if sees.status_code == 200:
        assert 'class="verdict"' not in sees.content.decode()


def test_nobody_in_particular_is_sent_to_log_in(project: Project) -> None:
    (proposal,) = learn(project, "t", WORK)
    before = state(project)
    assert Client().post(url(proposal, "approve")).headers["Location"].startswith("/account/login/?next=")
    answer = Client().post(url(proposal, "approve"), **HX)
    assert answer.status_code == 401 and answer["HX-Redirect"].startswith("/account/login/?next=")
    assert moved(before, state(project)) == set()


def test_a_form_needs_its_token(project: Project) -> None:
    (proposal,) = learn(project, "t", WORK)
    client = Client(enforce_csrf_checks=True)
    client.force_login(make_user(project, "curator"))
    before = state(project)
    assert client.post(url(proposal, "approve")).status_code == 403
    assert moved(before, state(project)) == set()


# --- text from strangers --------------------------------------------------------------------------------------------

UGLY = [
    "<script>alert(1)</script>",
    "<img src=x onerror=alert(1)>",
    '"><svg onload=alert(1)>',
    "{{ 7*7 }} {% csrf_token %}",
    "'; DROP TABLE facts_fact; --",
    "שלום <b>x</b> العربية",
]


@pytest.mark.parametrize("ugly", UGLY)
def test_ugly_text_is_shown_as_it_is(project: Project, curator: Client, ugly: str) -> None:
    make_agent(project, "<i>agent</i>")
    make_fact(project, f"Our rule is {ugly} indeed.", agent=make_agent(project, "<i>agent</i>"))
    with bind(project.id):
        push(project, run_of("t", f"Our word is {ugly}.", ugly, agent="<i>agent</i>", user=f"u {ugly}"))
        found = learn(project, "v", f"Our rule is {ugly} now.", ugly, agent="<i>agent</i>", user=f"v {ugly}")
    assert len(found) >= 1, [row.content for row in proposals(project)]
    for where in ("/p/acme/review", url(found[0]), url(found[0], "approve"), f"/p/acme/review?open={found[0].id}"):
        html = curator.get(where).content.decode()
        assert ugly in html.replace("&lt;", "<").replace("&gt;", ">").replace("&quot;", '"').replace(
            "&#x27;", "'"
        ).replace("&#39;", "'")
        if "<" in ugly:
            assert ugly not in html
        assert "<i>agent</i>" not in html
