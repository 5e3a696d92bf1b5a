"""The engine that asks a chat model, over any OpenAI-compatible server with tools."""

import json
import time
from typing import Any

from django.conf import settings
from django.db import connection

from apps.core.clock import now
from apps.core.errors import Invalid
from apps.core.transactions import bind
from apps.dreaming.engine import EngineFailed, Report, Spent
from apps.dreaming.models import CLOSING
from apps.dreaming.operations import MOST, Operation
from apps.dreaming.prompt import REPORT_NOW, REPORTS, TOOLS, VERSION, instructions
from apps.dreaming.reading import facts_page, facts_read, found_facts, operation_of, stored_report
from apps.dreaming.rules_stale import over_cap
from apps.dreaming.scene import Scene
from apps.dreaming.states import CALLS
from apps.dreaming.validator import check
from apps.inference.answers import Unreadable, read_object
from apps.inference.calls import CircuitBreaker, call_with_retries, chat_breaker
from apps.inference.chat import ChatModel, ChatResult, ModelChoice, Turn, chat_model
from apps.inference.errors import CircuitOpen, ModelAnswerInvalid, ModelError

MAX_TOKENS = 4_096
ATTEMPTS = 3
MESSAGES_SHOWN = 24_000
"""Code points of messages that the model is shown, the newest."""


class LLMEngine:
    """See `Engine`. Each phase is a conversation in which the model reads facts by tools and, in the last two, proposes
    changes; each is checked at once, so that it hears why one is refused. Calls, tokens and time are bounded here."""

    name = "llm"
    version = VERSION
    waits = True

    def __init__(
        self,
        choice: ModelChoice,
        *,
        timeout: float | None = None,
        chat: ChatModel | None = None,
        breaker: CircuitBreaker | None = None,
        retries: dict[str, Any] | None = None,
    ) -> None:
        self.choice = choice
        self._timeout = timeout or settings.LLM_TIMEOUT
        self._chat = chat or chat_model(choice)
        self._breaker = breaker or chat_breaker(choice.base_url, choice.model)
        self._retries = retries or {}

    def orient(self, scene: Scene, before: dict[str, Any]) -> Report:
        return _Conversation(self, scene, "orient", {"facts": scene.run.facts_before}).held()

    def gather(self, scene: Scene, before: dict[str, Any]) -> Report:
        given = {"orientation": before.get("orient", {}), "messages": _messages(scene)}
        return _Conversation(self, scene, "gather", given).held()

    def consolidate(self, scene: Scene, before: dict[str, Any]) -> Report:
        signals = before.get("gather", {}).get("signals", [])
        cited = {tuple(ref) for signal in signals for ref in signal.get("messages", [])}
        given = {
            "orientation": before.get("orient", {}),
            "signals": signals,
            "messages": [one for one in _messages(scene) if (one["kind"], one["id"]) in cited],
        }
        return _Conversation(self, scene, "consolidate", given).held()

    def prune(self, scene: Scene, before: dict[str, Any]) -> Report:
        given = {"facts": scene.run.facts_before, "closed_so_far": scene.closed, "cap": scene.chosen.fact_cap}
        report = _Conversation(self, scene, "prune", given).held()
        if not report.stop:
            # The cap is no matter of opinion.
            with bind(scene.project_id):
                chosen = {fact_id for one in report.operations for fact_id in one.targets}
                closing = {fact_id for one in report.operations if one.op in CLOSING for fact_id in one.targets}
                report.operations += over_cap(scene, scene.closed + len(closing), chosen)
        return report

    def ask(self, spent: Spent, call: Any, left: float) -> Any:
        """What the model answers, after at most three tries. Raises EngineFailed."""
        tries: list[ModelError] = []

        def once(seconds: float) -> Any:
            try:
                return call(min(self._timeout, seconds))
            except ModelError as error:
                tries.append(error)
                if isinstance(error, ModelAnswerInvalid) and error.answer:
                    self.spend(spent, error.answer)
                raise

        try:
            return call_with_retries(
                once, attempts=ATTEMPTS, deadline=max(left, 1.0), breaker=self._breaker, **self._retries
            )
        except CircuitOpen as error:
            # A circuit that opened between two tries says less than the try before it.
            said = tries[-1] if tries else error
            raise EngineFailed(said.code, counts=bool(tries), retry=True, spent=spent) from None
        except (ModelError, Invalid) as error:
            # From None: what the model said must not ride along into a log.
            retry = isinstance(error, ModelError) and error.retryable and not isinstance(error, ModelAnswerInvalid)
            raise EngineFailed(error.code, retry=retry, spent=spent) from None

    def spend(self, spent: Spent, result: ChatResult) -> None:
        spent.prompt_tokens += result.prompt_tokens
        spent.completion_tokens += result.completion_tokens
        cost = self.choice.cost(result.prompt_tokens, result.completion_tokens)
        if cost is not None:
            spent.cost = (spent.cost or 0) + cost

    @property
    def chat(self) -> ChatModel:
        return self._chat


class _Conversation:
    """One phase."""

    def __init__(self, engine: LLMEngine, scene: Scene, phase: str, given: dict[str, Any]) -> None:
        self.engine, self.scene, self.phase = engine, scene, phase
        self.spent, self.operations = Spent(), list[Operation]()
        self.messages: list[dict[str, Any]] = [{"role": "user", "content": _quoted(given)}]
        self.system = instructions(phase, f"{now():%A, %d %B %Y}")
        began = scene.run.started_at
        self.end = time.monotonic() + scene.run.max_seconds - ((now() - began).total_seconds() if began else 0)

    def held(self) -> Report:
        """The report of the phase, or what there is of it when a bound is hit."""
        while True:
            if stop := self.over():
                return Report({}, self.operations, self.spent, stop)
            room = CALLS[self.phase] - self.spent.tool_calls
            turn = self.turn(TOOLS[self.phase] if room > 0 else [])
            if not turn.calls or room <= 0:
                return self.concluded(turn)
            self.messages.append(turn.message)
            for place, call in enumerate(turn.calls):
                if place < room:
                    self.spent.tool_calls += 1
                    answer = self.used(call.name, call.arguments)
                else:
                    # Counted call by call: a turn with many of them runs no further than the limit.
                    answer = {"error": "limit of tool calls reached"}
                self.messages.append({"role": "tool", "tool_call_id": call.id, "content": _quoted(answer)})
            if self.spent.tool_calls >= CALLS[self.phase]:
                self.messages.append({"role": "user", "content": REPORT_NOW + json.dumps(REPORTS[self.phase])})

    def over(self) -> str:
        run = self.scene.run
        if run.prompt_tokens + run.completion_tokens + self.spent.tokens >= run.max_tokens:
            return "tokens"
        return "time" if time.monotonic() >= self.end else ""

    def turn(self, tools: list[dict[str, Any]]) -> Turn:
        def call(seconds: float) -> Turn:
            return self.engine.chat.converse(
                system=self.system, messages=self.messages, tools=tools, max_tokens=MAX_TOKENS, timeout=seconds
            )

        turn: Turn = self.engine.ask(self.spent, call, self.end - time.monotonic())
        self.engine.spend(self.spent, turn.result)
        return turn

    def concluded(self, turn: Turn) -> Report:
        """The structured report: in the answer itself, or asked for once more."""
        schema = REPORTS[self.phase]
        try:
            value = read_object(turn.result.raw, schema, cut=False)
        except Unreadable:
            if stop := self.over():
                return Report({}, self.operations, self.spent, stop)
            said = [*self.messages, {"role": "assistant", "content": turn.result.raw or "…"}]
            said.append({"role": "user", "content": REPORT_NOW + json.dumps(schema)})

            def call(seconds: float) -> ChatResult:
                return self.engine.chat.complete(
                    system=self.system, messages=said, schema=schema, max_tokens=MAX_TOKENS, timeout=seconds
                )

            result: ChatResult = self.engine.ask(self.spent, call, self.end - time.monotonic())
            self.engine.spend(self.spent, result)
            value = json.loads(result.text)
        proposals = value.get("proposals", [])
        # One more than is looked at, so that too many are refused by name.
        self.operations += [operation_of(one, self.scene) for one in proposals[: MOST + len(self.operations) + 1]]
        return Report(stored_report(self.phase, value, self.scene), self.operations, self.spent)

    def used(self, name: str, arguments: dict[str, Any] | None) -> dict[str, Any]:
        """The answer of a tool, from a short transaction of its own."""
        given = arguments or {}
        if arguments is None or name not in {tool["name"] for tool in TOOLS[self.phase]}:
            return {"error": "no such tool, or arguments that are no JSON object"}
        try:
            with bind(self.scene.project_id):
                match name:
                    case "list_facts":
                        return facts_page(self.scene, given.get("offset"), self.operations)
                    case "find_facts":
                        return found_facts(self.scene, given.get("words"))
                    case "read_facts":
                        return facts_read(self.scene, given.get("ids"))
                    case _:
                        return self.proposed(operation_of(given, self.scene))
        finally:
            if not connection.in_atomic_block:
                connection.close()

    def proposed(self, one: Operation) -> dict[str, Any]:
        verdict = check([one], self.scene)
        if verdict.refused:
            return {"refused": next(iter(verdict.refused))}
        self.operations.append(one)
        return {"staged": verdict.passed[0].op}


def _messages(scene: Scene) -> list[dict[str, Any]]:
    """The newest that there is room for, oldest first."""
    found: list[dict[str, Any]] = []
    room = MESSAGES_SHOWN
    for one in reversed(list(scene.said.values())):
        room -= len(one.text)
        if room < 0:
            break
        found.append(
            {
                "kind": one.kind,
                "id": one.id,
                "by": "user" if one.own else "other",
                "at": one.at.isoformat(),
                "text": one.text,
            }
        )
    return found[::-1]


def _quoted(value: Any) -> str:
    return json.dumps(value, ensure_ascii=False, default=str)
