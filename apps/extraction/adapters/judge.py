"""The operator's optional second opinion: a chat model says how far each candidate tries to give orders to an agent."""

import json
import time
import traceback
from collections.abc import Sequence
from dataclasses import dataclass, replace
from decimal import Decimal
from typing import Any

import structlog
from django.conf import settings

from apps.core.errors import DomainError
from apps.extraction.adapters.llm import safe_raw
from apps.extraction.prompt import text_of
from apps.inference.calls import CircuitBreaker, call_with_retries
from apps.inference.chat import ChatResult, ModelChoice, chat_model, model_choice
from apps.inference.errors import ModelAnswerInvalid
from apps.screening.screen import mask_json

log = structlog.get_logger(__name__)

VERSION = "injection-v1"
LONGEST = 15.0
"""Seconds for the answer, also where an extractor's model may take longer: a second opinion is not worth a wait."""
AROUND = 600
"""Code points of the message that are shown before and after the quote."""
SCHEMA: dict[str, Any] = {
    "type": "object",
    "properties": {
        "scores": {
            "type": "array",
            "items": {
                "type": "object",
                "properties": {"number": {"type": "integer"}, "score": {"type": "number"}},
                "required": ["number", "score"],
                "additionalProperties": False,
            },
        }
    },
    "required": ["scores"],
    "additionalProperties": False,
}


@dataclass(frozen=True)
class Entry:
    """What is judged: a statement, and the message with the span of its quote (code points)."""

    statement: str
    text: str
    start: int
    end: int


@dataclass(frozen=True)
class Opinion:
    """One score in 0..1 an entry, or none at all and the ``fault`` that is why: a code of `ModelError`,
    ``model_not_configured``, or ``bad_scores`` for an answer with a wrong count, a wrong number or a score that is
    none. Tokens, ``cost`` (null without a price) and ``raw`` are counted either way."""

    model: str
    scores: tuple[float, ...] | None = None
    fault: str = ""
    prompt_tokens: int = 0
    completion_tokens: int = 0
    latency_ms: int = 0
    cost: Decimal | None = None
    raw: str = ""


class InjectionJudge:
    """Asks the model that the operator calls ``model``, in one try of at most ``patience`` seconds. Holds no connection
    and no lock; any number of threads may share one."""

    def __init__(self, model: str, *, timeout: float) -> None:
        self.model = model
        self.patience = min(timeout, LONGEST)

    def rate(self, entries: Sequence[Entry]) -> Opinion:
        """Never raises: whatever goes wrong is a fault, and the run goes on without."""
        began = time.monotonic()
        opinion = Opinion(self.model)
        try:
            choice = model_choice(self.model)
            try:
                result = self._ask(choice, entries)
            except ModelAnswerInvalid as error:
                opinion = _opinion(choice, error.answer, fault=error.code)
            else:
                scores = read_scores(result.text, len(entries))
                opinion = _opinion(choice, result, scores, "" if scores else "bad_scores")
        except DomainError as error:
            opinion = Opinion(self.model, fault=error.code)
        except Exception as error:
            # Where, and never what: an error's text may repeat what somebody said.
            where = [f"{frame.filename}:{frame.lineno}" for frame in traceback.extract_tb(error.__traceback__)[-4:]]
            log.error("injection_judge_broken", model=self.model, error=type(error).__name__, where=where)
            opinion = Opinion(self.model, fault=type(error).__name__)
        if opinion.fault:
            log.warning("injection_judge_failed", model=self.model, code=opinion.fault, entries=len(entries))
        return replace(opinion, latency_ms=round((time.monotonic() - began) * 1000))

    def _ask(self, choice: ModelChoice, entries: Sequence[Entry]) -> ChatResult:
        chat = chat_model(choice)
        return call_with_retries(
            lambda left: chat.complete(
                system=text_of(VERSION),
                messages=[{"role": "user", "content": document(entries)}],
                schema=SCHEMA,
                max_tokens=200 + 40 * len(entries),
                timeout=left,
            ),
            attempts=1,
            deadline=self.patience,
            # Its own: a judge that is too slow must not have the extractor's model left alone.
            breaker=CircuitBreaker(f"judge:{choice.base_url}:{choice.model}"),
        )


def injection_judge() -> InjectionJudge | None:
    """The operator's judge; null when there is none."""
    name = settings.INJECTION_JUDGE
    return InjectionJudge(name, timeout=settings.LLM_TIMEOUT) if name else None


def document(entries: Sequence[Entry]) -> str:
    """What the model is shown: JSON, so that no text can end its quotation, and without secrets."""
    shown = [
        {
            "number": number,
            "statement": entry.statement,
            "said": entry.text[max(0, entry.start - AROUND) : entry.end + AROUND],
        }
        for number, entry in enumerate(entries, 1)
    ]
    return json.dumps({"entries": mask_json(shown)[0]}, ensure_ascii=False)


def read_scores(answer: str, count: int) -> tuple[float, ...] | None:
    """The scores in the order asked, or null unless there is exactly one sound score for each number. Half an answer is
    none: which half is right nobody knows."""
    given = json.loads(answer)["scores"]
    scores: dict[int, float] = {}
    for one in given:
        number, score = (one.get("number"), one.get("score")) if isinstance(one, dict) else (None, None)
        if type(number) is not int or isinstance(score, bool) or not isinstance(score, int | float):
            return None
        if number in scores or not 0 <= score <= 1:
            return None
        scores[number] = float(score)
    wanted = range(1, count + 1)
    return tuple(scores[number] for number in wanted) if set(scores) == set(wanted) else None


def _opinion(
    choice: ModelChoice, result: ChatResult | None, scores: tuple[float, ...] | None = None, fault: str = ""
) -> Opinion:
    if result is None:
        return Opinion(choice.name, scores, fault)
    return Opinion(
        choice.name,
        scores,
        fault,
        prompt_tokens=result.prompt_tokens,
        completion_tokens=result.completion_tokens,
        cost=choice.cost(result.prompt_tokens, result.completion_tokens),
        raw=safe_raw(result.raw),
    )
