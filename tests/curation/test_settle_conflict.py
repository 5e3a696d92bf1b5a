"""A person settles a conflict, and may take it back: exact facts, proposals, marks and audit each time."""

from datetime import UTC, datetime, timedelta
from threading import Barrier, Thread

import pytest
from django.db import connections

from apps.access.policies import Refused
from apps.audit.models import AuditEvent
from apps.core.clock import now
from apps.core.errors import Conflict as Moved
from apps.core.errors import Invalid, NotFound
from apps.core.transactions import bind
from apps.curation.actions.open_conflict import open_conflict
from apps.curation.actions.reject_proposal import reject_proposal
from apps.curation.actions.settle_conflict import Settled, Verdict, settle_conflict
from apps.curation.actions.undo_change import undo_change
from apps.curation.models import Change, Conflict, Proposal
from apps.curation.standing import seen_as, standing, suggestion
from apps.facts.actions.revise_fact import revise_fact
from apps.facts.models import Fact, FactSource
from apps.facts.statement import Statement
from apps.privacy.actions.forget_fact import forget_fact
from apps.tenancy.models import Project
from tests.console.stage import digests
from tests.curation.stage import approve, learn, propose_one, stage, told, wish
from tests.factories import make_fact, user_actor

HOME = {"user": "ada", "attribute": "home-city"}
SPLIT = datetime(2026, 3, 1, tzinfo=UTC)


@pytest.fixture
def project(db: None) -> Project:
    return stage("one", "two")


@pytest.fixture
def curator(project: Project) -> object:
    return user_actor(project, "curator")


def fact_and_proposal(project: Project, **fields: object) -> tuple[Fact, Proposal]:
    fact = learn(project, wish(project, "Lives in Lisbon.", at=now() - timedelta(days=30), **HOME))
    return fact, propose_one(project, wish(project, "Lives in Porto.", trace="one", **(HOME | fields)))


def two_facts(project: Project, curator: object) -> tuple[Fact, Fact, Conflict]:
    first, second = (make_fact(project, f"Lives in {city}.", **HOME) for city in ("Lisbon", "Porto"))
    conflict, _ = open_conflict(actor=curator, project_id=project.id, fact_ids=[first.id, second.id])
    return first, second, conflict


def only(project: Project) -> tuple[Conflict, str]:
    with bind(project.id):
        conflict = Conflict.objects.get()
        return conflict, seen_as(standing(project.id, conflict.id))


def settle(project: Project, curator: object, seen: str = "", note: str = "", **verdict: object) -> Settled:
    conflict, sides = only(project)
    return settle_conflict(
        actor=curator,
        project_id=project.id,
        conflict_id=conflict.id,
        seen=seen or sides,
        verdict=Verdict(**verdict),
        note=note,
    )


def state(project: Project) -> tuple[list[tuple[str, bool]], list[tuple[str, str]], str]:
    """Current facts and whether each is disputed, proposals with their states, and the conflict's settlement."""
    with bind(project.id):
        facts = [(one.content, one.contested_at is not None) for one in Fact.objects.current().order_by("content")]
        proposals = list(Proposal.objects.order_by("content").values_list("content", "state"))
        return facts, proposals, Conflict.objects.get().settlement


def undo(project: Project, curator: object, done: Settled) -> list[tuple[str, str]]:
    return undo_change(actor=curator, change_id=done.change.id).left


def test_a_fact_is_kept_and_the_proposal_rejected_and_both_come_back(project: Project, curator: object) -> None:
    fact, proposal = fact_and_proposal(project)
    before = state(project)
    assert before[0] == [("Lives in Lisbon.", True)]
    done = settle(project, curator, kind="keep", keep=f"f{fact.id}", note=" She  said so. ")
    assert [one.id for one in done.stands] == [fact.id]
    assert state(project)[0] == [("Lives in Lisbon.", False)]
    assert state(project)[2] == "kept_one"
    with bind(project.id):
        proposal.refresh_from_db()
        conflict = Conflict.objects.get()
        assert (proposal.state, proposal.reason, proposal.reviewer) == ("rejected", "other", curator.name)
        assert (conflict.note, conflict.settled_by) == ("She said so.", curator.name)
        event = AuditEvent.objects.filter(verb="conflicts.settle").get()
        assert event.data == {
            "settlement": "kept_one", "made": [], "closed": [], "proposals": [str(proposal.id)],
        }  # fmt: skip
        assert (event.object_type, event.object_id) == ("conflict", str(conflict.id))
    assert undo(project, curator, done) == []
    assert state(project) == before
    with bind(project.id):
        assert Conflict.objects.get().settled_at is None


def test_a_proposal_is_kept_and_supersedes_the_fact_and_both_come_back(project: Project, curator: object) -> None:
    fact, proposal = fact_and_proposal(project, trust=2)
    done = settle(project, curator, kind="keep", keep=f"p{proposal.id.hex}")
    assert told(project) == ["Lives in Porto."]
    with bind(project.id):
        fact.refresh_from_db()
        proposal.refresh_from_db()
        assert fact.superseded_by_id == proposal.fact_id == done.stands[0].id
    assert state(project)[0] == [("Lives in Porto.", False)]
    assert undo(project, curator, done) == []
    assert state(project)[0] == [("Lives in Lisbon.", True)]
    _, sides = only(project)
    with bind(project.id):
        copy = Fact.objects.current().get()
        assert copy.id > fact.id and sides == f"f{copy.id} p{proposal.id.hex}"
        assert FactSource.objects.filter(fact=copy).count() == FactSource.objects.filter(fact=fact).count() == 1
    # And it can be settled the other way then.
    settle(project, curator, kind="keep", keep=f"f{copy.id}")
    assert told(project) == ["Lives in Lisbon."]


def test_of_two_approved_facts_one_is_kept_and_the_other_comes_back(project: Project, curator: object) -> None:
    first, second, conflict = two_facts(project, curator)
    assert (conflict.attribute, conflict.opened_by) == ("home-city", curator.name)
    assert state(project)[0] == [("Lives in Lisbon.", True), ("Lives in Porto.", True)]
    done = settle(project, curator, kind="keep", keep=f"f{second.id}")
    assert told(project) == ["Lives in Porto."]
    with bind(project.id):
        first.refresh_from_db()
        assert first.superseded_by_id == second.id
    assert undo(project, curator, done) == []
    assert state(project)[0] == [("Lives in Lisbon.", True), ("Lives in Porto.", True)]
    with bind(project.id):
        copy = Fact.objects.current().get(content="Lives in Lisbon.")
    # Forgetting the copy forgets the row it is a copy of.
    forget_fact(actor=curator, project_id=project.id, fact_id=copy.id)
    with bind(project.id):
        assert list(Fact.objects.values_list("content", flat=True)) == ["Lives in Porto."]


def test_both_by_time_the_earlier_ends_where_the_later_begins(project: Project, curator: object) -> None:
    _, proposal = fact_and_proposal(project)
    done = settle(project, curator, kind="both", until=SPLIT)
    with bind(project.id):
        spans = list(Fact.objects.current().order_by("content").values_list("content", "valid_from", "valid_to"))
    assert spans == [("Lives in Lisbon.", None, SPLIT), ("Lives in Porto.", SPLIT, None)]
    assert state(project)[2] == "kept_both"
    assert told(project) == ["Lives in Porto."]
    assert undo(project, curator, done) == []
    with bind(project.id):
        assert list(Fact.objects.current().values_list("content", "valid_to")) == [("Lives in Lisbon.", None)]
        proposal.refresh_from_db()
        assert (proposal.state, proposal.fact_id) == ("pending", None)
        assert list(Fact.objects.filter(retired_reason="undone").values_list("content", flat=True)) == [
            "Lives in Porto."
        ]


def test_both_by_place_one_of_them_is_told_to_others(project: Project, curator: object) -> None:
    first, second, _ = two_facts(project, curator)
    settle(project, curator, kind="both", places={f"f{second.id}": ("user", "bob"), f"f{first.id}": ("user", "ada")})
    with bind(project.id):
        rows = list(
            Fact.objects.current().order_by("content").values_list("content", "scope_id", "subject__external_id")
        )
        second.refresh_from_db()
        first.refresh_from_db()
        assert (first.is_current, second.is_current) == (True, False)
    assert rows == [("Lives in Lisbon.", "ada", "ada"), ("Lives in Porto.", "bob", "bob")]
    assert state(project)[0] == [("Lives in Lisbon.", False), ("Lives in Porto.", False)]


def test_both_as_they_are(project: Project, curator: object) -> None:
    first, second, _ = two_facts(project, curator)
    done = settle(project, curator, kind="both")
    assert [one.id for one in done.stands] == [first.id, second.id]
    assert state(project)[0] == [("Lives in Lisbon.", False), ("Lives in Porto.", False)]
    undo(project, curator, done)
    assert state(project)[0] == [("Lives in Lisbon.", True), ("Lives in Porto.", True)]


def test_a_third_wording_takes_the_place_and_the_evidence_of_all(project: Project, curator: object) -> None:
    fact, proposal = fact_and_proposal(project)
    third = propose_one(project, wish(project, "Lives in Faro.", trace="two", **HOME))
    done = settle(project, curator, kind="write", content="Moved from Lisbon to Porto.")
    (new,) = done.stands
    assert told(project) == ["Moved from Lisbon to Porto."]
    with bind(project.id):
        fact.refresh_from_db()
        assert fact.superseded_by_id == new.id
        assert (new.source, new.trust, new.attribute, new.subject_id) == ("manual", 5, "home-city", fact.subject_id)
        assert sorted(FactSource.objects.filter(fact=new).values_list("quote", flat=True)) == [
            "Lives in Faro.", "Lives in Lisbon.", "Lives in Porto.",
        ]  # fmt: skip
        for one in (proposal, third):
            one.refresh_from_db()
            assert (one.state, one.fact_id) == ("applied", new.id)
    assert state(project)[2] == "wrote_new"
    assert undo(project, curator, done) == []
    assert told(project) == ["Lives in Lisbon."]
    with bind(project.id):
        assert {one.state for one in Proposal.objects.filter(id__in=[proposal.id, third.id])} == {"pending"}


def test_of_three_sides_one_is_kept(project: Project, curator: object) -> None:
    _, proposal = fact_and_proposal(project)
    third = propose_one(project, wish(project, "Lives in Faro.", trace="two", **HOME))
    with pytest.raises(Invalid) as refused:
        settle(project, curator, kind="both", until=SPLIT)
    assert refused.value.code == "two_sides"
    settle(project, curator, kind="keep", keep=f"p{third.id.hex}")
    assert told(project) == ["Lives in Faro."]
    with bind(project.id):
        proposal.refresh_from_db()
        assert (proposal.state, proposal.reason) == ("rejected", "other")


def test_what_moved_meanwhile_is_shown_again_and_nothing_changes(project: Project, curator: object) -> None:
    fact, proposal = fact_and_proposal(project)
    _, seen = only(project)
    revise_fact(
        actor=curator,
        project_id=project.id,
        fact_id=fact.id,
        statement=Statement(content="Lives in Lisbon, Alfama.", scope="user", scope_id="ada", attribute="home-city"),
    )
    with bind(project.id):
        before = digests()
    with pytest.raises(Moved) as refused:
        settle(project, curator, seen, kind="keep", keep=f"f{fact.id}")
    assert refused.value.code == "conflict_moved"
    with bind(project.id):
        assert digests() == before
    reject_proposal(actor=curator, project_id=project.id, proposal_id=proposal.id, reason="vague")
    with pytest.raises(Moved) as refused:
        settle(project, curator, seen, kind="keep", keep=f"f{fact.id}")
    assert refused.value.code == "conflict_settled"


@pytest.mark.parametrize(
    ("verdict", "note", "code"),
    [
        ({"kind": "keep", "keep": "f0"}, "", "unknown_choice"),
        ({"kind": "write", "content": " "}, "", "invalid_fact"),
        ({"kind": "both", "until": SPLIT, "places": True}, "", "one_split"),
        ({"kind": "both"}, "n" * 501, "too_long"),
        ({"kind": "both"}, "the password is hunter2-Z9x!", "secret"),
    ],
)
def test_refused_and_nothing_changes(project: Project, curator: object, verdict: dict, note: str, code: str) -> None:
    first, _, _ = two_facts(project, curator)
    if "places" in verdict:
        verdict = verdict | {"places": {f"f{first.id}": ("user", "bob")}}
    with bind(project.id):
        before = digests()
    with pytest.raises(Invalid) as refused:
        settle(project, curator, note=note, **verdict)
    assert refused.value.code == code
    with bind(project.id):
        assert digests() == before


def test_only_a_curator_settles_and_only_what_is_there(project: Project, curator: object) -> None:
    two_facts(project, curator)
    for role in ("viewer", "privacy_officer", "admin", "auditor"):
        with pytest.raises(Refused):
            settle(project, user_actor(project, role), kind="both")
    with pytest.raises(NotFound):
        settle_conflict(actor=curator, project_id=project.id, conflict_id=0, seen="", verdict=Verdict(kind="both"))
    assert state(project)[2] == ""


def test_undo_leaves_what_was_touched_since(project: Project, curator: object) -> None:
    _, second, _ = two_facts(project, curator)
    done = settle(project, curator, kind="keep", keep=f"f{second.id}")
    revise_fact(
        actor=curator,
        project_id=project.id,
        fact_id=second.id,
        statement=Statement(content="Lives in Porto, Foz.", scope="user", scope_id="ada", attribute="home-city"),
    )
    left = undo(project, curator, done)
    assert left == [(f"conflict {done.conflict.id}", f"#{second.id} was changed since.")]
    assert told(project) == ["Lives in Porto, Foz."]
    with bind(project.id):
        assert Conflict.objects.get().settlement == "kept_one"
        assert Change.objects.get(id=done.change.id).undone_at is None


def test_a_persons_conflict_of_facts_stays_open_when_a_proposal_in_it_goes(project: Project, curator: object) -> None:
    first, _, _ = two_facts(project, curator)
    proposal = propose_one(project, wish(project, "Lives in Faro.", **HOME))
    reject_proposal(actor=curator, project_id=project.id, proposal_id=proposal.id, reason="vague")
    assert state(project) == (
        [("Lives in Lisbon.", True), ("Lives in Porto.", True)], [("Lives in Faro.", "rejected")], "",
    )  # fmt: skip
    with bind(project.id):
        Fact.objects.filter(id=first.id).update(retired_at=now(), retired_reason="stale")
    approve(project, propose_one(project, wish(project, "Lives in Braga.", trace="one", **HOME)), supersede=True)
    assert state(project)[2] == "kept_one"


def test_opening_is_taken_back(project: Project, curator: object) -> None:
    first, second = (make_fact(project, f"Lives in {city}.", **HOME) for city in ("Lisbon", "Porto"))
    _, change = open_conflict(actor=curator, project_id=project.id, fact_ids=[second.id, first.id])
    assert undo_change(actor=curator, change_id=change.id).left == []
    with bind(project.id):
        assert (Conflict.objects.count(), Fact.objects.exclude(contested_at=None).count()) == (0, 0)
    with pytest.raises(Invalid) as refused:
        other = make_fact(project, "Lives in Faro.", user="bob")
        open_conflict(actor=curator, project_id=project.id, fact_ids=[first.id, other.id])
    assert refused.value.code == "other_scope"


def test_the_first_rule_that_sets_one_apart_suggests_it(project: Project, curator: object) -> None:
    fact, proposal = fact_and_proposal(project)

    def found() -> object:
        conflict, _ = only(project)
        with bind(project.id):
            return suggestion(standing(project.id, conflict.id))

    suggested = found()
    # Said thirty days later by the same source; that a person approved the other speaks against it.
    assert (suggested.ref, suggested.rule, suggested.days) == (f"p{proposal.id.hex}", "newer", 30)
    assert suggested.against == ("approved",)
    with bind(project.id):
        Proposal.objects.filter(id=proposal.id).update(trust=2)
    assert (found().ref, found().rule) == (f"f{fact.id}", "trust")
    with bind(project.id):
        Proposal.objects.filter(id=proposal.id).update(trust=5)
        Fact.objects.filter(id=fact.id).update(pinned=True)
    assert (found().rule, found().against) == ("pinned", ("trust", "newer"))


def test_two_people_settle_at_once_and_one_is_told(fresh_db: str) -> None:
    project = stage()
    people = [user_actor(project, "curator") for _ in range(2)]
    first, second, conflict = two_facts(project, people[0])
    _, seen = only(project)
    start, said = Barrier(2), []

    def work(who: object, keep: int) -> None:
        start.wait()
        try:
            settle_conflict(
                actor=who,
                project_id=project.id,
                conflict_id=conflict.id,
                seen=seen,
                verdict=Verdict(kind="keep", keep=f"f{keep}"),
            )
            said.append("settled")
        except Moved as error:
            said.append(error.code)
        finally:
            connections.close_all()

    threads = [Thread(target=work, args=pair) for pair in zip(people, (first.id, second.id), strict=True)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join(20)
    assert sorted(said) == ["conflict_settled", "settled"]
    assert len(told(project)) == 1
