"""A verdict taken back within a quarter of an hour: the proposal waits again, and facts are as they were."""

from datetime import timedelta
from uuid import UUID

import pytest

from apps.access.actor import Actor
from apps.audit.models import AuditEvent
from apps.core.clock import now
from apps.core.errors import Conflict
from apps.core.transactions import bind
from apps.curation.actions.approve_proposal import Edits
from apps.curation.actions.cap_learned import cap_learned
from apps.curation.actions.decide_batch import Verdict, decide_batch
from apps.curation.actions.decide_proposal import decide_proposal
from apps.curation.actions.undo_change import UndoResult, undo_change
from apps.curation.models import Change, Proposal
from apps.facts.actions.retire_fact import retire_fact
from apps.facts.models import Fact, FactSource
from apps.tenancy.models import Project
from tests.console.stage import moved, state
from tests.curation.stage import conflicts, learn, outcome, propose_one, put, stage, told, wish
from tests.factories import user_actor

pytestmark = pytest.mark.django_db


@pytest.fixture
def project() -> Project:
    return stage("u", "v")


@pytest.fixture
def curator(project: Project) -> Actor:
    return user_actor(project, "curator")


def decide(project: Project, curator: Actor, proposal: Proposal | UUID, **choices: object) -> Change:
    proposal_id = proposal if isinstance(proposal, UUID) else proposal.id
    _, change = decide_proposal(
        actor=curator,
        project_id=project.id,
        proposal_id=proposal_id,
        **choices,  # type: ignore[arg-type]
    )
    assert change is not None
    return change


def undo(curator: Actor, change: Change) -> UndoResult:
    return undo_change(actor=curator, change_id=change.id)


def fresh(project: Project, proposal: Proposal) -> Proposal:
    with bind(project.id):
        return Proposal.objects.get(id=proposal.id)


def waits(project: Project, proposal: Proposal, state: str = "pending") -> bool:
    row = fresh(project, proposal)
    return (row.state, row.decided_at, row.reviewer, row.reason, row.fact_id) == (state, None, "", "", None)


def test_an_approval(project: Project, curator: Actor) -> None:
    proposal = propose_one(project, wish(project, "Returns take 45 days."))
    change = decide(project, curator, proposal)
    assert undo(curator, change) == UndoResult(1)
    assert told(project) == [] and waits(project, proposal)
    with bind(project.id):
        fact = Fact.objects.get()
        assert fact.retired_reason == "undone"
        verbs = list(AuditEvent.objects.order_by("seq").values_list("verb", flat=True))
    assert verbs[-3:] == ["facts.retire", "proposals.undo", "changes.undo"]
    decide(project, curator, proposal)
    assert told(project) == ["Returns take 45 days."]


def test_a_rejection(project: Project, curator: Actor) -> None:
    proposal = propose_one(project, wish(project, "Returns take 45 days."))
    change = decide(project, curator, proposal, reject="vague")
    assert undo(curator, change) == UndoResult(1)
    assert waits(project, proposal)


def test_one_that_was_held_is_held_again(project: Project, curator: Actor) -> None:
    proposal = propose_one(project, wish(project, "Returns take 45 days."))
    with bind(project.id):
        Proposal.objects.update(state="quarantined", flags=["injection"])
    undo(curator, decide(project, curator, proposal, edits=Edits(content="Returns take six weeks.")))
    assert waits(project, proposal, "quarantined") and told(project) == []


def test_what_it_replaced_comes_back_and_may_be_replaced_again(project: Project, curator: Actor) -> None:
    old = learn(project, wish(project, "Refunds take 30 days.", attribute="refund-window"))
    newer = propose_one(project, wish(project, "Refunds take 2 weeks.", attribute="refund-window", trace="u"))
    assert newer.op == "supersede"
    change = decide(project, curator, newer)
    assert told(project) == ["Refunds take 2 weeks."]
    assert [settlement for _, settlement, _ in conflicts(project)] == ["kept_one"]
    assert undo(curator, change) == UndoResult(1)
    assert told(project) == ["Refunds take 30 days."] and waits(project, newer)
    assert conflicts(project) == [
        ("refund-window", "open", {"#Refunds take 30 days.", "P Refunds take 2 weeks."}),
    ]
    with bind(project.id):
        copy = Fact.objects.active().get()
        assert copy.id != old.id and copy.contested_at is not None
        assert FactSource.objects.filter(fact_id=copy.id).count() == 1
    change = decide(project, curator, newer)
    assert told(project) == ["Refunds take 2 weeks."]
    undo(curator, change)
    assert told(project) == ["Refunds take 30 days."]


def test_a_merge_takes_its_evidence_back(project: Project, curator: Actor) -> None:
    fact = learn(project, wish(project, "Parcels are blue."))
    again = propose_one(project, wish(project, "We pack in blue paper.", trace="u"))
    change = decide(project, curator, again, same_as=fact.id)
    with bind(project.id):
        assert (Fact.objects.get().corroborations, FactSource.objects.count()) == (1, 2)
    assert undo(curator, change) == UndoResult(1)
    with bind(project.id):
        row = Fact.objects.get()
        assert (row.corroborations, row.last_seen_at, FactSource.objects.count()) == (0, None, 1)
    assert waits(project, again) and told(project) == ["Parcels are blue."]


def test_a_retired_fact_is_told_again(project: Project, curator: Actor) -> None:
    fact = learn(project, wish(project, "Lives in Porto.", user="ada"))
    assert fact.subject_id is not None
    (retiring,) = cap_learned(
        actor=Actor(kind="system", id="extraction", project_id=project.id),
        project_id=project.id,
        subject_id=fact.subject_id,
        max_learned=0,
    )
    change = decide(project, curator, retiring)
    assert told(project) == []
    assert undo(curator, change) == UndoResult(1)
    assert told(project) == ["Lives in Porto."] and waits(project, retiring)
    decide(project, curator, retiring)
    assert told(project) == []


def test_a_batch_is_one_change(project: Project, curator: Actor) -> None:
    rows = put(project, *(wish(project, text) for text in ("Parcels are blue.", "We ship on Tuesdays."))).proposals
    ids = [row.id for row in rows]
    for verdict in (Verdict(verb="approve"), Verdict(verb="reject", reason="vague")):
        done = decide_batch(actor=curator, project_id=project.id, proposal_ids=ids, verdict=verdict)
        assert len(done.done) == 2 and done.change is not None
        assert undo(curator, done.change) == UndoResult(2)
        assert all(waits(project, row) for row in rows) and told(project) == []
    later = Verdict(verb="snooze", until=now() + timedelta(days=1))
    assert decide_batch(actor=curator, project_id=project.id, proposal_ids=ids, verdict=later).change is None


def test_what_was_touched_since_stays(project: Project, curator: Actor) -> None:
    edited, heard, fine = put(
        project,
        *(wish(project, text) for text in ("Parcels are blue.", "We ship on Tuesdays.", "The shop is in Faro.")),
    ).proposals
    ids = [row.id for row in (edited, heard, fine)]
    done = decide_batch(actor=curator, project_id=project.id, proposal_ids=ids, verdict=Verdict(verb="approve"))
    assert done.change is not None
    retire_fact(actor=curator, project_id=project.id, fact_id=fresh(project, edited).fact_id or 0, reason="stale")
    assert outcome(project, wish(project, "We ship on Tuesdays.", trace="u")).rule == "known"
    result = undo(curator, done.change)
    facts = {row.number: fresh(project, row).fact_id for row in (edited, heard)}
    assert result == UndoResult(
        1,
        [
            (edited.number, f"#{facts[edited.number]} was changed since."),
            (heard.number, f"#{facts[heard.number]} was heard again since."),
        ],
    )
    assert [fresh(project, row).state for row in (edited, heard, fine)] == ["applied", "applied", "pending"]


def test_nobody_else_takes_it_back_and_nobody_twice(project: Project, curator: Actor) -> None:
    proposal = propose_one(project, wish(project, "Returns take 45 days."))
    change = decide(project, curator, proposal)
    undo(curator, change)
    decide(project, curator, proposal, reject="vague")
    before = state(project)
    with pytest.raises(Conflict) as refused:
        undo(curator, change)
    assert (refused.value.code, moved(before, state(project))) == ("undone", set())


def test_overtaken_is_nothing_to_take_back(project: Project, curator: Actor) -> None:
    old = learn(project, wish(project, "Refunds take 30 days.", attribute="refund-window"))
    newer = propose_one(project, wish(project, "Refunds take 2 weeks.", attribute="refund-window", trace="u"))
    retire_fact(actor=curator, project_id=project.id, fact_id=old.id, reason="stale")
    result, change = decide_proposal(actor=curator, project_id=project.id, proposal_id=newer.id)
    assert (result.state, change) == ("conflicted", None)
