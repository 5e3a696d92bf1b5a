"""What is near a proposal in meaning, beside it: a part that loads by itself."""

import re
from html import unescape

import pytest
from django.test import Client

from apps.core.transactions import bind
from apps.curation import nearest
from apps.recall.actions.embed_facts import embed_facts
from apps.tenancy.models import Project
from tests.console.pages import fragment, text
from tests.console.stage import learn, login, unmask
from tests.factories import make_agent, make_fact, make_project

pytestmark = pytest.mark.django_db


@pytest.fixture
def project() -> Project:
    project = make_project("acme")
    make_agent(project, "support")
    return project


@pytest.fixture
def curator(project: Project) -> Client:
    return login(project, "curator")


def near(part: object) -> list[str]:
    html = part.content.decode().partition('class="near"')[2].partition("</ul>")[0]  # type: ignore[attr-defined]
    rows = re.findall(r"<li>.*?</li>", html, re.DOTALL)
    return [text(row).partition(" ")[2] for row in rows]


def test_what_says_it_in_other_words_loads_beside_it(project: Project, curator: Client) -> None:
    said = make_fact(project, "Likes it best when one writes mail to her.", user="ada")
    make_fact(project, "Owns two dogs.", user="ada")
    make_fact(project, "Would rather get email.", user="eve")
    make_fact(make_project("other"), "Would rather get email.", user="ada")
    make_fact(project, "Wants email.", user="ada", retired="stale")
    embed_facts()
    (proposal,) = learn(project, "t", "I prefer email.", user="ada")
    page = curator.get(f"/p/acme/review/{proposal.id}").content.decode()
    address = re.search(r'id="meant"\s+hx-get="([^"]+)"\s+hx-trigger="load"', page)
    assert address and f'<a href="{address[1]}">Look for the same in other words</a>' in page
    part = fragment(curator, unescape(address[1]), "meant")
    assert near(part) == [f"{said.content} #{said.id}"]
    assert "<html" not in part.content.decode() and "newest" not in text(part.content.decode())
    whole = curator.get(unescape(address[1]))
    assert near(whole) == near(part) and f'href="/p/acme/review/{proposal.id}"' in whole.content.decode()
    # What stands beside it already is not said again.
    beside = fragment(curator, f"/p/acme/review/{proposal.id}/meaning?without=7,{said.id}", "meant")
    assert near(beside) == [] and "Nothing else known here means nearly the same." in text(beside.content.decode())


def test_nobody_sees_in_it_what_his_role_may_not(project: Project, curator: Client) -> None:
    hidden = make_fact(project, "Likes it best when one writes mail to her.", user="ada", sensitivity="personal")
    embed_facts()
    (proposal,) = learn(project, "t", "I prefer email.", user="ada")
    with bind(project.id):
        type(proposal).objects.filter(id=proposal.id).update(sensitivity="internal")
    path = f"/p/acme/review/{proposal.id}/meaning"
    assert hidden.content not in fragment(curator, path, "meant").text
    assert near(fragment(unmask(curator), path, "meant")) == [f"{hidden.content} #{hidden.id}"]
    admin = fragment(login(project, "admin"), path, "meant")
    assert admin.status_code in {200, 403} and near(admin) == []


def test_of_a_large_place_the_newest_are_compared(
    project: Project, curator: Client, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(nearest, "MEANT", 1)
    make_fact(project, "Likes it best when one writes mail to her.", user="ada")
    newest = make_fact(project, "Wishes to be told by mail.", user="ada")
    embed_facts()
    (proposal,) = learn(project, "t", "I prefer email.", user="ada")
    part = fragment(curator, f"/p/acme/review/{proposal.id}/meaning", "meant")
    assert near(part) == [f"{newest.content} #{newest.id}"]
    assert "The newest 1 facts of the scope were compared." in text(part.content.decode())


def test_without_an_embedder_it_says_why(project: Project, curator: Client, monkeypatch: pytest.MonkeyPatch) -> None:
    make_fact(project, "Likes mail.", user="ada")
    (proposal,) = learn(project, "t", "I prefer email.", user="ada")
    path = f"/p/acme/review/{proposal.id}/meaning"
    for code, said in (
        ("no_embedder", "no embedding model is chosen"),
        ("model_timeout", "the embedding model did not answer in time"),
    ):
        monkeypatch.setattr(nearest, "meaning_of", lambda project_id, text, code=code: (None, "", code))
        part = fragment(curator, path, "meant")
        assert f"Not compared in meaning: {said}." in text(part.content.decode())
