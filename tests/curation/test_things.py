"""Of work, two statements contradict each other only where they speak of one thing."""

import pytest

from apps.core.transactions import bind
from apps.curation.models import Proposal
from apps.curation.things import same_thing
from tests.curation.stage import conflicts, propose_one, put, stage, told, wish
from tests.factories import make_agent, make_fact

HOURS = "opening-hours"
APART = [
    (HOURS, "The Askøy warehouse closes at four.", "Our customer line is open eight to four."),
    (HOURS, "The Askøy warehouse closes at four.", "The Bergen warehouse closes at five."),
    (HOURS, "We close at four.", "The warehouse closes at five."),
    (HOURS, "Der Laden öffnet um neun.", "Die Werkstatt öffnet um zehn."),
    ("price", "The basic plan costs 5 euros.", "The spare key costs 9 euros."),
    ("refund-window", "The refund window in Norway is 30 days.", "The refund window in Spain is 45 days."),
]
TOGETHER = [
    (HOURS, "The Askøy warehouse closes at four.", "The Askøy warehouse closes at five."),
    (HOURS, "The Askøy warehouse closes at four.", "The warehouse is open until five."),
    (HOURS, "We open at nine.", "We are open from ten."),
    (HOURS, "Shops open at nine.", "Our shop opens at ten."),
    ("release-owner", "The release owner is Mira.", "The release owner is Chen."),
    ("release-owner", "Mira is the release owner.", "The release owner is Chen."),
    ("refund-window", "Refunds take 30 days.", "The return window is 45 days."),
]


@pytest.mark.parametrize(("attribute", "first", "second"), APART)
@pytest.mark.parametrize("scope", ["agent", "project"])
def test_another_thing_is_no_contradiction(db: None, scope: str, attribute: str, first: str, second: str) -> None:
    assert not same_thing(attribute, first, second) and not same_thing(attribute, second, first)
    project = stage()
    make_fact(
        project, first, attribute=attribute, **({"agent": make_agent(project, "support")} if scope == "agent" else {})
    )
    statement = {"scope_id": "acme"} if scope == "project" else {}
    new = propose_one(project, wish(project, second, scope=scope, attribute=attribute, statement=statement, trust=5))
    assert (new.op, new.flags, conflicts(project), told(project)) == ("add", [], [], [first])


@pytest.mark.parametrize(("attribute", "first", "second"), TOGETHER)
def test_the_same_thing_with_another_value_is_one(db: None, attribute: str, first: str, second: str) -> None:
    assert same_thing(attribute, first, second) and same_thing(attribute, second, first)
    project = stage()
    make_fact(project, first, attribute=attribute, agent=make_agent(project, "support"))
    new = propose_one(project, wish(project, second, attribute=attribute))
    assert (new.flags, [row[:2] for row in conflicts(project)]) == (["conflict"], [(attribute, "open")])


def test_two_that_wait_are_held_apart_too(db: None) -> None:
    project = stage()
    put(project, *(wish(project, said, attribute=HOURS) for said in APART[0][1:]))
    with bind(project.id):
        assert [(one.op, one.flags) for one in Proposal.objects.order_by("id")] == [("add", []), ("add", [])]
    assert conflicts(project) == []


def test_what_names_the_fact_it_changes_is_believed_about_the_thing(db: None) -> None:
    project = stage()
    fact = make_fact(project, APART[0][1], attribute=HOURS, agent=make_agent(project, "support"))
    put(project, wish(project, APART[0][2], attribute=HOURS, changes=fact.id))
    assert conflicts(project) == [(HOURS, "open", {f"#{APART[0][1]}", f"P {APART[0][2]}"})]


def test_a_user_has_one_of_each(db: None) -> None:
    project = stage()
    make_fact(project, "The home phone is 555-1234.", user="ada", attribute="phone")
    proposal = propose_one(project, wish(project, "Her mobile is 555-9999.", user="ada", attribute="phone"))
    assert "conflict" in proposal.flags
