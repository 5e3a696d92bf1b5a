"""A scripted model server, and a chat model on it whose dialect is unknown."""

from collections.abc import Callable, Iterator

import pytest

from apps.inference.adapters import openai_chat
from apps.inference.adapters.openai_chat import OpenAIChat
from apps.inference.chat import ModelChoice
from tests.model_server import ModelServer


@pytest.fixture
def models() -> Iterator[ModelServer]:
    with ModelServer() as server:
        yield server


@pytest.fixture
def chat(models: ModelServer, monkeypatch: pytest.MonkeyPatch) -> Callable[..., OpenAIChat]:
    monkeypatch.setattr(openai_chat, "_dialects", {})

    def make(**options: object) -> OpenAIChat:
        choice = {"name": "small", "base_url": models.url, "api_key": "sk-test", "model": "scripted", **options}
        return OpenAIChat(ModelChoice(**choice))  # type: ignore[arg-type]

    return make
