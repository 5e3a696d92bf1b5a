"""Agent view: the literal text, the reason for each fact, and who sees what of it."""

import html
import re
from datetime import timedelta
from typing import Any
from urllib.parse import urlencode

import pytest
from django.test import Client

from apps.core.clock import now
from apps.core.transactions import bind
from apps.facts.models import Fact
from apps.recall.models import ReadLedger
from apps.tenancy.models import Agent, Project
from tests.console.pages import between, fragment, revised, text
from tests.console.past import ago, make_older, past_fact
from tests.console.stage import learn, login, moved, state, unmask
from tests.factories import make_agent, make_fact, make_key, make_project, make_subject

pytestmark = pytest.mark.django_db
URL = "/p/acme/agent-view"


@pytest.fixture
def project() -> Project:
    return make_project("acme")


@pytest.fixture
def support(project: Project) -> Agent:
    return make_agent(project, "support")


def look(client: Client, **knobs: Any) -> Any:
    """The page with its reasons, as without scripts."""
    return client.get(f"{URL}?{urlencode(knobs | {'why': 1})}")


def outcomes(page: Any) -> list[tuple[str, str]]:
    """Number (or proposal) and outcome of each row, in order."""
    found = []
    for row in re.findall(r"<tr data-row.*?</tr>", page.text, re.DOTALL):
        number = re.search(r'class="fid">([^<]+)<', row)
        assert number
        found.append((number[1], text(row.split('<td class="outcome')[1].partition(">")[2])))
    return found


def prompt(page: Any) -> list[str]:
    lines = re.findall(r"<li.*?</li>", page.text.split('<ol class="lines">')[1].split("</ol>")[0], re.DOTALL)
    return [text(line) for line in lines]


def test_the_literal_text_and_the_reason_for_each_fact(project: Project, support: Agent) -> None:
    shared = make_fact(project, "Refunds over €250 need a lead.", importance=0.9)
    own = make_fact(project, "Refunds take five days.", agent=support, importance=0.8)
    hers = make_fact(project, "Asked for a refund in May.", user="ada", importance=0.7)
    twin = make_fact(project, "refunds take five days", importance=0.2)
    spare = make_fact(project, "Refunds are free.", importance=0.1)
    page = look(login(project, "curator"), agent="support", user="ada", q="refunds", limit=3)
    assert page.status_code == 200
    told = [line.rsplit(" #", 1)[0] for line in prompt(page)]
    assert told[0].startswith("Curated facts (agent:support):")
    assert sorted(told[1:]) == [
        "- Asked for a refund in May.",
        "- Refunds over €250 need a lead.",
        "- Refunds take five days.",
    ]
    found = dict(outcomes(page))
    assert {found[f"#{fact.id}"] for fact in (shared, own, hers)} == {"told, line 2", "told, line 3", "told, line 4"}
    assert found[f"#{twin.id}"] == f"duplicate of #{own.id}" and found[f"#{spare.id}"] == "over the limit of 3"
    assert "3 told, 2 compared and not told, 0 left out" in text(page.text)
    assert page.context["view"].prompt.text.startswith("Curated facts (agent:support):\n- ")
    # What an agent is told is in the page as it is, to be copied.
    assert "hidden readonly>Curated facts (agent:support):\n- " in page.text


def test_the_page_tells_and_its_reasons_load_by_themselves(project: Project, support: Agent) -> None:
    make_fact(project, "Refunds take five days.", agent=support, importance=0.8)
    make_fact(project, "Refunds were free.", retired="stale")
    curator = login(project, "curator")
    for knobs in ({"agent": "support", "q": "refunds"}, {"agent": "support"}):
        whole = look(curator, **knobs)
        page = curator.get(f"{URL}?{urlencode(knobs)}")
        assert page.context["served"].prompt == whole.context["view"].prompt
        assert page.context["served"].told == whole.context["view"].told
        assert outcomes(page) == [] and "were free" not in page.text
        later = re.search(r'id="why"[^>]*hx-get="([^"]+)"[^>]*hx-trigger="load"', page.text)
        assert later and f'href="{later[1]}#why"' in page.text
        address = html.unescape(later[1])
        part = curator.get(address, headers={"HX-Request": "true", "HX-Target": "why"})
        assert "<html" not in part.text and "<form" not in part.text and "prompt-text" not in part.text
        assert outcomes(part) == outcomes(whole) == outcomes(curator.get(address)) and len(outcomes(part)) == 2
        assert part.text.strip().startswith('<section class="reasons" id="why"')
    refused = curator.get(f"{URL}?limit=0", headers={"HX-Request": "true", "HX-Target": "why"})
    assert refused.status_code == 422 and "Max facts: Has to be a number" in text(refused.text)


def test_without_a_question_importance_orders(project: Project, support: Agent) -> None:
    less, more = make_fact(project, "One.", importance=0.2), make_fact(project, "Two.", importance=0.9)
    page = look(login(project, "viewer"))
    assert [line.split(" #")[0] for line in prompt(page)[1:]] == ["- Two.", "- One."]
    assert outcomes(page) == [(f"#{more.id}", "told, line 2"), (f"#{less.id}", "told, line 3")]
    assert "Nothing was asked, so importance orders" in page.text


def test_every_reason_in_words(project: Project, support: Agent) -> None:
    at = now()
    orders = make_agent(project, "orders")
    old = make_fact(project, "The window is 14 days.", agent=support)
    new = revised(project, old, "The window is 30 days.")
    cases = {
        make_fact(project, "The window was long.", agent=support, retired="wrong"): "retired on {now}: wrong",
        make_fact(project, "The window is held.", restricted="hold"): "held: somebody put it on hold",
        make_fact(project, "The window in spring.", expired=True): "expired on {before}",
        make_fact(project, "A window of May.", valid_to=at - timedelta(hours=1)): "no longer valid since {hour}",
        make_fact(project, "A window to come.", valid_from=at + timedelta(hours=1)): "not valid until {ahead}",
        make_fact(project, "A secret window.", sensitivity="special"): "special: above the ceiling personal",
        make_fact(project, "The window of orders.", agent=orders): "other scope: of the agent orders",
        make_fact(project, "His window.", user="bob"): "other scope: of the user bob",
    }
    page = look(login(project, "curator"), agent="support", q="window")
    found = dict(outcomes(page))
    assert found.pop(f"#{new.id}") == "told, line 2"
    assert re.fullmatch(rf"superseded on \d+ \w+ \d+ \d\d:\d\d UTC by #{new.id}", found.pop(f"#{old.id}"))
    assert {number: re.sub(r"\d+ \w{3} \d{4} \d\d:\d\d UTC", "…", said) for number, said in found.items()} == {
        f"#{fact.id}": re.sub(r"{\w+}", "…", said) for fact, said in cases.items()
    }


def test_the_readers_knobs_exclude_with_their_reasons(project: Project, support: Agent) -> None:
    policy = make_fact(project, "Refunds take five days.", category="policy", memory_type="procedural")
    billing = make_fact(
        project, "Refunds for billing.", category="policy", memory_type="procedural", purposes=["billing"]
    )
    nights = make_fact(project, "Refunds at night.", category="policy", memory_type="procedural", task_types=["night"])
    other = make_fact(project, "Refunds are liked.", category="taste", memory_type="procedural")
    meaning = make_fact(project, "Refunds exist.", category="policy")
    curator = login(project, "curator")
    page = look(curator, q="refunds", category="policy", memory_type="procedural")
    assert dict(outcomes(page)) == {
        f"#{policy.id}": "told, line 2",
        f"#{billing.id}": "only for the purpose billing",
        f"#{nights.id}": "only for the task type night",
        f"#{other.id}": "category taste: another was asked for",
        f"#{meaning.id}": "memory type semantic: another was asked for",
    }
    page = look(curator, q="refunds", category="policy", memory_type="procedural", purpose="billing", task_type="night")
    assert {said.split(",")[0] for _, said in outcomes(page)[:3]} == {"told"}


def test_nobody_sees_in_it_what_his_role_may_not(project: Project, support: Agent) -> None:
    open_one = make_fact(project, "Refunds are slow.", agent=support)
    make_fact(project, "Ada has an allergy to refunds.", user="ada", sensitivity="special")
    make_fact(project, "Refunds go to Rua das Flores.", user="ada", sensitivity="personal")
    make_fact(project, "refunds go to rua das flores", sensitivity="personal")
    learn(project, "t", "I prefer refunds by cheque.", user="ada")
    old = make_fact(project, "Lives near the refunds.", user="ada")
    secret = revised(project, old, "Lives in Porto, refunds in cash.", sensitivity="personal")
    for role in ("viewer", "admin"):
        page = look(login(project, role), user="ada", q="refunds", ceiling="special")
        assert dict(outcomes(page))[f"#{open_one.id}"] == "told, line 2"
        assert dict(outcomes(page))[f"#{old.id}"].endswith(f"by #{secret.id}")
        assert f"/facts/{secret.id}" not in page.text
        for words in ("allergy", "Flores", "flores", "Porto", "cheque"):
            assert words not in page.text
        assert "Facts marked personal or special are left out of this view" in page.text
        assert len(outcomes(page)) == 2
    page = look(login(project, "viewer"), user="ada", q="refunds", ceiling="internal")
    assert "left out of this view" not in page.text
    curator = login(project, "curator")
    masked = look(curator, user="ada", q="refunds").text
    assert not any(words in masked for words in ("Flores", "flores", "cheque")) and "Refunds are slow." in masked
    page = look(unmask(curator), user="ada", q="refunds")
    assert "Flores" in page.text and "left out of this view" not in page.text
    (waiting,) = [row for row in outcomes(page) if row[0].startswith("P-")]
    assert waiting[1] == "not approved yet: waits in Review"


def test_proposals_of_the_same_scopes_that_match(project: Project, support: Agent) -> None:
    learn(project, "t", "Our refund window is 30 days. We always ship on Tuesdays. I prefer email.", user="ada")
    learn(project, "u", "I prefer refunds by post.", user="bob")

    def waiting(client: Client, **knobs: Any) -> set[str]:
        page = look(client, **knobs)
        return {one.content for one in page.context["view"].waiting or []}

    curator = login(project, "curator")
    assert waiting(curator, q="What is the refund window?") == {"Our refund window is 30 days."}
    assert waiting(curator, q="email?", user="ada") == {"Prefers email."}
    assert waiting(curator, q="email?") == set()
    assert waiting(curator, user="ada") == {
        "Our refund window is 30 days.",
        "We always ship on Tuesdays.",
        "Prefers email.",
    }
    viewer = look(login(project, "viewer"), q="refund")
    assert viewer.context["view"].waiting is None and "30 days" not in viewer.text


def test_tokens_against_a_budget(project: Project, support: Agent) -> None:
    make_fact(project, "Of exactly thirty letters here.", importance=0.9)
    last = make_fact(project, "Does not fit any more, being long.", importance=0.1)
    page = look(login(project, "viewer"), budget=20)
    view = page.context["view"].prompt
    assert (view.tokens, view.over, view.within, view.cut) == (26, 6, 1, 3)
    assert sum(line.tokens for line in view.lines) == view.tokens
    assert prompt(page)[2] == "the budget of 20 tokens ends here"
    assert dict(outcomes(page))[f"#{last.id}"] == "told, line 3: over the budget"
    assert "26 of 20 tokens" in text(page.text) and "6 too many" in text(page.text)
    page = look(login(project, "viewer"))
    assert "26 of 1,000 tokens" in text(page.text) and "974 left" in text(page.text)


def test_as_a_key_would_be_told(project: Project, support: Agent) -> None:
    orders = make_agent(project, "orders")
    plain = make_fact(project, "Refunds take five days.", category="policy")
    taste = make_fact(project, "Refunds are liked.", category="taste")
    personal = make_fact(project, "Refunds to Ada.", user="ada", sensitivity="personal", category="policy")
    key, _ = make_key(
        project,
        ["facts:read", "facts:read:user"],
        name="backend",
        categories=["policy"],
        sensitivity_ceiling="internal",
        agents=[support],
    )
    everything = login(project, "curator", "admin")
    page = look(everything, agent="support", user="ada", q="refunds", key=key.id)
    assert dict(outcomes(page)) == {
        f"#{plain.id}": "told, line 2",
        f"#{taste.id}": "category taste: the key may not read it",
        f"#{personal.id}": "personal: above the ceiling internal",
    }
    # No knob opens what the key closes.
    page = look(everything, agent="support", user="ada", q="refunds", key=key.id, ceiling="special")
    assert dict(outcomes(page))[f"#{personal.id}"] == "personal: above the ceiling internal"
    assert "may not name the agent orders" in text(look(everything, agent="orders", key=key.id).text)
    for grants, said in (
        ({"revoked": True}, "revoked"),
        ({"expired": True}, "expired"),
        ({"scopes": ["traces:write"]}, "lacks the scope facts:read:"),
        ({"scopes": ["facts:read"]}, "lacks the scope facts:read:user"),
        ({"scopes": ["facts:read", "facts:read:user"], "purposes": ["billing"]}, "only for: billing."),
    ):
        other, _ = make_key(project, **grants)
        page = look(everything, agent=orders.name, user="ada", key=other.id)
        assert said in text(page.text) and "Refunds" not in page.text, said
    assert look(everything, key=999).status_code == 422
    for role in ("viewer", "curator"):
        page = look(login(project, role), key=key.id)
        assert page.status_code == 403 and "backend" not in page.text
        assert "backend" not in look(login(project, role)).text
    assert "backend" in look(login(project, "admin")).text


def test_a_fact_in_dispute_shows_what_the_agent_may_ask(project: Project, support: Agent) -> None:
    fact = make_fact(project, "Lives in Porto.", user="ada", attribute="home-city")
    with bind(project.id):
        Fact.objects.filter(id=fact.id).update(contested_at=now())
    page = look(login(project, "viewer"), user="ada")
    assert "Sources disagree on home city. Which one holds?" in page.text


def test_an_earlier_moment(project: Project, support: Agent) -> None:
    make_older(project, days=9)
    new = make_fact(project, "The window is 30 days.")
    old = past_fact(project, "The window is 14 days.", ago(days=3), superseded_at=now(), superseded_by=new)
    moment = now() - timedelta(days=1)
    page = look(login(project, "viewer"), q="window", at=f"{moment:%Y-%m-%dT%H:%M}")
    found = dict(outcomes(page))
    assert found[f"#{old.id}"] == "told, line 2"
    assert found[f"#{new.id}"].startswith("not approved before ")
    assert f"As of {moment.day} {moment:%b %Y %H:%M} UTC, read only." in text(page.text)
    for at, said in (
        (now() + timedelta(minutes=2), "As of: That moment is still to come."),
        (now() - timedelta(days=10), "As of: The project was made later, on "),
        ("yesterday", "As of: Has to look like 2026-11-03 09:00."),
    ):
        page = look(login(project, "viewer"), at=at if isinstance(at, str) else f"{at:%Y-%m-%dT%H:%M}")
        assert page.status_code == 422 and said in text(page.text) and "window" not in page.text


def test_a_read_without_its_embedder_says_so(project: Project, support: Agent, monkeypatch: pytest.MonkeyPatch) -> None:
    from apps.console.shaping import agent_view
    from apps.recall.question import Question

    make_fact(project, "Refunds take five days.")
    asked = Question("refunds", [], model="m", degraded="model_timeout")
    monkeypatch.setattr(agent_view, "question_of", lambda project_id, query: asked)
    page = look(login(project, "viewer"), q="refunds")
    assert "because the embedding model did not answer in time (model_timeout)" in page.text
    assert "a threshold has no effect" in page.text


def test_what_is_no_setting_is_said(project: Project, support: Agent) -> None:
    make_fact(project, "Refunds take five days.")
    viewer = login(project, "viewer")
    for knobs, said in (
        ({"limit": 0}, "Max facts: Has to be a number from 1 to 200."),
        ({"limit": "9" * 5_000}, "Max facts: Has to be a number from 1 to 200."),
        ({"threshold": "nan"}, "Threshold: Has to be a number from 0 to 1."),
        ({"budget": -1}, "Tokens: Has to be a number from 1 to 1,000,000."),
        ({"user": "*"}, "User: Has to name one user."),
        ({"agent": "nobody"}, "Agent: There is none of this name in this project."),
        ({"agent": "a\x00b"}, "Agent: Null characters are not allowed."),
        ({"ceiling": "secret"}, "Sensitivity up to: Select a valid choice."),
    ):
        page = look(viewer, **knobs)
        assert page.status_code == 422 and said in text(page.text), said
        assert "Refunds" not in page.text
        part = fragment(viewer, f"{URL}?{urlencode(knobs)}")
        assert part.status_code == 422 and said in text(part.text) and "<html" not in part.text


def test_empty_states(project: Project) -> None:
    curator = login(project, "curator")
    assert "No agent yet" in look(curator).text and "fa.connect(" in look(curator).text
    agent = make_agent(project, "support")
    page = look(curator, q="refunds")
    assert "Nothing to tell yet" in page.text and 'href="/p/acme/facts/new">Add a fact' in page.text
    assert "No message" in page.text
    assert "/facts/new" not in look(login(project, "viewer")).text
    make_fact(project, "Only held.", agent=agent, restricted="hold")
    page = look(curator)
    assert "No fact may be told" in page.text and "No message" in page.text
    # Whether somebody is known is not for every role.
    make_subject(project, "ada")
    assert "Nobody is known as bob" in text(look(curator, user="bob").text)
    assert "Nobody is known as" not in text(look(curator, user="ada").text)
    viewer = login(project, "viewer")
    assert "Nobody is known as" not in look(viewer, user="bob").text and 'value="ada"' not in look(viewer).text


def test_looking_leaves_no_trace(project: Project, support: Agent) -> None:
    make_fact(project, "Refunds take five days.", user="ada")
    client = login(project, "curator", "admin")
    before = state(project)
    look(client, user="ada", q="refunds")
    fragment(client, f"{URL}?user=ada")
    look(client, user="ada", q="refunds", at=f"{now():%Y-%m-%dT%H:%M:%S}")
    client.get(f"{URL}/case?user=ada&q=refunds")
    assert moved(before, state(project)) == set()
    with bind(project.id):
        assert ReadLedger.objects.count() == 0


def test_htmx_gets_the_results_alone(project: Project, support: Agent) -> None:
    make_fact(project, "Refunds take five days.")
    part = fragment(login(project, "viewer"), f"{URL}?agent=support")
    assert "<html" not in part.text and "<form" not in part.text and "Refunds take five days." in part.text
    assert "1 fact told, about 14 tokens" in between(part, 'id="live"', "</div>")


def test_links_lead_here(project: Project, support: Agent) -> None:
    viewer = login(project, "viewer")
    assert 'href="/p/acme/agent-view" data-hotkey="v"' in re.sub(r"\s+", " ", viewer.get("/p/acme/agents").text)
    page = viewer.get(f"/p/acme/agents/{support.id}").text
    assert 'href="/p/acme/agent-view?agent=support" data-hotkey="v"' in re.sub(r"\s+", " ", page)
    for query, leads_to in (
        ("", ""),
        ("?scope=user&scope_id=ada", "?user=ada"),
        ("?scope=agent&scope_id=support&q=refund", "?agent=support&q=refund"),
        ("?scope=session&scope_id=s1", ""),
    ):
        href = f'href="/p/acme/agent-view{leads_to}" data-hotkey="v"'.replace("&", "&amp;")
        assert href in re.sub(r"\s+", " ", viewer.get(f"/p/acme/facts{query}").text)
        part = re.sub(r"\s+", " ", fragment(viewer, f"/p/acme/facts{query}").text)
        assert f'{href} hx-swap-oob="true"' in part


def test_a_score_is_the_sum_of_its_parts(project: Project, support: Agent) -> None:
    make_fact(project, "Refunds take five days.", agent=support, importance=0.8, confidence=0.5)
    past_fact(project, "Refunds took ten days.", ago(days=90))
    view = look(login(project, "viewer"), q="How many days do refunds take?").context["view"]
    new, old = view.rows
    for row in (new, old):
        assert sum(part.adds for part in row.score.parts) == pytest.approx(row.score.total, abs=1e-3)
        assert [part.name for part in row.cells] == view.columns
        for part in row.score.parts:
            assert part.adds == pytest.approx(view.weights[part.name] * (part.value or 0))
    parts = {part.name: part for part in new.score.parts}
    assert (parts["importance"].adds, parts["confidence"].adds) == (pytest.approx(0.04), pytest.approx(0.015))
    assert parts["importance"].sum == "importance: 0.8 × 0.05"
    # Half as recent after one half-life.
    assert {part.name: part for part in old.score.parts}["recency"].adds == pytest.approx(0.025, abs=1e-3)
    # The best fills the bar, whose pieces follow each other.
    assert sum(part.width for part in new.score.parts) == pytest.approx(100, abs=0.1)
    ends = [part.start + part.width for part in new.score.parts]
    assert ends[:-1] == [pytest.approx(part.start, abs=0.02) for part in new.score.parts[1:]]


def test_long_lists_are_cut(project: Project, support: Agent, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("apps.console.shaping.agent_view.SHOWN", 2)
    for n in range(6):
        make_fact(project, f"Refund rule {n}.", importance=n / 10)
    page = look(login(project, "viewer"), q="refund", limit=1)
    assert [said for _, said in outcomes(page)] == ["told, line 2", "over the limit of 1", "over the limit of 1"]
    assert "and 3 more that scored less" in page.text and "1 told, 5 compared and not told" in text(page.text)


def test_many_parts_leave_room_for_the_statements(project: Project, support: Agent) -> None:
    old = make_fact(project, "Refunds took ten days.", user="U-77")
    revised(project, old, "Refunds take five days.")
    viewer, today = login(project, "viewer"), now()
    page = look(viewer, user="U-77", q=f"What of refunds did U-77 say on {today.day} {today:%B %Y}?")
    names = ["keyword", "named", "dated", "recency", "importance", "confidence", "confirmation", "authority"]
    assert page.context["view"].columns == names
    assert '<table class="grid reasons-t many">' in page.text
    assert "keyword 0." in text(page.text) and "named 0.08" in text(page.text)
    assert '<table class="grid reasons-t ">' in look(viewer, user="U-77", q="refunds").text
