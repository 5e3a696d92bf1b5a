"""The versions of a fact: any two compared, an older one restored."""

import pytest

from apps.core.transactions import bind
from apps.curation.actions.merge_facts import merge_facts
from apps.facts.models import Fact
from apps.tenancy.models import Project
from tests.console.pages import fragment, link, revised, text, told
from tests.console.stage import login, state, unmask
from tests.factories import make_agent, make_fact, make_project, user_actor

pytestmark = pytest.mark.django_db
URL = "/p/acme/facts"


@pytest.fixture
def project() -> Project:
    project = make_project("acme")
    make_agent(project, "support")
    return project


def three(project: Project) -> list[Fact]:
    one = make_fact(project, "Ships in 3 days.", category="shipping")
    two = revised(project, one, "Ships in 4 days.", category="shipping")
    return [one, two, revised(project, two, "Ships in 5 working days.", category="delivery", sensitivity="personal")]


def current(project: Project) -> Fact:
    with bind(project.id):
        return Fact.objects.current().get()


def test_the_newest_with_the_one_before_unless_two_are_chosen(project: Project) -> None:
    one, two, three_ = three(project)
    curator = unmask(login(project, "curator"))
    assert link(curator.get(f"{URL}/{three_.id}"), "compare versions") == f"{URL}/{three_.id}/history"
    page = curator.get(f"{URL}/{three_.id}/history")
    assert f"#{two.id} → #{three_.id}" in text(page.text)
    diff = page.text.split('class="diff"')[1].split("</p>")[0]
    assert "<del>4</del>" in diff and "working" in diff and "3" not in diff
    assert "Category shipping delivery" in text(page.text) and "Sensitivity internal personal" in text(page.text)
    page = curator.get(f"{URL}/{one.id}/history?from={one.id}&to={two.id}")
    assert f"#{one.id} → #{two.id}" in text(page.text) and "<del>3</del><ins>4</ins>" in page.text
    assert "What else differs" not in page.text


def test_one_version_has_nothing_to_compare(project: Project) -> None:
    fact = make_fact(project, "Ships in 3 days.")
    curator = login(project, "curator")
    assert "compare versions" not in curator.get(f"{URL}/{fact.id}").text
    page = curator.get(f"{URL}/{fact.id}/history?from=9999&to=x")
    assert page.status_code == 200 and "nothing to compare" in page.text and "Restore" not in page.text


def test_an_older_version_is_said_again_and_that_taken_back(project: Project) -> None:
    one, _, three_ = three(project)
    curator = login(project, "curator")
    answer = curator.post(f"{URL}/{three_.id}/history", {"restore": one.id, "current": three_.id})
    new = current(project)
    assert answer["Location"] == f"{URL}?open={new.id}"
    assert told(curator.get(answer["Location"])) == f"#{new.id} says again what #{one.id} said. Undo z"
    # What it says is the old version's; how it is handled stays.
    assert (new.content, new.category, new.sensitivity) == ("Ships in 3 days.", "shipping", "personal")


def test_a_version_in_force_meanwhile_is_not_overwritten(project: Project) -> None:
    one, two, three_ = three(project)
    four = revised(project, three_, "Ships in 6 days.")
    curator = login(project, "curator")
    before = state(project)
    for version, latest in ((one, three_), (four, three_), (two, two)):
        answer = curator.post(f"{URL}/{one.id}/history", {"restore": version.id, "current": latest.id})
        assert answer.status_code == 409
    other = make_fact(project, "Another.")
    before = state(project)
    assert curator.post(f"{URL}/{one.id}/history", {"restore": other.id, "current": four.id}).status_code == 409
    assert curator.post(f"{URL}/{one.id}/history", {"restore": "x", "current": four.id}).status_code == 400
    viewer = login(project, "viewer")
    before = {table: rows for table, rows in before.items() if not table.startswith(("access_", "audit_"))}
    assert viewer.post(f"{URL}/{one.id}/history", {"restore": one.id, "current": four.id}).status_code in {403, 404}
    after = state(project)
    assert {table: after[table] for table in before} == before


def test_words_above_the_readers_rights_are_not_among_them(project: Project) -> None:
    old = make_fact(project, "Lives in Porto.", user="ada", sensitivity="personal")
    new = revised(project, old, "Lives abroad.", sensitivity="internal")
    page = login(project, "viewer").get(f"{URL}/{new.id}/history?from={old.id}")
    assert page.status_code == 200 and "Porto" not in page.text and "Restore" not in page.text
    assert "words that your role may not see" in page.text
    assert login(project, "viewer").get(f"{URL}/{old.id}/history").status_code == 404


def test_the_lineage_leads_both_ways(project: Project) -> None:
    curator, actor = unmask(login(project, "curator")), user_actor(project, "curator")
    one, two = make_fact(project, "Ships free."), make_fact(project, "Shipping is free.", sensitivity="personal")
    merged, _ = merge_facts(actor=actor, project_id=project.id, fact_ids=[one.id, two.id], content="All ships free.")
    page = text(fragment(curator, f"{URL}/{merged.id}", "drawer").text)
    assert f"Lineage Made of #{one.id} Ships free. #{two.id} Shipping is free." in page
    assert f"merges #{one.id} and #{two.id}, written by person" in page
    assert f"Made into #{merged.id} All ships free." in text(curator.get(f"{URL}/{one.id}").text)


def test_what_was_marked_is_in_the_history(project: Project) -> None:
    fact, curator = make_fact(project, "Ships free."), login(project, "curator")
    curator.post(f"{URL}/bulk", {"act": "sensitivity:personal", "ids": fact.id})
    page = text(curator.get(f"{URL}/{fact.id}").text)
    assert "sensitivity internal → personal by you" in page


def test_a_form_that_was_open_while_the_fact_was_marked_saves_nothing(project: Project) -> None:
    fact, curator = make_fact(project, "Ships free."), login(project, "curator")
    form = curator.get(f"{URL}/{fact.id}/edit").text
    seen = form.split('name="seen" value="')[1].split('"')[0]
    curator.post(f"{URL}/bulk", {"act": "sensitivity:special", "ids": fact.id})
    before = state(project)
    typed = {
        "content": "Ships for free.", "scope": "project", "category": "general", "memory_type": "semantic",
        "sensitivity": "internal", "confidence": "1", "importance": "0.5", "seen": seen,
    }  # fmt: skip
    answer = curator.post(f"{URL}/{fact.id}/edit", typed)
    assert answer.status_code == 409 and state(project) == before
    shown = text(answer.text)
    assert (
        f"#{fact.id} was marked otherwise while you were writing." in shown and "Sensitivity special internal" in shown
    )
    assert "Ships for free.</textarea>" in answer.text
    again = answer.text.split('name="seen" value="')[1].split('"')[0]
    assert curator.post(f"{URL}/{fact.id}/edit", typed | {"seen": again}).status_code == 302
    assert current(project).content == "Ships for free."
