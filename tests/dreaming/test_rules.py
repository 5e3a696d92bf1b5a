"""What the rules find in a place, and what they leave alone."""

from datetime import timedelta

import pytest

from apps.core.clock import now
from apps.core.transactions import bind
from apps.curation.actions.compare_facts import compare_facts
from apps.dreaming.rules_long import said_once
from apps.facts.models import Fact
from apps.tenancy.models import Agent, Project
from tests.dreaming.stage import LONG_AGO, changes, choose, dream, outputs, said, shown
from tests.factories import make_agent, make_project

pytestmark = pytest.mark.django_db


@pytest.fixture
def project() -> Project:
    project = make_project()
    choose(project, fact_cap=None)
    return project


@pytest.fixture
def agent(project: Project) -> Agent:
    return make_agent(project, "support")


def test_the_same_words_become_one_and_nothing_is_written_meanwhile(project: Project, agent: Agent) -> None:
    first = said(project, "Ships on Tuesdays", agent=agent)
    second = said(project, "SHIPS on Tuesdays.", agent=agent, days=3, trust=3)
    other = said(project, "Ships on Mondays to the island.", agent=agent)
    run = dream(project)
    assert (run.state, run.facts_before, run.stop_reason, run.error_code) == ("proposed", 3, "", "")
    assert shown(run) == [("merge", "same-text", (second.id, first.id), "")]
    (change,) = changes(run)
    assert (change.safe, change.automatic, change.flags, change.state) == (True, True, [], "pending")
    assert change.evidence == [{"fact": second.id}, {"fact": first.id}]
    with bind(project.id):
        assert Fact.objects.current().count() == 3
    assert outputs(run) == {
        "orient": {
            "count": 3,
            "topics": {"semantic": 3},
            "issues": {"duplicate": 2, "contradiction": 0, "stale": 0, "verbose": 0},
            "pinned": 0,
        },
        "gather": {"signals": [], "read": 0},
        "consolidate": {"untouched": 1, "staged": 1, "refused": {}},
        "prune": {"before": 3, "after": 2, "over_cap": False, "remaining": 0, "staged": 0, "refused": {}},
    }
    assert other.id not in {target for _, _, ids, _ in shown(run) for target in ids}


@pytest.mark.parametrize(
    ("text", "shorter"),
    [
        ("Refunds take five days. Refunds take five days.", "Refunds take five days."),
        ("Ships to Porto. Costs 4.50 euros. ships to Porto.  Costs 4.50 euros!", "Ships to Porto. Costs 4.50 euros."),
        ("Ask for the blue form, it is free. " * 3, "Ask for the blue form, it is free."),
        ("退款需要五个工作日才能到账。退款需要五个工作日才能到账。", "退款需要五个工作日才能到账。"),
        (
            "Closed on Monday and Tuesday. Closed on Monday and Tuesday. Open else.",
            "Closed on Monday and Tuesday. Open else.",
        ),
        # What stands between them may say which time is which.
        ("On Monday: The shop is closed. On Tuesday it isn't. The shop is closed.", None),
        ("On Monday. The shop is closed. On Tuesday. The shop is closed.", None),
        ("Ask the team of Prof. Kim. Ask the team of Prof. Lee.", None),
        ("No, no. No, no.", None),
        ("Costs 4 euros a day. Costs 5 euros a day.", None),
        ("Version 1.2.2.2.2 is installed everywhere", None),
    ],
)
def test_sentences_that_follow_themselves_are_said_once(
    project: Project, agent: Agent, text: str, shorter: str | None
) -> None:
    fact = said(project, text.strip(), agent=agent)
    run = dream(project)
    assert said_once(text.strip()) == (shorter or text)
    assert shown(run) == ([("shorten", "said-twice", (fact.id,), shorter)] if shorter else [])


def test_a_fact_that_goes_is_not_shortened_as_well(project: Project, agent: Agent) -> None:
    text = "Free delivery all summer. Free delivery all summer."
    over = said(project, text, agent=agent, expired=True)
    said(project, f"{text} Truly.", agent=agent, pinned=True)
    assert [(op, ids) for op, _, ids, _ in shown(dream(project))] == [("retire", (over.id,))]


def test_a_cap_counts_what_stays_when_words_are_only_put_right(project: Project, agent: Agent) -> None:
    """A fact that is dated or shortened is a fact still: three of six are too many for a cap of three."""
    choose(project, fact_cap=3, retire_percent=50)
    for number in range(2):
        said(project, f"The lift {number} was repaired yesterday.", agent=agent)
        said(project, f"Form {number} is blue and free. Form {number} is blue and free.", agent=agent)
        said(project, f"Ships on day {number}", agent=agent)
    run = dream(project)
    counted = [op for op, *_ in shown(run)]
    assert counted.count("redate") == 2 and counted.count("archive") == 3
    assert outputs(run)["prune"]["after"] == 6


def test_what_was_grouped_as_saying_the_same(project: Project, agent: Agent) -> None:
    first = said(project, "The warehouse accepts returns until 17:00.", agent=agent)
    second = said(project, "Until 17:00 the warehouse accepts returns.", agent=agent, days=1)
    third = said(project, "The warehouse accepts returns until 18:00.", agent=agent)
    compare_facts()
    run = dream(project)
    assert shown(run) == [("merge", "same-words", (second.id, first.id), "")]
    assert third.id not in (first.id, second.id)


@pytest.mark.parametrize(
    ("later", "op"),
    [({}, "resolve"), ({"trust": 2}, "conflict"), ({"days": 0}, "conflict")],
)
def test_a_contradiction_goes_by_date_and_authority(project: Project, agent: Agent, later: dict, op: str) -> None:
    old = said(project, "Refunds are possible for 30 days.", agent=agent, attribute="refund-window")
    new = said(
        project, "You may return it within 14 days.", agent=agent, attribute="refund-window", **{"days": 40} | later
    )
    run = dream(project)
    ids = (new.id, old.id)
    assert shown(run) == [(op, "said-later" if op == "resolve" else "undecided", ids, "")]
    (change,) = changes(run)
    assert not change.safe and not change.automatic


def test_a_pinned_side_is_put_before_a_person(project: Project, agent: Agent) -> None:
    said(project, "Refunds are possible for 30 days.", agent=agent, attribute="refund-window", pinned=True)
    said(project, "You may return it within 14 days.", agent=agent, attribute="refund-window", days=9)
    (change,) = changes(dream(project))
    assert (change.op, change.flags) == ("conflict", ["pinned"])


def test_values_that_hold_one_after_the_other_contradict_nothing(project: Project, agent: Agent) -> None:
    until = LONG_AGO + timedelta(days=900)
    said(project, "Refunds: 30 days.", agent=agent, attribute="refund-window", valid_to=until)
    said(project, "Refunds: 14 days.", agent=agent, attribute="refund-window", valid_from=until, days=5)
    assert shown(dream(project)) == []


def test_of_a_person_only_what_has_one_value_at_a_time(project: Project) -> None:
    said(project, "Is allergic to nuts.", user="user_1", attribute="allergy")
    said(project, "Is allergic to milk.", user="user_1", attribute="allergy", days=5)
    old = said(project, "Lives in Porto.", user="user_1", attribute="home-city")
    new = said(project, "Settled down in Braga.", user="user_1", attribute="home-city", days=5)
    said(project, "Lives in Lisbon.", user="user_2", attribute="home-city", days=9)
    run = dream(project, "user", "user_1")
    assert shown(run) == [("resolve", "said-later", (new.id, old.id), "")]
    assert run.subject_id == old.subject_id


def test_relative_dates_go_by_when_it_was_said(project: Project, agent: Agent) -> None:
    fact = said(project, "The lift was repaired yesterday.", agent=agent)
    said(project, "The lift was repaired in March 2025.", agent=agent)
    run = dream(project)
    assert shown(run) == [("redate", "relative-date", (fact.id,), "The lift was repaired on 9 January 2026.")]
    (change,) = changes(run)
    assert (change.safe, change.automatic) == (True, False)


def test_what_is_over_and_what_nobody_confirmed(project: Project, agent: Agent) -> None:
    years_ago = now() - timedelta(days=800)
    over = said(project, "Free delivery in May.", agent=agent, expired=True)
    worded = said(project, "The winter timetable applies until 28 February 2025.", agent=agent, at=years_ago)
    idle = said(project, "Somebody asked about gift wrapping.", agent=agent, at=years_ago, confidence=0.5)
    said(project, "Everybody asks about gift wrapping.", agent=agent, at=years_ago, confidence=0.5, corroborations=2)
    said(
        project,
        "A person wrote this long ago.",
        agent=agent,
        at=years_ago,
        confidence=0.5,
        source="manual",
        speaker="curator",
    )
    said(project, "Pinned long ago.", agent=agent, at=years_ago, confidence=0.5, pinned=True)
    run = dream(project)
    assert shown(run) == [
        ("retire", "expired", (over.id,), ""),
        ("retire", "over-by-its-words", (worded.id,), ""),
        ("retire", "never-confirmed", (idle.id,), ""),
    ]
    assert [change.safe for change in changes(run)] == [True, False, False]


def test_beyond_a_tenth_of_a_place_it_is_put_away_by_a_person(project: Project, agent: Agent) -> None:
    for number in range(5):
        said(project, f"Offer number {number} holds in May.", agent=agent, expired=True)
    run = dream(project)
    assert [change.op for change in changes(run)] == ["retire"] * 3 + ["archive"] * 2
    assert [change.flags for change in changes(run)][3:] == [["over_limit"]] * 2
    assert [change.safe for change in changes(run)] == [True] * 3 + [False] * 2


def test_over_the_cap_the_least_needed_are_put_forward(project: Project, agent: Agent) -> None:
    choose(project, fact_cap=4)
    facts = [
        said(project, f"Thing {name} matters.", agent=agent, importance=0.1 * at)
        for at, name in enumerate("abcdefg", 1)
    ]
    run = dream(project)
    assert shown(run) == [("archive", "over-cap", (fact.id,), "") for fact in facts[:3]]
    assert outputs(run)["prune"]["over_cap"] is True


def test_what_is_restricted_keyed_or_appended_later_is_not_looked_at(project: Project, agent: Agent) -> None:
    said(project, "Ships on Tuesdays", agent=agent)
    said(project, "ships on tuesdays!", agent=agent, restricted="disabled")
    assert shown(dream(project)) == []
