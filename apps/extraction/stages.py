"""The three stages of mining a trace: read what is needed, ask the extractor, write what came of it.

Only the first and the last touch the database, each in one transaction; between them nothing is held, neither a
transaction nor a connection. The commit names the lease token, so a worker paused beyond its lease writes nothing.
"""

import json
import traceback
from collections import Counter
from dataclasses import replace
from datetime import timedelta
from itertools import groupby
from typing import Any

import structlog
from django.conf import settings
from django.db import connection

from apps.access.actor import system_actor
from apps.audit.actions.record import record
from apps.core.clock import now
from apps.core.errors import DomainError
from apps.core.failpoints import reached
from apps.core.sqlfiles import load
from apps.core.transactions import bind
from apps.curation.actions.propose import propose
from apps.extraction.actions.claim_traces import LEASE_SECONDS, Claim
from apps.extraction.adapters.judge import injection_judge
from apps.extraction.adapters.llm import patience_of
from apps.extraction.candidates import Conversation, Extraction, Extractor, ExtractorFailed
from apps.extraction.choosing import extractor_for
from apps.extraction.conversations import (
    MAX_MODEL_CALL,
    MAX_PROMPTS,
    READ_SECONDS,
    bounded,
    conversation_of,
    with_known,
)
from apps.extraction.models import ExtractionRun, ExtractionSettings
from apps.extraction.policy import Verdict, judge
from apps.extraction.queries import MAX_ATTEMPTS
from apps.extraction.second_opinion import second_opinion
from apps.extraction.work import (
    TOO_LONG,
    Answer,
    Failure,
    Unread,
    Work,
    decision,
    judged_columns,
    run_columns,
    unread_decision,
    wish,
)
from apps.facts.categories import filing_of
from apps.inference.embeddings import Embedder
from apps.recall.serving import serving_embedder
from apps.tenancy.models import Agent, Subject
from apps.traces.models import Trace

log = structlog.get_logger(__name__)

_FREE = {"lease_until": None, "lease_token": None, "claimed_by": ""}

RETRY_SECONDS = (10, 60, 300, 900)
LONGEST_WAIT = 3600
"""However long a server asks to be left alone, it is asked again after an hour."""
MARGIN_SECONDS = 60
MAX_DECISIONS = 200
"""Candidates of one run that get a row of their own; the others are counted."""
RUN_COLUMNS = (
    "extractor", "version", "model", "started_at", "messages", "prompt_tokens", "completion_tokens", "cost",
    "latency_ms", "raw_answer",
)  # fmt: skip


def prepare(claim: Claim, extractor: Extractor | None = None) -> Work | None:
    """Read the trace and take its lease for as long as asking may take; null when it is somebody else's by now."""
    with bind(claim.project_id):
        return _take(claim, extractor)


def prepare_all(claims: list[Claim]) -> list[Work]:
    """The same for many, in one transaction a project; those that are somebody else's by now are left out."""
    works: list[Work] = []
    for project_id, own in groupby(sorted(claims, key=_project), key=_project):
        with bind(project_id):
            works += filter(None, [_take(claim, None) for claim in own])
    return works


def _project(claim: Claim) -> int:
    return claim.project_id


def _take(claim: Claim, extractor: Extractor | None) -> Work | None:
    started = now()
    second = injection_judge()
    longer = second.patience if second else 0
    own = None if extractor is None else _lease(getattr(extractor, "patience", 0) + longer)
    with connection.cursor() as cursor:
        cursor.execute(
            load(__package__, "take_work"),
            {
                "project": claim.project_id,
                "trace": claim.trace_pk,
                "token": claim.lease_token,
                "own_lease": own,
                "model_lease": _lease(patience_of(settings.LLM_TIMEOUT) + longer),
                "rules_lease": _lease(longer),
                "longest_call": MAX_MODEL_CALL,
                "longest_message": settings.EXTRACT_MESSAGE_CHARACTERS,
                "longest_trace": 4 * settings.EXTRACT_TRACE_CHARACTERS,
                "most_prompts": MAX_PROMPTS,
                "read_window": READ_SECONDS,
            },
        )
        row = cursor.fetchone()
    if row is None:
        return None
    papers: dict[str, Any] = json.loads(row[0])
    chosen = ExtractionSettings(**papers["settings"] or {"project_id": claim.project_id})
    filing = filing_of(papers["categories"] or [])
    extractor = extractor or extractor_for(chosen, filing)
    conversation = bounded(conversation_of(papers), settings.EXTRACT_TRACE_CHARACTERS)
    unread = _unread(conversation, papers["messages"] or [])
    if getattr(extractor, "patience", 0):
        conversation = with_known(conversation, papers, claim.project_id)
    agent, subject = papers["agent"], papers["subject"]
    return Work(
        claim=claim,
        trace_id=papers["trace_id"],
        attempts=papers["attempts"],
        extractor=extractor,
        conversation=conversation,
        agent=Agent(project_id=claim.project_id, **agent) if agent else None,
        subject=Subject(project_id=claim.project_id, **subject) if subject else None,
        cap=chosen.max_per_trace,
        max_learned=chosen.max_learned,
        started=started,
        by_hand=papers["by_hand"],
        unread=unread,
        looked_at=tuple(message["id"] for message in papers["messages"] or [] if not message["mined"]),
        judge=second,
        # Of the vectors that statements are compared with; asked here, where there is a connection.
        embedder=serving_embedder()[0],
        filing=filing,
    )


def _unread(conversation: Conversation, messages: list[dict[str, Any]]) -> tuple[Unread, ...]:
    lengths = {message["id"]: message["length"] for message in messages}
    return tuple(
        Unread(turn.message_id, len(turn.text), lengths[turn.message_id])
        for turn in conversation.turns
        if len(turn.text) < lengths[turn.message_id]
    )


def begin(work: Work) -> Work | None:
    """Count the attempt, and have the lease last from now on: the trace may have waited for its turn. Null when it is
    somebody else's by now."""
    return next(iter(begin_all([work])), None)


def begin_all(works: list[Work]) -> list[Work]:
    """The same for several, in one statement a project; those that are somebody else's by now are left out."""
    begun: list[Work] = []
    for project_id, group in groupby(sorted(works, key=_project_of), key=_project_of):
        own = list(group)
        with bind(project_id), connection.cursor() as cursor:
            cursor.execute(
                load(__package__, "begin_work"),
                {
                    "project": project_id,
                    "traces": [work.claim.trace_pk for work in own],
                    "tokens": [work.claim.lease_token for work in own],
                    "seconds": [float(_lease(work.patience) or LEASE_SECONDS) for work in own],
                },
            )
            taken = {row[0] for row in cursor.fetchall()}
        reached("extract.begun")
        begun += [replace(work, attempts=work.attempts + 1) for work in own if work.claim.trace_pk in taken]
    return begun


def _project_of(work: Work) -> int:
    return work.claim.project_id


def _lease(patience: float) -> float:
    """Seconds: what a model may take, twice, since a trace may wait for a slot; 0 for one that waits for nobody."""
    return max(LEASE_SECONDS, 2 * patience + MARGIN_SECONDS) if patience else 0


def ask(work: Work) -> Answer | Failure:
    """The extractor's candidates, judged. Touches no database and raises nothing."""
    try:
        extraction = work.extractor.extract(work.conversation) if work.conversation.turns else Extraction()
        verdicts = judge(extraction.candidates, work.conversation, cap=work.cap)
        judged = second_opinion(work, Answer(extraction, verdicts))
    except ExtractorFailed as error:
        if error.asked:
            log.warning("extraction_failed", trace=work.trace_id, extractor=work.extractor.name, code=error.code)
        return Failure(error.code, error.retry_after, error.usage, error.asked)
    except Exception as error:
        # Where, and never what: an error's text may repeat what somebody said.
        where = [f"{frame.filename}:{frame.lineno}" for frame in traceback.extract_tb(error.__traceback__)[-4:]]
        code = error.code if isinstance(error, DomainError) else type(error).__name__
        log.error("extraction_failed", trace=work.trace_id, extractor=work.extractor.name, code=code, where=where)
        return Failure(code)
    return replace(judged, vectors=_vectors(judged.verdicts, work.embedder))


def finish(work: Work, answer: Answer) -> ExtractionRun | None:
    """Write the run, its proposals and its decisions, and close the trace; null when the lease was lost.

    The trace stays open when more spans arrived meanwhile.
    """
    claim, actor = work.claim, system_actor("extraction", work.claim.project_id)
    reached("extract.answered")
    with bind(claim.project_id):
        run, held = _open(work, answer)
        if run is None:
            return None
        extraction, verdicts = answer.extraction, answer.verdicts
        unread = () if held["erased"] else work.unread
        if held["erased"]:
            # Somebody was erased while his words were out: nothing that was said about him comes in.
            extraction, verdicts = Extraction(dropped={"subject-erased": len(verdicts)}), []
        subject = _subject(claim.project_id, held)
        wanted = [number for number, verdict in enumerate(verdicts) if verdict.outcome != "dropped"]
        proposed = propose(
            actor=actor,
            project_id=claim.project_id,
            origin="extraction",
            wishes=[wish(work, subject, verdicts[n], answer.vectors[n]) for n in wanted],
            run_id=run.id,
            max_learned=work.max_learned,
        )
        reached("extract.proposed")
        outcomes = dict(zip(wanted, proposed.outcomes, strict=True))
        left_out = Counter(verdict.rule for verdict in verdicts if verdict.outcome == "dropped")
        run.proposed = len(proposed.proposals)
        left_out[TOO_LONG] += len(unread)
        run.dropped = dict(Counter(extraction.dropped) + left_out + Counter(proposed.dropped))
        decisions = [unread_decision(one) for one in unread]
        decisions += [decision(verdict, outcomes.get(n)) for n, verdict in enumerate(verdicts)]
        with connection.cursor() as cursor:
            cursor.execute(
                load(__package__, "close_run"),
                {
                    "project": claim.project_id,
                    "run": run.id,
                    "trace": claim.trace_pk,
                    "arrival": claim.arrival,
                    "proposed": run.proposed,
                    "dropped": json.dumps(run.dropped),
                    "messages": [turn.message_id for turn in work.conversation.turns],
                    "looked_at": list(work.looked_at),
                    "decisions": json.dumps(decisions[:MAX_DECISIONS]),
                },
            )
            (run.finished_at,) = cursor.fetchone()
        record(
            actor=actor,
            verb="traces.extract",
            object_type="trace",
            object_id=work.trace_id,
            data={
                "run": run.id,
                "proposed": run.proposed,
                "dropped": run.dropped,
                "conflicts": proposed.conflicts,
            },
        )
        reached("extract.before-commit")
    reached("extract.committed")
    return run


def _open(work: Work, answer: Answer) -> tuple[ExtractionRun | None, dict[str, Any]]:
    """The run's row and what the locked trace says now; null when the lease was lost."""
    columns = judged_columns(run_columns(work, answer.extraction.usage), answer)
    run = ExtractionRun(**columns, messages=len(work.conversation.turns))
    claim, names = work.claim, ("arrived", "id", "external_id", "epoch", "erased", "several")
    with connection.cursor() as cursor:
        cursor.execute(
            load(__package__, "open_run"),
            {
                "project": claim.project_id,
                "trace": claim.trace_pk,
                "token": claim.lease_token,
                "epoch": work.subject.epoch if work.subject else None,
                "judge": json.dumps(run.judge),
                **{name: getattr(run, name) for name in RUN_COLUMNS},
            },
        )
        row = cursor.fetchone()
    if row is None:
        return None, {}
    run.id, held = row[0], dict(zip(names, row[1:], strict=True))
    run.subject_id = None if held["erased"] or held["several"] else held["id"]
    run.raw_answer = "" if held["erased"] else run.raw_answer
    return run, held


def _subject(project_id: int, held: dict[str, Any]) -> Subject | None:
    """Whom the trace is about now: the span that names the user may have come while the model was asked. Nobody when it
    names two: then what a user says about himself is held."""
    if held["id"] is None or held["several"]:
        return None
    return Subject(project_id=project_id, id=held["id"], external_id=held["external_id"], epoch=held["epoch"])


def fail(work: Work, failure: Failure) -> ExtractionRun | None:
    """Write a failed run and when the trace is tried again; after five attempts it is dead, with the reason, until a
    person sends it round. Null when the lease was lost, or when nothing was asked: then only the time is set."""
    claim = work.claim
    wait = RETRY_SECONDS[min(max(work.attempts, 1), len(RETRY_SECONDS)) - 1] if failure.asked else 1
    wait = max(wait, min(failure.retry_after or 0, LONGEST_WAIT))
    with bind(claim.project_id):
        changed = Trace.objects.filter(id=claim.trace_pk, lease_token=claim.lease_token).update(
            not_before=now() + timedelta(seconds=wait),
            attempts=work.attempts if failure.asked else max(work.attempts - 1, 0),
            dead_reason=failure.code[:60] if failure.asked and work.attempts >= MAX_ATTEMPTS else "",
            **_FREE,
        )
        if not changed or not failure.asked:
            return None
        run = ExtractionRun.objects.create(
            **run_columns(work, failure.usage), subject=work.subject, outcome="failed", error_code=failure.code[:60]
        )
        record(
            actor=system_actor("extraction", claim.project_id),
            verb="traces.extract",
            object_type="trace",
            object_id=work.trace_id,
            reason="failed",
            data={"run": run.id, "error": failure.code},
        )
    return run


def _vectors(verdicts: list[Verdict], model: Embedder | None) -> list[list[float] | None]:
    """The vector of each statement that was not dropped; null for the others, and for all without an embedder. One that
    fails costs the likeness to other statements, never the statement."""
    vectors: list[list[float] | None] = [None] * len(verdicts)
    wanted = [number for number, verdict in enumerate(verdicts) if verdict.outcome != "dropped"]
    if model is None or not wanted:
        return vectors
    try:
        made = model.embed([verdicts[number].candidate.statement for number in wanted])
    except DomainError as error:
        log.warning("embedding_failed", code=error.code, statements=len(wanted))
        return vectors
    for number, vector in zip(wanted, made, strict=True):
        vectors[number] = vector
    return vectors
