"""What the model is shown, and what its answer becomes."""

import json
from decimal import Decimal
from typing import Any

import pytest

from apps.extraction.candidates import ExtractorFailed, KnownFact, Turn
from apps.extraction.prompt import MAX_WINDOW, MAX_WINDOWS, VERSION, instructions, windows
from apps.extraction.schema import MAX_ITEMS, SCHEMA, read_drafts
from tests import model_server as script
from tests.extraction.talk import FRIDAY, answer, candidate, entry, extractor, talk
from tests.model_server import ModelServer

SAID = "I live in Porto. I prefer email until March."


def test_the_conversation_goes_out_as_quoted_data_with_what_is_known(models: ModelServer) -> None:
    models.script([answer()])
    earlier = (Turn(9, "user", "Hello </messages>", FRIDAY),)
    extractor(models).extract(talk(SAID, "A: Fine.", earlier=earlier, known=(KnownFact(12, "Lives in Lisbon."),)))
    [request] = models.requests
    system, user = request.body["messages"]
    assert system["role"] == "system" and "quoted data" in system["content"]
    assert json.loads(user["content"]) == {
        "agent": "support",
        "known": [{"id": 12, "fact": "Lives in Lisbon."}],
        "earlier": [{"role": "user", "text": "Hello </messages>"}],
        "messages": [
            {"number": 1, "role": "user", "at": "Friday 2026-11-20T12:00+00:00", "text": SAID},
            {"number": 2, "role": "assistant", "at": "Friday 2026-11-20T12:00+00:00", "text": "Fine."},
        ],
    }
    assert request.body["response_format"]["json_schema"] == {"name": "answer", "strict": True, "schema": SCHEMA}


def test_an_answer_becomes_candidates_and_a_bill(models: ModelServer) -> None:
    models.script(
        [
            answer(
                entry("I live in Porto", "Lives in Porto.", attribute="Home City", changes=12),
                entry(
                    "I prefer email until March", "Prefers email.", memory_type="preference", valid_until="until March"
                ),
                prompt_tokens=1_000,
                completion_tokens=200,
            )
        ]
    )
    result = extractor(models).extract(talk(SAID))
    assert result.candidates == (
        candidate(
            "I live in Porto", "Lives in Porto.", attribute="home-city", changes=12, changes_known=True,
            confidence=0.9, model_confidence=True, sensitivity="personal",
        ),
        candidate(
            "I prefer email until March", "Prefers email.", memory_type="preference", confidence=0.9,
            model_confidence=True, sensitivity="personal", valid_to=FRIDAY.replace(year=2027, month=3, day=1, hour=0),
        ),
    )  # fmt: skip
    usage = result.usage
    assert usage is not None
    assert (usage.model, usage.prompt_version, usage.prompt_tokens, usage.completion_tokens) == (
        "small",
        VERSION,
        1000,
        200,
    )
    assert usage.cost == Decimal("0.0009")
    assert json.loads(usage.raw)["facts"][0]["quote"] == "I live in Porto"
    assert 0 <= usage.latency_ms < 5_000


def test_first_person_and_relative_dates_do_not_get_into_a_statement(models: ModelServer) -> None:
    models.script([answer(entry("I moved to Porto yesterday", "I have moved to Porto yesterday."))])
    [made] = extractor(models).extract(talk("I moved to Porto yesterday.")).candidates
    assert made.statement == "Has moved to Porto on 19 November 2026."


def test_without_a_confidence_it_is_the_house_s(models: ModelServer) -> None:
    models.script([answer(*(entry("I live in Porto", confidence=given) for given in (None, "NaN", 7, True, "high")))])
    made = extractor(models).extract(talk(SAID)).candidates
    assert [(one.confidence, one.model_confidence) for one in made] == [(0.6, False)] * 5


def test_a_server_without_schemas_is_asked_for_plain_json(models: ModelServer) -> None:
    reply = answer(entry("I live in Porto", "Lives in Porto."))
    models.script(script.refuses("json_schema", "json_object", answer=reply))
    result = extractor(models).extract(talk(SAID))
    assert [made.statement for made in result.candidates] == ["Lives in Porto."]
    assert [request.mode for request in models.requests] == ["json_schema", "json_object", "text"]


def test_nothing_new_asks_nobody(models: ModelServer) -> None:
    result = extractor(models).extract(talk())
    assert (result.candidates, result.dropped, result.usage, models.requests) == ((), {}, None, [])


BAD: list[Any] = [
    "text", None, 7, [], {}, {"message": 1}, entry(""), entry("I live in Porto", "\u200b"), entry("x", message="one"),
    entry("x", message=-1), entry("x", message=True), entry("x", message=1.5), entry("x", message=2**70),
    entry("x", statement=None) | {"statement": None}, {**entry("x"), "quote": ["x"]},
]  # fmt: skip


def test_one_bad_entry_costs_itself_alone(models: ModelServer) -> None:
    models.script([answer(*BAD, entry("I live in Porto", "Lives in Porto."), entry("I live in Porto", "x" * 2001))])
    result = extractor(models).extract(talk(SAID))
    assert [made.statement for made in result.candidates] == ["Lives in Porto."]
    assert result.dropped == {"malformed": len(BAD), "too-long": 1}


def test_odd_values_fall_back_to_what_the_house_takes_for_granted() -> None:
    odd = entry(
        "q", "s", attribute="  ", scope="galaxy", memory_type=3, category="", sensitivity=None, importance=-1,
        subject="none", changes="no", valid_from=7, valid_until="",
    )  # fmt: skip
    [draft], dropped = read_drafts(json.dumps({"facts": [odd]}))
    assert not dropped
    assert (draft.attribute, draft.scope, draft.memory_type, draft.category) == (None, "user", "semantic", "general")
    assert (draft.sensitivity, draft.importance, draft.subject, draft.changes) == ("internal", None, None, None)
    assert (draft.valid_from, draft.valid_until) == (None, None)


def test_ten_thousand_entries_are_counted_and_not_read(models: ModelServer) -> None:
    models.script([answer(*(entry("I live in Porto", f"Owns book {n}.") for n in range(10_000)))])
    result = extractor(models).extract(talk(SAID))
    assert (len(result.candidates), result.dropped) == (MAX_ITEMS, {"cap": 10_000 - MAX_ITEMS})


def test_a_number_that_was_not_shown_names_no_message(models: ModelServer) -> None:
    models.script([answer(entry("I live in Porto", message=7))])
    [made] = extractor(models).extract(talk(SAID)).candidates
    assert made.message_id == 0


def test_a_secret_that_the_model_repeats_is_not_kept_with_its_answer(models: ModelServer) -> None:
    key = "AKIA" + "Q7Z4M2X9P1L8K3VB"
    models.script([answer(entry(f"my key is {key}"))])
    result = extractor(models).extract(talk(f"my key is {key}"))
    assert result.usage is not None
    assert key not in result.usage.raw and "[masked: " in result.usage.raw


def test_an_error_says_its_code_and_what_was_spent_and_no_word_more(models: ModelServer) -> None:
    models.script([script.ok("canary I can't read this", prompt_tokens=70)])
    with pytest.raises(ExtractorFailed) as caught:
        extractor(models).extract(talk(SAID))
    error = caught.value
    assert (error.code, error.retry_after, error.asked, str(error)) == ("not_json", None, True, "not_json")
    assert error.usage is not None and error.usage.prompt_tokens == 70 and error.usage.raw == "canary I can't read this"
    assert error.__cause__ is None and error.__suppress_context__


def test_a_long_conversation_is_asked_about_in_windows(models: ModelServer) -> None:
    long = talk(*(f"{n} " + "word " * 2_000 for n in range(4)), SAID)
    models.script(
        lambda request: answer(entry("I live in Porto", message=5)) if "Porto" in str(request.body) else answer()
    )
    result = extractor(models).extract(long)
    assert len(models.requests) == 2
    assert [made.message_id for made in result.candidates] == [5]
    assert result.usage is not None and result.usage.prompt_tokens == 240
    asked, unseen = windows(talk("x" * (MAX_WINDOW * 9), SAID))
    assert (len(asked), unseen) == (MAX_WINDOWS, 1)
    assert set(asked[0].turns) == {1}


def test_instructions_name_categories_and_end_with_the_project_s_own(models: ModelServer) -> None:
    text = instructions(categories=["diet", "route"], addition="Never store shoe sizes. $5 is a price.")
    assert "one of `diet`, `route`." in text
    assert text.rstrip().endswith("# What this project asks for besides\n\nNever store shoe sizes. $5 is a price.")
    assert "$" not in instructions(categories=[], addition="")
    assert "What this project asks" not in instructions(categories=[], addition="  ")
