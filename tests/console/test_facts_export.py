"""Facts as a file: what is in it, what a spreadsheet makes of it, and that it is on record."""

import csv
import io
import json

import pytest
from django.http import HttpResponse

from apps.audit.models import AuditEvent
from apps.core.transactions import bind
from apps.tenancy.models import Project
from tests.console.stage import login, state
from tests.factories import make_agent, make_fact, make_project

pytestmark = pytest.mark.django_db
URL = "/p/acme/facts/export"


@pytest.fixture
def project() -> Project:
    return make_project("acme")


def body(answer: HttpResponse) -> str:
    return b"".join(answer.streaming_content).decode()  # type: ignore[attr-defined]


def events(project: Project) -> list[AuditEvent]:
    with bind(project.id):
        return list(AuditEvent.objects.filter(verb="facts.export").order_by("seq"))


def test_csv_has_the_facts_of_the_filter_and_no_formula(project: Project) -> None:
    formulas = ["=cmd()|' /C calc'!A0", "+1", "-1", "@SUM(A1)", 'He said "a, b"', "日本 שלום"]
    facts = [make_fact(project, words, category="=x") for words in formulas]
    make_fact(project, "Elsewhere.", agent=make_agent(project, "-bot"))
    answer = login(project, "curator").post(URL, {"as": "csv", "list": "?scope=project"})

    assert (answer.status_code, answer["Content-Type"]) == (200, "text/csv; charset=utf-8")
    assert answer["Content-Disposition"].startswith('attachment; filename="acme-facts-')
    text = body(answer)
    assert text[0] == "\ufeff"
    rows = list(csv.DictReader(io.StringIO(text[1:])))
    assert [int(row["id"]) for row in rows] == [fact.id for fact in reversed(facts)]
    assert [row["content"] for row in reversed(rows)] == [
        "'=cmd()|' /C calc'!A0", "'+1", "'-1", "'@SUM(A1)", 'He said "a, b"', "日本 שלום",
    ]  # fmt: skip
    assert {row["category"] for row in rows} == {"'=x"}
    (event,) = events(project)
    assert event.data["facts"] == 6 and event.data["format"] == "csv" and "calc" not in json.dumps(event.data)


def test_json_lines_hold_the_text_as_it_is(project: Project) -> None:
    agent = make_agent(project, "support")
    fact = make_fact(project, "=1+1 <b>", agent=agent, confidence=0.25)
    answer = login(project, "curator").post(URL, {"as": "jsonl"})
    (row,) = [json.loads(line) for line in body(answer).splitlines()]
    assert (row["id"], row["content"], row["agent"], row["confidence"]) == (fact.id, "=1+1 <b>", "support", 0.25)
    assert row["superseded_at"] is None and row["observed_at"].startswith("20")


def test_the_file_is_what_the_screen_shows_and_ends_at_its_cap(
    project: Project, monkeypatch: pytest.MonkeyPatch
) -> None:
    facts = [make_fact(project, f"Fact {n}.", user="ada", sensitivity="personal") for n in range(4)]
    make_fact(project, "Not of ada.")
    monkeypatch.setattr("apps.facts.actions.export_facts.MOST", 3)
    curator = login(project, "curator")
    # A script has changed the address since the form was made.
    here = {"HTTP_REFERER": "http://testserver/p/acme/facts?scope=user"}
    answer = curator.post(URL, {"as": "jsonl", "list": ""}, **here)  # type: ignore[arg-type]
    found = [json.loads(line)["id"] for line in body(answer).splitlines()]
    assert found == [fact.id for fact in facts][1:]


def test_who_may_not_export_and_what_is_no_choice(project: Project) -> None:
    make_fact(project, "One.")
    before = state(project)
    curator = login(project, "curator")
    assert curator.post(URL, {"as": "xlsx"}).status_code == 400
    assert curator.post(URL, {"as": "csv", "list": "?scope=odd"}).status_code == 400
    assert state(project)["facts_fact"] == before["facts_fact"] and events(project) == []
    assert login(project, "viewer").post(URL, {"as": "csv"}).status_code == 403
    assert curator.get(URL).status_code == 405
    assert "Exports are recorded" in curator.get("/p/acme/facts").text
    assert "Exports are recorded" not in login(project, "viewer").get("/p/acme/facts").text
