"""What a chat model's answer becomes, good or bad."""

import json
from collections.abc import Callable, Iterator
from dataclasses import replace
from typing import Any

import pytest

from apps.core.errors import Invalid
from apps.inference.adapters import openai_chat, openai_http
from apps.inference.adapters.openai_chat import OpenAIChat
from apps.inference.calls import call_with_retries
from apps.inference.errors import ModelAnswerInvalid, ModelError, ModelRateLimited, ModelTimeout, ModelUnavailable
from tests import model_server as script
from tests.inference.asking import SCHEMA, ask
from tests.model_server import FACT, ModelServer, Reply, Request

Make = Callable[..., OpenAIChat]

FAULTS: dict[str, tuple[Reply, type[ModelError], str, int]] = {
    # name: reply, error, code, requests in three tries
    "timeout": (script.delayed(2.0, script.ok({"facts": []})), ModelTimeout, "model_timeout", 3),
    "rate limited": (script.http(429, {"Retry-After": "3"}), ModelRateLimited, "model_rate_limited", 3),
    "500": (script.http(500), ModelUnavailable, "model_unavailable", 3),
    "500 of 10 MB": (script.http(500, body=b"x" * 10_485_760), ModelUnavailable, "model_unavailable", 3),
    "401": (script.http(401), ModelUnavailable, "model_unavailable", 1),
    "404": (script.http(404), ModelUnavailable, "model_unavailable", 1),
    "redirect": (script.http(307, {"Location": "/v1/embeddings"}), ModelUnavailable, "model_unavailable", 1),
    "dropped": (script.drop(), ModelUnavailable, "model_unavailable", 3),
    "dropped midway": (script.drop(40), ModelUnavailable, "model_unavailable", 3),
    "empty": (script.empty(), ModelAnswerInvalid, "empty", 3),
    "null": (script.ok(None, refusal="I can't."), ModelAnswerInvalid, "empty", 3),
    "empty body": (script.http(200, body=b""), ModelAnswerInvalid, "empty", 3),
    "prose": (script.prose(), ModelAnswerInvalid, "not_json", 3),
    "html": (script.http(200, body=b"<html>"), ModelAnswerInvalid, "not_json", 3),
    "two objects": (script.ok('{"facts": []} or {"facts": [1]}'), ModelAnswerInvalid, "not_json", 3),
    "too deep": (script.ok('{"facts": ' + "[" * 4000 + "]" * 4000 + "}"), ModelAnswerInvalid, "not_json", 3),
    "cut, unsaid": (script.ok('{"facts": [{"facts": []}, {"facts'), ModelAnswerInvalid, "not_json", 3),
    "truncated": (script.truncated(), ModelAnswerInvalid, "truncated", 1),
    "repeated token": (script.repeated_token(), ModelAnswerInvalid, "truncated", 1),
    "wrong schema": (script.wrong_schema(), ModelAnswerInvalid, "wrong_shape", 3),
    "wrong type": (script.ok({"facts": "none"}), ModelAnswerInvalid, "wrong_shape", 3),
    "list": (script.ok([FACT]), ModelAnswerInvalid, "wrong_shape", 3),
    "no choices": (script.raw_json({"choices": []}), ModelAnswerInvalid, "wrong_shape", 3),
}


@pytest.mark.parametrize("name", FAULTS)
def test_each_fault_is_its_own_error_after_a_bounded_number_of_requests(
    name: str, chat: Make, models: ModelServer
) -> None:
    reply, kind, code, requests = FAULTS[name]
    models.script([reply])
    waits: list[float] = []
    with pytest.raises(kind) as caught:
        call_with_retries(lambda left: ask(chat(), timeout=1.0 if name == "timeout" else 5), sleep=waits.append)
    assert type(caught.value) is kind
    assert caught.value.code == code
    assert (len(models.requests), len(waits)) == (requests, requests - 1)
    assert all(0 <= wait <= 1 or name == "rate limited" for wait in waits)


def test_ten_megabytes_are_not_read_to_their_end(chat: Make, models: ModelServer) -> None:
    sent = []
    reply = script.huge(64)
    assert isinstance(reply.body, Iterator)
    models.script([replace(reply, body=(sent.append(len(piece)) or piece for piece in reply.body))])
    with pytest.raises(ModelAnswerInvalid) as caught:
        call_with_retries(lambda left: ask(chat()))
    assert (caught.value.code, caught.value.answer, len(models.requests)) == ("too_large", None, 1)
    assert openai_chat.MAX_ANSWER_BYTES < 10_000_000
    assert sum(sent) < 32 * 1024 * 1024  # the cap and what the sockets hold, of 64 MB

    models.script([script.huge()])
    with pytest.raises(ModelAnswerInvalid) as caught:
        ask(chat())
    assert caught.value.code == "too_large"


def test_an_answer_that_drips_is_left_at_the_deadline(chat: Make, models: ModelServer) -> None:
    models.script([script.dripping(0.02)])
    with pytest.raises(ModelTimeout):
        ask(chat(), timeout=1.0)
    assert len(models.requests) == 1


def test_a_good_answer(chat: Make, models: ModelServer) -> None:
    models.script([script.ok({"facts": [FACT]}, prompt_tokens=7, completion_tokens=5)])
    result = ask(chat())
    assert json.loads(result.text) == {"facts": [FACT]}
    assert (result.model, result.prompt_tokens, result.completion_tokens) == ("scripted-1", 7, 5)
    assert (result.raw, result.structured) == (json.dumps({"facts": [FACT]}), True)
    assert 0 <= result.latency_ms < 5000
    [request] = models.requests
    assert request.body["response_format"] == {
        "type": "json_schema",
        "json_schema": {"name": "answer", "strict": True, "schema": SCHEMA},
    }
    assert [message["role"] for message in request.body["messages"]] == ["system", "user"]
    assert (request.body["model"], request.body["max_tokens"], request.body["temperature"]) == ("scripted", 500, 0)


@pytest.mark.parametrize(
    ("content", "value"),
    [
        ('```json\n{"facts": []}\n```', {"facts": []}),
        ('Sure, here it is: {"facts": [{"a": "}"}]} Is that all?', {"facts": [{"a": "}"}]}),
        ('<think>perhaps {"facts": [1]}?</think>\n{"facts": []}', {"facts": []}),
        ('{"facts": [], "more": {"a": null}}', {"facts": [], "more": {"a": None}}),
        ('{"facts": ["line\nbreak \\u0000"]}', {"facts": ["line\nbreak \ufffd"]}),
        ('{"facts": [' + "9" * 400 + "]}", {"facts": ["9" * 400]}),
    ],
)
def test_an_answer_in_its_wrapping(content: str, value: Any, chat: Make, models: ModelServer) -> None:
    models.script([script.ok(content)])
    assert json.loads(ask(chat()).text) == value


def test_numbers_and_texts_that_no_table_holds(chat: Make, models: ModelServer) -> None:
    models.script([script.nan(), script.lone_surrogate(), script.repeated_key()])
    [fact] = json.loads(ask(chat()).text)["facts"]
    assert (fact["confidence"], fact["importance"]) == ("NaN", "-Infinity")
    result = ask(chat())
    assert json.loads(result.text) == {"facts": [{"statement": "The user likes \ufffd tea.", "quote": "茶 \ufffd"}]}
    (result.text + result.raw).encode()
    assert json.loads(ask(chat()).text) == {"facts": [{"statement": "third"}]}


def test_ten_thousand_facts_are_a_result(chat: Make, models: ModelServer) -> None:
    models.script([script.many_facts()])
    assert len(json.loads(ask(chat()).text)["facts"]) == 10_000


def test_whole_json_at_the_token_limit_is_a_result(chat: Make, models: ModelServer) -> None:
    models.script([script.ok('{"facts": []}' + "\n" * 500, finish="length")])
    assert ask(chat()).text == '{"facts":[]}'


def test_a_bad_answer_brings_what_it_cost(chat: Make, models: ModelServer) -> None:
    models.script([script.prose()])
    with pytest.raises(ModelAnswerInvalid) as caught:
        ask(chat())
    answer = caught.value.answer
    assert answer is not None
    assert answer.raw.startswith("I could not find") and answer.prompt_tokens == 120


def test_without_a_schema_the_text_is_the_answer(chat: Make, models: ModelServer) -> None:
    models.script([script.ok("Lisbon {not JSON}"), script.ok("Lisb", finish="length"), script.empty()])
    result = ask(chat(), schema=None)
    assert (result.text, result.structured) == ("Lisbon {not JSON}", False)
    assert "response_format" not in models.requests[0].body
    for code in ("truncated", "empty"):
        with pytest.raises(ModelAnswerInvalid) as caught:
            ask(chat(), schema=None)
        assert caught.value.code == code


@pytest.mark.parametrize("messages", [[], [{"role": "user", "content": " \u200b\n"}], [{"role": "user"}]])
def test_nothing_to_ask_is_no_request(messages: list[dict[str, Any]], chat: Make, models: ModelServer) -> None:
    with pytest.raises(Invalid) as caught:
        ask(chat(), messages=messages)
    assert caught.value.code == "empty_prompt"
    assert models.requests == []


def test_a_prompt_with_half_a_character_is_sent(chat: Make, models: ModelServer) -> None:
    ask(chat(), messages=[{"role": "user", "content": "I like \ud83d tea"}])
    assert models.requests[0].body["messages"][1]["content"] == "I like \ufffd tea"


def test_tokens_that_are_none(chat: Make, models: ModelServer) -> None:
    for usage in (None, [], {"prompt_tokens": "many", "completion_tokens": -4}, {"prompt_tokens": True}):
        message = {"role": "assistant", "content": [{"type": "text", "text": '{"facts": []}'}]}
        models.script([script.raw_json({"choices": [{"message": message}], "usage": usage})])
        result = ask(chat())
        assert (result.prompt_tokens, result.completion_tokens, result.model) == (0, 0, "scripted")


# What a server takes is learned once.


@pytest.mark.parametrize("status", [400, 422])
def test_a_server_without_schemas_is_asked_in_json_mode_from_then_on(
    status: int, chat: Make, models: ModelServer
) -> None:
    models.script(script.refuses("json_schema", answer=script.ok({"facts": []}), status=status))
    results = [ask(chat()) for _ in range(3)]
    assert [request.mode for request in models.requests] == ["json_schema", *["json_object"] * 3]
    assert {(result.structured, result.text) for result in results} == {(False, '{"facts":[]}')}
    assert '"required": ["facts"]' in models.requests[-1].body["messages"][0]["content"]
    ask(chat(model="another"))
    assert models.requests[4].mode == "json_schema"


def test_a_server_without_any_response_format_is_asked_in_the_prompt(chat: Make, models: ModelServer) -> None:
    models.script(script.refuses("json_schema", "json_object", answer=script.ok('{"facts": []} done')))
    assert [ask(chat()).text for _ in range(2)] == ['{"facts":[]}'] * 2
    assert [request.mode for request in models.requests] == ["json_schema", "json_object", "text", "text"]


def test_a_refusal_that_has_another_reason_is_not_learned_from(chat: Make, models: ModelServer) -> None:
    models.script([*[script.http(400)] * 3, script.ok({"facts": []})])
    with pytest.raises(ModelUnavailable) as caught:
        call_with_retries(lambda left: ask(chat()))
    assert caught.value.upstream_status == 400 and not caught.value.blames_server
    assert [request.mode for request in models.requests] == ["json_schema", "json_object", "text"]
    assert ask(chat()).structured
    assert models.requests[3].mode == "json_schema"


def test_too_long_a_prompt_is_one_request(chat: Make, models: ModelServer) -> None:
    models.script([script.http(400, body={"error": {"message": "no", "code": "context_length_exceeded"}})])
    with pytest.raises(ModelUnavailable):
        call_with_retries(lambda left: ask(chat()))
    assert len(models.requests) == 1


def test_a_model_said_to_take_schemas_or_not(chat: Make, models: ModelServer) -> None:
    models.script(script.refuses("json_schema", answer=script.ok({"facts": []})))
    with pytest.raises(ModelUnavailable):
        ask(chat(supports_schema=True))
    ask(chat(supports_schema=False))
    assert [request.mode for request in models.requests] == ["json_schema", "json_object"]


def test_a_model_that_wants_other_parameters(chat: Make, models: ModelServer) -> None:
    def reasoning(request: Request) -> Reply:
        for name, said in (("max_tokens", "Use 'max_completion_tokens' instead."), ("temperature", "No temperature.")):
            if name in request.body:
                return script.http(400, body={"error": {"message": said, "param": name}})
        return script.ok({"facts": []})

    models.script(reasoning)
    assert [ask(chat()).structured for _ in range(2)] == [True, True]
    assert len(models.requests) == 4
    assert models.requests[3].body["max_completion_tokens"] == 500


def test_learning_keeps_to_the_time(chat: Make, models: ModelServer) -> None:
    models.script([script.delayed(1.0, script.http(400))])
    with pytest.raises(ModelTimeout):
        ask(chat(), timeout=1.6)
    assert len(models.requests) == 2


def test_only_the_configured_key_is_sent(chat: Make, models: ModelServer, monkeypatch: pytest.MonkeyPatch) -> None:
    openai_http.client.cache_clear()
    for name in ("OPENAI_API_KEY", "OPENAI_ADMIN_KEY", "OPENAI_ORG_ID", "OPENAI_PROJECT_ID"):
        monkeypatch.setenv(name, "leaked")
    monkeypatch.setenv("OPENAI_BASE_URL", "http://127.0.0.1:9/v1")
    ask(chat())
    ask(chat(api_key=""))
    first, second = (request.headers for request in models.requests)
    assert first["authorization"] == "Bearer sk-test"
    assert "authorization" not in second
    assert "leaked" not in str([*first.values(), *second.values()])
    assert first["accept-encoding"] == "identity"
    openai_http.client.cache_clear()
