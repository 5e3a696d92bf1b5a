"""A scripted model server for the tests that ask one."""

from collections.abc import Iterator

import pytest

from apps.inference.adapters import openai_chat
from tests.model_server import ModelServer


@pytest.fixture
def models(monkeypatch: pytest.MonkeyPatch) -> Iterator[ModelServer]:
    monkeypatch.setattr(openai_chat, "_dialects", {})
    with ModelServer() as server:
        yield server
