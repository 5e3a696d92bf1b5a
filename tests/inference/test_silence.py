"""Neither what was asked nor what was answered turns up in a log or an error."""

import logging
import traceback
from collections.abc import Callable

import pytest

from apps.inference.adapters.openai_chat import OpenAIChat
from apps.inference.calls import call_with_retries
from apps.inference.errors import ModelAnswerInvalid, ModelError
from tests import model_server as script
from tests.inference.asking import CANARY, ask
from tests.model_server import ModelServer, Reply

ECHO = {"error": {"message": f"Bad prompt: {CANARY}", "param": "messages", "code": CANARY}}
REPLIES = {
    "400": script.http(400, body=ECHO),
    "401": script.http(401, body=ECHO),
    "422": script.http(422, body=ECHO),
    "429": script.http(429, body=ECHO),
    "500": script.http(500, body=ECHO),
    "500 as text": script.http(500, body=CANARY.encode()),
    "prose": script.ok(CANARY),
    "wrong shape": script.ok({CANARY: [CANARY]}),
    "truncated": script.ok(f'{{"facts": ["{CANARY}', finish="length"),
    "bad json": script.ok(f'{{"facts": ["{CANARY}"'),
    "bad envelope": script.http(200, body=f'{{"choices": "{CANARY}'.encode()),
    "dropped": script.drop(40),
    "timeout": script.delayed(0.5, script.ok(CANARY)),
}


@pytest.mark.parametrize("name", REPLIES)
def test_nothing_is_repeated(
    name: str, chat: Callable[..., OpenAIChat], models: ModelServer, caplog: pytest.LogCaptureFixture
) -> None:
    reply: Reply = REPLIES[name]
    caplog.set_level(logging.DEBUG)
    models.script([reply])
    with pytest.raises(ModelError) as caught:
        call_with_retries(lambda left: ask(chat(), timeout=0.2), sleep=lambda seconds: None)
    error = caught.value
    said = "".join(traceback.format_exception(error)) + repr(error) + str(error) + repr(error.args) + caplog.text
    assert CANARY not in said
    assert "sk-test" not in said
    # Nor does an error of the client library hang on it, for a log that follows the chain.
    chained = error.__context__
    while chained:
        assert CANARY not in repr(chained) + str(chained) and not type(chained).__module__.startswith("openai")
        chained = chained.__context__
    if isinstance(error, ModelAnswerInvalid):
        assert CANARY not in repr(error.answer)


def test_a_good_answer_is_not_logged(
    chat: Callable[..., OpenAIChat], models: ModelServer, caplog: pytest.LogCaptureFixture
) -> None:
    caplog.set_level(logging.DEBUG)
    models.script([script.ok({"facts": [CANARY]})])
    result = ask(chat())
    assert CANARY in result.text
    assert CANARY not in caplog.text + repr(result)


def test_a_choice_does_not_show_its_key(chat: Callable[..., OpenAIChat]) -> None:
    assert "sk-test" not in repr(chat()._choice)
