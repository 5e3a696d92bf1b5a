"""Whatever is staged, applied, changed by others and taken back: no fact is lost."""

from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from apps.core.clock import now
from apps.core.errors import DomainError
from apps.core.transactions import bind
from apps.dreaming.actions.apply_changes import apply_changes
from apps.dreaming.actions.check_lost import check_lost
from apps.dreaming.actions.undo_dream import undo_dream
from apps.dreaming.models import DreamChange
from apps.dreaming.operations import Operation
from apps.facts.actions.retire_fact import retire_fact
from apps.facts.models import Fact
from tests.dreaming.stage import Scripted, changes, choose, dream, said
from tests.factories import make_agent, make_project, user_actor

pytestmark = pytest.mark.django_db

NUMBERS = st.integers(0, 7)
OPERATIONS = st.lists(
    st.tuples(
        st.sampled_from(["merge", "resolve", "conflict", "retire", "redate", "shorten", "archive"]),
        st.lists(NUMBERS, min_size=1, max_size=3),
        st.sampled_from(["", "Ships on Tuesdays", "Refunds take 14 days.", "The lift was repaired on 9 January 2026."]),
    ),
    max_size=8,
)
STEPS = st.lists(st.tuples(st.sampled_from(["apply", "undo", "retire"]), NUMBERS), max_size=8)


@pytest.fixture
def place(db: None) -> tuple[Any, Any, list[int]]:
    project = make_project()
    agent = make_agent(project, "support")
    choose(project, fact_cap=None)
    facts = [said(project, f"Ships on Tuesdays{mark}", agent=agent).id for mark in ("", ".", "!")]
    facts += [
        said(project, f"Refunds take {days} days.", agent=agent, attribute="refund-window", days=days).id
        for days in (14, 20, 30)
    ]
    facts += [said(project, text, agent=agent).id for text in ("The lift was repaired yesterday.", "Opens at nine.")]
    return project, user_actor(project, "curator"), facts


def ends(project_id: int, ids: list[int]) -> None:
    with bind(project_id):
        by_id = Fact.objects.in_bulk()
    for fact_id in ids:
        fact, seen = by_id[fact_id], set[int]()
        while fact.superseded_by_id is not None:
            assert fact.id not in seen
            seen.add(fact.id)
            fact = by_id[fact.superseded_by_id]
        assert fact.superseded_at is None


@settings(max_examples=25, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(operations=OPERATIONS, steps=STEPS)
def test_every_fact_is_there_or_leads_to_one_that_is(
    place: tuple[Any, Any, list[int]], operations: list[Any], steps: list[Any]
) -> None:
    project, curator, facts = place
    # One project for all examples: what the last one left is what the next one finds.
    with bind(project.id):
        before = list(Fact.objects.values_list("id", flat=True))
        now_there = list(Fact.objects.current().order_by("id").values_list("id", flat=True)) or facts
    wanted = [
        Operation(
            op=op,
            targets=tuple(now_there[at % len(now_there)] for at in places),
            keep=now_there[places[0] % len(now_there)] if op in ("merge", "resolve") and not content else None,
            content=content,
            evidence=(("fact", now_there[places[0] % len(now_there)]),),
        )
        for op, places, content in operations
    ]
    run = dream(project, engine=Scripted(*wanted))
    staged = [change.id for change in changes(run)]
    for step, at in steps:
        try:
            if step == "apply" and staged:
                apply_changes(
                    actor=curator, project_id=project.id, run_id=run.id, change_ids=[staged[at % len(staged)]]
                )
            elif step == "undo":
                undo_dream(actor=curator, project_id=project.id, run_id=run.id)
            elif step == "retire":
                retire_fact(
                    actor=curator, project_id=project.id, fact_id=now_there[at % len(now_there)], reason="stale"
                )
        except DomainError:
            continue
    with bind(project.id):
        after = set(Fact.objects.values_list("id", flat=True))
    assert set(before) <= after
    ends(project.id, before)
    assert check_lost() == {}


def test_a_fact_that_leads_nowhere_is_found(place: tuple[Any, Any, list[int]]) -> None:
    project, curator, _ = place
    run = dream(project)
    (merge, *_) = changes(run)
    apply_changes(actor=curator, project_id=project.id, run_id=run.id, change_ids=[merge.id])
    assert check_lost() == {}
    with bind(project.id):
        single = said(project, "Leads nowhere.", scope="project")
        Fact.objects.filter(id=single.id).update(superseded_at=now())
        change = DreamChange.objects.get(id=merge.id)
        target = change.targets.filter(role="source").order_by("id")[0]
        change.targets.filter(id=target.id).update(fact_id=single.id)
    assert check_lost() == {project.id: [single.id]}
