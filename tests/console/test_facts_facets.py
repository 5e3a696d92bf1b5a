"""The facets of the list of facts: their choices, and how many facts each leads to."""

import re
from html import unescape

import pytest
from django.db import connection
from django.http import HttpResponse
from django.test.utils import CaptureQueriesContext

from apps.facts import facets
from apps.tenancy.models import Project
from tests.console.pages import fragment, link, numbers, revised, scopes, text
from tests.console.stage import login
from tests.factories import make_agent, make_fact, make_project

pytestmark = pytest.mark.django_db
URL = "/p/acme/facts/facets"


@pytest.fixture
def project() -> Project:
    return make_project("acme")


def menu(page: HttpResponse, name: str) -> str:
    """The choices of a menu with their counts."""
    return text(page.text.split(f">{name}</legend>")[1].split("</fieldset>")[0])


def places(page: HttpResponse) -> str:
    return text(page.text.split('id="places"')[1].split(">", 1)[1].split("</div>")[0])


def test_scopes_count_under_the_rest_of_the_filter(project: Project) -> None:
    support, sales = make_agent(project, "support"), make_agent(project, "sales")
    for content, where in (
        ("Tea is green.", {"agent": support}),
        ("Tea is black.", {"agent": sales}),
        ("Tea for all.", {}),
        ("Coffee for all.", {}),
        ("Drinks tea.", {"user": "alice"}),
        ("Tea in this build.", {"scope": "other", "scope_id": "pr:456"}),
    ):
        make_fact(project, content, **where)
    curator = login(project, "curator")

    assert scopes(curator.get(URL)) == "All 6 Users 1 Project 2 Agents 2 Other 1"
    assert scopes(curator.get(f"{URL}?q=TEA")) == "All 5 Users 1 Project 1 Agents 2 Other 1"
    page = curator.get(f"{URL}?q=tea&scope=agent")
    assert scopes(page) == "All 5 Users 1 Project 1 Agents 2 Other 1"
    assert places(page) == "sales 1 support 1"
    one = curator.get(f"{URL}?scope=agent&scope_id=sales")
    assert scopes(one) == "All 6 Users 1 Project 2 Agents 2 Other 1"
    assert places(one) == "sales 1 support 1"
    listed = curator.get("/p/acme/facts?scope=agent&scope_id=sales&q=is")
    assert "Filtered by Remove filter agent sales Clear all" in text(listed.text) and len(numbers(listed)) == 1


def test_each_facet_counts_without_its_own_choice(project: Project) -> None:
    make_fact(project, "One.", category="billing", memory_type="episodic")
    make_fact(project, "Two.", category="billing", sensitivity="public", restricted="hold")
    make_fact(project, "Three.", confidence=0.3)
    revised(project, make_fact(project, "Four."), "Five.")
    curator = login(project, "curator")

    page = curator.get(URL)
    assert menu(page, "Source") == "manual 4 learned 0 dream 0 import 0 agent 0"
    assert menu(page, "Sensitivity") == "public 1 internal 3 personal 0 special 0"
    assert menu(page, "Category") == "billing 2 general 2"
    assert menu(page, "Type") == "semantic 3 episodic 1 procedural 0 preference 0"
    assert menu(page, "Status") == "Any Active 3 Held back 1 Outside its time 0 Superseded 1 Retired 0"
    page = curator.get(f"{URL}?category=billing&sensitivity=public&category=odd")
    assert menu(page, "Category") == "general 0 billing 1 odd 0".replace("general 0 ", "")
    assert menu(page, "Sensitivity") == "public 1 internal 1 personal 0 special 0"
    assert re.findall(r'value="(\w+)"\s+checked', page.text) == ["public", "billing", "odd"]
    page = curator.get(f"{URL}?conf_max=0.5")
    assert menu(page, "Category") == "general 1"
    page = curator.get(f"{URL}?superseded=1&status=superseded")
    assert menu(page, "Category") == "general 1" and menu(page, "Status").endswith("Superseded 1 Retired 0")


def test_what_a_reader_may_not_see_is_in_no_count(project: Project) -> None:
    make_fact(project, "Lovelace lives in Rome.", user="lovelace", sensitivity="personal")
    make_fact(project, "All know this.")
    page = login(project, "viewer").get(URL)
    assert scopes(page) == "All 1 Users 0 Project 1 Agents 0" and "lovelace" not in page.text.lower()
    assert menu(page, "Sensitivity") == "public 0 internal 1"


def test_scope_ids_are_found_by_a_part_and_lead_to_the_list(project: Project) -> None:
    for name in ("ada", "Adam", "grace"):
        make_fact(project, f"About {name}.", user=name)
    curator = login(project, "curator")
    part = fragment(curator, f"{URL}?scope=user&find=DA", "places")
    assert text(part.text) == "Adam 1 ada 1" and "Status" not in part.text
    href = re.search(r'href="([^"]+)"', part.text)
    assert href and unescape(href[1]) == "/p/acme/facts?scope=user&scope_id=Adam"
    assert text(fragment(curator, f"{URL}?find=%25", "places").text) == "None among the newest facts"


def test_among_many_the_newest_are_counted(project: Project, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(facets, "LOOKED_AT", 3)
    make_fact(project, "Old.", category="rare")
    for n in range(4):
        make_fact(project, f"Fact {n}.")
    page = login(project, "curator").get(URL)
    assert scopes(page) == "All 3+ Users Project 3+ Agents"
    assert menu(page, "Category") == "general 3+"
    monkeypatch.setattr(facets, "MOST", 2)
    assert scopes(login(project, "curator").get(URL)) == "All 2+ Users Project 2+ Agents"


def test_it_asks_three_things_at_most(project: Project) -> None:
    make_fact(project, "One.", user="ada")
    curator = login(project, "curator")
    for query in ("", "?q=one", "?scope=user&scope_id=ada", "?served=never"):
        with CaptureQueriesContext(connection) as captured:
            curator.get(URL + query)
        assert 1 <= sum("facts_" in query["sql"] for query in captured.captured_queries) <= 3


def test_without_scripts_the_page_has_them_on_request(project: Project) -> None:
    make_fact(project, "One.", category="billing", user="ada")
    curator = login(project, "curator")
    page = curator.get("/p/acme/facts?q=one")
    assert scopes(page) == "All Users Project Agents" and menu(page, "Category") == ""
    assert link(page, "Show all with counts") == "/p/acme/facts?q=one&facets=1"
    whole = curator.get("/p/acme/facts?q=one&facets=1")
    assert scopes(whole) == "All 1 Users 1 Project 0 Agents 0" and menu(whole, "Category") == "billing 1"
    assert places(whole) == "ada 1"
