"""The extractor that asks a chat model, over any OpenAI-compatible server."""

import re
import time
from collections import Counter
from collections.abc import Sequence
from dataclasses import replace
from typing import Any, cast

from apps.core.text import normalise, one_line
from apps.extraction import dates, wording
from apps.extraction.candidates import (
    Candidate,
    Conversation,
    Extraction,
    ExtractorFailed,
    MemoryType,
    Scope,
    Sensitivity,
    Turn,
    Usage,
)
from apps.extraction.prompt import VERSION, Window, instructions, windows
from apps.extraction.schema import SCHEMA, Draft, read_drafts
from apps.inference.calls import CircuitBreaker, call_with_retries, chat_breaker
from apps.inference.chat import ChatModel, ChatResult, ModelChoice, chat_model
from apps.inference.errors import CircuitOpen, ModelAnswerInvalid, ModelError
from apps.screening.screen import mask_json

CONFIDENCE = 0.6
"""Where the model gives none."""
IMPORTANCE = 0.5
MAX_TOKENS = 4_096
ATTEMPTS = 3
WAITS = 5.0
"""Seconds that the waits between tries may take; longer ones are for the trace's schedule."""
MAX_RAW = 200_000
LETTERS_A_TOKEN = 4
"""Of English; an estimate, for a forecast alone."""

_FIRST_PERSON = re.compile(r"\b(?:I|I'm|I've|I'd|I'll|my|mine|me|myself)\b", re.IGNORECASE)


def patience_of(timeout: float) -> float:
    """How long one conversation may take at most, in seconds, where one answer may take ``timeout``."""
    return timeout * ATTEMPTS + WAITS


class LLMExtractor:
    """See ``Extractor``. Holds no connection and no lock; any number of threads may share one.

    ``extract`` raises ExtractorFailed with the code of the `ModelError`. ``patience`` is how long one conversation may
    take at most, in seconds.
    """

    name = "llm"
    version = VERSION

    def __init__(
        self,
        choice: ModelChoice,
        *,
        timeout: float,
        categories: Sequence[str] = (),
        addition: str = "",
        chat: ChatModel | None = None,
        breaker: CircuitBreaker | None = None,
        retries: dict[str, Any] | None = None,
    ) -> None:
        self.choice = choice
        self.patience = patience_of(timeout)
        self._timeout = timeout
        self._system = instructions(categories=categories, addition=addition)
        self._chat = chat or chat_model(choice)
        self._breaker = breaker or chat_breaker(choice.base_url, choice.model)
        self._retries = retries or {}

    @property
    def model(self) -> str:
        """The operator's name for the model."""
        return self.choice.name

    def extract(self, conversation: Conversation) -> Extraction:
        began = time.monotonic()
        questions, unseen = windows(conversation)
        dropped: Counter[str] = Counter({"too-long": unseen} if unseen else {})
        candidates: list[Candidate] = []
        usage = Usage(self.model, self.version)
        for window in questions:
            tries: list[ModelError] = []
            try:
                result = self._ask(window, self.patience - (time.monotonic() - began), tries)
            except ModelError as error:
                # A circuit that opened between two tries says less than the try before it.
                said = tries[-1] if isinstance(error, CircuitOpen) and tries else error
                if isinstance(said, ModelAnswerInvalid) and said.answer:
                    usage = self._used(usage, said.answer)
                # From None: what the model said must not ride along into a log.
                raise ExtractorFailed(
                    said.code,
                    retry_after=error.retry_after,
                    usage=replace(usage, latency_ms=_since(began)),
                    asked=said is not error or not isinstance(error, CircuitOpen) or bool(usage.raw),
                ) from None
            usage = self._used(usage, result)
            drafts, left_out = read_drafts(result.text)
            dropped += left_out
            candidates += [_candidate(draft, window) for draft in drafts]
        if questions:
            usage = replace(usage, latency_ms=_since(began))
        return Extraction(tuple(candidates), dict(sorted(dropped.items())), usage if questions else None)

    def foresee(self, conversation: Conversation) -> tuple[int, int]:
        """How many questions it would be asked about, and about how many tokens they have; asks nobody."""
        questions, _ = windows(conversation)
        letters = sum(len(self._system) + len(window.content) for window in questions)
        return len(questions), round(letters / LETTERS_A_TOKEN)

    def _ask(self, window: Window, deadline: float, tries: list[ModelError]) -> ChatResult:
        """``tries`` collects what each failed one ended in."""

        def ask(left: float) -> ChatResult:
            try:
                return self._chat.complete(
                    system=self._system,
                    messages=[{"role": "user", "content": window.content}],
                    schema=SCHEMA,
                    max_tokens=MAX_TOKENS,
                    timeout=min(self._timeout, left),
                )
            except ModelError as error:
                tries.append(error)
                raise

        return call_with_retries(
            ask, attempts=ATTEMPTS, deadline=max(deadline, 1.0), breaker=self._breaker, **self._retries
        )

    def _used(self, before: Usage, result: ChatResult) -> Usage:
        cost = self.choice.cost(result.prompt_tokens, result.completion_tokens)
        return replace(
            before,
            prompt_tokens=before.prompt_tokens + result.prompt_tokens,
            completion_tokens=before.completion_tokens + result.completion_tokens,
            cost=None if cost is None else (before.cost or 0) + cost,
            raw=f"{before.raw}\n{safe_raw(result.raw)}".strip(),
        )


def _since(began: float) -> int:
    return round((time.monotonic() - began) * 1000)


def safe_raw(raw: str) -> str:
    """A model's answer as it may be kept: bounded, and without the secrets it repeats."""
    kept: str = mask_json(raw[:MAX_RAW])[0]
    return kept


def _candidate(draft: Draft, window: Window) -> Candidate:
    """The draft seen from its message. A number that was not shown is message 0, and the policy drops it."""
    turn = window.turns.get(draft.message)
    at = turn.at if turn else next(iter(window.turns.values())).at
    about_speaker = draft.scope == "user"
    begins = dates.valid_from(draft.valid_from, at) if draft.valid_from else None
    ends = dates.valid_to(draft.valid_until, at) if draft.valid_until else None
    if begins and ends and ends <= begins:
        begins = None
    return Candidate(
        statement=_statement(draft, turn),
        scope=cast(Scope, draft.scope),
        about="speaker" if about_speaker else "work",
        message_id=turn.message_id if turn else 0,
        quote=draft.quote,
        start=0,
        end=0,
        attribute=draft.attribute,
        category=draft.category,
        memory_type=cast(MemoryType, draft.memory_type),
        confidence=CONFIDENCE if draft.confidence is None else draft.confidence,
        importance=IMPORTANCE if draft.importance is None else draft.importance,
        sensitivity=cast(Sensitivity, draft.sensitivity),
        observed_at=at,
        rule="",
        changes_known=draft.changes is not None,
        speaker=turn.role if turn else "user",
        subject=draft.subject,
        valid_from=begins,
        valid_to=ends,
        changes=draft.changes,
        model_confidence=draft.confidence is not None,
    )


def _statement(draft: Draft, turn: Turn | None) -> str:
    """In the third person and with absolute dates: a prompt shows facts to a model that is itself "I"."""
    said = draft.statement
    copied = normalise(said).rstrip(".!") == normalise(draft.quote).rstrip(".!")
    # A mere copy is worded by the policy, which knows the clause it stands in.
    if draft.scope == "user" and not copied and _FIRST_PERSON.search(said):
        said = wording.about_speaker(said)
    return one_line(dates.absolute(said, turn.at) if turn else said)
