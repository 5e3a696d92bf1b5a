"""The pages of what went wrong, and the work of a comparison."""

from collections.abc import Iterator

import pytest
from django.db import OperationalError, connection
from django.test import Client
from django.urls import path

from apps.console.diff import MOST_PAIRS, changes
from memoryplane import urls as product
from tests.console.stage import login
from tests.factories import make_project


def _fail(request: object) -> None:
    raise RuntimeError("the words of a fact")


def _away(request: object) -> None:
    raise OperationalError("the words of a fact")


urlpatterns = [path("fail", _fail), path("away", _away), *product.urlpatterns]
handler400, handler404, handler500 = product.handler400, product.handler404, product.handler500


@pytest.fixture
def client() -> Iterator[Client]:
    yield Client(raise_request_exception=False)


@pytest.mark.django_db
def test_an_address_that_leads_nowhere(client: Client) -> None:
    answer = client.get("/nothing/zebra")
    assert answer.status_code == 404
    assert "There is nothing at this address" in answer.text and "zebra" not in answer.text


@pytest.mark.urls("tests.console.test_errors")
def test_a_fault_names_the_request_and_nothing_else(client: Client) -> None:
    answer = client.get("/fail", headers={"X-Request-ID": "req-12345678"})
    assert answer.status_code == 500
    assert "req-12345678" in answer.text and "words of a fact" not in answer.text


@pytest.mark.urls("tests.console.test_errors")
def test_a_database_that_is_away_is_no_fault(client: Client) -> None:
    answer = client.get("/away")
    assert (answer.status_code, answer["Retry-After"]) == (503, "5")
    assert "The database does not answer" in answer.text and "words of a fact" not in answer.text


@pytest.mark.django_db
def test_a_refusal_says_why_and_leads_back() -> None:
    make_project("other")
    member = login(make_project("acme"), "viewer")
    answer = member.get("/p/other/facts")
    assert answer.status_code == 404 and "you are no member of it" in answer.text
    answer = member.get("/p/acme/facts?cursor=x")
    assert answer.status_code == 400
    assert 'href="/p/acme/facts">Start again</a>' in answer.text and "The cursor is not one of this list" in answer.text


@pytest.mark.parametrize(
    ("old", "new", "expected"),
    [
        ("Call me.", "Call me.", [("span", "Call me.")]),
        ("", "New.", [("ins", "New.")]),
        ("Old.", "", [("del", "Old.")]),
        ("Call before ten.", "Write before ten.", [("del", "Call"), ("ins", "Write"), ("span", " before ten.")]),
        (
            "by phone, any time",
            "by email, any time",
            [("span", "by "), ("del", "phone"), ("ins", "email"), ("span", ", any time")],
        ),
    ],
)
def test_what_changed_word_by_word(old: str, new: str, expected: list[tuple[str, str]]) -> None:
    assert list(changes(old, new)) == expected


def test_a_comparison_of_endless_repetition_is_given_up() -> None:
    # difflib takes half a minute for these.
    old, new = "a " * 1000, "b " + "a b " * 499
    assert MOST_PAIRS < 1000 * 499
    assert list(changes(old, new)) == [("del", old.rstrip()), ("ins", new.rstrip()), ("span", " ")]


@pytest.mark.django_db
def test_what_the_database_refuses_is_said_without_its_words(monkeypatch: pytest.MonkeyPatch) -> None:
    project = make_project("acme")

    def refuse(**values: object) -> None:
        with connection.cursor() as cursor:
            cursor.execute("INSERT INTO facts_factsource (project_id, fact_id, trace_id, quote, start, \"end\", observed_at)"
                           " VALUES (%s, 1, 'none', 'the words of a fact', 0, 1, now())", [project.id])  # fmt: skip

    monkeypatch.setattr("apps.console.views.facts.form_pages.add_fact", refuse)
    form = {"content": "A.", "scope": "project", "category": "general", "memory_type": "semantic",
            "sensitivity": "internal", "confidence": "1", "importance": "0.5"}  # fmt: skip
    answer = login(project, "curator").post("/p/acme/facts/new", form)
    assert answer.status_code == 409
    assert "Somebody changed the same thing at the same moment" in answer.text
    assert "words of a fact" not in answer.text
