"""Why each fact was told and why another was not; what was true at an earlier moment."""

import json
import math
import random
from collections.abc import Sequence
from datetime import datetime, timedelta
from typing import Any

import pytest
from django.db import connection

from apps.core.clock import now
from apps.core.transactions import bind
from apps.facts.actions.revise_fact import revise_fact
from apps.facts.append import Origin
from apps.facts.models import Fact
from apps.facts.statement import Statement
from apps.recall.models import FactEmbedding, ReadLedger
from apps.recall.queries import Reader, told_facts
from apps.recall.question import NOTHING, Question, question_of
from apps.tenancy.models import Agent, Project
from tests.factories import make_agent, make_fact, make_key, make_project, user_actor

pytestmark = pytest.mark.django_db

EVERY = ("public", "internal", "personal", "special")
SERVED = ["public", "internal", "personal"]


@pytest.fixture
def project() -> Project:
    return make_project("acme")


@pytest.fixture
def agent(project: Project) -> Agent:
    return make_agent(project, "support")


def read(
    project: Project,
    question: Question = NOTHING,
    *,
    limit: int = 50,
    threshold: float = 0.0,
    visible: Sequence[str] | None = EVERY,
    key_id: int | None = None,
    **reader: Any,
) -> dict[str, Any]:
    who = Reader(**{"project_id": project.id, "key_id": key_id, "agent": "support", "sensitivities": SERVED} | reader)
    answer = told_facts(who, question, limit=limit, threshold=threshold, explained_to=visible)
    found: dict[str, Any] = json.loads(answer or b"")
    return found


def reasons(answer: dict[str, Any]) -> dict[int, str]:
    return {row["id"]: row["reason"] for row in answer["explain"]["left_out"]}


def verdicts(answer: dict[str, Any]) -> list[tuple[int, str, int | None, int | None]]:
    return [(row["id"], row["verdict"], row["rank"], row["duplicate_of"]) for row in answer["explain"]["candidates"]]


def lay(project: Project, fact: Fact, degrees: float, model: str = "by-hand") -> None:
    vector = [math.cos(math.radians(degrees)), math.sin(math.radians(degrees))]
    with bind(project.id):
        FactEmbedding.objects.create(project_id=project.id, fact_id=fact.id, model=model, dims=2, vector=vector)


def test_every_reason_has_its_name(project: Project, agent: Agent) -> None:
    soon, gone = now() + timedelta(days=1), now() - timedelta(days=1)
    other = make_agent(project, "sales")
    told = make_fact(project, "Refunds take five days.")
    old = make_fact(project, "Refunds take four days.")
    newer = revise_fact(
        actor=user_actor(project, "curator"),
        project_id=project.id,
        fact_id=old.id,
        statement=Statement(content="Refunds take a week.", scope="project"),
    )
    expected = {
        old.id: "superseded",
        make_fact(project, "Refunds were free.", retired="stale").id: "retired",
        make_fact(project, "Refunds are in dispute.", restricted="hold").id: "held",
        make_fact(project, "Refunds doubled in May.", expired=True).id: "expired",
        make_fact(project, "Refunds paused.", valid_to=gone, valid_from=gone - timedelta(days=9)).id: "ended",
        make_fact(project, "Refunds change soon.", valid_from=soon).id: "not-yet-valid",
        make_fact(project, "Refunds of a diagnosis.", sensitivity="special").id: "sensitivity",
        make_fact(project, "Refunds in the spring.", memory_type="episodic").id: "memory-type",
        make_fact(project, "Refunds and cake.", category="food").id: "category",
        make_fact(project, "Refunds of old.", origin=Origin(observed_at=now() - timedelta(days=40))).id: "too-old",
        make_fact(project, "Refunds for audits.", purposes=["audit"]).id: "purpose",
        make_fact(project, "Refunds for notes.", task_types=["release-notes"]).id: "task-type",
        make_fact(project, "Refunds of sales.", agent=other).id: "other-scope",
        make_fact(project, "Refunds of Ada.", user="ada").id: "other-scope",
    }
    asked = question_of(project.id, "refunds")
    answer = read(
        project,
        asked,
        categories=["general"],
        memory_types=["semantic"],
        since=now() - timedelta(days=30),
        purpose="support",
        task_type="chat",
    )
    assert [fact["id"] for fact in answer["facts"]] == [newer.id, told.id]
    assert reasons(answer) == expected
    assert {row["id"]: row["successor"] for row in answer["explain"]["left_out"] if row["successor"]} == {
        old.id: newer.id
    }


def test_purpose_and_task_open_what_is_kept_for_them(project: Project, agent: Agent) -> None:
    make_fact(project, "For audits.", purposes=["audit", "support"], importance=0.9)
    make_fact(project, "For notes.", task_types=["release-notes"], importance=0.8)
    make_fact(project, "For both.", purposes=["audit"], task_types=["release-notes"], importance=0.7)
    make_fact(project, "For all.", importance=0.6)

    def told(**reader: Any) -> list[str]:
        return [fact["content"] for fact in read(project, **reader)["facts"]]

    assert told() == ["For all."]
    assert told(purpose="audit") == ["For audits.", "For all."]
    assert told(task_type="release-notes") == ["For notes.", "For all."]
    assert told(purpose="audit", task_type="release-notes") == ["For audits.", "For notes.", "For both.", "For all."]
    assert told(purpose="Audit") == ["For all."]


def test_a_key_learns_nothing_of_what_is_beyond_its_grants(project: Project, agent: Agent) -> None:
    key, _ = make_key(project, ["facts:read", "facts:explain"])
    hidden = [
        make_fact(project, "Refunds of a diagnosis.", sensitivity="special"),
        make_fact(project, "Refunds and cake.", category="food"),
        make_fact(project, "Refunds of sales.", agent=make_agent(project, "sales")),
        make_fact(project, "Refunds of Ada.", user="ada"),
    ]
    over = make_fact(project, "Refunds were free.", retired="stale")
    for question in (NOTHING, question_of(project.id, "refunds")):
        answer = read(project, question, key_id=key.id, visible=SERVED, categories=["general"])
        assert reasons(answer) == {over.id: "retired"}
        named = json.dumps(answer)
        assert not [fact.id for fact in hidden if f'"id": {fact.id},' in named]


def test_candidates_are_ranked_or_say_why_not(project: Project, agent: Agent) -> None:
    best = make_fact(project, "Parcels leave at noon.", agent=agent, importance=0.9)
    twin = make_fact(project, "parcels leave at noon!", importance=0.2)
    second = make_fact(project, "Parcels arrive on Friday.", importance=0.5)
    third = make_fact(project, "Returns are free.", importance=0.4)
    far = make_fact(project, "Cats purr.", importance=1.0)
    for fact, degrees in ((best, 0), (twin, 0), (second, 30), (third, 40), (far, 90)):
        lay(project, fact, degrees)
    asked = Question("?", [], vector=[1.0, 0.0], model="by-hand")
    answer = read(project, asked, limit=2, threshold=0.5)
    assert answer["explain"]["path"] == "exact"
    assert [fact["id"] for fact in answer["facts"]] == [best.id, second.id]
    assert verdicts(answer) == [
        (best.id, "told", 1, None),
        (second.id, "told", 2, None),
        (third.id, "over-limit", 3, None),
        (twin.id, "duplicate", None, best.id),
        (far.id, "below-threshold", None, None),
    ]
    flat = read(project, limit=2)
    assert flat["explain"]["path"] == "importance"
    assert verdicts(flat) == [
        (far.id, "told", 1, None),
        (best.id, "told", 2, None),
        (second.id, "over-limit", 3, None),
        (third.id, "over-limit", 4, None),
        (twin.id, "duplicate", None, best.id),
    ]
    assert [fact["score"] for fact in flat["facts"]] == [None, None]


def test_the_score_is_the_sum_of_its_parts_by_their_weights(project: Project, agent: Agent) -> None:
    fact = make_fact(project, "Parcels leave at noon.", importance=0.9, confidence=0.5)
    lay(project, fact, 60)
    asked = Question("When do parcels leave?", [], vector=[1.0, 0.0], model="by-hand")
    (row,) = read(project, asked)["explain"]["candidates"]
    weights = read(project, asked)["explain"]["weights"]
    assert weights["half_life_days"] == 90
    assert row["parts"]["similarity"] == pytest.approx(0.5, abs=1e-3)
    total = sum(weights[name] * value for name, value in row["parts"].items())
    assert row["score"] == pytest.approx(total, abs=1e-3)


@pytest.mark.parametrize("seed", range(6))
def test_explained_and_unexplained_tell_the_same(project: Project, agent: Agent, seed: int) -> None:
    dice = random.Random(seed)
    words = ["parcel", "refund", "noon", "Friday", "Ada", "A-1042", "the", "of"]
    for _ in range(40):
        content = " ".join(dice.choices(words, k=4)) + dice.choice(["", ".", "!"])
        marks: dict[str, Any] = {"importance": dice.choice([0.2, 0.5, 0.5, 0.9])}
        where: dict[str, Any] = dice.choice([{}, {"agent": agent}, {"user": "ada"}])
        fact = make_fact(project, content, **marks, **where)
        with bind(project.id):
            if not FactEmbedding.objects.filter(fact_id=fact.id).exists() and dice.random() < 0.8:
                lay(project, fact, dice.random() * 180)
    for question in (
        NOTHING,
        question_of(project.id, "the refund of Ada on Friday A-1042"),
        Question("noon", [], vector=[1.0, 0.0], model="by-hand"),
    ):
        for limit, threshold in ((3, 0.0), (50, 0.0), (10, 0.4)):
            options: dict[str, Any] = {"limit": limit, "threshold": threshold, "user": "ada"}
            plain = read(project, question, visible=None, **options)
            explained = read(project, question, **options)
            assert explained["facts"] == plain["facts"]
            told = [row["id"] for row in explained["explain"]["candidates"] if row["verdict"] == "told"]
            assert told == [fact["id"] for fact in plain["facts"]]


@pytest.mark.parametrize("path", ["exact", "index"])
def test_what_is_said_often_leaves_room_for_the_rest(project: Project, agent: Agent, path: str) -> None:
    for number in range(60):
        make_fact(project, f"Same words{'.' * number}", importance=0.9)
    rest = [make_fact(project, f"Other thing {number}.", importance=0.1).id for number in range(12)]
    if path == "index":
        with bind(project.id), connection.cursor() as cursor:
            cursor.execute(
                "SELECT weightiest(ROW(%s, NULL, %s, %s, %s, NULL, NULL, ARRAY['internal'], NULL, NULL, NULL, '', NULL,"
                " NULL, now(), false)::recall_reader, 10)",
                [project.id, agent.id, agent.name, project.slug],
            )
            assert cursor.fetchone()[0][1:] == rest[:2:-1]
        return
    answer = read(project, question_of(project.id, "same words"), limit=10)
    assert len(answer["facts"]) == 10
    assert [fact["id"] for fact in answer["facts"]][1:] == rest[:2:-1]


def test_a_person_who_looks_leaves_no_row_and_a_key_leaves_one(project: Project, agent: Agent) -> None:
    key, _ = make_key(project, ["facts:read"])
    fact = make_fact(project, "Refunds take five days.")
    read(project)
    read(project, at=now())
    with bind(project.id):
        assert ReadLedger.objects.count() == 0
    read(project, key_id=key.id)
    with bind(project.id):
        assert [row.fact_ids for row in ReadLedger.objects.all()] == [[fact.id]]


class TestEarlier:
    """Moments of `at` lie between what was done, so that each has its own truth."""

    def told(self, project: Project, at: datetime | None = None, question: Question = NOTHING) -> list[str]:
        return [fact["content"] for fact in read(project, question, at=at)["facts"]]

    def test_what_was_told_then(self, project: Project, agent: Agent) -> None:
        before = now()
        four = make_fact(project, "Refunds take four days.")
        first = now()
        revise_fact(
            actor=user_actor(project, "curator"),
            project_id=project.id,
            fact_id=four.id,
            statement=Statement(content="Refunds take a week.", scope="project"),
        )
        second = now()
        for question in (NOTHING, question_of(project.id, "refunds")):
            assert self.told(project, before, question) == []
            assert self.told(project, first, question) == ["Refunds take four days."]
            assert self.told(project, second, question) == ["Refunds take a week."]
            assert self.told(project, None, question) == ["Refunds take a week."]

    def test_validity_and_marks_count_as_they_are_known_now(self, project: Project, agent: Agent) -> None:
        fact = make_fact(project, "Open in May.", valid_to=now() + timedelta(hours=1))
        make_fact(project, "A diagnosis.", sensitivity="special")
        assert self.told(project, now()) == ["Open in May."]
        with bind(project.id):
            Fact.objects.filter(id=fact.id).update(restricted_at=now(), restricted_reason="erasure")
        assert self.told(project, now()) == []
        assert reasons(read(project, at=now())) == {
            fact.id: "held",
            **{row.id: "sensitivity" for row in self.special(project)},
        }

    def special(self, project: Project) -> list[Fact]:
        with bind(project.id):
            return list(Fact.objects.filter(sensitivity="special"))


def test_a_successor_is_named_to_those_who_may_know_of_it(project: Project, agent: Agent) -> None:
    old = make_fact(project, "The office is in Lyon.")
    new = revise_fact(
        actor=user_actor(project, "curator"),
        project_id=project.id,
        fact_id=old.id,
        statement=Statement(content="The office is in Paris.", scope="project", sensitivity="special"),
    )
    key, _ = make_key(project)

    def successors(visible: Sequence[str], key_id: int | None) -> list[int | None]:
        return [row["successor"] for row in read(project, visible=visible, key_id=key_id)["explain"]["left_out"]]

    assert successors(SERVED, key.id) == [None]
    assert successors(EVERY, key.id) == [None, new.id]  # the newer one itself is too sensitive for this read
    assert successors(SERVED, None) == [new.id]


def test_many_tellings_of_the_same_words_hide_no_other_fact_from_the_explanation(
    project: Project, agent: Agent
) -> None:
    for marks in range(70):
        make_fact(project, "Refunds take five days" + f"{marks:07b}".translate({48: ".", 49: "!"}), importance=0.9)
    make_fact(project, "Parcels take two days.", importance=0.1)
    told = read(project, limit=2, visible=None)["facts"]
    assert [fact["content"] for fact in told][1:] == ["Parcels take two days."]
    assert read(project, limit=2)["facts"] == told


def test_a_key_cannot_ask_its_way_to_the_words_of_what_is_veiled(project: Project, agent: Agent) -> None:
    key, _ = make_key(project)
    old = make_fact(project, "Refunds took four days.", purposes=["audit"])
    revise_fact(
        actor=user_actor(project, "curator"),
        project_id=project.id,
        fact_id=old.id,
        statement=Statement(content="Refunds take three days.", scope="project", purposes=["audit"]),
    )
    veiled = {
        make_fact(project, "The merger is called Falcon.", restricted="hold").id: "held",
        make_fact(project, "The winner is called Heron.", purposes=["audit"]).id: "purpose",
        make_fact(project, "The ship is called Ibis.", task_types=["release"]).id: "task-type",
        make_fact(project, "The launch is named Jay.", valid_from=now() + timedelta(days=3)).id: "not-yet-valid",
        old.id: "superseded",
    }
    with bind(project.id):
        veiled[Fact.objects.get(superseded_at=None, purposes=["audit"], content__startswith="Refunds").id] = "purpose"
    seen = make_fact(project, "Parcels were free.", retired="stale")
    for text in ("falcon", "heron", "ibis", "jay", "refunds take three days", "nothing of the kind"):
        rows = read(project, question_of(project.id, text), key_id=key.id)["explain"]["left_out"]
        assert {row["id"]: row["reason"] for row in rows[1:]} == veiled
        assert [row["id"] for row in rows] == [seen.id, *sorted(veiled, reverse=True)]
        assert {(row["score"], row["parts"]) for row in rows[1:]} == {(None, None)}
        assert rows[0]["parts"] is not None
    # A person may see what it is made of.
    rows = read(project, question_of(project.id, "falcon"))["explain"]["left_out"]
    assert (rows[0]["reason"], rows[0]["parts"]["keyword"]) == ("held", 1)


def test_an_earlier_moment_opens_nothing_that_is_held_by_now(project: Project, agent: Agent) -> None:
    key, _ = make_key(project)
    fact = make_fact(project, "The merger is called Falcon.")
    before = now()
    assert [row["id"] for row in read(project, key_id=key.id, at=before)["facts"]] == [fact.id]
    with bind(project.id):
        Fact.objects.filter(id=fact.id).update(restricted_at=now(), restricted_reason="hold")
    for question in (NOTHING, question_of(project.id, "falcon")):
        answer = read(project, question, key_id=key.id, at=before)
        assert (answer["facts"], reasons(answer)) == ([], {fact.id: "held"})
        assert [row["id"] for row in read(project, question, at=before)["facts"]] == [fact.id]
