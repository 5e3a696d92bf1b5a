"""What answers a question comes first: meaning, words, names, and what was said beside it."""

import json
import math
from collections.abc import Iterator
from datetime import UTC, datetime, timedelta
from typing import Any

import pytest
from django.core.cache import cache
from pytest_django import Settings

from apps.access.models import ApiKey
from apps.core.clock import now
from apps.core.transactions import bind
from apps.facts.append import Origin
from apps.facts.models import Fact
from apps.recall.actions.embed_facts import embed_facts
from apps.recall.dates import days_in
from apps.recall.models import WEIGHTS, FactEmbedding, ReadLedger, RecallSettings
from apps.recall.queries import Reader, reader_for, told_facts
from apps.recall.question import NOTHING, Question, pieces_of, question_of
from apps.tenancy.models import Project
from tests import model_server as script
from tests.factories import make_agent, make_fact, make_key, make_project
from tests.model_server import ModelServer

pytestmark = pytest.mark.django_db

MARKS = "' \" | * & ! ( ) : <-> ` \\"


@pytest.fixture
def project() -> Project:
    project = make_project()
    make_agent(project, "support")
    return project


@pytest.fixture
def key(project: Project) -> ApiKey:
    return make_key(project, ["facts:read", "facts:read:user"])[0]


def weigh(project: Project, half_life: float = 90, **weights: float) -> None:
    with bind(project.id):
        RecallSettings.objects.create(
            project=project, half_life_days=half_life, language="english", **(dict.fromkeys(WEIGHTS, 0.0) | weights)
        )


def answer(key: ApiKey, asked: str | Question | None, user: str | None = None, **options: Any) -> dict[str, Any]:
    question = asked if isinstance(asked, Question) else question_of(key.project_id, asked)
    told = told_facts(reader_for(key, "support", user, None), question, **({"limit": 50} | options))
    assert told is not None
    found: dict[str, Any] = json.loads(told)
    return found


def told(key: ApiKey, asked: str | Question | None, user: str | None = None, **options: Any) -> list[str]:
    return [fact["content"] for fact in answer(key, asked, user, **options)["facts"]]


def embed_by_hand(project: Project, vectors: dict[int, list[float]]) -> None:
    """Vectors of two dimensions: their angles are known."""
    with bind(project.id):
        FactEmbedding.objects.bulk_create(
            FactEmbedding(project_id=project.id, fact_id=fact, model="by-hand", dims=2, vector=vector)
            for fact, vector in vectors.items()
        )


def at(degrees: float) -> list[float]:
    return [math.cos(math.radians(degrees)), math.sin(math.radians(degrees))]


def test_the_worked_example_new_address_before_old_before_thanks(project: Project, key: ApiKey) -> None:
    """(1 - r - i) * similarity + r * 0.5 ** (age / half_life) + i * importance, with r = .2, i = .2."""
    weigh(project, half_life=30, similarity=0.6, recency=0.2, importance=0.2)
    old = make_fact(project, "Lives in Lisbon.", importance=0.8, origin=Origin(observed_at=now() - timedelta(days=60)))
    new = make_fact(project, "Lives in Porto.", importance=0.8)
    thanks = make_fact(project, "Says thanks.", importance=0.1)
    embed_by_hand(project, {old.id: at(0), new.id: at(0), thanks.id: at(90)})
    found = answer(key, Question("?", [], vector=at(0), model="by-hand"), explained_to=["internal"])
    assert [fact["content"] for fact in found["facts"]] == ["Lives in Porto.", "Lives in Lisbon.", "Says thanks."]
    scores = [fact["score"] for fact in found["facts"]]
    assert scores == pytest.approx([0.6 + 0.2 + 0.16, 0.6 + 0.2 * 0.25 + 0.16, 0.2 + 0.02], abs=0.001)
    parts = next(c["parts"] for c in found["explain"]["candidates"] if c["id"] == old.id)
    assert {name: parts[name] for name in ("similarity", "keyword", "named", "context", "recency", "importance")} == {
        "similarity": 1, "keyword": 0, "named": 0, "context": 0, "recency": 0.25, "importance": 0.8
    }  # fmt: skip
    assert set(parts) == set(WEIGHTS)


def test_the_threshold_is_of_similarity_and_needs_a_vector(project: Project, key: ApiKey) -> None:
    near, far, _ = (make_fact(project, text) for text in ("Near.", "Far.", "Without a vector."))
    embed_by_hand(project, {near.id: at(10), far.id: at(80)})
    question = Question("?", [], vector=at(0), model="by-hand")
    assert set(told(key, question)) == {"Near.", "Far.", "Without a vector."}
    assert told(key, question, threshold=0.5) == ["Near."]
    assert told(key, question, threshold=0.99) == []
    assert len(told(key, NOTHING, threshold=0.99)) == 3


def test_vectors_of_another_length_are_left_aside(project: Project, key: ApiKey) -> None:
    fact = make_fact(project, "Near.")
    embed_by_hand(project, {fact.id: at(0)})
    assert told(key, Question("near", [], vector=[1.0, 0.0, 0.0], model="by-hand")) == ["Near."]


def test_rare_words_weigh_more_than_those_all_facts_share(project: Project, key: ApiKey, settings: Settings) -> None:
    settings.EMBEDDER = "none"
    for number in range(8):
        make_fact(project, f"The shop has rule {number}.", importance=0.9)
    make_fact(project, "Gift cards never expire.", importance=0.1)
    assert told(key, "Do gift cards of the shop expire?")[0] == "Gift cards never expire."


def test_a_word_is_found_in_its_other_endings(project: Project, key: ApiKey, settings: Settings) -> None:
    settings.EMBEDDER = "none"
    make_fact(project, "Refunds are paid weekly.", importance=0.9)
    make_fact(project, "Painted the kitchen in blue.", importance=0.1)
    assert told(key, "Who is painting kitchens?")[0] == "Painted the kitchen in blue."


def test_codes_and_scripts_without_spaces_are_found_by_pieces(
    project: Project, key: ApiKey, settings: Settings
) -> None:
    settings.EMBEDDER = "none"
    make_fact(project, "Something else.", importance=0.9)
    make_fact(project, "Pump A-1042/b leaks.", importance=0.1)
    make_fact(project, "会議は火曜日の午後に開かれる。", importance=0.1)
    assert told(key, "Is A-1042/b in order?")[0] == "Pump A-1042/b leaks."
    assert told(key, "火曜日の予定は？")[0] == "会議は火曜日の午後に開かれる。"
    assert pieces_of("50% of a_b-7") == ["%50\\%%", "%a\\_b-7%"]
    assert pieces_of("Ask Jo@Shop.example, not @home.") == ["%jo@shop.example%"]
    # However long and odd: a pattern that backtracks would never come back from these.
    assert [pieces_of(text * 8_000) for text in "a@1"] == [[], [], []]
    assert pieces_of("a.b@" * 2_000) == []


def test_whoever_is_named_comes_before_the_others(project: Project, key: ApiKey, settings: Settings) -> None:
    settings.EMBEDDER = "none"
    make_fact(project, "The garden is in Kent.", importance=0.5)
    make_fact(project, "Has a garden.", user="Ada", importance=0.1)
    assert told(key, "Where is the garden?", "Ada")[0] == "The garden is in Kent."
    assert told(key, "Does Ada have a garden?", "Ada")[0] == "Has a garden."


def test_what_was_said_near_a_named_day_comes_first(project: Project, key: ApiKey, settings: Settings) -> None:
    settings.EMBEDDER = "none"
    for month, thing in ((3, "tent"), (7, "boat")):
        said = Origin(observed_at=datetime(2023, month, 8, 12, tzinfo=UTC))
        make_fact(project, f"Bought a {thing}.", importance=0.5, origin=said)
    assert told(key, "What was bought on 7 March 2023?")[0] == "Bought a tent."
    assert told(key, "What was bought in July 2023?")[0] == "Bought a boat."
    assert told(key, "What was bought on 31 June 2023?")[0] == "Bought a boat."


def test_ages_beyond_what_a_number_holds_are_old_and_no_error(
    project: Project, key: ApiKey, settings: Settings
) -> None:
    settings.EMBEDDER = "none"
    fact = make_fact(project, "Bought a tent.", origin=Origin(observed_at=datetime(1999, 3, 8, tzinfo=UTC)))
    with bind(project.id):
        Fact.objects.filter(id=fact.id).update(corroborations=5_000)
    weigh(project, half_life=0.01, keyword=0.5, recency=0.3, dated=0.2, confirmation=0.1)
    assert told(key, "What was bought in 1905, or on 7 March 9998?") == ["Bought a tent."]


def test_numbers_too_small_to_be_multiplied_count_for_nothing(
    project: Project, key: ApiKey, settings: Settings
) -> None:
    settings.EMBEDDER = "none"
    make_fact(project, "Refunds take five days.", confidence=5e-324, importance=1e-300)
    make_fact(project, "Parcels take two days.")
    assert told(key, "How long do refunds take?") == ["Refunds take five days.", "Parcels take two days."]
    weigh(project, half_life=5e-324, keyword=1.0, recency=1e-300, importance=5e-324, similarity=5e-324)
    assert told(key, "How long do refunds take?") == ["Refunds take five days.", "Parcels take two days."]


def test_the_days_of_a_question() -> None:
    today = datetime(2026, 5, 1, tzinfo=UTC)

    def days(text: str) -> list[tuple[str, str]]:
        return [(begin.strftime("%Y-%m-%d"), end.strftime("%Y-%m-%d")) for begin, end in days_in(text, today)]

    assert days("on 2024-02-29?") == [("2024-02-29", "2024-03-01")]
    assert days("July 7, 2023 or the 8th of December 2022") == [
        ("2022-12-08", "2022-12-09"), ("2023-07-07", "2023-07-08")
    ]  # fmt: skip
    assert days("im März 2021") == [("2021-03-01", "2021-04-01")]
    assert days("in 2019") == [("2019-01-01", "2020-01-01")]
    assert days("2023年7月7日") == [("2023-07-07", "2023-07-08")]
    assert days("May I march? 99999-99-99, 31 June 2023, 0000-01-01") == []
    assert len(days("in March")) == 9


def test_meaning_finds_what_shares_no_word(project: Project, key: ApiKey) -> None:
    for text in ("Allergic to peanuts.", "The refund window is 30 days.", "Works in Porto as a nurse."):
        make_fact(project, text)
    embed_facts(newest=None)
    assert told(key, "Which food must be avoided?")[0] == "Allergic to peanuts."


def test_near_identical_facts_are_told_once(project: Project, key: ApiKey, settings: Settings) -> None:
    settings.EMBEDDER = "none"
    make_fact(project, "Refunds take five days.", importance=0.2)
    make_fact(project, "refunds take five days", user="Ada", importance=0.9)
    make_fact(project, "Knows C.", importance=0.1)
    make_fact(project, "Knows C++.", importance=0.1)
    for asked in (None, "refunds"):
        assert sorted(told(key, asked, "Ada")) == ["Knows C++.", "Knows C.", "refunds take five days"]


@pytest.mark.parametrize(
    "asked", ["the and of", "🎉🎉", MARKS, "%_%", "a" * 100_000, "null\x00byte", "\ud800", "'" * 4, "\\"]
)
def test_every_question_has_an_answer(project: Project, key: ApiKey, settings: Settings, asked: str) -> None:
    settings.EMBEDDER = "none"
    make_fact(project, "First.", importance=0.9)
    make_fact(project, "Second.", importance=0.1)
    assert told(key, asked) == ["First.", "Second."]


@pytest.fixture
def away(settings: Settings) -> Iterator[ModelServer]:
    """A remote embedder that answers 503."""
    with ModelServer() as server:
        settings.EMBEDDER, settings.EMBED_BASE_URL, settings.EMBED_MODEL = "remote", server.url, "scripted-away"
        settings.QUERY_EMBED_TIMEOUT = 1
        cache.clear()
        yield server
    cache.clear()


def test_an_embedder_that_is_away_leaves_words_and_importance_and_says_so(
    project: Project, key: ApiKey, away: ModelServer
) -> None:
    away.script(script.http(503))
    make_fact(project, "First.", importance=0.9)
    make_fact(project, "About refunds.", importance=0.1)
    found = answer(key, "refunds?", threshold=0.9)
    assert [fact["content"] for fact in found["facts"]] == ["About refunds.", "First."]
    assert found["degraded"] == "model_unavailable"
    assert len(away.requests) == 1


def test_a_person_who_looks_leaves_no_read(project: Project) -> None:
    make_fact(project, "First.")
    reader = Reader(project_id=project.id, key_id=None, agent="support", sensitivities=["internal"])
    assert json.loads(told_facts(reader, limit=5) or b"")["facts"][0]["content"] == "First."
    with bind(project.id):
        assert not ReadLedger.objects.exists()
