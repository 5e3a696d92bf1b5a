"""How the tests ask: one schema, one prompt with a word in it that must not turn up anywhere else."""

from typing import Any

from apps.inference.chat import ChatModel, ChatResult

CANARY = "wolframite-cassiterite"
SCHEMA: dict[str, Any] = {
    "type": "object",
    "properties": {"facts": {"type": "array", "items": {"type": "object"}}},
    "required": ["facts"],
    "additionalProperties": False,
}


def ask(chat: ChatModel, *, timeout: float = 5.0, **options: Any) -> ChatResult:
    prompt = {
        "system": f"Find the facts. {CANARY}",
        "messages": [{"role": "user", "content": f"I live in Lisbon. {CANARY}"}],
        "schema": SCHEMA,
        "max_tokens": 500,
    }
    return chat.complete(**{**prompt, "timeout": timeout, **options})
