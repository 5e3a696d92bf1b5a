"""The demo's conversations are many, varied and never repeat themselves; their spans look like the SDK's."""

import json
import re
from collections import Counter
from datetime import UTC, datetime, timedelta
from typing import Any

import pytest

from apps.core.text import normalise
from apps.extraction.candidates import Candidate, Conversation, Turn
from apps.extraction.rules import RulesExtractor
from apps.extraction.sentences import sentences
from memoryplane.demo.conversations import DOMAINS, SYSTEM_PROMPTS, DemoConversation, load
from memoryplane.demo.spans import spans_of

NOW = datetime(2026, 6, 1, 12, 0, tzinfo=UTC)
TALKS = load()
LANGUAGES = {
    "english": r"\b(?:the|with|please|I'm)\b",
    "german": r"\b(?:ich|nicht|bitte|mein)\b",
    "portuguese": r"\b(?:não|obrigado|prefiro|moro|consulta)\b",
    "spanish": r"\b(?:vivo|hola|hermana|ahora)\b",
    "french": r"\b(?:bonjour|je suis|j'habite)\b",
    "japanese": r"[\u3040-\u30ff]",
    "arabic": r"[\u0621-\u064a]{3}",
}


def user_texts(talk: DemoConversation) -> list[str]:
    return [turn.text for turn in talk.turns if turn.role == "user"]


def mined(talk: DemoConversation) -> tuple[list[Candidate], Counter[str]]:
    kept: list[Candidate] = []
    dropped: Counter[str] = Counter()
    for number, (asked, answered) in enumerate(talk.exchanges()):
        turns = (Turn(2 * number, "user", asked, NOW), Turn(2 * number + 1, "assistant", answered, NOW))
        extraction = RulesExtractor().extract(Conversation("0" * 32, talk.agent, "demo", talk.user_id, turns))
        kept.extend(extraction.candidates)
        dropped.update(extraction.dropped)
    return kept, dropped


def named(prefix: str) -> DemoConversation:
    (talk,) = [talk for talk in TALKS if talk.id == prefix]
    return talk


def test_there_are_enough_and_each_is_well_formed() -> None:
    assert len(TALKS) >= 45
    assert len({talk.id for talk in TALKS}) == len(TALKS)
    assert Counter(talk.domain for talk in TALKS).keys() == set(DOMAINS)
    assert {talk.agent for talk in TALKS} == set(SYSTEM_PROMPTS)
    for talk in TALKS:
        assert re.fullmatch(r"[a-z0-9-]{3,60}", talk.id)
        assert [turn.role for turn in talk.turns] == ["user", "assistant"] * (len(talk.turns) // 2) != []
        assert talk.days_ago >= 1  # so that no demo run lies in the future
        assert talk.note
        assert all(len(text) <= 20_000 for text in user_texts(talk))
        assert all(turn.text.strip() for turn in talk.turns if turn.role == "assistant")


def test_no_sentence_stands_twice() -> None:
    seen: dict[str, str] = {}
    for talk in TALKS:
        for turn in talk.turns:
            for span in sentences(turn.text):
                sentence = re.sub(r"\W+", " ", normalise(turn.text[span.start : span.end])).strip()
                if len(sentence.split()) > 3:
                    assert sentence not in seen, (talk.id, seen[sentence], sentence)
                    seen[sentence] = talk.id
    assert len(seen) > 500


def test_it_has_what_real_talk_has() -> None:
    everything = {name: 0 for name in LANGUAGES}
    for talk in TALKS:
        for name, pattern in LANGUAGES.items():
            everything[name] += any(re.search(pattern, text, re.IGNORECASE) for text in user_texts(talk))
    assert all(everything.values()) and everything["german"] >= 3 and everything["portuguese"] >= 3, everything
    assert sum(any(not text.strip() for text in user_texts(talk)) for talk in TALKS) >= 2
    assert sum(len(talk.turns) >= 12 for talk in TALKS) >= 3
    assert max(len(text) for talk in TALKS for text in user_texts(talk)) > 600
    assert sum(count >= 2 for count in Counter(talk.user_id for talk in TALKS if talk.user_id).values()) >= 8
    assert any(talk.user_id is None for talk in TALKS)
    ugly = " ".join(text for talk in TALKS for text in user_texts(talk))
    assert all(part in ugly for part in ("<script>", "{{7*7}}", "\u202e", "\u0308", "👩‍👩‍👧‍👦"))


def test_most_sentences_teach_nothing_and_the_rest_are_found() -> None:
    kept: list[Candidate] = []
    dropped: Counter[str] = Counter()
    for talk in TALKS:
        some, left = mined(talk)
        kept.extend(some)
        dropped.update(left)
    assert 110 <= len(kept) <= 160
    assert dropped.total() > len(kept)
    assert {"question", "greeting", "joke", "third-party", "other-person", "uncertain", "command", "secret"} <= set(
        dropped
    )
    assert {"instruction", "served", "code-or-quote", "small-talk", "corrected", "no-durable"} <= set(dropped)
    assert {candidate.memory_type for candidate in kept} == {"semantic", "episodic", "procedural", "preference"}
    assert sum(candidate.sensitivity == "special" for candidate in kept) >= 10


@pytest.mark.parametrize(
    "name",
    [
        "shop-injection",
        "shop-empty-hello",
        "shop-mei-partner",
        "shop-ana-standin",
        "clinic-duarte-mother",
        "clinic-uncertain-noah",
        "clinic-oneoff-elin",
        "team-injected-readme",
        "team-pavel-rant",
        "team-shared-account",
    ],
)
def test_these_teach_nothing(name: str) -> None:
    assert mined(named(name))[0] == []


@pytest.mark.parametrize(
    ("name", "expected"),
    [
        (
            "shop-bea-first-tent",
            ["Name is Beatriz Moura.", "Lives in Porto.", "Prefers email.", "Never picks up unknown numbers."],
        ),
        (
            "shop-nadia-slip",
            [
                "Our rental deposit is 150 euros for tents.",
                "Photos of the damage are enough for a refund below 20 euros.",
            ],
        ),
        ("clinic-omar-diet", ["Fasts during Ramadan.", "Only eats halal, in case the ward asks."]),
        (
            "team-freeze",
            [
                "Our code freeze starts on 18 December.",
                "Hotfixes need the approval of two people during the freeze.",
                "No deploys on Fridays, ever.",
            ],
        ),
    ],
)
def test_what_these_teach(name: str, expected: list[str]) -> None:
    assert [candidate.statement for candidate in mined(named(name))[0]] == expected


def test_spans_have_the_shape_of_the_sdk() -> None:
    talk = named("shop-bea-lisbon")
    spans = spans_of(talk, NOW)
    assert spans == spans_of(talk, NOW)
    assert len(spans) == 2 * len(talk.exchanges())
    roots = [span for span in spans if span["parent_span_id"] is None]
    for number, (root, (asked, answered)) in enumerate(zip(roots, talk.exchanges(), strict=True)):
        child = spans[2 * number + 1]
        check_span(root)
        check_span(child)
        assert root["name"] == "agent.trail-shop"
        wanted = {
            "agent.name": "trail-shop",
            "agent.input": asked,
            "agent.output": answered,
            "agent.status": "completed",
            "fastaiagent.framework": "fastaiagent",
            "fastaiagent.meta.user_id": "bea.moura",
            "fastaiagent.meta.session_id": "shop-bea-lisbon",
        }
        assert {key: root["attributes"][key] for key in wanted} == wanted
        assert root["attributes"]["agent.tokens_used"] > 0
        assert (child["name"], child["trace_id"], child["parent_span_id"]) == (
            "llm.test.demo",
            root["trace_id"],
            root["span_id"],
        )
        messages = json.loads(child["attributes"]["gen_ai.request.messages"])
        assert [message["role"] for message in messages] == ["system"] + ["user", "assistant"] * number + ["user"]
        assert messages[-1]["content"] == asked
        assert child["attributes"]["gen_ai.response.content"] == answered
        assert root["start_time"] < child["start_time"] < child["end_time"] < root["end_time"]
    assert len({root["trace_id"] for root in roots}) == len(roots)
    assert [root["start_time"] for root in roots] == sorted(root["start_time"] for root in roots)


def check_span(span: dict[str, Any]) -> None:
    assert list(span) == [
        "span_id", "trace_id", "parent_span_id", "name", "start_time", "end_time", "status", "attributes", "events",
    ]  # fmt: skip
    assert re.fullmatch(r"[0-9a-f]{16}", span["span_id"]) and re.fullmatch(r"[0-9a-f]{32}", span["trace_id"])
    for when in (span["start_time"], span["end_time"]):
        assert re.fullmatch(r"\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{6}\+00:00", when)
    assert (span["status"], span["events"]) == ("UNSET", [])


def test_all_spans_are_unique_in_the_past_and_keep_their_ids_on_another_day() -> None:
    spans = [span for talk in TALKS for span in spans_of(talk, NOW)]
    ids = [(span["trace_id"], span["span_id"]) for span in spans]
    assert len(set(ids)) == len(ids)
    assert max(span["end_time"] for span in spans) < NOW.isoformat()
    later = [span for talk in TALKS for span in spans_of(talk, NOW + timedelta(days=9))]
    assert [(span["trace_id"], span["span_id"]) for span in later] == ids


def test_an_unknown_caller_has_no_user_id() -> None:
    for talk in TALKS:
        for span in spans_of(talk, NOW):
            assert talk.user_id is not None or "fastaiagent.meta.user_id" not in span["attributes"]
