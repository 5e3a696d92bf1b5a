"""What the ledger feeds in the console: how often a fact was told, to whom, and which were never told."""

import re
from datetime import UTC, datetime, timedelta

import pytest
from django.http import HttpResponse

from apps.console.views.facts.shown import LINES as MOST
from apps.recall.actions.roll_up_reads import roll_up_reads
from apps.tenancy.models import Project
from tests.console.pages import between, count, fragment, link, numbers, revised, rows, scopes, text
from tests.console.stage import login
from tests.console.test_facts_details import section
from tests.factories import make_agent, make_fact, make_key, make_project, make_subject
from tests.recall.test_servings import read

pytestmark = pytest.mark.django_db
URL = "/p/acme/facts"
NOON = datetime(2026, 11, 20, 12, tzinfo=UTC)


@pytest.fixture
def project() -> Project:
    return make_project("acme")


def lines(page: HttpResponse) -> list[str]:
    """The rows of "Who was told this"."""
    table = page.text.split('class="plain"')[1].split("</table>")[0]
    return [text("<tr" + row) for row in table.split("<tbody>")[1].split("<tr")[1:]]


def test_the_list_says_how_often_and_when_last(project: Project) -> None:
    told, untold = make_fact(project, "Told."), make_fact(project, "Never told.")
    for number in range(1201):
        read(project, [told], at=NOON + timedelta(seconds=number))
    roll_up_reads()
    page = login(project, "viewer").get(URL)
    assert [words for _, words in rows(page)] == [
        f"Never told. #{untold.id} project: acme 1.00 manual – now",
        f"Told. #{told.id} project: acme 1.00 manual 1,201 now",
    ]
    assert '<span title="Last told 20 Nov 2026 12:20 UTC">1,201</span>' in page.text


def test_never_served_narrows_the_list_its_counts_and_its_pages(project: Project) -> None:
    told = make_fact(project, "Tea was told.")
    untold = make_fact(project, "Tea never was.", agent=make_agent(project, "support"))
    other = make_fact(project, "Nor was coffee.", category="billing")
    make_fact(project, "Nor was this.", user="ada", sensitivity="personal")
    read(project, [told])
    roll_up_reads()
    viewer = login(project, "viewer")
    page, part = viewer.get(f"{URL}?served=never"), fragment(viewer, f"{URL}?served=never")
    assert numbers(page) == numbers(part) == [other.id, untold.id]
    assert count(page) == "2 found"
    # Nobody counts choices by what was told.
    assert scopes(viewer.get(f"{URL}/facets?served=never")) == "All Users Project Agents"
    assert "Filtered by Remove filter never served Clear all" in text(part.text)
    assert "checked" in page.text.split('name="served"')[1].split(">")[0]
    assert "checked" not in viewer.get(URL).text.split('name="served"')[1].split(">")[0]
    # Every other choice keeps it, and the way back from a fact too.
    assert numbers(viewer.get(f"{URL}?served=never&q=tea")) == [untold.id]
    assert f'href="{URL}?scope=agent&amp;served=never"' in page.text
    assert link(viewer.get(f"{URL}/{other.id}?served=never"), "Facts") == f"{URL}?served=never"
    read(project, [untold, other])
    roll_up_reads()
    page = viewer.get(f"{URL}?served=never&q=tea")
    assert numbers(page) == []
    assert "Asked for: current facts that no read has told and that say “tea”." in text(page.text)


def test_the_most_served_stand_first(project: Project) -> None:
    curator = login(project, "curator")
    page = curator.get(f"{URL}?sort=served")
    assert "No fact was told yet" in page.text and link(page, "Show newest first") == URL
    once, never, often = (make_fact(project, f"{word} told.") for word in ("Once", "Never", "Often"))
    for number in range(3):
        read(project, [often, once][: 2 - bool(number)], at=NOON + timedelta(minutes=number))
    roll_up_reads()
    page, part = curator.get(f"{URL}?sort=served"), fragment(curator, f"{URL}?sort=served")
    assert numbers(page) == numbers(part) == [often.id, once.id]
    assert [words.split(" manual ")[1] for _, words in rows(page)] == ["3 now", "1 now"]
    assert count(page) == "2"
    assert '<option value="served" selected>most served first</option>' in " ".join(page.text.split())
    assert 'aria-sort="descending">Served</th>' in " ".join(page.text.split())
    page = curator.get(f"{URL}?sort=served&q=never")
    assert numbers(page) == []
    assert "No fact matches" in page.text and link(page, "Show newest first") == f"{URL}?q=never"
    assert numbers(curator.get(f"{URL}?q=never")) == [never.id]


def test_pages_of_the_most_served(project: Project, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("apps.recall.most_told.PAGE", 2)
    monkeypatch.setattr("apps.console.views.facts.list_page.MOST_TOLD", 2)
    facts = [make_fact(project, f"Number {number}.") for number in range(5)]
    for number, fact in enumerate(facts):
        for minute in range(number + 1):
            read(project, [fact], at=NOON + timedelta(minutes=minute))
    roll_up_reads()
    viewer = login(project, "viewer")
    first = viewer.get(f"{URL}?sort=served")
    second = viewer.get(link(first, "Older"))
    assert (numbers(first), numbers(second)) == ([facts[4].id, facts[3].id], [facts[2].id, facts[1].id])
    assert "1–2 of 2+" in text(first.text) and "3–4 of 2+" in text(second.text)
    assert numbers(viewer.get(link(second, "Newer"))) == [facts[4].id, facts[3].id]


def test_each_version_counts_alone(project: Project) -> None:
    old = make_fact(project, "The window is 14 days.")
    read(project, [old])
    roll_up_reads()
    new = revised(project, old, "The window is 30 days.")
    curator = login(project, "curator")
    assert numbers(curator.get(f"{URL}?served=never&superseded=1")) == [new.id]
    assert "Served 1 time , last 20 Nov 2026 12:00" in text(curator.get(f"{URL}/{old.id}").text)
    assert "Served never" in text(curator.get(f"{URL}/{new.id}").text)


def test_who_was_told_names_agent_key_and_user(project: Project) -> None:
    fact = make_fact(project, "The window is 30 days.")
    support, key, ada = (
        make_agent(project, "support"),
        make_key(project, name="back end")[0],
        make_subject(project, "ada"),
    )
    for number in range(3):
        read(project, [fact], at=NOON + timedelta(hours=number), agent=support, key=key)
    read(project, [fact], at=NOON, agent=support, key=key, subject=ada)
    read(project, [fact], at=NOON - timedelta(days=400))
    roll_up_reads()
    curator = login(project, "curator")
    page, part = curator.get(f"{URL}/{fact.id}"), fragment(curator, f"{URL}/{fact.id}", "drawer")
    assert lines(page) == lines(part)
    said = [re.sub(r"(\d+ (mo|d|h|min)|now)", "…", line) for line in lines(page)]
    assert said == [
        "support key back end, for no user 3 … …",
        "support key back end, for ada 1 … …",
        "an agent that is gone key that is gone, for no user 1 … …",
    ]
    assert link(page, "support") == f"/p/acme/agents/{support.id}"
    assert link(page, "ada") == f"{URL}?scope=user&scope_id=ada"
    assert 'title="20 Nov 2026 14:00 UTC"' in page.text.split('class="plain"')[1]
    assert "Served 5 times , last 20 Nov 2026 14:00" in text(page.text)
    assert section(page.text, "Who was told this").endswith(
        "Counted from the record of reads, a minute or two behind it."
    )


@pytest.mark.parametrize("role", ["viewer", "admin"])
def test_users_are_only_counted_for_those_who_see_no_personal_data(project: Project, role: str) -> None:
    fact, support = make_fact(project, "The window is 30 days."), make_agent(project, "support")
    for name in ("lovelace", "grace", None):
        read(project, [fact], agent=support, subject=make_subject(project, name) if name else None)
    roll_up_reads()
    page = login(project, role).get(f"{URL}/{fact.id}")
    (line,) = lines(page)
    assert line.startswith("support key that is gone, for 2 users 3 ")
    assert "lovelace" not in page.text.split('class="plain"')[1].split("</table>")[0] and "grace" not in page.text
    assert "lovelace" in login(project, "privacy_officer").get(f"{URL}/{fact.id}").text
    hidden = make_fact(project, "Lives in Porto.", user="ada", sensitivity="personal")
    read(project, [hidden], agent=support)
    roll_up_reads()
    assert login(project, role).get(f"{URL}/{hidden.id}").status_code == 404


def test_a_long_list_is_cut_and_the_rest_counted(project: Project) -> None:
    fact, support = make_fact(project, "The window is 30 days."), make_agent(project, "support")
    for number in range(MOST + 5):
        subject = make_subject(project, f"user {number}")
        for _ in range(number + 1):
            read(project, [fact], agent=support, subject=subject)
    roll_up_reads()
    page = login(project, "curator").get(f"{URL}/{fact.id}")
    assert len(lines(page)) == MOST and "for user 24 25" in lines(page)[0]
    assert "and 5 more with fewer reads" in section(page.text, "Who was told this")


def test_a_fact_that_nobody_was_told_says_so(project: Project) -> None:
    fact = make_fact(project, "The window is 30 days.")
    said = section(login(project, "viewer").get(f"{URL}/{fact.id}").text, "Who was told this")
    assert said.startswith("Nobody so far. Reads are counted a minute or two after they were answered")


def test_names_from_strangers_are_shown_as_they_are(project: Project) -> None:
    fact, agent = make_fact(project, "One."), make_agent(project, "<i>agent</i>")
    key, ada = make_key(project, name="<b>key</b>")[0], make_subject(project, "<u>ada</u>")
    read(project, [fact], agent=agent, key=key, subject=ada)
    roll_up_reads()
    page = login(project, "curator").get(f"{URL}/{fact.id}")
    assert lines(page)[0].startswith("<i>agent</i> key <b>key</b>, for <u>ada</u> 1 ")
    assert "<i>" not in page.text and "<b>key" not in page.text and "<u>" not in page.text


def test_a_forget_takes_the_counts_and_says_so(project: Project) -> None:
    fact = make_fact(project, "One.")
    read(project, [fact])
    roll_up_reads()
    curator = login(project, "curator")
    page = curator.get(f"{URL}/{fact.id}/forget")
    assert "1 count of who was told them, and how often" in between(page, "What goes</h2>", "</section>")
    # Counts that move between the preview and the deed are no reason to refuse it.
    read(project, [fact], agent=make_agent(project, "support"))
    roll_up_reads()
    shown = dict(re.findall(r'<input type="hidden" name="(\w+)" value="(\d+)"', page.text))
    answer = curator.post(f"{URL}/{fact.id}/forget", shown, follow=True)
    assert f"Forgot #{fact.id}: 1 fact, 0 quotes, 0 proposals before; 0 after." in text(answer.text)
