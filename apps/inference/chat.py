"""One prompt to one chat model, and which models there are."""

from dataclasses import dataclass, field
from decimal import Decimal
from typing import Any, Protocol

from django.conf import settings

from apps.inference.errors import ModelNotConfigured


@dataclass(frozen=True)
class ChatResult:
    """One answer.

    `text`: with a schema one compact JSON object that any parser takes and jsonb can hold (a NaN in it is the
    string "NaN", the last of equal keys stays), else the answer as it came. `raw`: the answer as it came, what
    can't be stored replaced. `model`: what the server calls itself. Tokens are 0 if the server counts none.
    `latency_ms`: the whole call. `structured`: the server was held to the schema, rather than asked for JSON.
    """

    text: str = field(repr=False)
    model: str
    prompt_tokens: int
    completion_tokens: int
    latency_ms: int
    raw: str = field(repr=False)
    structured: bool


@dataclass(frozen=True)
class ToolCall:
    """A call of a tool as the model made it. `arguments`: the JSON object it gave, None where that was none."""

    id: str
    name: str
    arguments: dict[str, Any] | None = field(repr=False)


@dataclass(frozen=True)
class Turn:
    """One answer of a model that has tools: text, calls, or both. `message` is it as the next request repeats it."""

    result: ChatResult
    calls: tuple[ToolCall, ...]
    message: dict[str, Any] = field(repr=False)


@dataclass(frozen=True)
class ModelChoice:
    """A chat model the operator offers under `name`; prices are for a million tokens, None if not given.

    `supports_schema`: whether its server takes a JSON schema; None: found out at the first call.
    """

    name: str
    base_url: str
    api_key: str = field(repr=False)
    model: str
    price_in_per_million: float | None = None
    price_out_per_million: float | None = None
    supports_schema: bool | None = None

    def cost(self, prompt_tokens: int, completion_tokens: int) -> Decimal | None:
        """In the currency of the prices; None without prices."""
        if self.price_in_per_million is None or self.price_out_per_million is None:
            return None
        price_in, price_out = Decimal(str(self.price_in_per_million)), Decimal(str(self.price_out_per_million))
        return (price_in * prompt_tokens + price_out * completion_tokens) / 1_000_000


class ChatModel(Protocol):
    """Something that answers a prompt."""

    def complete(
        self,
        *,
        system: str,
        messages: list[dict[str, Any]],
        schema: dict[str, Any] | None,
        max_tokens: int,
        timeout: float,
    ) -> ChatResult:
        """The answer to `messages` (each `{"role": "user" | "assistant", "content": text}`) under `system`.

        One try, `timeout` seconds in all. With a `schema` (JSON schema of an object) the answer is one JSON
        object with its required members, each of its declared type; what is inside them is the caller's to
        check. Raises Invalid `empty_prompt` before any call, and every `ModelError` but CircuitOpen.
        """
        ...

    def converse(
        self,
        *,
        system: str,
        messages: list[dict[str, Any]],
        tools: list[dict[str, Any]],
        max_tokens: int,
        timeout: float,
    ) -> Turn:
        """The next turn of a conversation in which the model may call `tools` (each `{"name", "description",
        "parameters"}`, the last a JSON schema); none are offered where the list is empty. `messages` may hold turns
        of before (`Turn.message`) and their results (`{"role": "tool", "tool_call_id", "content"}`). Raises as
        `complete`.
        """
        ...


def model_choices() -> dict[str, ModelChoice]:
    """The operator's models by name, the default first; empty if there are none."""
    return {
        name: ModelChoice(name, settings.LLM_BASE_URL, settings.LLM_API_KEY, model, price_in, price_out)
        for name, model, price_in, price_out in settings.LLM_MODELS
    }


def model_choice(name: str = "") -> ModelChoice:
    """The model of that name, or the default. Raises ModelNotConfigured."""
    choices = model_choices()
    if not choices:
        raise ModelNotConfigured(
            "No chat model is configured: MEMORYPLANE_LLM_MODELS is empty. env.production.example shows how one is named."
        )
    if name and name not in choices:
        raise ModelNotConfigured("The chosen chat model is no longer in MEMORYPLANE_LLM_MODELS.")
    return choices[name] if name else next(iter(choices.values()))


def chat_model(choice: ModelChoice) -> ChatModel:
    """The adapter for one choice; cheap to make, connections are kept by the process."""
    # Imported here: openai takes most of a second, and a process that asks no model never pays it.
    from apps.inference.adapters.openai_chat import OpenAIChat

    return OpenAIChat(choice)
