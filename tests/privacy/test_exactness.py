"""Exactly one person's rows go, whoever else is called nearly the same and whatever they share."""

import random
from typing import Any

import pytest

from apps.core.transactions import bind
from apps.facts.models import Fact
from apps.tenancy.models import Project, Subject
from tests.factories import make_agent, make_fact, make_project
from tests.privacy.exactness import digests, facts_of, people_alike
from tests.privacy.stage import approved, fresh, learned, work
from tests.spans import trace_id

pytestmark = pytest.mark.django_db

MANY = 1_001
PEOPLE = 300
ERASED = 12


@pytest.fixture
def project(settings: Any) -> Project:
    settings.PURGE_WAITS = False
    return make_project()


def test_a_thousand_and_one_facts_go_and_no_row_of_the_neighbours_changes(project: Project) -> None:
    agent = make_agent(project, "support")
    users = ["user_1", "user_10", "User_1", "user_1-b", "user"]
    numbers = {user: facts_of(project, user, MANY if user == "user_1" else 40, agent) for user in users}
    make_fact(project, "Everybody is told this.")
    make_fact(project, "The support agent is told this.", agent=agent)
    # A session whose id is like hers.
    make_fact(project, "The cart of user_10 is full.", scope="session", scope_id="user_10")
    before = digests(project, [numbers["user_1"]])
    request = approved(project, "user_1")
    assert fresh(request).preview["stores"]["facts"] == MANY
    assert work(project) == ["completed"]
    done = fresh(request)
    assert (done.progress["before"]["facts"], done.progress["erased"]["facts"]) == (MANY, MANY)
    assert digests(project, [numbers["user_1"]]) == before
    with bind(project.id):
        assert not Subject.objects.filter(id=numbers["user_1"]).exists()
        assert Fact.objects.count() == 40 * 4 + 3


def test_a_fact_that_two_people_bear_out_stays_with_the_words_of_the_other(project: Project) -> None:
    make_agent(project, "support")
    (fact,) = learned(project, "t1", "Our refund window is 30 days.", user="user_1")
    learned(project, "t2", "Our refund window is 30 days.", user="user_10")
    request = approved(project, "user_1")
    assert fresh(request).preview["shared"] == [{"fact": fact, "alone": False}]
    assert work(project) == ["completed"]
    with bind(project.id):
        kept = Fact.objects.get()
        assert (kept.id, kept.content) == (fact, "Our refund window is 30 days.")
        assert set(kept.sources.values_list("trace_id", flat=True)) == {trace_id("t2")}


def test_whoever_it_is_of_many_the_others_stay_as_they_were(project: Project) -> None:
    chance = random.Random(11)
    numbers = people_alike(project, PEOPLE, chance, make_agent(project, "support"))
    gone: list[int] = []
    for name in chance.sample(sorted(numbers), ERASED):
        gone.append(numbers[name])
        before = digests(project, gone)
        request = approved(project, name)
        assert fresh(request).preview["reasons"] == {"direct": fresh(request).preview["stores"]["facts"]}, name
        assert work(project) == ["completed"], (name, fresh(request).verification)
        assert digests(project, gone) == before, name
