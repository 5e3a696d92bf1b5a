"""The list of facts: what it shows to whom, its filters and counts, its pages and its drawer."""

import re
from datetime import UTC, datetime
from html import unescape

import pytest
from django.test.utils import CaptureQueriesContext
from pytest_django import DjangoAssertNumQueries

from apps.core.transactions import bind, local_setting
from apps.facts.append import Origin
from apps.facts.models import Fact
from apps.tenancy.models import Project
from tests.console.pages import count, fragment, link, numbers, revised, rows, scopes, text
from tests.console.stage import login, push
from tests.factories import make_agent, make_fact, make_project
from tests.spans import run_of, trace_id

pytestmark = pytest.mark.django_db
URL = "/p/acme/facts"
TRACE = trace_id("run")


@pytest.fixture
def project() -> Project:
    return make_project("acme")


def learned(project: Project) -> Origin:
    push(project, run_of("run", "Hello."))
    return Origin(source="learned", speaker="user", trust=3, source_trace_id=TRACE)


def test_the_page_and_the_part_show_the_same_rows_newest_first(project: Project) -> None:
    support = make_agent(project, "support")
    old = make_fact(project, "Refunds take five days.", agent=support, confidence=0.74)
    origin = learned(project)
    new = make_fact(project, "Prefers email.", user="alice", origin=origin, confidence=0.4)
    curator = login(project, "curator")

    page, part = curator.get(URL), fragment(curator, URL)

    assert (page.status_code, part.status_code) == (200, 200)
    assert rows(page) == rows(part)
    assert rows(page) == [
        (new.id, f"Prefers email. #{new.id} user: alice 0.40 {TRACE[:8]} – now"),
        (old.id, f"Refunds take five days. #{old.id} agent: support 0.74 manual – now"),
    ]
    assert f'href="/p/acme/traces/{TRACE}"' in page.text
    assert count(page) == count(part) == "2 current"
    assert "<!DOCTYPE html>" in page.text and "<!DOCTYPE html>" not in part.text
    assert "1–2 of 2" in page.text and "1–2 of 2" in part.text
    # Beside the results htmx gets the count and the sentence that is read out, nothing more.
    assert re.findall(r'id="(\w+)" hx-swap-oob', part.text) == ["count", "live"]
    assert "2 facts found</div>" in part.text
    assert "<title>" in part.text and text(part.text).startswith("2 facts · Acme")
    for response in (page, part):
        assert response["Cache-Control"] == "no-store"
        assert "HX-Request" in response["Vary"]


def test_a_part_with_another_name_is_the_whole_page(project: Project) -> None:
    assert "<!DOCTYPE html>" in fragment(login(project, "curator"), URL, "elsewhere").text


def test_the_scope_facet_counts_under_the_rest_of_the_filter(project: Project) -> None:
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
    assert [words for _, words in rows(page)] == [
        f"Tea is black. #{numbers(page)[0]} agent: sales 1.00 manual – now",
        f"Tea is green. #{numbers(page)[1]} agent: support 1.00 manual – now",
    ]
    assert count(page) == "2 current found"
    one = fragment(curator, f"{URL}?scope=agent&scope_id=sales&q=is")
    assert [words.split(" #")[0] for _, words in rows(one)] == ["Tea is black."]
    assert "Filtered by Remove filter agent sales Clear all" in text(one.text)
    assert scopes(one) == "All 3 Users 0 Project 0 Agents 2 Other 1"


def test_source_category_and_sensitivity_are_facets(project: Project) -> None:
    origin = learned(project)
    first = make_fact(project, "One.", origin=origin, category="billing")
    second = make_fact(project, "Two.", category="billing", sensitivity="public")
    third = make_fact(project, "Three.")
    curator = login(project, "curator")

    page = curator.get(URL)
    assert "Source learned 1 manual 2" in text(page.text).replace("manual 2 learned 1", "learned 1 manual 2")
    assert "Category billing 2 general 1" in text(page.text)
    assert "Sensitivity internal 2 public 1" in text(page.text)
    assert numbers(curator.get(f"{URL}?source=manual")) == [third.id, second.id]
    page = curator.get(f"{URL}?source=manual&category=billing")
    assert numbers(page) == [second.id]
    # The facet's own choice doesn't narrow its own counts.
    assert "Source manual manual 1 learned 1" in text(page.text)
    assert "Remove filter source manual" in text(page.text)
    assert numbers(curator.get(f"{URL}?category=billing")) == [second.id, first.id]
    assert numbers(curator.get(f"{URL}?sensitivity=public")) == [second.id]


def test_superseded_ones_are_shown_on_request_and_say_by_what(project: Project) -> None:
    support = make_agent(project, "support")
    old = make_fact(project, "The window is 14 days.", agent=support)
    new = revised(project, old, "The window is 30 days.")
    stale = make_fact(project, "The rota is in the wiki.", agent=support, retired="stale")
    lost = make_fact(project, "The shop is in Rome.", agent=support)
    gone = revised(project, lost, "The shop is in Oslo.")
    with bind(project.id), local_setting("app.erasing", "test"):
        Fact.objects.filter(project_id=project.id, id=gone.id).delete()
    curator = login(project, "curator")

    page = curator.get(URL)
    assert numbers(page) == [new.id]
    assert count(page) == "1 current, 2 superseded, 1 retired"

    page = curator.get(f"{URL}?superseded=1")
    assert [(number, words.split(" agent:")[0]) for number, words in rows(page)] == [
        (lost.id, f"The shop is in Rome. #{lost.id} superseded → (erased)"),
        (stale.id, f"The rota is in the wiki. #{stale.id} retired: stale"),
        (new.id, f"The window is 30 days. #{new.id}"),
        (old.id, f"The window is 14 days. #{old.id} superseded → #{new.id}"),
    ]
    assert re.findall(r'id="f(\d+)"\s+class="\s*gone"', page.text) == [str(lost.id), str(stale.id), str(old.id)]
    assert f'<a href="/p/acme/facts/{new.id}?superseded=1">#{new.id}</a>' in page.text
    assert scopes(page) == "All 4 Users 0 Project 0 Agents 4"
    assert "checked" in page.text.split('name="superseded"')[1].split(">")[0]


def test_labels_say_what_the_words_do_not(project: Project) -> None:
    make_fact(project, "Later.", expires_at=datetime(2031, 3, 2, 12, tzinfo=UTC))
    make_fact(project, "Over.", expired=True)
    make_fact(project, "Held.", restricted="hold")
    make_fact(project, "Mine.", sensitivity="personal", valid_from=datetime(2031, 1, 1, tzinfo=UTC))
    page = login(project, "curator").get(URL)
    assert [re.sub(r" #\d+", "", words).split(" project:")[0] for _, words in rows(page)] == [
        "Mine. not valid yet personal",
        "Held. restricted, on hold",
        "Over. expired",
        "Later. expires 2 Mar 2031",
    ]


def test_pages_lead_to_older_and_back_to_newer_facts(project: Project) -> None:
    facts = [make_fact(project, f"Fact number {n}.") for n in range(1, 121)]
    ids = [fact.id for fact in reversed(facts)]
    curator = login(project, "curator")

    first = curator.get(URL)
    assert (numbers(first), link(first, "Newer")) == (ids[:50], None)
    assert "1–50 of 120" in first.text
    second = fragment(curator, link(first, "Older") or "")
    assert numbers(second) == ids[50:100] and "51–100 of 120" in second.text
    third = curator.get(link(second, "Older") or "")
    assert (numbers(third), link(third, "Older")) == (ids[100:], None)
    assert "101–120 of 120" in third.text
    assert numbers(curator.get(link(third, "Newer") or "")) == ids[50:100]
    # The way back from an open fact keeps the page.
    row = re.search(r'hx-push-url="(/[^"]+)"', third.text)
    assert row and numbers(curator.get(unescape(row[1]))) == ids[100:]

    cursor = (link(first, "Older") or "").split("cursor=")[1]
    for other in (f"{URL}?cursor=nonsense", f"{URL}?cursor={cursor}x", f"{URL}?q=number&cursor={cursor}"):
        assert curator.get(other).status_code == 400
        assert fragment(curator, other).status_code == 400
    assert "Start again" in curator.get(f"{URL}?cursor=nonsense").text
    # Nor is a cursor good for a reader with other rights.
    assert login(project, "viewer").get(f"{URL}?cursor={cursor}").status_code == 400


@pytest.mark.parametrize(
    "wrong", ["scope=everybody", "source=rumour", "sensitivity=secret", "served=often", "open=x", "open=-1", "open=²"]
)
def test_what_is_no_choice_is_refused_and_not_ignored(project: Project, wrong: str) -> None:
    curator = login(project, "curator")
    assert curator.get(f"{URL}?{wrong}").status_code == 400
    assert curator.get(f"{URL}?unknown=parameter&q=%00&category=none").status_code == 200


def test_the_open_fact_stands_beside_the_list_without_scripts(project: Project) -> None:
    fact, other = make_fact(project, "Parcels go to the dock."), make_fact(project, "Letters go to the desk.")
    curator = login(project, "curator")
    page = curator.get(f"{URL}?q=go&open={fact.id}")
    assert numbers(page) == [other.id, fact.id]
    assert re.search(rf'id="f{fact.id}"\s+class="open\s*"', page.text)
    drawer = page.text.split('id="drawer"')[1]
    assert "Parcels go to the dock." in drawer and 'href="/p/acme/facts?q=go"' in drawer
    assert "No such fact" in curator.get(f"{URL}?open=99999999999999999999").text
    assert 'id="drawer"' in curator.get(URL).text and "d-head" not in curator.get(URL).text


UGLY = [
    "<img src=x onerror=alert(1)>",
    "{{7*7}} {% load x %}",
    "שלום (abc) 30 ש״ח.",
    "'; DROP TABLE facts_fact; --",
    "A & B <b>“bold”</b>",
]


def test_text_from_strangers_is_shown_as_it_is(project: Project) -> None:
    agent = make_agent(project, "<i>agent</i>")
    facts = [make_fact(project, content, agent=agent, category="<u>x</u>") for content in UGLY]
    curator = login(project, "curator")
    page = curator.get(f"{URL}?open={facts[0].id}")
    assert [words.split(" #")[0] for _, words in reversed(rows(page))] == UGLY
    whole = page.text + curator.get(f"{URL}?q=<script>alert(1)</script>&scope=agent&scope_id=<i>").text
    for markup in ("<img", "<i>", "<b>“", "<u>", "<script>alert"):
        assert markup not in whole
    assert 'style="' not in whole and "onclick" not in whole and "javascript:" not in whole


def test_the_number_of_statements_does_not_grow_with_the_rows(
    project: Project, django_assert_num_queries: DjangoAssertNumQueries
) -> None:
    curator = login(project, "curator")
    for n in range(100):
        make_fact(project, f"Fact {n}.", user=f"user {n}")
        if n in (9, 99):
            # Who asks, the binding and the frame; one for how often the rows were told; the list's own are two: its counts
            # and its rows.
            with django_assert_num_queries(10) as captured:
                page = curator.get(f"{URL}?superseded=1")
            assert len(rows(page)) == min(n + 1, 50)
            assert len(_own(captured)) == 2
    older = re.search(r'href="([^"]+)"[^>]*>Older', page.text)
    assert older
    with django_assert_num_queries(11) as captured:
        curator.get(unescape(older[1]))
    assert len(_own(captured)) == 3


def _own(captured: CaptureQueriesContext) -> list[str]:
    return [query["sql"] for query in captured.captured_queries if 'FROM "facts_fact"' in query["sql"]]
