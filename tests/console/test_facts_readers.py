"""Who sees which facts, and what an empty list says."""

import pytest
from django.conf import settings
from django.test import Client

from apps.tenancy.models import Project
from tests.console.pages import count, fragment, numbers, revised, rows, scopes, text
from tests.console.stage import login
from tests.factories import make_fact, make_project, make_user

pytestmark = pytest.mark.django_db
URL = "/p/acme/facts"


@pytest.fixture
def project() -> Project:
    return make_project("acme")


def test_facts_above_the_readers_sensitivity_are_neither_shown_nor_counted(project: Project) -> None:
    shown = make_fact(project, "Is a customer.", user="alice")
    hidden = make_fact(project, "Has a nut allergy.", user="alice", sensitivity="special", category="health")
    old = make_fact(project, "Lives in Porto.", user="alice")
    secret = revised(project, old, "Lives in Porto, Rua das Flores.", sensitivity="personal")
    for role in ("viewer", "admin"):
        reader = login(project, role)
        page = reader.get(f"{URL}?superseded=1")
        assert numbers(page) == [old.id, shown.id]
        assert count(page) == "2"
        assert scopes(reader.get(f"{URL}/facets?superseded=1")) == "All 2 Users 2 Project 0 Agents 0"
        # The frame links to the Health page; the list itself must not name the category.
        assert "health" not in page.text.split("<main")[1].split("</main>")[0]
        assert "allergy" not in page.text and "Flores" not in page.text
        # That there is a newer version is true, what it says is not for this reader.
        assert f"superseded → #{secret.id}" in text(page.text) and f"/facts/{secret.id}" not in page.text
        assert "No such fact" in reader.get(f"{URL}?open={hidden.id}").text
        assert reader.get(f"{URL}/{hidden.id}").status_code == 404
        assert fragment(reader, f"{URL}/{hidden.id}", "drawer").status_code == 404
        assert "Flores" not in reader.get(f"{URL}/{old.id}").text
    officer = login(project, "privacy_officer").get(f"{URL}?superseded=1")
    assert numbers(officer) == [secret.id, old.id, hidden.id, shown.id]


def test_a_project_without_facts_says_how_to_get_some(project: Project) -> None:
    page = login(project, "curator", "admin").get(URL)
    assert "No facts yet" in page.text
    assert settings.PUBLIC_URL in page.text and "make demo" in page.text
    assert 'href="/p/acme/facts/new">Add one by hand</a>' in page.text
    assert 'href="/p/acme/settings/keys/new">Make an API key</a>' in page.text
    make_fact(project, "Has a nut allergy.", user="alice", sensitivity="special")
    page = login(project, "viewer").get(URL)
    assert "None that your role may see." in page.text and "Add one by hand" not in page.text


def test_only_members_see_a_project_and_nobody_another_one(project: Project) -> None:
    other = make_project("other")
    make_fact(project, "Ours."), make_fact(other, "Theirs.")
    member = login(project, "curator")
    assert [words.split(" #")[0] for _, words in rows(member.get(URL))] == ["Ours."]
    assert member.get("/p/other/facts").status_code == 404
    assert member.get("/p/nowhere/facts").status_code == 404
    assert login(project, "auditor").get(URL).status_code == 403
    stranger = login(None, user=make_user())
    assert stranger.get(URL).status_code == 404
    assert Client().get(URL)["Location"] == f"/account/login/?next={URL}"
    part = fragment(Client(), URL)
    assert (part.status_code, part["HX-Redirect"]) == (401, f"/account/login/?next={URL}")
    assert member.post(URL).status_code == 405


def test_no_match_repeats_the_filter_and_offers_ways_on(project: Project) -> None:
    old = make_fact(project, "The window is 14 days.", user="alice")
    revised(project, old, "The window is 30 days.")
    curator = login(project, "curator")
    page = fragment(curator, f"{URL}?q=14&scope=user&scope_id=alice")
    assert rows(page) == []
    assert "Asked for: current facts of user alice that say “14”." in text(page.text)
    assert "1 superseded fact matches. Show it" in page.text
    assert "0 facts found" in page.text
    for label, leads_to in (
        ("1 superseded fact matches. Show it", f"{URL}?q=14&scope=user&scope_id=alice&superseded=1"),
        ("Clear search", f"{URL}?scope=user&scope_id=alice"),
        ("Search everywhere", f"{URL}?q=14"),
    ):
        assert f'href="{leads_to}">{label}</a>'.replace("&", "&amp;") in page.text
    assert f'href="/p/acme/facts/{old.id}">Open fact #{old.id}</a>' in curator.get(f"{URL}?q=%23{old.id}").text
