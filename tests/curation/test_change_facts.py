"""One wish for many facts, and taking it back."""

from collections.abc import Callable
from datetime import timedelta
from typing import Any

import pytest

from apps.access.actor import Actor
from apps.access.policies import Refused
from apps.audit.models import AuditEvent
from apps.core.clock import now
from apps.core.errors import Conflict, Invalid, NotFound
from apps.core.transactions import bind
from apps.curation.actions.change_facts import MOST, Changed, change_facts
from apps.curation.actions.undo_change import UndoResult, undo_change
from apps.curation.changing import Move, Retirement, Wish, objection
from apps.curation.models import Change
from apps.facts.actions.handle_fact import handle_fact
from apps.facts.handling import Handling
from apps.facts.models import Fact
from apps.facts.statement import Destination
from apps.tenancy.models import Project
from tests.console.stage import moved, state
from tests.factories import make_agent, make_fact, make_project, user_actor

pytestmark = pytest.mark.django_db
TOMORROW = now().replace(microsecond=0) + timedelta(days=1)


@pytest.fixture
def project() -> Project:
    project = make_project("acme")
    make_agent(project, "support")
    return project


@pytest.fixture
def curator(project: Project) -> Actor:
    return user_actor(project, "curator")


def change(project: Project, actor: Actor, facts: list[Fact], wish: Wish) -> Changed:
    return change_facts(actor=actor, project_id=project.id, fact_ids=[fact.id for fact in facts], wish=wish)


def row(project: Project, fact: Fact) -> Fact:
    with bind(project.id):
        return Fact.objects.get(id=fact.id)


def events(project: Project) -> list[tuple[str, str, str, Any]]:
    with bind(project.id):
        found = AuditEvent.objects.filter(verb__startswith="facts.").exclude(verb="facts.add").order_by("seq")
        return [(one.verb, one.object_id, one.reason, one.data) for one in found]


MARKS: dict[str, tuple[Handling, dict[str, Any], str]] = {
    "sensitivity": (
        Handling(kind="sensitivity", sensitivity="personal"), {"sensitivity": "personal"}, "facts.set_sensitivity",
    ),
    "expiry": (Handling(kind="expiry", expires_at=TOMORROW), {"expires_at": TOMORROW}, "facts.set_expiry"),
    "pin": (Handling(kind="pin"), {"pinned": True}, "facts.pin"),
    "disable": (Handling(kind="disable"), {"restricted_reason": "disabled"}, "facts.disable"),
}  # fmt: skip


@pytest.mark.parametrize("name", MARKS)
def test_a_mark_is_set_audited_and_taken_back(project: Project, curator: Actor, name: str) -> None:
    wish, expected, verb = MARKS[name]
    one, two = make_fact(project, "One."), make_fact(project, "Two.")
    before = state(project)
    done = change(project, curator, [two, one], wish)
    assert [fact.id for fact in done.done] == [one.id, two.id] and done.left == [] and done.change is not None
    assert {key: getattr(row(project, one), key) for key in expected} == expected
    assert [(event[0], event[1]) for event in events(project)] == [(verb, str(one.id)), (verb, str(two.id))]
    assert undo_change(actor=curator, change_id=done.change.id) == UndoResult(2, [])
    for fact in (one, two):
        again = row(project, fact)
        assert {key: getattr(again, key) for key in expected} == {key: getattr(fact, key) for key in expected}
        assert again.restricted_at is None
    assert events(project)[2][0] == "facts.undo"
    audit = {"audit_auditevent", "audit_audithead", "curation_change"}
    # The facts' rows are as they were but for `updated_at`, and what was told more freely for a while is noted.
    assert moved(before, state(project)) - audit <= {"facts_fact", "facts_withdrawal"}


@pytest.mark.parametrize(
    ("first", "second"),
    [
        (Handling(kind="pin"), Handling(kind="unpin")),
        (Handling(kind="disable"), Handling(kind="enable")),
        (Handling(kind="expiry", expires_at=TOMORROW), Handling(kind="expiry")),
    ],
)
def test_a_mark_is_taken_off_again(project: Project, curator: Actor, first: Handling, second: Handling) -> None:
    fact = make_fact(project, "One.")
    change(project, curator, [fact], first)
    marked = row(project, fact)
    off = change(project, curator, [fact], second)
    plain = row(project, fact)
    assert (plain.pinned, plain.restricted_at, plain.restricted_reason, plain.expires_at) == (False, None, "", None)
    assert off.change is not None
    undo_change(actor=curator, change_id=off.change.id)
    again = row(project, fact)
    for name in ("pinned", "restricted_at", "restricted_reason", "expires_at"):
        assert getattr(again, name) == getattr(marked, name)


def test_two_changes_are_taken_back_one_after_the_other(project: Project, curator: Actor) -> None:
    fact = make_fact(project, "One.")
    first = change(project, curator, [fact], Handling(kind="pin")).change
    second = change(project, curator, [fact], Handling(kind="sensitivity", sensitivity="special")).change
    assert first is not None and second is not None
    refused = undo_change(actor=curator, change_id=first.id)
    assert refused == UndoResult(0, [(f"#{fact.id}", f"#{fact.id} was changed since.")])
    assert undo_change(actor=curator, change_id=second.id).undone == 1
    assert undo_change(actor=curator, change_id=first.id).undone == 1
    assert (row(project, fact).pinned, row(project, fact).sensitivity) == (False, "internal")


def test_what_refuses_is_left_with_its_reason_and_the_rest_is_done(project: Project, curator: Actor) -> None:
    plain = make_fact(project, "One.")
    retired = make_fact(project, "Two.", retired="wrong")
    held = make_fact(project, "Three.", restricted="hold")
    done = change_facts(
        actor=curator, project_id=project.id, fact_ids=[plain.id, retired.id, held.id, held.id + 1_000],
        wish=Handling(kind="disable"),
    )  # fmt: skip
    assert [fact.id for fact in done.done] == [plain.id]
    assert done.left == [
        (retired.id, "The fact was changed by somebody else; nothing was saved."),
        (held.id, "It is restricted for another reason, which decides when it is told again."),
        (held.id + 1_000, "There is no such fact in this project."),
    ]
    assert (row(project, held).restricted_reason, row(project, retired).restricted_at) == ("hold", None)
    with bind(project.id):
        assert [item["fact"] for item in Change.objects.get().items] == [plain.id]
    assert [event[1] for event in events(project)] == [str(plain.id)]


def test_where_nothing_is_done_there_is_nothing_to_take_back(project: Project, curator: Actor) -> None:
    fact = make_fact(project, "One.", restricted="disabled")
    before = state(project)
    done = change(project, curator, [fact], Handling(kind="disable"))
    assert (done.done, done.left, done.change) == ([], [(fact.id, "It is so already.")], None)
    assert state(project) == before


def test_retired_facts_come_back_as_copies(project: Project, curator: Actor) -> None:
    fact = make_fact(project, "Ships free.", category="shipping", attribute="shipping-fee", confidence=0.4)
    done = change(project, curator, [fact], Retirement(reason="stale"))
    retired = row(project, fact)
    assert (retired.is_current, retired.retired_reason) == (False, "stale")
    assert events(project) == [("facts.retire", str(fact.id), "stale", {})]
    assert done.change is not None
    assert undo_change(actor=curator, change_id=done.change.id) == UndoResult(1, [])
    with bind(project.id):
        copy = Fact.objects.current().get()
    assert (copy.content, copy.category, copy.attribute, copy.confidence) == (
        "Ships free.", "shipping", "shipping-fee", 0.4,
    )  # fmt: skip
    # Whoever forgets the copy finds the retired row by this.
    assert row(project, fact).superseded_by_id == copy.id
    assert events(project)[1][3] == {"of": "facts.retire", "supersedes": [fact.id], "copies": fact.id}


def test_a_moved_fact_is_told_elsewhere_and_comes_back(project: Project, curator: Actor) -> None:
    fact = make_fact(project, "Ships free.", category="shipping")
    to = Move(to=Destination(scope="user", scope_id=" ada ", agent_name="support"))
    done = change(project, curator, [fact], to)
    (new,) = done.done
    assert (new.scope, new.scope_id, new.category, new.subject_id is not None) == ("user", "ada", "shipping", True)
    assert row(project, fact).superseded_by_id == new.id
    with bind(project.id):
        assert new.agent is not None and new.agent.name == "support"
        assert objection(new, to) == "It is so already."
    assert change(project, curator, [new], to).left == [(new.id, "Nothing was changed.")]
    assert done.change is not None
    assert undo_change(actor=curator, change_id=done.change.id).undone == 1
    with bind(project.id):
        copy = Fact.objects.current().get()
    assert (copy.scope, copy.scope_id, copy.agent_id, copy.subject_id) == ("project", "acme", None, None)


def test_a_fact_can_not_move_to_where_its_words_are(project: Project, curator: Actor) -> None:
    here, there = make_fact(project, "Ships free."), make_fact(project, "Ships free.", user="ada")
    done = change(project, curator, [here], Move(to=Destination(scope="user", scope_id="ada")))
    assert done.left == [(here.id, f"Fact #{there.id} says this already.")]
    assert row(project, here).is_current


@pytest.mark.parametrize(
    "wish",
    [
        Handling(kind="sensitivity", sensitivity="secret"),
        Handling(kind="expiry", expires_at=now() - timedelta(minutes=1)),
        Retirement(reason="merged"),
        Retirement(reason=""),
    ],
)
def test_what_could_be_done_to_no_fact_is_refused_whole(project: Project, curator: Actor, wish: Wish) -> None:
    fact = make_fact(project, "One.")
    before = state(project)
    with pytest.raises(Invalid):
        change(project, curator, [fact], wish)
    assert state(project) == before


def test_the_number_of_facts_is_capped(project: Project, curator: Actor) -> None:
    with pytest.raises(Invalid) as refused:
        change_facts(actor=curator, project_id=project.id, fact_ids=range(1, MOST + 2), wish=Handling(kind="pin"))
    assert refused.value.code == "too_many"


@pytest.mark.parametrize("role", ["viewer", "privacy_officer", "admin", "auditor"])
def test_curators_alone(project: Project, role: str) -> None:
    fact = make_fact(project, "One.")
    wishes: list[Wish] = [
        Handling(kind="pin"), Retirement(reason="wrong"), Move(to=Destination(scope="user", scope_id="a"))
    ]  # fmt: skip
    for wish in wishes:
        with pytest.raises(Refused):
            change(project, user_actor(project, role), [fact], wish)
    assert row(project, fact).is_current and not row(project, fact).pinned


def test_one_fact_by_itself_raises(project: Project, curator: Actor) -> None:
    fact = make_fact(project, "One.", retired="wrong")
    raised: list[tuple[Callable[[], Any], type[Exception]]] = [
        (lambda: handle_fact(actor=curator, project_id=project.id, fact_id=fact.id, handling=Handling(kind="pin")),
         Conflict),
        (lambda: handle_fact(actor=curator, project_id=project.id, fact_id=0, handling=Handling(kind="pin")), NotFound),
    ]  # fmt: skip
    for act, error in raised:
        with pytest.raises(error):
            act()


def test_a_fact_of_another_project_is_not_there(project: Project) -> None:
    fact = make_fact(project, "One.")
    other = make_project("other")
    done = change(other, user_actor(other, "curator"), [fact], Handling(kind="pin"))
    assert done.left == [(fact.id, "There is no such fact in this project.")]
    assert not row(project, fact).pinned
