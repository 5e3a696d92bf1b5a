"""Changes are decided one by one and applied together; what moved is left; what was applied can be taken back."""

from dataclasses import replace
from typing import Any

import pytest

from apps.access.policies import Refused
from apps.audit.models import AuditEvent
from apps.core.clock import now
from apps.core.errors import Conflict as Moved
from apps.core.errors import Invalid, NotFound
from apps.core.transactions import bind
from apps.curation.models import Conflict
from apps.dreaming.actions.accept_safe import accept_safe
from apps.dreaming.actions.apply_changes import apply_changes
from apps.dreaming.actions.cancel_dream import cancel_dream
from apps.dreaming.actions.decide_changes import decide_changes
from apps.dreaming.actions.undo_dream import undo_dream
from apps.dreaming.models import DreamChange, DreamRun
from apps.dreaming.operations import Operation
from apps.dreaming.queries import tally_of
from apps.facts.actions.handle_fact import handle_fact
from apps.facts.actions.retire_fact import retire_fact
from apps.facts.actions.revise_fact import revise_fact
from apps.facts.handling import Handling
from apps.facts.models import Fact
from apps.facts.statement import statement_of
from apps.tenancy.models import Agent, Project
from apps.traces.models import Message
from tests.dreaming.stage import Scripted, changes, choose, dream, fresh, said, told
from tests.factories import make_agent, make_project, make_subject, user_actor
from tests.spans import trace_id
from tests.traces.messages import message

pytestmark = pytest.mark.django_db


@pytest.fixture
def project() -> Project:
    project = make_project()
    choose(project, fact_cap=None)
    return project


@pytest.fixture
def agent(project: Project) -> Agent:
    return make_agent(project, "support")


@pytest.fixture
def curator(project: Project) -> Any:
    return user_actor(project, "curator")


@pytest.fixture
def facts(project: Project, agent: Agent) -> dict[str, Fact]:
    """One change of each kind that the rules know."""
    return {
        "twin": said(project, "Ships on Tuesdays", agent=agent),
        "keep": said(project, "Ships on Tuesdays.", agent=agent, days=1),
        "old": said(project, "Refunds take 30 days.", agent=agent, attribute="refund-window"),
        "new": said(project, "You have 14 days for a refund.", agent=agent, attribute="refund-window", days=9),
        "tied": said(project, "Costs 5 euros.", agent=agent, attribute="shipping-fee"),
        "tied too": said(project, "The fee is 7 euros.", agent=agent, attribute="shipping-fee"),
        "dated": said(project, "The lift was repaired yesterday.", agent=agent),
        "over": said(project, "Free delivery in May.", agent=agent, expired=True),
    }


@pytest.fixture
def run(project: Project, facts: dict[str, Fact]) -> DreamRun:
    run = dream(project)
    assert [change.op for change in changes(run)] == ["merge", "resolve", "conflict", "redate", "retire"]
    return run


AFTER = [
    "Costs 5 euros.",
    "Ships on Tuesdays.",
    "The fee is 7 euros.",
    "The lift was repaired on 9 January 2026.",
    "You have 14 days for a refund.",
]
BEFORE = [
    "Costs 5 euros.",
    "Refunds take 30 days.",
    "Ships on Tuesdays",
    "Ships on Tuesdays.",
    "The fee is 7 euros.",
    "The lift was repaired yesterday.",
    "You have 14 days for a refund.",
]


def apply(project: Project, actor: Any, run: DreamRun, ids: list[int] | None = None) -> Any:
    return apply_changes(actor=actor, project_id=project.id, run_id=run.id, change_ids=ids)


def undo(project: Project, actor: Any, run: DreamRun, ids: list[int] | None = None) -> Any:
    return undo_dream(actor=actor, project_id=project.id, run_id=run.id, change_ids=ids)


def decide(project: Project, actor: Any, run: DreamRun, to: str, *ids: int) -> Any:
    return decide_changes(actor=actor, project_id=project.id, run_id=run.id, change_ids=ids, to=to)


def states(run: DreamRun) -> list[str]:
    return [change.state for change in changes(run)]


def test_all_of_it_and_back_again(project: Project, curator: Any, facts: dict[str, Fact], run: DreamRun) -> None:
    assert told(project) == BEFORE
    done = apply(project, curator, run, [change.id for change in changes(run)])
    assert (len(done.applied), done.conflicted, done.left) == (5, [], [])
    assert told(project) == AFTER
    assert (fresh(run).state, states(run)) == ("settled", ["applied"] * 5)
    with bind(project.id):
        by_id = Fact.objects.in_bulk()
        assert by_id[facts["twin"].id].superseded_by_id == facts["keep"].id
        assert by_id[facts["old"].id].superseded_by_id == facts["new"].id
        dated = by_id[by_id[facts["dated"].id].superseded_by_id]
        assert (dated.source, dated.trust, dated.observed_at) == ("learned", 3, facts["dated"].observed_at)
        assert (by_id[facts["over"].id].retired_reason, by_id[facts["tied"].id].contested_at is None) == (
            "expired",
            False,
        )
        assert Conflict.objects.get().attribute == "shipping-fee"
        event = AuditEvent.objects.get(verb="dreams.apply")
        assert event.data["applied"] == [change.id for change in changes(run)]
    taken = undo(project, curator, run)
    assert (len(taken.undone), taken.left) == (5, [])
    assert told(project) == BEFORE
    assert (fresh(run).state, states(run), fresh(run).undone_at is not None) == ("undone", ["undone"] * 5, True)
    with bind(project.id):
        assert Conflict.objects.count() == 0
        assert not Fact.objects.current().exclude(contested_at=None).exists()
    with pytest.raises(Moved) as refused:
        undo(project, curator, run)
    assert refused.value.code == "nothing_applied"


def test_two_are_left_out(project: Project, curator: Any, run: DreamRun) -> None:
    """Run, untick two, apply ticked."""
    merge, resolve, conflict, redate, retire = changes(run)
    decide(project, curator, run, "accepted", *(change.id for change in changes(run)))
    decide(project, curator, run, "rejected", conflict.id)
    decide(project, curator, run, "pending", redate.id)
    done = apply(project, curator, run)
    assert [change.id for change in done.applied] == [merge.id, resolve.id, retire.id]
    assert (fresh(run).state, states(run)) == ("proposed", ["applied", "applied", "rejected", "pending", "applied"])
    tally = tally_of(project.id, [run.id])
    with bind(project.id):
        tally = tally_of(project.id, [run.id])[run.id]
    assert (tally.undecided, tally.total, tally.safe) == (1, 5, 1)
    decide(project, curator, run, "rejected", redate.id)
    assert fresh(run).state == "settled"
    undo(project, curator, run, [merge.id])
    assert told(project) == [text for text in BEFORE if text != "Refunds take 30 days."]
    assert fresh(run).state == "settled"


def test_accept_all_that_are_safe(project: Project, curator: Any, run: DreamRun) -> None:
    chosen = accept_safe(actor=curator, project_id=project.id, run_id=run.id)
    assert [change.op for change in chosen] == ["merge", "redate", "retire"]
    assert states(run) == ["accepted", "pending", "pending", "accepted", "accepted"]
    assert told(project) == BEFORE


def test_what_moved_is_conflicted_and_never_forced(
    project: Project, curator: Any, facts: dict[str, Fact], run: DreamRun
) -> None:
    with bind(project.id):
        statement = replace(statement_of(facts["old"]), content="Refunds take 31 days.")
    revised = revise_fact(actor=curator, project_id=project.id, fact_id=facts["old"].id, statement=statement)
    handle_fact(actor=curator, project_id=project.id, fact_id=facts["dated"].id, handling=Handling(kind="pin"))
    retire_fact(actor=curator, project_id=project.id, fact_id=facts["over"].id, reason="stale")
    done = apply(project, curator, run, [change.id for change in changes(run)])
    assert [change.op for change in done.conflicted] == ["resolve", "redate", "retire"]
    assert [change.why for change in done.conflicted] == ["moved"] * 3
    assert states(run) == ["applied", "conflicted", "applied", "conflicted", "conflicted"]
    assert revised.content in told(project) and "The lift was repaired yesterday." in told(project)
    with pytest.raises(Moved):
        apply(project, curator, run, [done.conflicted[0].id])


def test_later_edits_stand_against_an_undo_item_by_item(
    project: Project, curator: Any, facts: dict[str, Fact], run: DreamRun
) -> None:
    apply(project, curator, run, [change.id for change in changes(run)])
    retire_fact(actor=curator, project_id=project.id, fact_id=facts["keep"].id, reason="stale")
    taken = undo(project, curator, run)
    assert [(change.op, reason) for change, reason in taken.left] == [
        ("merge", f"#{facts['keep'].id} was changed since.")
    ]
    assert len(taken.undone) == 4
    assert states(run) == ["applied", "undone", "undone", "undone", "undone"]


def test_a_merge_with_new_words(project: Project, curator: Any, agent: Agent) -> None:
    low = said(project, "Parcels leave from Porto at noon.", agent=agent, trust=1, confidence=0.4)
    high = said(project, "Parcels leave from the Porto depot.", agent=agent, trust=5)
    text = "Parcels leave from the Porto depot at noon."
    wanted = Operation(
        op="merge", targets=(low.id, high.id), content=text, evidence=(("fact", low.id), ("fact", high.id))
    )
    run = dream(project, engine=Scripted(wanted))
    (change,) = changes(run)
    apply(project, curator, run, [change.id])
    with bind(project.id):
        fact = Fact.objects.current().get(content=text)
        assert (fact.trust, fact.confidence, fact.source, fact.agent_id) == (1, 0.4, "dream", agent.id)
        assert set(Fact.objects.filter(superseded_by=fact).values_list("id", flat=True)) == {low.id, high.id}
    undo(project, curator, run)
    assert told(project) == [low.content, high.content]


def test_an_add_rests_on_the_message_and_goes_when_it_is_undone(project: Project, curator: Any) -> None:
    subject = make_subject(project, "user_1")
    mine = message(project, trace_id("t"), "user", "I moved to Braga.", subject=subject)
    wanted = Operation(op="add", content="Moved to Braga.", evidence=(("message", mine),), attribute="home-city")
    run = dream(project, "user", "user_1", engine=Scripted(wanted))
    (change,) = changes(run)
    apply(project, curator, run, [change.id])
    with bind(project.id):
        fact = Fact.objects.get()
        assert (fact.content, fact.subject_id, fact.source, fact.source_trace_id) == (
            "Moved to Braga.", subject.id, "dream", trace_id("t"),
        )  # fmt: skip
        assert [source.quote for source in fact.sources.all()] == ["I moved to Braga."]
        assert Message.objects.filter(id=mine).exists()
    undo(project, curator, run)
    assert told(project) == []


def test_the_policy_lets_exact_duplicates_through_and_nothing_else(project: Project, facts: dict[str, Fact]) -> None:
    choose(project, auto_exact=True, auto_own=True)
    said(project, "Is a nurse", user="user_1", sensitivity="personal")
    said(project, "Is a nurse.", user="user_1", sensitivity="personal", days=1)
    run = dream(project)
    assert states(run) == ["applied"] + ["pending"] * 4
    assert changes(run)[0].decided_by == "system:dreaming"
    personal = dream(project, "user", "user_1")
    assert [(change.op, change.state, change.flags) for change in changes(personal)] == [
        ("merge", "pending", ["personal"])
    ]


def test_a_dry_run_shows_and_applies_nothing(project: Project, curator: Any, facts: dict[str, Fact]) -> None:
    choose(project, auto_exact=True)
    run = dream(project, dry_run=True)
    assert (run.state, states(run)) == ("proposed", ["pending"] * 5)
    with pytest.raises(Moved) as refused:
        apply(project, curator, run, [changes(run)[0].id])
    assert refused.value.code == "dry_run"
    assert told(project) == BEFORE


def test_who_may_and_what_is_not_there(project: Project, curator: Any, run: DreamRun) -> None:
    (first, *_) = changes(run)
    for role in ("viewer", "privacy_officer", "admin", "auditor"):
        actor = user_actor(project, role)
        for verb in (apply, undo):
            with pytest.raises(Refused):
                verb(project, actor, run, [first.id])
        with pytest.raises(Refused):
            decide(project, actor, run, "accepted", first.id)
    with pytest.raises(NotFound):
        apply(project, curator, run, [first.id, 10**9])
    with pytest.raises(Invalid):
        decide(project, curator, run, "applied", first.id)
    with pytest.raises(Moved):
        undo(project, curator, run, [first.id])
    with pytest.raises(Moved):
        cancel_dream(actor=curator, project_id=project.id, run_id=run.id)
    other = make_project("other")
    with pytest.raises(NotFound):
        apply(other, user_actor(other, "curator"), run, [first.id])
    assert told(project) == BEFORE and states(run) == ["pending"] * 5


def test_after_thirty_days_it_stays(project: Project, curator: Any, run: DreamRun) -> None:
    apply(project, curator, run, [change.id for change in changes(run)])
    with bind(project.id):
        DreamChange.objects.update(decided_at=now().replace(year=now().year - 1))
    taken = undo(project, curator, run)
    assert (taken.undone, len(taken.left)) == ([], 5)
    assert told(project) == AFTER
