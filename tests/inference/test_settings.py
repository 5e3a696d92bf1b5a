"""The operator's list of models, from the environment to a choice."""

import os
import subprocess
import sys
from decimal import Decimal
from pathlib import Path

import pytest
from pytest_django import Settings

from apps.inference.chat import chat_model, model_choice, model_choices
from apps.inference.errors import ModelNotConfigured
from memoryplane.env import Env, EnvError
from tests.inference.asking import ask
from tests.model_server import ModelServer
from tests.servers import ROOT


def listed(value: str) -> object:
    return Env({"MEMORYPLANE_LLM_MODELS": value}, {}).models("MEMORYPLANE_LLM_MODELS")


def test_the_list_of_models() -> None:
    assert listed("small=gpt-x-mini@0.15/0.60, local=llama3:8b,odd=@cf/meta/l@1,free=m@0/0") == [
        ("small", "gpt-x-mini", 0.15, 0.6),
        ("local", "llama3:8b", None, None),
        ("odd", "@cf/meta/l@1", None, None),
        ("free", "m", 0.0, 0.0),
    ]
    assert listed("") == []


@pytest.mark.parametrize("value", ["gpt", "Small=x", "a=", "a=x,a=y", "a=b c", "=x"])
def test_a_list_that_is_none(value: str) -> None:
    with pytest.raises(EnvError) as caught:
        listed(value)
    assert str(caught.value).startswith("MEMORYPLANE_LLM_MODELS must look like ")


@pytest.mark.parametrize("value", ["api.example.com/v1", "ftp://x", "https://user:pw@host/v1", "https:///v1"])
def test_an_address_that_is_none(value: str) -> None:
    with pytest.raises(EnvError) as caught:
        Env({"MEMORYPLANE_LLM_BASE_URL": value}, {}).url("MEMORYPLANE_LLM_BASE_URL", "")
    assert value not in str(caught.value)


@pytest.mark.parametrize("value", ["0", "257", "-1", "1.5", "1e2", "many", "٣", "9" * 10])
def test_a_number_out_of_range(value: str) -> None:
    with pytest.raises(EnvError) as caught:
        Env({"MEMORYPLANE_EXTRACT_SLOTS": value}, {}).whole("MEMORYPLANE_EXTRACT_SLOTS", 16, least=1, most=256)
    assert str(caught.value) == "MEMORYPLANE_EXTRACT_SLOTS must be a whole number from 1 to 256."


def test_what_an_operator_says_about_extraction() -> None:
    shown = "print(s.EXTRACT_SLOTS, s.EXTRACT_CONNECTIONS, s.EXTRACT_MESSAGE_CHARACTERS, s.EXTRACT_TRACE_CHARACTERS)"
    assert settings_say(shown) == "16 2 32000 200000\n"
    chosen = {"SLOTS": "256", "CONNECTIONS": "1", "MESSAGE_CHARACTERS": "1000", "TRACE_CHARACTERS": "1000000"}
    named = {f"MEMORYPLANE_EXTRACT_{name}": value for name, value in chosen.items()}
    assert settings_say(shown, **named) == "256 1 1000 1000000\n"
    for name in chosen:
        said = settings_say("", **{f"MEMORYPLANE_EXTRACT_{name}": "0"})
        assert f"MEMORYPLANE_EXTRACT_{name} must be a whole number from " in said


@pytest.mark.parametrize(
    ("environment", "said"),
    [
        ({"MEMORYPLANE_LLM_MODELS": "a=b"}, "MEMORYPLANE_LLM_MODELS needs MEMORYPLANE_LLM_BASE_URL."),
        ({"MEMORYPLANE_INJECTION_JUDGE": "a"}, "MEMORYPLANE_INJECTION_JUDGE is none of the names in"),
        ({"MEMORYPLANE_EMBEDDER": "remote"}, "MEMORYPLANE_EMBEDDER=remote needs MEMORYPLANE_EMBED_BASE_URL"),
        (
            {"MEMORYPLANE_PREVIOUS_EMBED_MODEL": "a"},
            "MEMORYPLANE_PREVIOUS_EMBED_MODEL needs MEMORYPLANE_PREVIOUS_EMBED_BASE_URL.",
        ),
        (
            {
                "MEMORYPLANE_EMBEDDER": "remote",
                "MEMORYPLANE_EMBED_BASE_URL": "http://a",
                "MEMORYPLANE_EMBED_MODEL": "a",
                "MEMORYPLANE_PREVIOUS_EMBED_MODEL": "a",
            },
            "MEMORYPLANE_PREVIOUS_EMBED_MODEL and _EMBED_MODEL are one name",
        ),
        ({"MEMORYPLANE_EMBEDDER": "openai"}, "MEMORYPLANE_EMBEDDER must be one of minilm, remote, none."),
    ],
)
def test_what_does_not_go_together_refuses_to_start(environment: dict[str, str], said: str) -> None:
    assert said in settings_say("", **environment)


def test_the_key_of_one_server_is_not_given_to_another(tmp_path: Path) -> None:
    base = {
        "MEMORYPLANE_LLM_BASE_URL": "http://a/v1/",
        "MEMORYPLANE_LLM_API_KEY": "sk-1",
        "MEMORYPLANE_EMBED_MODEL": "m",
    }
    shown = "print(s.EMBED_BASE_URL, repr(s.EMBED_API_KEY))"
    assert settings_say(shown, **base) == "http://a/v1 'sk-1'\n"
    assert settings_say(shown, **base, MEMORYPLANE_EMBED_BASE_URL="http://b/v1") == "http://b/v1 ''\n"


def test_the_previous_embedder_is_the_same_server_unless_told_otherwise() -> None:
    base = {
        "MEMORYPLANE_EMBEDDER": "remote",
        "MEMORYPLANE_EMBED_BASE_URL": "http://a/v1",
        "MEMORYPLANE_EMBED_API_KEY": "sk-1",
        "MEMORYPLANE_EMBED_MODEL": "new",
        "MEMORYPLANE_PREVIOUS_EMBED_MODEL": "old",
    }
    shown = "print(s.PREVIOUS_EMBED_MODEL, s.PREVIOUS_EMBED_BASE_URL, repr(s.PREVIOUS_EMBED_API_KEY))"
    assert settings_say(shown, **base) == "old http://a/v1 'sk-1'\n"
    assert settings_say(shown, **base, MEMORYPLANE_PREVIOUS_EMBED_BASE_URL="http://b/v1") == "old http://b/v1 ''\n"


def settings_say(program: str, **environment: str) -> str:
    command = [sys.executable, "-c", f"import memoryplane.settings as s; {program}"]
    done = subprocess.run(command, cwd=ROOT, env={**os.environ, **environment}, capture_output=True, text=True)
    return done.stdout + done.stderr


def test_choices_and_what_they_cost(settings: Settings, models: ModelServer) -> None:
    settings.LLM_BASE_URL, settings.LLM_API_KEY = models.url, "sk-test"
    settings.LLM_MODELS = [("small", "x-mini", 0.15, 0.6), ("local", "llama", None, None)]
    assert list(model_choices()) == ["small", "local"]
    assert model_choice().name == "small"
    assert model_choice("local").cost(10, 10) is None
    assert model_choice("small").cost(1_000, 200) == Decimal("0.00027")
    ask(chat_model(model_choice("local")))
    assert models.requests[0].body["model"] == "llama"
    with pytest.raises(ModelNotConfigured) as caught:
        model_choice("gone")
    assert caught.value.code == "model_not_configured"
    settings.LLM_MODELS = []
    with pytest.raises(ModelNotConfigured):
        model_choice()
