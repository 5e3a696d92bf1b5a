"""The list of facts: what it shows to whom, its filters and counts, its pages and its drawer."""

import re
from datetime import UTC, datetime, timedelta
from html import escape, unescape
from urllib.parse import parse_qsl, urlencode, urlsplit

import pytest
from pytest_django import Settings

from apps.audit.models import AuditEvent
from apps.core.transactions import bind, local_setting
from apps.facts.append import Origin
from apps.facts.models import Fact
from apps.tenancy.models import Project
from tests.console.pages import count, fragment, link, numbers, revised, rows, text
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
    assert count(page) == count(part) == "2"
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


def test_a_filter_of_several_values_narrows_the_list_and_is_taken_back_by_its_chips(project: Project) -> None:
    origin = learned(project)
    first = make_fact(project, "One.", origin=origin, category="billing")
    second = make_fact(project, "Two.", category="billing", sensitivity="public")
    third = make_fact(project, "Three.")
    curator = login(project, "curator")

    assert numbers(curator.get(f"{URL}?source=manual")) == [third.id, second.id]
    page = curator.get(f"{URL}?source=manual&category=billing")
    assert numbers(page) == [second.id] and count(page) == "1 found"
    assert "Remove filter source manual" in text(page.text) and "Remove filter category billing" in text(page.text)
    assert numbers(curator.get(f"{URL}?category=billing")) == [second.id, first.id]
    assert numbers(curator.get(f"{URL}?sensitivity=public")) == [second.id]
    both = curator.get(f"{URL}?source=manual&source=learned&category=general&category=billing&type=semantic")
    assert numbers(both) == [third.id, second.id, first.id]
    taken = re.findall(r'<a class="chip" href="([^"]+)"', both.text)
    assert [unescape(href).partition("?")[2] for href in taken] == [
        "source=learned&category=general&category=billing&type=semantic",
        "source=manual&category=general&category=billing&type=semantic",
        "source=manual&source=learned&category=billing&type=semantic",
        "source=manual&source=learned&category=general&type=semantic",
        "source=manual&source=learned&category=general&category=billing",
    ]
    # What is ticked is sent again with the next change.
    for value in ("manual", "learned", "general", "billing", "semantic"):
        box = re.search(rf'<input type="checkbox"[^>]*value="{value}"[^>]*>', both.text)
        assert box and "checked" in box[0]


def test_any_characters_in_a_filter_survive_a_reload(project: Project) -> None:
    odd = 'a|b "c" 100% +d&e=f'
    fact = make_fact(project, f"Said: {odd}", category=odd, user=odd)
    make_fact(project, "Something else.")
    query = urlencode({"q": odd, "scope": "user", "scope_id": odd, "category": odd})
    curator = login(project, "curator")
    page = curator.get(f"{URL}?{query}")
    assert numbers(page) == [fact.id]
    assert f'value="{escape(odd)}"' in page.text.split('id="q"')[1].split(">")[0]
    assert f'name="scope_id" value="{escape(odd)}"' in page.text
    chip = unescape(re.findall(r'<a class="chip" href="([^"]+)"', page.text)[0])
    assert dict(parse_qsl(urlsplit(chip).query)) == {"q": odd, "scope": "user", "category": odd}
    assert numbers(curator.get(chip)) == [fact.id]


def test_status_confidence_and_end_are_filters(project: Project) -> None:
    soon, later = datetime.now(UTC) + timedelta(days=9), datetime.now(UTC) + timedelta(days=90)
    plain = make_fact(project, "Plain.", confidence=0.5)
    ends, lasts = make_fact(project, "Ends.", expires_at=soon), make_fact(project, "Lasts.", expires_at=later)
    over, early = make_fact(project, "Over.", expired=True), make_fact(project, "Early.", valid_from=later)
    held = make_fact(project, "Held.", restricted="hold")
    gone = make_fact(project, "Gone.", retired="stale")
    new = revised(project, make_fact(project, "Old."), "New.")
    curator = login(project, "curator")

    def found(query: str) -> list[int]:
        return numbers(curator.get(f"{URL}?{query}"))

    assert found("status=active") == [new.id, lasts.id, ends.id, plain.id]
    assert found("status=held") == [held.id] and found("status=expired") == [early.id, over.id]
    assert found("status=retired") == [gone.id] and found("status=superseded") == [new.id - 1]
    assert found("conf_max=0.5") == [plain.id] and plain.id not in found("conf_min=0.51")
    assert found("conf_min=.5&conf_max=0.50") == [plain.id]
    assert found("expiring=30") == [ends.id]
    assert found("sort=ending") == [ends.id, lasts.id]
    assert found("sort=unsure")[0] == plain.id == found("sort=sure")[-1]
    assert found("sort=oldest&status=active") == [plain.id, ends.id, lasts.id, new.id]


def test_each_order_has_pages(project: Project) -> None:
    for n in range(120):
        make_fact(project, f"Fact {n}.", confidence=round(n % 7 / 10, 2), user=f"user {n % 5}")
    with bind(project.id):
        facts = list(Fact.objects.all())
    curator = login(project, "curator")
    for sort, key in (
        ("oldest", lambda fact: fact.id),
        ("unsure", lambda fact: (fact.confidence, fact.id)),
        ("sure", lambda fact: (-fact.confidence, -fact.id)),
        ("scope", lambda fact: (fact.scope_id, fact.id)),
    ):
        wanted = [fact.id for fact in sorted(facts, key=key)]
        page = curator.get(f"{URL}?sort={sort}")
        second = curator.get(link(page, "Older") or "")
        third = curator.get(link(second, "Older") or "")
        assert numbers(page) + numbers(second) + numbers(third) == wanted
        assert numbers(curator.get(link(third, "Newer") or "")) == wanted[50:100]
        assert "101–120 of 120" in third.text and link(third, "Older") is None


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
    assert count(page) == "1"

    page = curator.get(f"{URL}?superseded=1")
    assert [(number, words.split(" agent:")[0]) for number, words in rows(page)] == [
        (lost.id, f"The shop is in Rome. #{lost.id} superseded → (erased)"),
        (stale.id, f"The rota is in the wiki. #{stale.id} retired: stale"),
        (new.id, f"The window is 30 days. #{new.id}"),
        (old.id, f"The window is 14 days. #{old.id} superseded → #{new.id}"),
    ]
    assert re.findall(r'id="f(\d+)"\s+class="\s*gone"', page.text) == [str(lost.id), str(stale.id), str(old.id)]
    assert f'<a href="/p/acme/facts/{new.id}?superseded=1">#{new.id}</a>' in page.text
    assert "checked" in page.text.split('name="superseded"')[1].split(">")[0]


def test_labels_say_what_the_words_do_not(project: Project) -> None:
    make_fact(project, "Later.", expires_at=datetime(2031, 3, 2, 12, tzinfo=UTC))
    make_fact(project, "Over.", expired=True)
    make_fact(project, "Held.", restricted="hold")
    make_fact(project, "Mine.", sensitivity="personal", valid_from=datetime(2031, 1, 1, tzinfo=UTC))
    page = login(project, "curator").get(URL)
    assert [re.sub(r" #\d+", "", words).split(" project:")[0] for _, words in rows(page)] == [
        "Masked personal fact •••••• •••• ••••••••• ••••• not valid yet personal",
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
    for other in (
        f"{URL}?cursor=nonsense",
        f"{URL}?cursor=1.1.x",
        f"{URL}?cursor={cursor}x",
        f"{URL}?q=number&cursor={cursor}",
    ):
        assert curator.get(other).status_code == 400
        assert fragment(curator, other).status_code == 400
    assert "Start again" in curator.get(f"{URL}?cursor=nonsense").text
    # Nor is a cursor good for a reader with other rights.
    assert login(project, "viewer").get(f"{URL}?cursor={cursor}").status_code == 400


@pytest.mark.parametrize(
    "wrong",
    [
        "scope=everybody",
        "source=rumour",
        "sensitivity=secret",
        "served=often",
        "open=x",
        "open=-1",
        "open=²",
        "status=odd",
        "sort=odd",
        "type=odd",
        "source=manual&source=odd",
        "conf_min=2",
        "conf_max=x",
        "conf_min=-0.1",
        "expiring=9",
    ],
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


def test_personal_text_is_masked_until_it_is_asked_for_and_that_is_recorded(project: Project) -> None:
    make_fact(project, "Ada is ill.", user="ada", sensitivity="special")
    make_fact(project, "Ada lives in Rome.", user="ada", sensitivity="personal")
    make_fact(project, "Parcels go to the dock.")
    curator, other, viewer = login(project, "curator"), login(project, "curator"), login(project, "viewer")
    secret = ("Ada is ill", "Ada lives")
    query = {"scope": "user", "q": "a|b &"}

    for path in (URL, f"{URL}?q=rome", f"{URL}?superseded=1&sort=scope"):
        for answer in (curator.get(path), fragment(curator, path)):
            assert not any(words in answer.text for words in secret) and "Masked personal fact" in answer.text
    assert "Parcels go to the dock." in curator.get(URL).text

    answer = curator.post(f"{URL}/masking", {"show": "1", "next": f"{URL}?{urlencode(query)}"})
    assert (answer.status_code, answer["Location"]) == (302, f"{URL}?{urlencode(query)}")
    page = curator.get(URL)
    assert all(words in page.text for words in secret) and "Mask again" in page.text
    with bind(project.id):
        event = AuditEvent.objects.get(verb="facts.unmask")
    assert (event.object_type, event.object_id, event.data) == ("project", str(project.id), {"minutes": 15})
    # Neither for somebody else, nor in another project, nor for longer than it is said.
    assert "Ada lives" not in other.get(URL).text
    session = curator.session
    session["unmasked"] = {str(project.id): (datetime.now(UTC) - timedelta(seconds=1)).isoformat()}
    session.save()
    assert "Ada lives" not in curator.get(URL).text

    htmx = {"HX-Request": "true", "HX-Current-URL": f"http://testserver{URL}?q=ada"}
    answer = curator.post(f"{URL}/masking", {"show": "1"}, headers=htmx)
    assert (answer.status_code, answer["HX-Redirect"]) == (204, f"{URL}?q=ada")
    assert "Ada lives" in curator.get(URL).text
    curator.post(f"{URL}/masking", {})
    assert "Ada lives" not in curator.get(URL).text

    assert "Masked" not in viewer.get(URL).text
    assert viewer.post(f"{URL}/masking", {"show": "1"}).status_code == 403


def test_a_search_by_meaning_says_so_where_meaning_cannot_be_asked(project: Project, settings: Settings) -> None:
    settings.EMBEDDER = "none"
    make_fact(project, "Parcels go to the dock.")
    page = login(project, "curator").get(f"{URL}?q=dock&mode=meaning")
    assert rows(page) == []
    shown = text(page.text.split('id="results"')[1])
    assert "Nothing is set up that knows meanings. Facts keep being served. Search by words" in shown
    assert link(page, "Search by words") == f"{URL}?q=dock"
    assert 'value="meaning" selected' in page.text
