"""Turn what a user said in a claimed trace into proposals."""

from collections import Counter
from datetime import datetime, timedelta

import structlog

from apps.access.actor import system_actor
from apps.audit.actions.record import record
from apps.core.clock import now
from apps.core.text import norm_hash
from apps.core.transactions import bind
from apps.curation.actions.propose import Wish, propose
from apps.extraction.actions.claim_traces import Claim
from apps.extraction.attributes import SINGLE
from apps.extraction.candidates import Candidate, Conversation, Extraction, Extractor, Turn
from apps.extraction.models import ExtractionRun
from apps.extraction.rules import RulesExtractor
from apps.facts.append import Evidence
from apps.facts.models import Fact
from apps.facts.statement import Statement
from apps.recall.queries import reads_between
from apps.tenancy.models import Agent, Project
from apps.traces.models import Message, Trace
from apps.traces.queries import conversation

log = structlog.get_logger(__name__)

# How far a read may lie before the run that used it.
READ_WINDOW = timedelta(minutes=10)
RETRY_SECONDS = (10, 60, 300, 900)


def extract_trace(*, claim: Claim, extractor: Extractor | None = None) -> ExtractionRun | None:
    """Mine the messages of a claimed trace that were not mined yet; returns the run, or None when the lease was lost.

    The extractor runs outside any transaction. The commit names the lease token, so a worker paused beyond its lease
    writes nothing; the trace stays unextracted when more spans arrived meanwhile. An error of the extractor is
    recorded as a failed run and tried again later, five times at most.
    """
    extractor = extractor or RulesExtractor()
    started = now()
    with bind(claim.project_id):
        trace = Trace.objects.select_related("subject").filter(id=claim.trace_pk).first()
        if trace is None or trace.lease_token != claim.lease_token:
            return None
        agent = trace.agent or Agent.objects.filter(project_id=claim.project_id, name=trace.agent_name).first()
        talk = _conversation(trace, agent)
    try:
        extraction = extractor.extract(talk) if talk.turns else Extraction((), {})
    except Exception as error:
        log.exception("extraction failed", trace=trace.trace_id, extractor=extractor.name)
        return _fail(claim, trace, extractor, started, type(error).__name__)
    actor = system_actor("extraction", claim.project_id)
    with bind(claim.project_id):
        # The token in the WHERE is the fence; the row lock holds off new spans until this commits.
        held = (
            Trace.objects.select_for_update(of=("self",))
            .filter(id=claim.trace_pk, lease_token=claim.lease_token)
            .first()
        )
        if held is None:
            return None
        run = ExtractionRun.objects.create(
            project_id=claim.project_id,
            trace_id=trace.trace_id,
            extractor=extractor.name,
            version=extractor.version,
            started_at=started,
            messages=len(talk.turns),
        )
        wishes = [_wish(candidate, held, agent) for candidate in extraction.candidates]
        proposed = propose(actor=actor, project_id=claim.project_id, origin="extraction", wishes=wishes, run_id=run.id)
        run.proposed = len(proposed.proposals)
        run.dropped = dict(Counter(extraction.dropped) + Counter(proposed.dropped))
        run.finished_at = now()
        run.save(update_fields=["proposed", "dropped", "finished_at"])
        Message.objects.filter(project_id=claim.project_id, id__in=[turn.message_id for turn in talk.turns]).update(
            mined_at=now()
        )
        grown = held.last_arrival_at != claim.arrival
        Trace.objects.filter(id=held.id).update(
            extracted_at=None if grown else now(),
            lease_until=None,
            lease_token=None,
            claimed_by="",
            attempts=0,
            not_before=None,
        )
        record(
            actor=actor,
            verb="traces.extract",
            object_type="trace",
            object_id=trace.trace_id,
            data={"run": run.id, "proposed": run.proposed, "dropped": run.dropped},
        )
    return run


def _conversation(trace: Trace, agent: Agent | None) -> Conversation:
    """What may be mined: new messages of a production run. Everything else of a trace is machinery."""
    messages = [] if trace.origin else conversation(trace)
    # An assistant's turn is mined with nothing, but the extractor reads the new user turns beside it.
    fresh = {message.id for message in messages if message.mined_at is None}
    turns = tuple(
        Turn(message.id, "user" if message.role == "user" else "assistant", message.content, message.at)
        for message in messages
        if message.id in fresh
    )
    project = Project.objects.get(id=trace.project_id)
    return Conversation(
        trace_id=trace.trace_id,
        agent_name=agent.name if agent else None,
        project_slug=project.slug,
        user_id=trace.subject.external_id if trace.subject else None,
        turns=turns,
        served=_served(trace, agent),
    )


def _served(trace: Trace, agent: Agent | None) -> frozenset[bytes]:
    """Digests of the facts the plane told around this run; said back to us they teach nothing."""
    if agent is None or trace.started_at is None or trace.ended_at is None:
        return frozenset()
    reads = reads_between(trace.project_id, agent.id, trace.started_at - READ_WINDOW, trace.ended_at)
    ids = {fact_id for read in reads for fact_id in read.fact_ids}
    contents = Fact.objects.in_project(trace.project_id).filter(id__in=ids).values_list("content", flat=True)
    return frozenset(norm_hash(content) for content in contents)


def _wish(candidate: Candidate, trace: Trace, agent: Agent | None) -> Wish:
    return Wish(
        statement=Statement(
            content=candidate.statement,
            scope=candidate.scope,
            attribute=candidate.attribute,
            category=candidate.category,
            memory_type=candidate.memory_type,
            confidence=candidate.confidence,
            importance=candidate.importance,
            sensitivity=candidate.sensitivity,
        ),
        agent=agent,
        subject=trace.subject,
        observed_at=candidate.observed_at,
        policy_rule=candidate.rule,
        source_trace_id=trace.trace_id,
        # A rule of the house has one value at a time; a person may well have two allergies.
        replaces=candidate.about == "work" or candidate.attribute in SINGLE,
        evidence=(
            Evidence(
                trace_id=trace.trace_id,
                message_id=candidate.message_id,
                quote=candidate.quote,
                start=candidate.start,
                end=candidate.end,
                observed_at=candidate.observed_at,
            ),
        ),
    )


def _fail(claim: Claim, trace: Trace, extractor: Extractor, started: datetime, code: str) -> ExtractionRun | None:
    with bind(claim.project_id):
        held = Trace.objects.filter(id=claim.trace_pk, lease_token=claim.lease_token)
        delay = RETRY_SECONDS[min(trace.attempts, len(RETRY_SECONDS)) - 1]
        changed = held.update(
            lease_until=None,
            lease_token=None,
            claimed_by="",
            not_before=now() + timedelta(seconds=delay),
            dead_reason=code if trace.attempts >= 5 else "",
        )
        if not changed:
            return None
        run = ExtractionRun.objects.create(
            project_id=claim.project_id,
            trace_id=trace.trace_id,
            extractor=extractor.name,
            version=extractor.version,
            started_at=started,
            outcome="failed",
            error_code=code[:60],
        )
        record(
            actor=system_actor("extraction", claim.project_id),
            verb="traces.extract",
            object_type="trace",
            object_id=trace.trace_id,
            reason="failed",
            data={"run": run.id, "error": code},
        )
    return run
