"""Conflicts on the console: the list, the sides compared, the verdict by a form, and what agents are told since."""

import re
from datetime import timedelta
from typing import Any

import pytest
from django.test import Client

from apps.access.policies import POLICIES
from apps.audit.models import AuditEvent
from apps.core.clock import now
from apps.core.transactions import bind
from apps.curation.actions.open_conflict import open_conflict
from apps.curation.models import Change, Conflict, Proposal
from apps.curation.standing import seen_as, standing
from apps.facts.actions.revise_fact import revise_fact
from apps.facts.models import Fact
from apps.facts.statement import Statement
from apps.tenancy.models import Project
from tests.console.stage import HX, digests, login
from tests.curation.stage import learn, propose_one, stage, told, wish
from tests.factories import make_agent, make_fact, user_actor

pytestmark = pytest.mark.django_db

HOME = {"user": "ada", "attribute": "home-city"}


@pytest.fixture
def project() -> Project:
    return stage("one", "two")


@pytest.fixture
def curator(project: Project) -> Client:
    return login(project, "curator")


@pytest.fixture
def home(project: Project) -> tuple[Fact, Proposal, int]:
    """A fact, a proposal said thirty days later, and the number of their conflict."""
    fact = learn(project, wish(project, "Lives in Lisbon.", at=now() - timedelta(days=30), **HOME))
    proposal = propose_one(project, wish(project, "Lives in Porto.", trace="one", **HOME))
    with bind(project.id):
        return fact, proposal, Conflict.objects.get().id


def seen(project: Project, conflict_id: int) -> str:
    with bind(project.id):
        return seen_as(standing(project.id, conflict_id))


def text(answer: object) -> str:
    """The words of a page, without its marks."""
    body = re.sub(r"<(script|style|svg|template).*?</\1>", " ", answer.content.decode(), flags=re.DOTALL)
    return re.sub(r"\s+", " ", re.sub(r"<[^>]+>", " ", body))


def form_of(html: str) -> str:
    return re.search(r'<form class="opts".*?</form>', html, re.DOTALL)[0]


def test_the_list_names_subject_attribute_sides_and_leads_to_it(curator: Client, home: tuple) -> None:
    fact, proposal, number = home
    page = curator.get("/p/acme/conflicts")
    said = text(page)
    assert page.status_code == 200
    for words in (
        "1 open conflict",
        "Home city",
        "Lives in Lisbon.",
        f"#{fact.id}",
        "Lives in Porto.",
        proposal.number,
        "ada",
    ):
        assert words in said, words
    assert f'href="/p/acme/conflicts/{number}"' in page.content.decode()
    assert ">Conflicts<" in re.sub(r"\s+|<svg.*?</svg>", "", page.content.decode())
    for words, found in (("ada", 1), ("home city", 1), ("Home-City", 1), ("bob", 0), ("%", 0), ("ad", 0)):
        part = curator.get("/p/acme/conflicts", {"q": words}, HTTP_HX_TARGET="results", **HX)
        assert part.content.decode().count("<tr data-row") == found, words
        assert b"<html" not in part.content
    assert "No statements disagree" not in said
    assert "Nothing was settled yet" in text(curator.get("/p/acme/conflicts?state=settled"))


def test_page_after_page_by_position(project: Project, curator: Client) -> None:
    actor = user_actor(project, "curator")
    for number in range(9):
        facts = [make_fact(project, f"Number {number} is {word}.", attribute=f"n-{number}") for word in ("up", "down")]
        open_conflict(actor=actor, project_id=project.id, fact_ids=[fact.id for fact in facts])
    first = curator.get("/p/acme/conflicts").content.decode()
    assert first.count("<tr data-row") == 8
    older = re.search(r'href="([^"]*cursor=[^"]*)"', first)[1].replace("&amp;", "&")
    second = curator.get(older).content.decode()
    assert (second.count("<tr data-row"), "Number 0 is up." in second) == (1, True)


def test_a_name_finds_attribute_subject_agent_and_place_each_once(project: Project, curator: Client) -> None:
    actor, pair = user_actor(project, "curator"), ("up", "down")
    agent = make_agent(project, "ada")

    def put(number: int, **where: Any) -> int:
        ids = [make_fact(project, f"Number {number} is {word}.", **where).id for word in pair]
        return open_conflict(actor=actor, project_id=project.id, fact_ids=ids)[0].id

    mine = [
        put(1, attribute="ada"),
        put(2, user="ada", attribute="ada"),
        put(3, user="ada", attribute="mood"),
        put(4, agent=agent, attribute="mood"),
        put(5, scope="session", scope_id="ada", attribute="mood"),
    ]
    other = put(6, user="eve", attribute="mood")
    page = curator.get("/p/acme/conflicts", {"q": "ada"}).context
    assert [row["conflict"].id for row in page["rows"]] == mine[::-1] and page["total"] == 5
    assert [segment["count"] for segment in page["segment"]] == [5, 0]
    page = curator.get("/p/acme/conflicts", {"q": "mood"}).context
    assert [row["conflict"].id for row in page["rows"]] == [other, *mine[:1:-1]]
    assert page["rows"][0]["conflict"].subject.external_id == "eve"
    with bind(project.id):
        Conflict.objects.filter(id=mine[2]).update(settled_at=now(), settled_by="user:1", settlement="kept_one")
    page = curator.get("/p/acme/conflicts", {"q": "ada", "state": "settled"}).context
    assert [row["conflict"].id for row in page["rows"]] == [mine[2]]
    assert [segment["count"] for segment in page["segment"]] == [4, 1]


def test_side_by_side_in_one_row_order_with_a_suggestion_that_is_not_chosen(curator: Client, home: tuple) -> None:
    fact, proposal, number = home
    page = curator.get(f"/p/acme/conflicts/{number}")
    html, said = page.content.decode(), text(page)
    assert (
        f"Suggested: right, {proposal.number}. It was said 30 days later, and its source is trusted no less."
        " For the other speaks that a person approved it. Nothing is chosen until you choose." in said
    )
    labels = re.findall(r'<tr class="(df|sm)">\s*<th scope="row">.*?</svg>\s*([A-Z][a-z ]+?)\s*</th>', html, re.DOTALL)
    assert labels == [
        ("df", "Statement"), ("df", "Said"), ("df", "Evidence"), ("df", "Source"), ("df", "Approved by"),
        ("sm", "Said by"), ("sm", "Authority"), ("sm", "Confidence"), ("sm", "Heard"), ("sm", "Told"), ("sm", "Scope"),
        ("sm", "Sensitivity"), ("sm", "Holds"),
    ]  # fmt: skip
    assert "newer by 30 days" in said and "<mark>Lives in Lisbon.</mark>" in html
    assert 'type="radio"' in html and "checked" not in form_of(html)
    assert (
        f"Keep left, #{fact.id}" in said
        and f"{proposal.number} is rejected; agents go on being told #{fact.id}." in said
    )
    assert f"#{fact.id} is superseded; agents are told {proposal.number} from their next turn." in said
    for key in "1234":
        assert f'data-hotkey="{key}"' in html


def test_a_verdict_settles_says_what_agents_are_told_and_is_undone(
    project: Project, curator: Client, home: tuple
) -> None:
    _, proposal, number = home
    make_agent(project, "orders")
    path = f"/p/acme/conflicts/{number}"
    form = {"seen": seen(project, number), "verdict": f"p{proposal.id.hex}", "note": "She moved."}
    answer = curator.post(path, form)
    assert (answer.status_code, answer["Location"]) == (302, path)
    page = text(curator.get(path))
    assert told(project) == ["Lives in Porto."]
    for words in (
        f"Conflict {number} settled: one was kept.", "Undo z", "One was kept by you", "“ She moved. ”",
        "orders Lives in Porto.", "support Lives in Porto.", "in reads that name ada Lives in Lisbon.",
    ):  # fmt: skip
        assert words.replace(" ", "") in page.replace(" ", ""), words
    listed = text(curator.get("/p/acme/conflicts?state=settled"))
    assert "1 settled conflict" in listed and "One was kept" in listed
    with bind(project.id):
        change = Change.objects.get(verb="conflicts.settle")
    undone = curator.post(f"/p/acme/undo/{change.id}", {"next": path})
    assert undone["Location"] == path
    assert told(project) == ["Lives in Lisbon."]
    assert "Suggested: right" in text(curator.get(path))


def test_keep_both_by_time(project: Project, curator: Client, home: tuple) -> None:
    _, _, number = home
    path = f"/p/acme/conflicts/{number}"
    form = {"seen": seen(project, number), "verdict": "both"}
    page = curator.post(path, form)
    assert page.status_code == 422 and "Say how both can hold." in text(page)
    assert f'value="{form["seen"]}"' in page.content.decode()
    page = curator.post(path, form | {"how": "time", "until": ""})
    assert page.status_code == 422 and "Say on which day one ends and the other begins." in text(page)
    assert curator.post(path, form | {"how": "time", "until": "2026-03-01"}).status_code == 302
    with bind(project.id):
        spans = list(Fact.objects.current().order_by("content").values_list("content", "valid_from", "valid_to"))
    assert [(words, begins and f"{begins:%F}", ends and f"{ends:%F}") for words, begins, ends in spans] == [
        ("Lives in Lisbon.", None, "2026-03-01"), ("Lives in Porto.", "2026-03-01", None),
    ]  # fmt: skip


def test_keep_both_by_scope_and_a_third(project: Project, curator: Client, home: tuple) -> None:
    fact, proposal, number = home
    path, now_seen = f"/p/acme/conflicts/{number}", seen(project, number)
    places = {f"scope-f{fact.id}": "user", f"id-f{fact.id}": "ada", f"scope-p{proposal.id.hex}": "user"}
    form = {"seen": now_seen, "verdict": "both", "how": "place", **places}
    assert curator.post(path, form | {f"id-p{proposal.id.hex}": ""}).status_code == 422
    assert curator.post(path, form | {f"id-p{proposal.id.hex}": "bob"}).status_code == 302
    with bind(project.id):
        assert list(Fact.objects.current().order_by("id").values_list("content", "scope_id")) == [
            ("Lives in Lisbon.", "ada"), ("Lives in Porto.", "bob"),
        ]  # fmt: skip
        change = Change.objects.get(verb="conflicts.settle")
    curator.post(f"/p/acme/undo/{change.id}")
    form = {"seen": seen(project, number), "verdict": "write", "content": "Moved to Porto <b>now</b>."}
    assert curator.post(path, form).status_code == 302
    assert told(project) == ["Moved to Porto <b>now</b>."]
    assert "Moved to Porto &lt;b&gt;now&lt;/b&gt;." in curator.get(path).content.decode()


def test_a_side_that_moved_is_shown_fresh_with_409_and_nothing_changed(
    project: Project, curator: Client, home: tuple
) -> None:
    fact, _, number = home
    path, old = f"/p/acme/conflicts/{number}", seen(project, number)
    newer = revise_fact(
        actor=user_actor(project, "curator"),
        project_id=project.id,
        fact_id=fact.id,
        statement=Statement(content="Lives in Lisbon, Alfama.", scope="user", scope_id="ada", attribute="home-city"),
    )
    with bind(project.id):
        before = digests()
    page = curator.post(path, {"seen": old, "verdict": f"f{fact.id}", "note": "kept words"})
    assert page.status_code in {409, 422}
    page = curator.post(path, {"seen": old, "verdict": "write", "content": "Lives nowhere.", "note": "kept words"})
    assert page.status_code == 409
    html = page.content.decode()
    assert "A side changed since you read it; nothing was changed." in html
    assert "Lives in Lisbon, Alfama." in html and f'value="f{newer.id}' in html
    assert 'value="kept words"' in html and "Lives nowhere." in html and "checked" not in form_of(html)
    with bind(project.id):
        assert digests() == before


def test_a_settled_one_is_not_settled_again(project: Project, curator: Client, home: tuple) -> None:
    fact, _, number = home
    path, form = f"/p/acme/conflicts/{number}", {"seen": seen(project, number), "verdict": f"f{fact.id}"}
    assert curator.post(path, form).status_code == 302
    page = curator.post(path, form)
    assert page.status_code == 409 and "Your verdict changed nothing." in text(page)


def test_a_fact_leads_to_its_open_conflict(project: Project, curator: Client, home: tuple) -> None:
    fact, _, number = home
    assert curator.get(f"/p/acme/conflicts?fact={fact.id}")["Location"] == f"/p/acme/conflicts/{number}"
    newer = revise_fact(
        actor=user_actor(project, "curator"),
        project_id=project.id,
        fact_id=fact.id,
        statement=Statement(content="Lives in Lisbon, Alfama.", scope="user", scope_id="ada", attribute="home-city"),
    )
    assert curator.get(f"/p/acme/conflicts?fact={newer.id}")["Location"] == f"/p/acme/conflicts/{number}"
    assert curator.get("/p/acme/conflicts?fact=999999").status_code == 404
    row = curator.get("/p/acme/facts").content.decode()
    assert f'href="/p/acme/conflicts?fact={newer.id}"' in row
    drawer = curator.get(f"/p/acme/facts/{newer.id}").content.decode()
    assert f'href="/p/acme/conflicts?fact={newer.id}"' in drawer


def test_an_officer_reads_and_does_not_settle(project: Project, home: tuple) -> None:
    fact, _, number = home
    officer = login(project, "privacy_officer")
    page = officer.get(f"/p/acme/conflicts/{number}")
    assert page.status_code == 200 and "Settle conflict" not in text(page)
    form = {"seen": seen(project, number), "verdict": f"f{fact.id}"}
    assert officer.post(f"/p/acme/conflicts/{number}", form).status_code == 403
    assert officer.get("/p/acme/conflicts/0").status_code == 404
    with bind(project.id):
        assert Conflict.objects.get().settled_at is None


def test_personal_sides_are_masked_on_the_list_until_they_are_shown_on_record(
    project: Project, curator: Client
) -> None:
    agent = make_agent(project, "billing")
    one = make_fact(project, "Lives in Kaunas.", user="ada", sensitivity="personal")
    two = make_fact(project, "Ships to Lithuania.", user="ada", agent=agent)
    open_conflict(actor=user_actor(project, "curator"), project_id=project.id, fact_ids=[one.id, two.id])
    page = curator.get("/p/acme/conflicts?q=ada").content.decode()
    assert "Kaunas" not in page and "Masked personal fact" in page and "Ships to Lithuania." in page
    back = curator.post("/p/acme/facts/masking", {"show": "1", "next": "/p/acme/conflicts?q=ada"})
    assert (back.status_code, back["Location"]) == (302, "/p/acme/conflicts?q=ada")
    assert "Lives in Kaunas." in curator.get("/p/acme/conflicts?q=ada").content.decode()
    with bind(project.id):
        assert AuditEvent.objects.filter(verb="facts.unmask").count() == 1


def test_who_reads_conflicts_and_duplicates_may_read_what_is_personal() -> None:
    for role in POLICIES["proposals.read"].roles:
        assert role in POLICIES["facts.read_personal"].roles
