"""A project's own weights: who may set them, what is refused, what they do to the next read."""

import json
import math
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace
from threading import Barrier
from typing import Any

import pytest
from django.db import connection

from apps.access.policies import Refused
from apps.audit.models import AuditEvent
from apps.core.errors import Invalid
from apps.core.transactions import bind
from apps.recall.actions.change_weights import change_weights
from apps.recall.models import WEIGHTS, RecallSettings
from apps.recall.queries import default_weights, reader_for, told_facts, weights_of
from apps.recall.question import Question
from apps.recall.weights import Weights, seed_formula, words_only
from apps.tenancy.models import Project
from tests.factories import make_agent, make_fact, make_key, make_project, user_actor


def stored(project: Project) -> list[dict[str, Any]]:
    with bind(project.id):
        return list(RecallSettings.objects.values(*WEIGHTS, "half_life_days", "language"))


def in_force(project: Project) -> Weights:
    with bind(project.id):
        return weights_of(project.id)


def events(project: Project) -> list[dict[str, Any]]:
    with bind(project.id):
        found = AuditEvent.objects.filter(verb="recall.settings", object_id=str(project.id), result="done")
        return list(found.order_by("seq").values_list("data", flat=True))


@pytest.fixture
def project(db: None) -> Project:
    return make_project("acme")


def test_a_project_without_its_own_has_the_defaults(project: Project) -> None:
    assert in_force(project) == default_weights()
    assert default_weights().parts["similarity"] == 0.5 and set(default_weights().parts) == set(WEIGHTS)
    assert (default_weights().half_life_days, default_weights().language) == (90, "english")


def test_changing_stores_them_and_the_audit_says_old_and_new(project: Project) -> None:
    admin, theirs = user_actor(project, "admin"), make_project("globex")
    usual = default_weights()
    chosen = Weights(parts=usual.parts | {"similarity": 0.4, "named": 1}, half_life_days=30, language="german")
    assert change_weights(actor=admin, project_id=project.id, weights=chosen)
    assert in_force(project) == chosen and in_force(theirs) == usual
    assert not change_weights(actor=admin, project_id=project.id, weights=chosen)
    assert events(project) == [
        {
            "changed": ["half_life_days", "language", "named", "similarity"],
            "old": {"half_life_days": 90, "language": "english", "named": 0.08, "similarity": 0.5},
            "new": {"half_life_days": 30, "language": "german", "named": 1, "similarity": 0.4},
            "defaults": False,
        }
    ]


def test_the_defaults_are_no_row_however_they_come_back(project: Project) -> None:
    admin = user_actor(project, "admin")
    assert not change_weights(actor=admin, project_id=project.id, weights=None)
    for back in (None, default_weights()):
        change_weights(actor=admin, project_id=project.id, weights=words_only(default_weights()))
        assert stored(project)[0]["keyword"] == 1
        assert change_weights(actor=admin, project_id=project.id, weights=back)
        assert stored(project) == [] and in_force(project) == default_weights()
    assert [event["defaults"] for event in events(project)] == [False, True, False, True]
    assert events(project)[1]["new"]["keyword"] == 0.3


@pytest.mark.parametrize("wrong", [-0.01, 1.01, math.nan, math.inf, -math.inf])
@pytest.mark.parametrize("part", ["similarity", "authority"])
def test_a_weight_outside_0_to_1_is_said_at_its_place(project: Project, part: str, wrong: float) -> None:
    usual = default_weights()
    refused(project, replace(usual, parts=usual.parts | {part: wrong}), [f"/{part}"])


def test_every_fault_is_said_at_once(project: Project) -> None:
    usual = default_weights()
    nought = dict.fromkeys(WEIGHTS, 0.0)
    refused(project, replace(usual, parts=nought), [""])
    refused(
        project,
        replace(usual, parts=nought, half_life_days=0, language="klingon"),
        ["", "/half_life_days", "/language"],
    )
    refused(project, replace(usual, parts=usual.parts | {"named": 2, "dated": -1}), ["/named", "/dated"])
    for days in (-1, 36_501, math.nan, math.inf):
        refused(project, replace(usual, half_life_days=days), ["/half_life_days"])
    refused(project, replace(usual, parts={"similarity": 1}), [])
    refused(project, replace(usual, parts=usual.parts | {"luck": 1}), [])


def refused(project: Project, weights: Weights, places: list[str]) -> None:
    """With its own weights before, which stay."""
    admin, before = user_actor(project, "admin"), words_only(default_weights())
    change_weights(actor=admin, project_id=project.id, weights=before)
    said = len(events(project))
    with pytest.raises(Invalid) as error:
        change_weights(actor=admin, project_id=project.id, weights=weights)
    assert [fault.pointer for fault in error.value.errors] == places
    assert in_force(project) == before and len(events(project)) == said


@pytest.mark.parametrize("role", ["viewer", "curator", "privacy_officer", "auditor"])
def test_only_admins_change_them(project: Project, role: str) -> None:
    for weights in (words_only(default_weights()), None):
        with pytest.raises(Refused):
            change_weights(actor=user_actor(project, role), project_id=project.id, weights=weights)
    other = make_project("globex")
    with pytest.raises(Refused):
        change_weights(actor=user_actor(other, "admin"), project_id=project.id, weights=None)
    assert stored(project) == []


def test_the_choices_to_start_from() -> None:
    usual = replace(Weights(parts=dict.fromkeys(WEIGHTS, 0.5), half_life_days=7, language="french"))
    assert words_only(usual) == Weights(
        parts=dict.fromkeys(WEIGHTS, 0.0) | {"keyword": 1}, half_life_days=7, language="french"
    )
    formula = seed_formula(usual, recency=0.2, importance=0.1)
    assert formula.parts == dict.fromkeys(WEIGHTS, 0.0) | {"similarity": 0.7, "recency": 0.2, "importance": 0.1}
    assert seed_formula(usual, recency=0.7, importance=0.3).parts["similarity"] == 0


def test_they_hold_for_the_next_question(project: Project) -> None:
    make_agent(project, "support")
    key, _ = make_key(project)
    wordy = make_fact(project, "Refunds go to the card that paid.", importance=0.1)
    weighty = make_fact(project, "Never promise a date.", importance=1.0)

    def first() -> int:
        told = told_facts(reader_for(key, "support", None, None), Question("refunds card", []), limit=2)
        assert told is not None
        return json.loads(told)["facts"][0]["id"]

    admin = user_actor(project, "admin")
    assert first() == wordy.id
    change_weights(
        actor=admin, project_id=project.id, weights=seed_formula(default_weights(), recency=0.0, importance=1.0)
    )
    assert first() == weighty.id
    change_weights(actor=admin, project_id=project.id, weights=None)
    assert first() == wordy.id


def test_many_at_once_leave_one_row_or_none_and_an_unbroken_story(fresh_db: str) -> None:
    project = make_project("acme")
    admin, usual, start = user_actor(project, "admin"), default_weights(), Barrier(4)

    def run(choose: Callable[[int], Weights | None]) -> None:
        start.wait(20)
        try:
            for number in range(10):
                change_weights(actor=admin, project_id=project.id, weights=choose(number))
        finally:
            connection.close()

    with ThreadPoolExecutor(4) as pool:
        work = [
            pool.submit(run, choose)
            for choose in (
                lambda _: None,
                lambda _: words_only(usual),
                lambda number: seed_formula(usual, recency=number / 10, importance=0.1 if number < 9 else 0.0),
                lambda _: None,
            )
        ]
        for one in work:
            one.result(timeout=60)
    assert len(stored(project)) <= 1
    # Each change begins where the one before it ended.
    now = dict(usual.parts) | {"half_life_days": usual.half_life_days, "language": usual.language}
    for event in events(project):
        assert {name: now[name] for name in event["changed"]} == event["old"]
        now |= event["new"]
    last = in_force(project)
    assert now == dict(last.parts) | {"half_life_days": last.half_life_days, "language": last.language}
