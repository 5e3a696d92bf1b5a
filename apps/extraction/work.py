"""A trace on its way through mining, and the rows that its answer becomes."""

from dataclasses import dataclass, field
from datetime import datetime
from typing import Any

from apps.curation.actions.propose import Outcome, Wish
from apps.extraction.actions.claim_traces import Claim
from apps.extraction.attributes import SINGLE
from apps.extraction.candidates import Conversation, Extraction, Extractor, Usage
from apps.extraction.policy import Verdict
from apps.facts.evidence import Evidence
from apps.facts.statement import Statement
from apps.tenancy.models import Agent, Subject


@dataclass(frozen=True)
class Work:
    """A claimed trace with all that asking about it needs."""

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

    @property
    def waits(self) -> bool:
        """Whether asking means waiting for somebody else."""
        return bool(getattr(self.extractor, "patience", 0)) and bool(self.conversation.turns)


@dataclass(frozen=True)
class Answer:
    """What an extractor said and what the write policy made of it. ``vectors`` belong to ``verdicts`` one by one."""

    extraction: Extraction
    verdicts: list[Verdict] = field(default_factory=list)
    vectors: list[list[float] | None] = field(default_factory=list)


@dataclass(frozen=True)
class Failure:
    """Why there is no answer. Not ``asked``: nothing was tried, so it counts as no attempt."""

    code: str
    retry_after: int | None = None
    usage: Usage | None = None
    asked: bool = True


def wish(
    work: Work, subject: Subject | None, verdict: Verdict, vector: list[float] | None, confidence: float | None
) -> Wish:
    """What curation is asked for. ``confidence`` replaces the house's where the model gave none."""
    candidate = verdict.candidate
    given = candidate.confidence if candidate.model_confidence or confidence is None else confidence
    known = {fact.id for fact in work.conversation.known}
    return Wish(
        statement=Statement(
            content=candidate.statement,
            scope=candidate.scope,
            attribute=candidate.attribute,
            category=candidate.category,
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


def run_columns(work: Work, usage: Usage | None) -> dict[str, Any]:
    """The columns that every run of a work has, done or failed."""
    columns: dict[str, Any] = {
        "project_id": work.claim.project_id,
        "trace_id": work.trace_id,
        "extractor": work.extractor.name,
        "version": work.extractor.version,
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
