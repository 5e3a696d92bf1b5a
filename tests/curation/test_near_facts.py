"""Facts near a statement: of its own place, at a price that does not grow."""

import pytest
from django.db import connection

from apps.core.transactions import bind
from apps.facts.models import Fact
from tests.factories import make_agent, make_fact, make_project

pytestmark = pytest.mark.django_db

PLACE = {"scope": "user", "scope_id": "ada"}


def near(project_id: int, statement: str, *, scope_id: str = "ada", cap: int = 80) -> list[str]:
    with bind(project_id), connection.cursor() as cursor:
        cursor.execute("SELECT fact_id FROM near_facts('user', %s, %s, 0.2, %s, 3)", [scope_id, statement, cap])
        ids = [row[0] for row in cursor.fetchall()]
        found = Fact.objects.in_bulk(ids)
    return [found[one].content for one in ids]


def test_the_nearest_of_the_place_come_first() -> None:
    project, other = make_project("acme"), make_project("other")
    for number in range(4):
        make_fact(project, f"Wants parcel number {number} by courier.", **PLACE)
    make_fact(project, "Has two dogs.", **PLACE)
    make_fact(project, "Wants the parcel by courier.", scope="user", scope_id="eve")
    make_fact(other, "Wants the parcel by courier.", **PLACE)
    found = near(project.id, "Wants parcel number 2 by courier!")
    assert found[0] == "Wants parcel number 2 by courier." and len(found) == 3
    assert near(project.id, "Has two cats.") == ["Has two dogs."]
    assert near(project.id, "It’s ''quoted\\'' & | ! <-> 🎉 مرحبا") == []
    assert near(project.id, "Wants the parcel by courier.", scope_id="") == []


def test_of_a_large_place_the_most_important_and_those_of_its_rare_words() -> None:
    project = make_project("acme")
    make_fact(project, "Pays by invoice with purchase order QX-77 of Lisbon.", importance=0.1, **PLACE)
    for number in range(30):
        make_fact(project, f"Wrote about parcel {number} of the shop.", **PLACE)
    assert near(project.id, "Pays with purchase order QX-77 of Lisbon.", cap=10) == [
        "Pays by invoice with purchase order QX-77 of Lisbon."
    ]
    assert near(project.id, "Wrote about parcel 29 of the shop.", cap=10)[0] == "Wrote about parcel 29 of the shop."
    assert near(project.id, "Hates quoting’s 'odd' \\ words of O'Neill\\' QX.", cap=10) == []


def test_what_other_places_hold_does_not_stand_in_the_way() -> None:
    project, other = make_project("acme"), make_project("other")
    said = "Pays by invoice with purchase order QX-77 of Lisbon."
    for number in range(20):
        make_fact(project, said, scope="user", scope_id=f"user-{number}")
        make_fact(other, f"{said} {number}", **PLACE)
    mine = make_fact(project, said, **PLACE)
    for number in range(12):
        make_fact(project, f"Wrote about parcel {number} of the shop.", **PLACE)
    with bind(project.id), connection.cursor() as cursor:
        cursor.execute(
            "SELECT count(*), min(id) FROM facts_fact WHERE fact_keys(project_id, scope, scope_id)"
            " @> (fact_keys(%s, 'user', 'ada'))[2:]",
            [project.id],
        )
        assert cursor.fetchone() == (13, mine.id)
    # Ten are looked at, and there are twenty that say it elsewhere.
    assert near(project.id, "Pays with purchase order QX-77 of Lisbon.", cap=10) == [said]


@pytest.mark.parametrize(
    ("said", "found"),
    [
        # Three of five, wherever they stand among the rarest.
        ("alphabetically brontosaurus carpentry", ["alphabetically brontosaurus carpentry"]),
        ("delphinium elephants carpentry", ["delphinium elephants carpentry"]),
        ("alphabetically delphinium elephants", ["alphabetically delphinium elephants"]),
        ("brontosaurus carpentry elephants", ["brontosaurus carpentry elephants"]),
        # Two, where nothing else was found.
        ("delphinium elephants", ["delphinium elephants"]),
        ("alphabetically carpentry", ["alphabetically carpentry"]),
        ("brontosaurus elephants", ["brontosaurus elephants"]),
        # One is not enough.
        ("brontosaurus", []),
    ],
)
def test_three_of_a_statements_rarest_words_are_looked_for_then_two(said: str, found: list[str]) -> None:
    project = make_project("acme")
    make_fact(project, said, importance=0.1, **PLACE)
    for number in range(30):
        make_fact(project, f"No {number} is so.", **PLACE)
    assert near(project.id, "alphabetically brontosaurus carpentry delphinium elephants", cap=10) == found


@pytest.mark.parametrize("scope", ["agent", "project", "user", "session"])
def test_places_of_every_scope(scope: str) -> None:
    project = make_project("acme")
    agent = make_agent(project, "support")
    scope_id = {"agent": "support", "project": "acme"}.get(scope, "ada")
    own = {"scope": scope, "scope_id": scope_id} | ({"agent": agent} if scope == "agent" else {})
    make_fact(project, "Wants the parcel by courier.", **own)
    make_fact(project, "Wants the parcel by couriers.", restricted="disabled", **own)
    make_fact(project, "Wants the parcel by a courier.", retired="wrong", **own)
    # What is long, or not for everybody, has no short form.
    long = f"Wants the parcel by courier. {'Always. ' * 160}".strip()
    make_fact(project, long, **own)
    make_fact(project, "Wants the parcel by courier at night.", purposes=["support"], **own)
    make_fact(project, "Wants the parcel by courier.", agent=make_agent(project, "sales"))
    for other in ("user", "session"):
        make_fact(project, "Wants the parcel by courier.", scope=other, scope_id="eve")
    with bind(project.id), connection.cursor() as cursor:
        cursor.execute(
            "SELECT f.content FROM near_facts(%s, %s, 'Wants the parcel by courier.', 0.2, 80, 9) n"
            " JOIN facts_fact f ON f.id = n.fact_id ORDER BY n.alike DESC",
            [scope, scope_id],
        )
        assert [content for (content,) in cursor.fetchall()] == [
            "Wants the parcel by courier.",
            long,
            "Wants the parcel by courier at night.",
        ]
        cursor.execute(
            "SELECT count(*) FROM near_facts(%s, 'elsewhere', 'Wants the parcel by courier.', 0.2, 80, 9)", [scope]
        )
        assert cursor.fetchone() == (0,)
