"""Duplicates on the console: groups, what each agent would be told, and what is done about them."""

import re

import pytest
from django.test import Client

from apps.core.transactions import bind
from apps.curation.actions.compare_facts import compare_facts
from apps.curation.models import Change, Conflict, DuplicateGroup, DuplicateMember, NotDuplicates
from apps.facts.models import Fact
from apps.recall.actions.embed_facts import embed_facts
from apps.tenancy.models import Project
from tests.console.stage import HX, digests, login
from tests.console.test_conflicts import text
from tests.curation.stage import stage, told
from tests.factories import make_agent, make_fact

pytestmark = pytest.mark.django_db
PATH = "/p/acme/facts/duplicates"


@pytest.fixture
def project() -> Project:
    project = stage()
    make_agent(project, "orders")
    return project


@pytest.fixture
def curator(project: Project) -> Client:
    return login(project, "curator")


@pytest.fixture
def pair(project: Project) -> tuple[Fact, Fact, int]:
    """The project's own, the agent's copy of it, and the number of their group."""
    whole = make_fact(project, "Ships on Tuesdays.")
    mine = make_fact(project, "ships on Tuesdays", agent=make_agent(project, "support"))
    compare_facts()
    with bind(project.id):
        return whole, mine, DuplicateGroup.objects.get().id


def post(curator: Client, group: int, act: str, *facts: Fact, keep: Fact | None = None) -> object:
    form = {"act": act, "facts": " ".join(str(fact.id) for fact in facts), "keep": str(keep.id) if keep else ""}
    return curator.post(f"{PATH}/{group}", form)


def test_a_group_with_its_suggestion_which_is_not_chosen(curator: Client, pair: tuple) -> None:
    whole, mine, _ = pair
    page = curator.get(PATH)
    said, html = text(page), page.content.decode()
    for words in (
        "1 group of duplicates", "Same text", "told to different readers", f"#{whole.id}", f"#{mine.id}",
        "suggested: more readers are told it", "All 1 Same text 1 Same meaning 0", "1 group of the same text on this page",
    ):  # fmt: skip
        assert words in said, words
    radios = re.findall(r'<input type="radio"[^>]*>', html)
    assert len(radios) == 2 and not any("checked" in radio for radio in radios)
    assert all('form="form-' in radio for radio in radios)


def test_what_each_agent_would_be_told(project: Project, curator: Client, pair: tuple) -> None:
    whole, mine, group = pair
    part = curator.get(f"{PATH}/{group}", HTTP_HX_TARGET="drawer", **HX)
    said = text(part)
    assert "<html" not in part.content.decode()
    assert f"If #{whole.id} is kept (suggested: more readers are told it)" in said
    assert f"orders Ships on Tuesdays. #{whole.id}" in said
    assert f"support Ships on Tuesdays. #{whole.id} ships on Tuesdays #{mine.id}" in said
    assert "nothing left" not in said
    other = text(curator.get(f"{PATH}/{group}?keep={mine.id}"))
    assert f"If #{mine.id} is kept" in other and "orders nothing left" in other
    assert f"#{whole.id} is told to project:acme, who would be told nothing of it." in other
    opened = text(curator.get(f"{PATH}?open={group}"))
    assert "After clean-up" in opened
    assert "No longer together" in text(curator.get(f"{PATH}?open=999"))
    assert curator.get(f"{PATH}/999").status_code == 404


def test_keep_one_and_take_it_back(project: Project, curator: Client, pair: tuple) -> None:
    whole, mine, group = pair
    answer = post(curator, group, "keep", whole, mine, keep=whole)
    assert (answer.status_code, answer["Location"]) == (302, PATH)
    page = text(curator.get(PATH))
    assert f"Kept #{whole.id}; 1 other superseded." in page and "No duplicates" in page and "Undo z" in page
    assert told(project) == ["Ships on Tuesdays."]
    with bind(project.id):
        change = Change.objects.get()
    curator.post(f"/p/acme/undo/{change.id}")
    assert told(project) == ["Ships on Tuesdays.", "ships on Tuesdays"]


@pytest.mark.parametrize("keep", [False, True])
def test_without_a_choice_or_with_a_stale_one_nothing_changes(
    project: Project, curator: Client, pair: tuple, keep: bool
) -> None:
    whole, mine, group = pair
    with bind(project.id):
        before = digests()
    stranger = Fact(id=999)
    page = (
        post(curator, group, "keep", whole, stranger, keep=whole) if keep else post(curator, group, "keep", whole, mine)
    )
    assert page.status_code == (409 if keep else 422)
    assert ("changed since you read them" if keep else "Choose which one is kept.") in text(page)
    with bind(project.id):
        assert digests() == before


def test_not_duplicates_and_contradicting(project: Project, curator: Client, pair: tuple) -> None:
    whole, mine, group = pair
    assert post(curator, group, "part", whole, mine).status_code == 302
    compare_facts()
    with bind(project.id):
        assert (NotDuplicates.objects.count(), DuplicateMember.objects.count()) == (1, 0)
    lisbon = make_fact(project, "Lives in the old town of Lisbon.", user="ada")
    again = make_fact(project, "Lives in old town of Lisbon", user="ada")
    compare_facts()
    with bind(project.id):
        group = DuplicateGroup.objects.get().id
    answer = post(curator, group, "conflict", lisbon, again)
    with bind(project.id):
        number = Conflict.objects.get().id
    assert answer["Location"] == f"/p/acme/conflicts/{number}"


def test_the_threshold_and_the_numbers_of_facts_narrow_it(project: Project, curator: Client, pair: tuple) -> None:
    whole, mine, _ = pair
    first = make_fact(project, "Wants invoices sent as PDF by email.", user="ada")
    make_fact(project, "Prefers to receive invoices as a PDF by email.", user="ada")
    embed_facts()
    compare_facts()
    for query, found in (
        ("", 2), ("?kind=text", 1), ("?kind=meaning", 1), ("?alike=.95", 1), ("?alike=1", 1), ("?alike=0.8", 2),
        (f"?facts={mine.id},{whole.id}", 1), (f"?facts={first.id}&kind=text", 0), ("?facts=x,%27", 2), ("?alike=nan", 2),
    ):  # fmt: skip
        assert curator.get(PATH + query).content.decode().count('scope="rowgroup"') == found, query
    page = curator.get(f"{PATH}?facts={first.id}").content.decode()
    assert f'value="{first.id}"' in page and f"#{first.id}" in page


def test_many_at_once_asks_first_and_is_all_or_nothing(project: Project, curator: Client, pair: tuple) -> None:
    whole, mine, _ = pair
    one, two = (make_fact(project, f"Opens at nine{mark}", user="ada") for mark in (".", "!"))
    compare_facts()
    merges = [f"{whole.id} {mine.id}", f"{two.id} {one.id}"]
    page = curator.get(f"{PATH}/keep", {"merge": merges})
    assert "Supersede 2 duplicates?" in text(page) and page.content.decode().count('name="merge"') == 2
    refused = curator.post(f"{PATH}/keep", {"merge": [merges[0], f"{two.id} {whole.id}"]})
    assert refused.status_code == 409
    assert len(told(project)) == 4
    assert curator.post(f"{PATH}/keep", {"merge": merges})["Location"] == PATH
    assert told(project) == ["Ships on Tuesdays.", "Opens at nine!"]
    assert "Kept 2 facts; 2 others superseded." in text(curator.get(PATH))
    assert curator.get(f"{PATH}/keep").status_code == 302


def test_page_after_page_and_words_that_are_no_markup(project: Project, curator: Client) -> None:
    for number in range(9):
        for mark in (".", "!"):
            make_fact(project, f"<b>{number}</b> | 50 % \u202btext\u202c {number}{mark}", user=f"u{number}")
    compare_facts()
    first = curator.get(PATH).content.decode()
    assert first.count('scope="rowgroup"') == 8 and "<b>1</b>" not in first
    older = re.search(r'href="([^"]*cursor=[^"]*)"', first)[1].replace("&amp;", "&")
    assert curator.get(older).content.decode().count('scope="rowgroup"') == 1


def test_an_officer_reads_and_changes_nothing(project: Project, pair: tuple) -> None:
    whole, mine, group = pair
    officer = login(project, "privacy_officer")
    page = officer.get(PATH)
    assert page.status_code == 200 and "Keep the chosen one" not in text(page)
    assert post(officer, group, "keep", whole, mine, keep=whole).status_code == 403
    assert login(project, "viewer").get(PATH).status_code == 403
    assert len(told(project)) == 2


def test_a_group_with_a_personal_fact_is_masked_as_a_whole_until_it_is_shown(project: Project, curator: Client) -> None:
    make_fact(project, "Moves to Kaunas in May.", user="ada", sensitivity="personal")
    make_fact(project, "moves to Kaunas in May", user="ada", agent=make_agent(project, "support"))
    compare_facts()
    with bind(project.id):
        number = DuplicateGroup.objects.get().id
    page = curator.get(PATH).content.decode()
    assert "Kaunas" not in page and page.count("Masked personal fact") == 2
    for extra in ({}, {"HTTP_HX_REQUEST": "true", "HTTP_HX_TARGET": "drawer"}):
        opened = curator.get(f"{PATH}/{number}", **extra).content.decode()  # type: ignore[arg-type]
        # Not the one of them either that is not personal: it says nearly the same.
        assert "Kaunas" not in opened and "Masked personal fact" in opened
    back = curator.post("/p/acme/facts/masking", {"show": "1", "next": PATH})
    assert back["Location"] == PATH
    assert "Kaunas" in curator.get(PATH).content.decode()
    assert "Kaunas" in curator.get(f"{PATH}/{number}").content.decode()
    for elsewhere in ("https://elsewhere.example/", "//elsewhere.example"):
        assert curator.post("/p/acme/facts/masking", {"next": elsewhere})["Location"] == "/p/acme/facts"
    assert "Kaunas" not in curator.get(PATH).content.decode()
