"""Changing several facts from the list: what is asked first, what is done, what is left and how it is said."""

from datetime import timedelta
from typing import Any

import pytest
from django.http import HttpResponse
from django.test import Client

from apps.core.clock import now
from apps.core.transactions import bind
from apps.curation.models import Change
from apps.facts.models import Fact
from apps.tenancy.models import Project
from tests.console.pages import text, told
from tests.console.stage import login, moved, state
from tests.factories import make_agent, make_fact, make_project

pytestmark = pytest.mark.django_db
URL = "/p/acme/facts/bulk"


@pytest.fixture
def project() -> Project:
    project = make_project("acme")
    make_agent(project, "support")
    return project


@pytest.fixture
def curator(project: Project) -> Client:
    return login(project, "curator")


def send(client: Client, act: str, facts: list[Fact], **more: Any) -> HttpResponse:
    return client.post(URL, {"act": act, "ids": [fact.id for fact in facts]} | more)


def confirm(client: Client, page: HttpResponse, **more: str) -> HttpResponse:
    """The button of the page that asks, pressed."""
    hidden = page.text.split('<form class="form" method="post">')[1]
    values = {
        name: hidden.split(f'name="{name}" value="', 1)[1].split('"', 1)[0].replace("&amp;", "&")
        for name in ("act", "picked", "list", "confirmed")
    }
    return client.post(URL, values | more)


def rows(project: Project) -> dict[str, Fact]:
    with bind(project.id):
        return {fact.content: fact for fact in Fact.objects.order_by("id")}


def test_a_light_act_is_done_at_once_and_can_be_undone(project: Project, curator: Client) -> None:
    one, two, three = (make_fact(project, f"{name}.") for name in "ABC")
    answer = send(curator, "sensitivity:personal", [one, two], shown="3", list="?q=.")
    assert (answer.status_code, answer["Location"]) == (302, "/p/acme/facts?q=.")
    assert {name: fact.sensitivity for name, fact in rows(project).items()} == {
        "A.": "personal", "B.": "personal", "C.": "internal",
    }  # fmt: skip
    page = curator.get(answer["Location"])
    assert told(page) == "2 facts marked personal. Undo z"
    with bind(project.id):
        change = Change.objects.get()
    curator.post(f"/p/acme/undo/{change.id}", {"next": answer["Location"]})
    assert told(curator.get("/p/acme/facts")) == "2 taken back."
    assert {fact.sensitivity for fact in rows(project).values()} == {"internal"}
    assert three.sensitivity == "internal"


@pytest.mark.parametrize(
    ("act", "expected", "said"),
    [
        ("pin", {"pinned": True}, "#{id} pinned. Undo z"),
        ("expiry:never", {"expires_at": None}, "#{id} never expires. Undo z"),
    ],
)
def test_one_fact_is_named(project: Project, curator: Client, act: str, expected: dict[str, Any], said: str) -> None:
    fact = make_fact(project, "A.", expires_at=now() + timedelta(days=1))
    answer = send(curator, act, [fact], list=f"?open={fact.id}")
    assert answer["Location"] == f"/p/acme/facts?open={fact.id}"
    assert {name: getattr(rows(project)["A."], name) for name in expected} == expected
    assert told(curator.get(answer["Location"])) == said.format(id=fact.id)


def test_the_expiry_is_so_many_days_from_now(project: Project, curator: Client) -> None:
    fact = make_fact(project, "A.")
    send(curator, "expiry:30", [fact])
    expires = rows(project)["A."].expires_at
    assert expires is not None and abs(expires - now() - timedelta(days=30)) < timedelta(minutes=1)


def test_a_whole_page_is_asked_about_first(project: Project, curator: Client) -> None:
    facts = [make_fact(project, f"{name}.") for name in "AB"]
    before = state(project)
    page = send(curator, "pin", facts, shown="2", list="?scope=project")
    assert page.status_code == 200 and "Pin 2 facts" in text(page.text)
    assert state(project) == before
    answer = confirm(curator, page)
    assert answer["Location"] == "/p/acme/facts?scope=project"
    assert [fact.pinned for fact in rows(project).values()] == [True, True]


def test_what_ends_something_is_always_asked_about(project: Project, curator: Client) -> None:
    fact = make_fact(project, "A.")
    for act in ("retire:stale", "disable"):
        before = state(project)
        page = send(curator, act, [fact])
        assert page.status_code == 200 and "Agents are no longer told." in text(page.text)
        assert state(project) == before
    answer = confirm(curator, send(curator, "retire", [fact]), reason="stale")
    assert told(curator.get(answer["Location"])) == f"#{fact.id} retired as stale. Undo z"
    assert rows(project)["A."].retired_reason == "stale"


def test_who_can_not_is_said_and_the_rest_goes_on(project: Project, curator: Client) -> None:
    free, held = make_fact(project, "A."), make_fact(project, "B.", restricted="hold")
    gone = make_fact(project, "C.", retired="wrong")
    page = send(curator, "disable", [free, held, gone])
    shown = text(page.text)
    assert "Only 1 of 3 selected can do this; continue with 1." in shown
    assert f"#{held.id} It is restricted for another reason" in shown
    assert "Switch off 1 fact" in shown
    answer = confirm(curator, page)
    assert told(curator.get(answer["Location"])) == f"#{free.id} switched off. Undo z"
    assert rows(project)["B."].restricted_reason == "hold"


def test_what_failed_stays_ticked_with_its_reason(project: Project, curator: Client) -> None:
    here, other = make_fact(project, "Ships free."), make_fact(project, "Is open on Sundays.")
    there = make_fact(project, "Ships free.", user="ada")
    page = send(curator, "move", [here, other])
    assert page.status_code == 200 and "Move 2 facts" in text(page.text)
    answer = confirm(curator, page, scope="user", scope_id="ada", agent_name="")
    shown = curator.get(answer["Location"])
    assert told(shown) == f"1 fact moved to user ada as #{rows(project)['Is open on Sundays.'].id}, 1 failed. Undo z"
    row = shown.text.split(f'id="f{here.id}"')[1].split("</tr>")[0]
    assert "checked" in row and f"Fact #{there.id} says this already." in text(row)
    assert shown.text.count("Fact #") == 2  # in the row, and above the list
    # Once: the next look has it no more.
    assert "says this already" not in curator.get(answer["Location"]).text


def test_all_that_match_the_filter(project: Project, curator: Client) -> None:
    for number in range(60):
        make_fact(project, f"Rule {number}.")
    make_fact(project, "Another thing.")
    first = rows(project)["Rule 0."]
    page = send(curator, "sensitivity:public", [first], all="1", shown="50", list="?q=rule")
    assert "Set the sensitivity of 60 facts" in text(page.text) and "and 48 more" in text(page.text)
    answer = confirm(curator, page, sensitivity="public")
    assert told(curator.get(answer["Location"])) == "60 facts marked public. Undo z"
    assert {name: fact.sensitivity for name, fact in rows(project).items() if fact.sensitivity != "public"} == {
        "Another thing.": "internal"
    }


def test_the_cap_is_said(project: Project, curator: Client, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("apps.console.views.facts.bulk_page.MOST", 2)
    for name in "ABC":
        make_fact(project, f"{name}.")
    page = send(curator, "pin", [rows(project)["A."]], all="1")
    assert "More facts match than are changed at once." in text(page.text) and "Pin 2 facts" in text(page.text)
    confirm(curator, page)
    assert [name for name, fact in rows(project).items() if fact.pinned] == ["B.", "C."]


def test_several_become_one(project: Project, curator: Client) -> None:
    one, two = make_fact(project, "Ships free."), make_fact(project, "Shipping is free.")
    page = send(curator, "merge", [one, two])
    assert "Ships free.</textarea>" in page.text
    empty = confirm(curator, page, content=" ")
    assert empty.status_code == 422 and "A fact needs words." in text(empty.text)
    answer = confirm(curator, page, content="Ships free of charge.")
    merged = rows(project)["Ships free of charge."]
    assert answer["Location"] == f"/p/acme/facts?open={merged.id}"
    assert told(curator.get(answer["Location"])) == f"2 facts merged into #{merged.id}. Undo z"


def test_what_can_not_be_merged_says_why(project: Project, curator: Client) -> None:
    one, two = make_fact(project, "Ships free."), make_fact(project, "Shipping is free.", user="ada")
    page = send(curator, "merge", [one, two])
    assert page.status_code == 422
    assert "These are told to different readers. Move them to one scope first." in text(page.text)
    assert '<form class="form"' not in page.text


@pytest.mark.parametrize(
    ("act", "more", "status", "said"),
    [
        ("burn", {}, 400, "There is no such act."),
        ("sensitivity:secret", {}, 422, "Select a valid choice."),
        ("expiry", {"when": "at", "confirmed": "1"}, 422, "Say when."),
        ("expiry", {"when": "at", "expires_at": "2020-01-01T00:00", "confirmed": "1"}, 422, "This is over already."),
        ("move", {"scope": "user", "scope_id": "", "confirmed": "1"}, 422, "needs an id"),
        ("move", {"scope": "agent", "agent_name": "", "confirmed": "1"}, 422, "Choose the agent that is told."),
        ("retire", {"reason": "merged", "confirmed": "1"}, 422, "Select a valid choice."),
    ],
)
def test_what_is_not_understood_changes_nothing(
    project: Project, curator: Client, act: str, more: dict[str, str], status: int, said: str
) -> None:
    fact = make_fact(project, "A.")
    before = state(project)
    page = send(curator, act, [fact], **more)
    assert page.status_code == status and said in text(page.text)
    assert state(project) == before


def test_nothing_picked_changes_nothing(project: Project, curator: Client) -> None:
    fact = make_fact(project, "A.")
    before = state(project)
    answer = curator.post(URL, {"act": "pin", "ids": ["x", "999999999"]})
    assert told(curator.get(answer["Location"])) == "Nothing was picked, so nothing was changed."
    assert moved(before, state(project)) == set()
    assert fact.pinned is False


def test_who_may_not_has_no_boxes(project: Project) -> None:
    make_fact(project, "A.")
    assert "data-select" in login(project, "curator").get("/p/acme/facts").text
    page = login(project, "viewer").get("/p/acme/facts").text
    assert "data-select" not in page and "toolbar" not in page


def test_a_stored_text_stays_text(project: Project, curator: Client) -> None:
    fact = make_fact(project, '<img src=x onerror="alert(1)"> & “quotes”')
    page = send(curator, "retire", [fact], list="?q=%22%3E%3Cb%3E&scope_id=a%7Cb")
    assert "<img src=x" not in page.text and "&lt;img src=x" in page.text
    assert 'value="?q=%22%3E%3Cb%3E&amp;scope_id=a%7Cb"' in page.text
