"""A trace on its way through mining, and the rows that its answer becomes."""

from dataclasses import dataclass, field
from datetime import datetime
from typing import Any

from apps.curation.actions.propose import Outcome, Wish
from apps.extraction.actions.claim_traces import Claim
from apps.extraction.adapters.judge import VERSION as JUDGE_VERSION
from apps.extraction.adapters.judge import InjectionJudge, Opinion
from apps.extraction.attributes import SINGLE
from apps.extraction.candidates import Conversation, Extraction, Extractor, Usage
from apps.extraction.policy import Verdict
from apps.facts.categories import Filing
from apps.facts.evidence import Evidence
from apps.facts.statement import Statement
from apps.inference.embeddings import Embedder
from apps.tenancy.models import Agent, Subject

TOO_LONG = "too-long"
CERTAIN = 1.0
"""Confidence of what is said without one in a trace that somebody asked for."""


@dataclass(frozen=True)
class Unread:
    """The end of a message that no extractor looks at, by its code points."""

    message_id: int
    start: int
    end: int


@dataclass(frozen=True)
class Work:
    """A claimed trace with all that asking about it needs. ``looked_at`` are the messages that this run answers for:
    those of the conversation, and those in it that are never mined."""

    claim: Claim
    trace_id: str
    attempts: int
    extractor: Extractor
    conversation: Conversation
    agent: Agent | None
    subject: Subject | None
    cap: int
    max_learned: int | None
    started: datetime
    by_hand: bool = False
    looked_at: tuple[int, ...] = ()
    unread: tuple[Unread, ...] = ()
    judge: InjectionJudge | None = None
    embedder: Embedder | None = None
    filing: Filing = field(default_factory=Filing)

    @property
    def patience(self) -> float:
        """Seconds that asking may take at most; 0 when nobody is waited for."""
        return getattr(self.extractor, "patience", 0) + (self.judge.patience if self.judge else 0)

    @property
    def waits(self) -> bool:
        """Whether asking means waiting for somebody else."""
        return bool(self.patience) and bool(self.conversation.turns)


@dataclass(frozen=True)
class Answer:
    """What an extractor said and what the write policy made of it. ``vectors`` belong to ``verdicts`` one by one.
    ``opinion`` is the judge's about those ``asked`` of it, of which it held ``raised`` that the rules had let pass; null
    when it was not asked."""

    extraction: Extraction
    verdicts: list[Verdict] = field(default_factory=list)
    vectors: list[list[float] | None] = field(default_factory=list)
    opinion: Opinion | None = None
    asked: int = 0
    raised: int = 0


@dataclass(frozen=True)
class Failure:
    """Why there is no answer. Not ``asked``: nothing was tried, so it counts as no attempt."""

    code: str
    retry_after: int | None = None
    usage: Usage | None = None
    asked: bool = True


def wish(work: Work, subject: Subject | None, verdict: Verdict, vector: list[float] | None) -> Wish:
    """What curation is asked for."""
    candidate = verdict.candidate
    given = CERTAIN if work.by_hand and not candidate.model_confidence else candidate.confidence
    known = {fact.id for fact in work.conversation.known}
    return Wish(
        statement=Statement(
            content=candidate.statement,
            scope=candidate.scope,
            attribute=candidate.attribute,
            category=work.filing.place(candidate.category),
            memory_type=candidate.memory_type,
            confidence=given,
            importance=candidate.importance,
            sensitivity=candidate.sensitivity,
            valid_from=candidate.valid_from,
            valid_to=candidate.valid_to,
        ),
        agent=work.agent,
        subject=subject,
        speaker=candidate.speaker,
        trust=verdict.trust,
        observed_at=candidate.observed_at,
        policy_rule=verdict.rule,
        flags=verdict.flags,
        held=verdict.outcome == "held",
        source_trace_id=work.trace_id,
        # A rule of the house has one value at a time; a person may well have two allergies.
        replaces=candidate.about == "work" or candidate.attribute in SINGLE,
        # Only what it was shown: a model that names another fact made the number up.
        changes=candidate.changes if candidate.changes in known else None,
        vector=vector,
        evidence=(
            Evidence(
                trace_id=work.trace_id,
                message_id=candidate.message_id,
                quote=candidate.quote,
                start=candidate.start,
                end=candidate.end,
                observed_at=candidate.observed_at,
            ),
        ),
    )


def decision(verdict: Verdict, outcome: Outcome | None) -> dict[str, Any]:
    """The columns of a CandidateDecision: the policy's word, or that of the queue where it came that far."""
    kind: str = verdict.outcome
    if outcome is not None:
        kind = "kept" if outcome.kind == "proposed" else outcome.kind
    proposal = outcome.proposal if outcome and kind != "dropped" else None
    return {
        "message_id": verdict.message_id,
        "start": verdict.candidate.start,
        "end": verdict.candidate.end,
        "outcome": kind,
        "rule": (outcome.rule if outcome and outcome.rule else verdict.rule)[:60],
        "proposal_id": str(proposal.id) if proposal else None,
        "fact_id": outcome.fact_id if outcome else None,
    }


def unread_decision(unread: Unread) -> dict[str, Any]:
    """The columns of the CandidateDecision that says what was left out unread."""
    return {
        "message_id": unread.message_id,
        "start": unread.start,
        "end": unread.end,
        "outcome": "dropped",
        "rule": TOO_LONG,
        "proposal_id": None,
        "fact_id": None,
    }


def run_columns(work: Work, usage: Usage | None) -> dict[str, Any]:
    """The columns that every run of a work has, done or failed."""
    columns: dict[str, Any] = {
        "project_id": work.claim.project_id,
        "trace_id": work.trace_id,
        "extractor": work.extractor.name,
        "version": work.extractor.version,
        # Also where there was nothing to ask it: the ledger goes by it.
        "model": getattr(work.extractor, "model", ""),
        "started_at": work.started,
    }
    if usage is not None:
        columns |= {
            "model": usage.model,
            "version": usage.prompt_version,
            "prompt_tokens": usage.prompt_tokens,
            "completion_tokens": usage.completion_tokens,
            "latency_ms": usage.latency_ms,
            "cost": usage.cost,
            "raw_answer": usage.raw,
        }
    return columns


def judged_columns(columns: dict[str, Any], answer: Answer) -> dict[str, Any]:
    """The columns of a run with what its judge took and said. Model and version stay the extractor's: the ledger of what
    was mined goes by them."""
    opinion = answer.opinion
    if opinion is None:
        return columns
    cost = columns.get("cost")
    raw = "\n".join(part for part in (columns.get("raw_answer", ""), opinion.raw) if part)
    return columns | {
        "prompt_tokens": columns.get("prompt_tokens", 0) + opinion.prompt_tokens,
        "completion_tokens": columns.get("completion_tokens", 0) + opinion.completion_tokens,
        "latency_ms": columns.get("latency_ms", 0) + opinion.latency_ms,
        "cost": cost if opinion.cost is None else opinion.cost + (cost or 0),
        "raw_answer": raw,
        "judge": {
            "model": opinion.model,
            "version": JUDGE_VERSION,
            "asked": answer.asked,
            "raised": answer.raised,
            "fault": opinion.fault,
        },
    }
