"""Many workers with the same words at the same moment, on committed data."""

from collections import Counter
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from threading import Barrier
from typing import TypeVar

import pytest
from django.db import connection

from apps.core.transactions import bind
from apps.curation.actions.propose import Outcome, Wish
from apps.curation.models import Conflict, ConflictSide, Proposal, ProposalEvidence
from apps.facts.models import Fact, FactSource
from apps.privacy.actions.forget_fact import forget_fact
from apps.tenancy.models import Project
from tests.curation.stage import approve, learn, outcome, propose_one, put, stage, wish
from tests.factories import user_actor

T = TypeVar("T")
WORKERS = 8
TRACES = [f"trace {number}" for number in range(WORKERS)]
SAID = "Returns take 45 days."


@pytest.fixture
def project(fresh_db: str) -> Project:
    return stage(*TRACES)


def at_once(work: Callable[[int], T]) -> list[T]:
    start = Barrier(WORKERS)

    def one(number: int) -> T:
        try:
            start.wait(20)
            return work(number)
        finally:
            connection.close()

    with ThreadPoolExecutor(WORKERS) as pool:
        return list(pool.map(one, range(WORKERS)))


def say(project: Project, wishes: list[Wish]) -> list[Outcome]:
    """Every worker puts its wish; made before, so that they meet in the verb alone."""
    return at_once(lambda number: outcome(project, wishes[number]))


def test_the_same_new_statement_is_one_proposal_with_all_the_evidence(project: Project) -> None:
    done = say(project, [wish(project, SAID, trace=name) for name in TRACES])
    assert Counter((one.kind, one.rule) for one in done) == {("proposed", ""): 1, ("same", "waiting"): WORKERS - 1}
    with bind(project.id):
        assert Proposal.objects.count() == 1
        assert set(Counter(ProposalEvidence.objects.values_list("trace_id", flat=True)).values()) == {1}
        assert ProposalEvidence.objects.count() == WORKERS


def test_the_count_of_a_fact_is_exact(project: Project) -> None:
    fact = learn(project, wish(project, SAID))
    wishes = [wish(project, SAID, trace=name) for name in TRACES]
    for _ in range(2):  # and each run once more
        assert {one.rule for one in say(project, wishes)} == {"known"}
    with bind(project.id):
        fact.refresh_from_db()
        assert (fact.corroborations, FactSource.objects.filter(fact_id=fact.id).count()) == (WORKERS, WORKERS + 1)


def test_one_conversation_mined_by_all_of_them_counts_once(project: Project) -> None:
    fact = learn(project, wish(project, SAID))
    one = wish(project, SAID, trace=TRACES[0])
    say(project, [one] * WORKERS)
    with bind(project.id):
        fact.refresh_from_db()
        assert (fact.corroborations, FactSource.objects.filter(fact_id=fact.id).count()) == (1, 2)


def test_other_words_at_once_are_one_proposal_too(project: Project) -> None:
    said = ["The release owner is Mira.", "Mira is the release owner."]
    done = say(project, [wish(project, said[number % 2], trace=name) for number, name in enumerate(TRACES)])
    assert Counter(one.kind for one in done) == {"proposed": 1, "same": WORKERS - 1}


def test_values_that_contradict_each_other_meet_in_one_conflict(project: Project) -> None:
    wishes = [
        wish(project, f"Refunds take {number + 2} weeks.", attribute="refund-window", trace=name)
        for number, name in enumerate(TRACES)
    ]
    say(project, wishes)
    with bind(project.id):
        assert (Conflict.objects.count(), ConflictSide.objects.count()) == (1, WORKERS)
        assert Proposal.objects.filter(flags__contains=["conflict"]).count() == WORKERS


def test_batches_that_cross_wait_for_each_other_in_one_order(project: Project) -> None:
    places = [{"user": name} for name in ("ada", "bob", "eve")]
    wishes = [[wish(project, f"Likes {number}.", **place) for place in places] for number in range(WORKERS)]
    at_once(lambda number: put(project, *(wishes[number] if number % 2 else reversed(wishes[number]))))
    with bind(project.id):
        assert Proposal.objects.count() == WORKERS * 3


def test_said_again_while_it_is_approved_loses_nothing(project: Project) -> None:
    proposal = propose_one(project, wish(project, SAID))
    wishes = [wish(project, SAID, trace=name) for name in TRACES]

    def work(number: int) -> object:
        return approve(project, proposal) if number == 0 else outcome(project, wishes[number])

    at_once(work)
    with bind(project.id):
        fact = Fact.objects.get()
        assert (fact.corroborations, FactSource.objects.count(), Proposal.objects.count()) == (WORKERS - 1, WORKERS, 1)


def test_said_again_while_it_is_forgotten_leaves_nothing(project: Project) -> None:
    fact = learn(project, wish(project, SAID))
    wishes = [wish(project, SAID, trace=name) for name in TRACES]
    curator = user_actor(project, "curator")

    def work(number: int) -> str:
        if number == 0:
            forget_fact(actor=curator, project_id=project.id, fact_id=fact.id)
            return "forgot"
        return outcome(project, wishes[number]).rule

    assert set(at_once(work)) <= {"forgot", "known", "forgotten"}
    with bind(project.id):
        left = (Fact.objects.count(), Proposal.objects.count(), FactSource.objects.count())
        assert left == (0, 0, 0)
