"""A view as a test case: shown, completed, downloaded."""

import json
from typing import Any
from urllib.parse import urlencode

import pytest

from apps.recall.cases import parse_cases
from apps.tenancy.models import Project
from tests.console.pages import text
from tests.console.past import ago
from tests.console.stage import login, unmask
from tests.factories import make_agent, make_fact, make_key, make_project

pytestmark = pytest.mark.django_db
URL = "/p/acme/agent-view/case"


@pytest.fixture
def project() -> Project:
    project = make_project("acme")
    support = make_agent(project, "support")
    make_fact(project, "Refunds take five days.", agent=support, importance=0.9, category="policy")
    make_fact(project, "Likes refunds.", user="ada", importance=0.4)
    make_fact(project, "Has a nut allergy, no refunds.", user="ada", sensitivity="special")
    return project


def ask(project: Project, role: str = "curator", *, shown: bool = False, **params: Any) -> Any:
    knobs = {"agent": "support", "user": "ada", "q": "How long do refunds take?"}
    client = login(project, role)
    return (unmask(client) if shown else client).get(f"{URL}?{urlencode(knobs | params)}")


def test_the_facts_told_and_the_question_become_a_case(project: Project) -> None:
    answer = ask(
        project,
        **{"as": "file", "name": "Refund time", "expected": "five days | 5 days\n\nworking", "must_not": "a week"},
    )
    assert answer["Content-Type"] == "application/jsonl; charset=utf-8"
    assert answer["Content-Disposition"] == 'attachment; filename="case-refund-time.jsonl"'
    (case,) = parse_cases(answer.content)
    assert (case.name, case.question, case.agent, case.user) == (
        "Refund time",
        "How long do refunds take?",
        "support",
        "ada",
    )
    assert (case.expected, case.must_not) == ((("five days", "5 days"), ("working",)), ("a week",))
    assert [(one.content, one.scope, one.user, one.category) for one in case.memories] == [
        ("Refunds take five days.", "agent", "", "policy"),
        ("Likes refunds.", "user", "ada", "general"),
    ]
    assert (case.limit, case.budget) == (50, None) and case.now is not None and case.now >= ago(minutes=5)


def test_the_page_shows_it_and_says_what_is_missing(project: Project) -> None:
    page = ask(project, limit=2, budget=100)
    assert page.status_code == 200
    case = json.loads(page.context["line"])
    assert case["expected"] == [] and case["budget"] == 100 and case["limit"] == 2
    assert "Not complete yet. expected: Say what a right answer holds." in text(page.text)
    page = ask(project, expected="five days", must_not="Five days")
    assert "must_not: The same words are expected." in text(page.text)
    page = ask(project, expected="five days")
    assert "Complete: the evaluation takes it as it is." in text(page.text)
    # What is typed goes into the file without a step in between: the download is the form's own.
    assert '<button class="btn pri" type="submit" name="as" value="file">' in page.text
    page = ask(project, name="x" * 121, expected="five days", **{"as": "file"})
    assert page["Content-Type"].startswith("text/html") and "aria-invalid" in page.text
    assert page.context["back"] == "/p/acme/agent-view?agent=support&user=ada&q=How+long+do+refunds+take%3F"


def test_it_holds_what_its_reader_may_see_and_no_more(project: Project) -> None:
    for role in ("viewer", "curator"):
        assert "allergy" not in ask(project, role).text
    assert "allergy" not in ask(project, "viewer", ceiling="special", **{"as": "file"}).text
    masked = ask(project, "curator", ceiling="special", **{"as": "file"})
    assert "allergy" not in masked.text and "neither shown nor written" in masked.text
    assert "allergy" in ask(project, "curator", shown=True, ceiling="special", **{"as": "file"}).text


def test_there_is_none_without_a_question_or_an_answer(project: Project) -> None:
    key, _ = make_key(project, revoked=True)
    reader = login(project, "curator", "admin")
    for query in ("", "?agent=support", "?q=refunds&agent=nobody", "?q=refunds&limit=0", f"?q=refunds&key={key.id}"):
        page = reader.get(URL + query)
        assert page.status_code == 400 and "A test case needs" in page.text, query
    assert 'href="/p/acme/agent-view/case' not in reader.get("/p/acme/agent-view?agent=support").text
    assert (
        'href="/p/acme/agent-view/case?q=refunds&amp;agent=support"' in reader.get("/p/acme/agent-view?q=refunds").text
    )
