"""What tests of extraction say and answer: conversations, a model's entries, and an extractor on a scripted server."""

from datetime import UTC, datetime
from typing import Any

from apps.core.clock import now
from apps.extraction.adapters.llm import LLMExtractor
from apps.extraction.candidates import Candidate, Conversation, Turn
from apps.inference.chat import ModelChoice
from tests.model_server import ModelServer, Reply, ok

FRIDAY = datetime(2026, 11, 20, 12, 0, tzinfo=UTC)


def talk(*said: str, **papers: Any) -> Conversation:
    """A conversation in which user and assistant take turns, the user first. "A:" opens an assistant's turn."""
    turns = tuple(
        Turn(number, "assistant" if text.startswith("A: ") else "user", text.removeprefix("A: "), FRIDAY)
        for number, text in enumerate(said, 1)
    )
    return Conversation(
        **{"trace_id": "0" * 32, "agent_name": "support", "project_slug": "acme", "user_id": "ada"} | papers,
        turns=turns,
    )


def candidate(quote: str, statement: str = "", *, message: int = 1, **fields: Any) -> Candidate:
    """A candidate as a model gives it: no span yet, about the user unless a scope is given."""
    scope = fields.pop("scope", "user")
    return Candidate(
        **{
            "statement": statement or quote,
            "scope": scope,
            "about": "speaker" if scope == "user" else "work",
            "message_id": message,
            "quote": quote,
            "start": 0,
            "end": 0,
            "attribute": None,
            "category": "general",
            "memory_type": "semantic",
            "confidence": 0.6,
            "importance": 0.5,
            "sensitivity": "internal",
            "observed_at": FRIDAY,
            "rule": "",
            "changes_known": False,
        }
        | fields
    )


def entry(quote: str, statement: str = "", *, message: int = 1, **fields: Any) -> dict[str, Any]:
    """One entry of a model's answer."""
    return {
        "message": message,
        "quote": quote,
        "statement": statement or quote,
        "speaker": "user",
        "subject": None,
        "scope": "user",
        "attribute": None,
        "category": "general",
        "memory_type": "semantic",
        "confidence": 0.9,
        "importance": 0.5,
        "sensitivity": "personal",
        "valid_from": None,
        "valid_until": None,
        "changes": None,
    } | fields


def answer(*entries: Any, **more: Any) -> Reply:
    return ok({"facts": list(entries)}, **more)


def extractor(models: ModelServer, *, timeout: float = 5.0, **options: Any) -> LLMExtractor:
    """An LLMExtractor on the server that does not sleep between tries."""
    choice = ModelChoice("small", models.url, "sk-test", "scripted", 0.5, 2.0)
    return LLMExtractor(choice, timeout=timeout, **{"retries": {"sleep": lambda seconds: now()}} | options)
