"""Later, whose, and many at once."""

from concurrent.futures import ThreadPoolExecutor
from datetime import timedelta
from threading import Barrier

import pytest
from django.db import connection

from apps.access.policies import Refused
from apps.audit.models import AuditEvent
from apps.core.clock import now
from apps.core.errors import Conflict, Invalid, NotFound
from apps.core.ids import uuid7
from apps.core.transactions import bind
from apps.curation.actions.assign_proposal import assign_proposal
from apps.curation.actions.decide_batch import BatchResult, Verdict, decide_batch
from apps.curation.actions.snooze_proposal import snooze_proposal
from apps.curation.models import Proposal
from apps.curation.queries import Waiting, waiting_counts
from apps.facts.models import Fact
from apps.tenancy.models import Project
from tests.console.stage import moved, state
from tests.curation.stage import approve, learn, propose_one, put, stage, told, wish
from tests.factories import make_user, user_actor


@pytest.fixture
def project(db: None) -> Project:
    return stage()


def waiting(project: Project) -> list[str]:
    with bind(project.id):
        return list(Proposal.objects.in_project(project.id).waiting().order_by("id").values_list("content", flat=True))


def events(project: Project, verb: str) -> list[tuple[str, object]]:
    with bind(project.id):
        rows = AuditEvent.objects.filter(verb=verb).order_by("seq")
        return [(event.reason, event.data) for event in rows]


# --- later ----------------------------------------------------------------------------------------------------------


def test_what_is_snoozed_leaves_the_queue_and_comes_back_by_itself(project: Project) -> None:
    curator = user_actor(project, "curator")
    proposal = propose_one(project, wish(project, "Returns take 45 days."))
    until = now() + timedelta(days=7)
    snoozed = snooze_proposal(actor=curator, project_id=project.id, proposal_id=proposal.id, until=until)
    assert (snoozed.state, snoozed.snoozed_until, waiting(project)) == ("pending", until, [])
    assert waiting_counts(int(curator.id)) == {project.id: Waiting(0, 0)}
    with bind(project.id):
        assert list(Proposal.objects.in_project(project.id).snoozed()) == [proposal]
        Proposal.objects.update(snoozed_until=now() - timedelta(seconds=1))
    assert waiting(project) == ["Returns take 45 days."]
    assert events(project, "proposals.snooze") == [("", {"until": until.isoformat()})]


def test_it_is_brought_back_early_once(project: Project) -> None:
    curator = user_actor(project, "curator")
    proposal = propose_one(project, wish(project, "Returns take 45 days."))
    for until in (now() + timedelta(days=7), None, None):
        snooze_proposal(actor=curator, project_id=project.id, proposal_id=proposal.id, until=until)
    assert waiting(project) == ["Returns take 45 days."]
    assert len(events(project, "proposals.snooze")) == 2


@pytest.mark.parametrize("days", [-1, 0, 400])
def test_a_moment_that_can_not_be(project: Project, days: int) -> None:
    proposal = propose_one(project, wish(project, "Returns take 45 days."))
    before, curator = state(project), user_actor(project, "curator")
    before = state(project)
    with pytest.raises(Invalid) as refused:
        until = now() + timedelta(days=days)
        snooze_proposal(actor=curator, project_id=project.id, proposal_id=proposal.id, until=until)
    assert (refused.value.code, moved(before, state(project))) == ("out_of_range", set())


# --- whose ----------------------------------------------------------------------------------------------------------


def test_it_is_given_to_a_member_and_taken_back(project: Project) -> None:
    curator, bo = user_actor(project, "curator"), make_user(project, "curator", name="Bo")
    proposal = propose_one(project, wish(project, "Returns take 45 days."))
    for assignee in (bo.id, bo.id, None):
        done = assign_proposal(actor=curator, project_id=project.id, proposal_id=proposal.id, assignee=assignee)
        assert done.assignee == assignee
    assert events(project, "proposals.assign") == [("", {"assignee": bo.id}), ("", {"assignee": None})]


@pytest.mark.parametrize("roles", [(), ("viewer", "admin", "auditor", "privacy_officer")])
def test_it_is_given_to_nobody_who_may_not_decide(project: Project, roles: tuple[str, ...]) -> None:
    curator, other = user_actor(project, "curator"), make_user(project, *roles)
    proposal = propose_one(project, wish(project, "Returns take 45 days."))
    before = state(project)
    with pytest.raises(Invalid) as refused:
        assign_proposal(actor=curator, project_id=project.id, proposal_id=proposal.id, assignee=other.id)
    assert (refused.value.code, moved(before, state(project))) == ("unknown_member", set())


@pytest.mark.parametrize("role", ["viewer", "privacy_officer", "admin", "auditor"])
def test_only_curators_put_off_give_and_decide(project: Project, role: str) -> None:
    proposal = propose_one(project, wish(project, "Returns take 45 days."))
    actor = user_actor(project, role)
    before = state(project)
    common = {"actor": actor, "project_id": project.id}
    with pytest.raises(Refused):
        snooze_proposal(**common, proposal_id=proposal.id, until=None)  # type: ignore[arg-type]
    with pytest.raises(Refused):
        assign_proposal(**common, proposal_id=proposal.id, assignee=None)  # type: ignore[arg-type]
    with pytest.raises(Refused):
        decide_batch(**common, proposal_ids=[proposal.id], verdict=Verdict(verb="approve"))  # type: ignore[arg-type]
    assert moved(before, state(project)) == set()


def test_what_is_decided_is_neither_put_off_nor_given(project: Project) -> None:
    curator = user_actor(project, "curator")
    proposal = propose_one(project, wish(project, "Returns take 45 days."))
    approve(project, proposal)
    before = state(project)
    for act in (
        lambda: snooze_proposal(actor=curator, project_id=project.id, proposal_id=proposal.id, until=None),
        lambda: assign_proposal(actor=curator, project_id=project.id, proposal_id=proposal.id, assignee=None),
    ):
        with pytest.raises(Conflict) as refused:
            act()
        assert refused.value.code == "proposal_decided"
    with pytest.raises(NotFound):
        snooze_proposal(actor=curator, project_id=project.id, proposal_id=uuid7(), until=None)
    assert moved(before, state(project)) == set()


# --- many at once ---------------------------------------------------------------------------------------------------


def batch(project: Project, proposals: list[Proposal], **verdict: object) -> BatchResult:
    return decide_batch(
        actor=user_actor(project, "curator"),
        project_id=project.id,
        proposal_ids=[proposal.id for proposal in proposals],
        verdict=Verdict(**verdict),  # type: ignore[arg-type]
    )


def test_a_batch_decides_what_it_can_and_says_why_not(project: Project) -> None:
    learn(project, wish(project, "Refunds take 30 days.", attribute="refund-window", statement={"confidence": 0.9}))
    good, secret, held, taken, weaker = put(
        project,
        wish(project, "We ship on Tuesdays."),
        wish(project, "The password is in the vault."),
        wish(project, "Our office is in Lisbon."),
        wish(project, "Parcels are blue."),
        wish(project, "Refunds take 3 weeks.", attribute="refund-window", trust=1),
    ).proposals
    with bind(project.id):
        Proposal.objects.filter(id=secret.id).update(flags=["secret"])
        Proposal.objects.filter(id=held.id).update(state="quarantined", flags=["injection"])
    approve(project, taken)
    result = batch(project, [weaker, good, secret, held, taken], verb="approve")
    assert [one.content for one in result.done] == ["We ship on Tuesdays."]
    assert {one.proposal_id: one.code for one in result.left} == {
        secret.id: "secret",
        held.id: "held",
        taken.id: "proposal_decided",
        weaker.id: "choice_required",
    }
    assert all(one.reason for one in result.left)
    assert told(project) == ["Refunds take 30 days.", "Parcels are blue.", "We ship on Tuesdays."]
    # What refused left no event behind.
    assert len(events(project, "proposals.approve")) == 3


def test_a_batch_rejects_puts_off_and_gives(project: Project) -> None:
    bo = make_user(project, "curator")
    one, two = put(project, wish(project, "We ship on Tuesdays."), wish(project, "Parcels are blue.")).proposals
    until = now() + timedelta(days=1)
    assert len(batch(project, [one, two], verb="assign", assignee=bo.id).done) == 2
    assert len(batch(project, [one, two], verb="snooze", until=until).done) == 2
    assert len(batch(project, [one, one], verb="reject", reason="vague").done) == 1
    result = batch(project, [one, two], verb="reject", reason="vague")
    assert ([row.id for row in result.done], [row.code for row in result.left]) == ([two.id], ["proposal_decided"])
    with bind(project.id):
        rows = Proposal.objects.values_list("state", "reason", "assignee", "snoozed_until")
        assert set(rows) == {("rejected", "vague", bo.id, until)}


@pytest.mark.parametrize(
    ("verdict", "code"),
    [
        ({"verb": "reject", "reason": "nonsense"}, "unknown_choice"),
        ({"verb": "snooze", "until": now() - timedelta(days=1)}, "out_of_range"),
        ({"verb": "assign", "assignee": 10**9}, "unknown_member"),
    ],
)
def test_a_verdict_that_can_not_be_changes_nothing(project: Project, verdict: dict[str, object], code: str) -> None:
    proposal = propose_one(project, wish(project, "We ship on Tuesdays."))
    curator = user_actor(project, "curator")
    before = state(project)
    with pytest.raises(Invalid) as refused:
        decide_batch(
            actor=curator,
            project_id=project.id,
            proposal_ids=[proposal.id],
            verdict=Verdict(**verdict),  # type: ignore[arg-type]
        )
    assert (refused.value.code, moved(before, state(project))) == (code, set())


def test_a_batch_has_an_end(project: Project) -> None:
    with pytest.raises(Invalid) as refused:
        decide_batch(
            actor=user_actor(project, "curator"),
            project_id=project.id,
            proposal_ids=[uuid7() for _ in range(201)],
            verdict=Verdict(verb="approve"),
        )
    assert refused.value.code == "too_many"


def test_two_people_with_the_same_page_decide_each_proposal_once(fresh_db: str) -> None:
    project = stage()
    rows = put(project, *(wish(project, f"Parcel {number} is blue, as always.") for number in range(12))).proposals
    actors = [user_actor(project, "curator") for _ in range(2)]
    start = Barrier(2)

    def decide(number: int) -> BatchResult:
        verdict = Verdict(verb="approve") if number else Verdict(verb="reject", reason="vague")
        ids = [row.id for row in (rows if number else reversed(rows))]
        try:
            start.wait(20)
            return decide_batch(actor=actors[number], project_id=project.id, proposal_ids=ids, verdict=verdict)
        finally:
            connection.close()

    with ThreadPoolExecutor(2) as pool:
        first, second = pool.map(decide, range(2))
    assert len(first.done) + len(second.done) == len(rows)
    assert {one.code for one in (*first.left, *second.left)} == {"proposal_decided"}
    with bind(project.id):
        states = dict(Proposal.objects.values_list("id", "state"))
        assert {row.id: states[row.id] for row in first.done} == {row.id: "rejected" for row in first.done}
        assert {row.id: states[row.id] for row in second.done} == {row.id: "applied" for row in second.done}
        assert Fact.objects.count() == len(second.done)


def test_a_batch_beside_single_verdicts_decides_each_once(fresh_db: str) -> None:
    project = stage()
    rows = put(
        project, *(wish(project, f"Parcel {number} is blue.", user=f"u{number}") for number in range(6))
    ).proposals
    curator = user_actor(project, "curator")
    start = Barrier(2)

    def decide(number: int) -> int:
        try:
            start.wait(20)
            if number == 0:
                ids = [row.id for row in rows]
                return len(
                    decide_batch(
                        actor=curator, project_id=project.id, proposal_ids=ids, verdict=Verdict(verb="approve")
                    ).done
                )
            done = 0
            for row in reversed(rows):
                try:
                    approve(project, row)
                    done += 1
                except Conflict as error:
                    assert error.code == "proposal_decided"
            return done
        finally:
            connection.close()

    with ThreadPoolExecutor(2) as pool:
        assert sum(pool.map(decide, range(2))) == len(rows)
    with bind(project.id):
        assert Fact.objects.count() == len(rows)
