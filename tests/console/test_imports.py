"""The import page: a file, its dry run, what is what in a table, the run, and what became of it."""

import io
from typing import Any

import pytest
from django.test import Client

from apps.core.transactions import bind
from apps.curation.models import Proposal
from apps.exchange.models import Import
from apps.facts.models import Fact
from apps.tenancy.models import Project
from tests.console.stage import give_password, login
from tests.exchange.stage import as_file, brought_in, checked, counts, line, worked
from tests.factories import make_fact, make_project, make_user

pytestmark = pytest.mark.django_db


@pytest.fixture
def project() -> Project:
    return make_project("acme")


def sent(who: Client, data: bytes, name: str = "facts.jsonl") -> Any:
    return who.post("/p/acme/imports", {"file": _named(data, name)})


def _named(data: bytes, name: str) -> io.BytesIO:
    file = io.BytesIO(data)
    file.name = name
    return file


def the_one(project: Project) -> Import:
    with bind(project.id):
        return Import.objects.get()


def test_from_a_file_to_proposals(project: Project) -> None:
    curator = login(project, "curator")
    answer = sent(curator, as_file(line("Ships on Tuesdays."), line("Unsure.", confidence=7)), "Großes 日本.jsonl")
    upload = the_one(project)
    here = f"/p/acme/imports/{upload.id}"
    assert (answer.status_code, answer["Location"], upload.state, upload.name) == (
        302,
        here,
        "checking",
        "Großes 日本.jsonl",
    )
    page = curator.get(here).content.decode()
    assert 'hx-trigger="every 2s"' in page and "Checking line 0 of 2" in page
    worked(upload)
    part = curator.get(here, headers={"HX-Request": "true", "HX-Target": "import"}).content.decode()
    assert "<html" not in part and "hx-trigger" not in part
    assert "Propose 1" in part and "has a number outside 0 to 1" in part and "Unsure" not in part
    assert curator.post(here, {"act": "start"}).status_code == 302
    worked(upload)
    page = curator.get(here).content.decode()
    assert "What came of it" in page and "Review what it proposed" in page
    with bind(project.id):
        assert list(Proposal.objects.values_list("content", "origin")) == [("Ships on Tuesdays.", "import")]
    assert "1 new, 1 refused" in curator.get("/p/acme/imports").content.decode()


def test_a_file_that_is_none_says_so(project: Project) -> None:
    curator = login(project, "curator")
    for data in (b'{"results": []}', b"\x89PNG\x00"):
        answer = sent(curator, data)
        assert answer.status_code == 422 and "none of the files that can be brought in" in answer.content.decode()
    assert curator.post("/p/acme/imports").status_code == 422
    with bind(project.id):
        assert not Import.objects.exists()


def test_a_table_asks_which_column_is_what(project: Project) -> None:
    curator, other = login(project, "curator"), login(project, "curator")
    assert sent(curator, b"what;whom\nPrefers email.;zoe-lovelace\n", "people.csv").status_code == 302
    upload = the_one(project)
    here = f"/p/acme/imports/{upload.id}"
    assert upload.state == "uploaded" and "zoe-lovelace" in curator.get(here).content.decode()
    # The cells are for whoever brought the file.
    assert "zoe-lovelace" not in other.get(here).content.decode()
    refused = curator.post(here, {"act": "check", "scope": "user"})
    assert refused.status_code == 422 and the_one(project).state == "uploaded"
    chosen = {"act": "check", "scope": "user", "column-content": "what", "column-scope_id": "whom"}
    assert curator.post(here, chosen).status_code == 302
    assert worked(upload).forecast == counts(1)
    page = curator.get(here).content.decode()
    assert '<option value="what" selected>' in page and "Propose 1" in page


def test_an_administrator_may_have_it_told_at_once(project: Project) -> None:
    boss = make_user(project, "admin")
    admin, curator = login(project, user=boss), login(project, "curator")
    sent(admin, as_file(line("Ships on Tuesdays."), line("For it.", "agent", "helper")))
    upload = the_one(project)
    here = f"/p/acme/imports/{upload.id}"
    worked(upload)
    assert 'name="direct"' not in curator.get(here).content.decode()
    assert curator.post(here, {"act": "check", "direct": "on"}).status_code == 302
    assert not worked(upload).direct
    assert admin.post(here, {"act": "check", "direct": "on", "register_agents": "on"}).status_code == 302
    assert worked(upload).forecast == counts(2)
    assert "Tell 2 at once" in admin.get(here).content.decode()
    assert "Tell 2 at once" not in curator.get(here).content.decode()
    assert curator.post(here, {"act": "start"}).status_code == 403
    give_password(admin, boss, seconds_ago=301)
    asked = admin.post(here, {"act": "start"})
    assert asked["Location"].startswith("/account/reauthenticate/?next=")
    assert the_one(project).state == "checked"
    give_password(admin, boss)
    assert admin.post(here, {"act": "start"})["Location"] == here
    worked(upload)
    with bind(project.id):
        assert Fact.objects.filter(source="import").count() == 2


def test_it_can_be_ended_and_another_project_has_none_of_it(project: Project) -> None:
    curator = login(project, "curator")
    upload = brought_in(project, as_file(line("Ships on Tuesdays.")))
    assert curator.post(f"/p/acme/imports/{upload.id}", {"act": "cancel"}).status_code == 409
    sent(curator, as_file(line("Ships on Mondays.")))
    with bind(project.id):
        second = Import.objects.latest("id")
    assert curator.post(f"/p/acme/imports/{second.id}", {"act": "cancel"}).status_code == 302
    other = make_project("other")
    stranger = login(other, "curator")
    assert stranger.get(f"/p/other/imports/{upload.id}").status_code == 404


def test_the_export_comes_in_again(project: Project) -> None:
    make_fact(project, "=1+1 | 日本", user="zoe")
    make_fact(project, "Ships on Tuesdays.")
    curator = login(project, "curator")
    there = make_project("there")
    lines, table = (
        b"".join(curator.post("/p/acme/facts/export", {"as": form, "list": ""}).streaming_content)  # type: ignore[attr-defined]
        for form in ("jsonl", "csv")
    )
    assert brought_in(there, lines, direct=True).counts == counts(2)
    # What a spreadsheet would run comes back as it was.
    assert checked(there, table, name="facts.csv", direct=True).forecast == counts(known=2)
