"""What mining some stored traces would give, without asking anybody and without leaving a trace of having looked."""

from collections.abc import Collection
from dataclasses import dataclass
from datetime import timedelta
from uuid import uuid4

from apps.access.actor import Actor
from apps.core.clock import now
from apps.core.transactions import bind
from apps.curation.actions.propose import Wish, propose
from apps.extraction.actions.claim_traces import LEASE_SECONDS, Claim
from apps.extraction.adapters.llm import LLMExtractor
from apps.extraction.ledger import Signature, reopen
from apps.extraction.policy import judge
from apps.extraction.stages import prepare
from apps.extraction.work import Work, wish
from apps.traces.models import Trace


@dataclass(frozen=True)
class Forecast:
    """``messages`` would be mined. By the rules they would give ``proposals`` (null: a model decides); a model would
    be asked ``calls`` questions of about ``tokens`` tokens together, its answers not counted."""

    messages: int = 0
    proposals: int | None = None
    calls: int = 0
    tokens: int = 0


class _Looked(Exception):
    """Ends a unit that must leave nothing."""


def forecast(*, actor: Actor, project_id: int, trace_pks: Collection[int], signature: Signature) -> Forecast:
    """Reads each trace as a worker would and has the queue judge what the rules find, then rolls all of it back.

    Nearness in meaning is not looked at, which changes flags and no count; traces in other hands are left out.
    """
    messages = calls = tokens = 0
    by_rules = True
    wishes: list[Wish] = []
    for trace_pk in trace_pks:
        work = _work(project_id, trace_pk, signature)
        if work is None:
            continue
        messages += len(work.conversation.turns)
        if isinstance(work.extractor, LLMExtractor):
            by_rules = False
            asked, length = work.extractor.foresee(work.conversation)
            calls, tokens = calls + asked, tokens + length
        else:
            candidates = work.extractor.extract(work.conversation).candidates
            verdicts = judge(candidates, work.conversation, cap=work.cap)
            wishes += [wish(work, work.subject, one, None) for one in verdicts if one.outcome != "dropped"]
    proposals = _proposals(actor, project_id, wishes) if by_rules else None
    return Forecast(messages, proposals, calls, tokens)


def _work(project_id: int, trace_pk: int, signature: Signature) -> Work | None:
    work, token = None, uuid4()
    try:
        with bind(project_id):
            trace = Trace.objects.filter(id=trace_pk).select_for_update(of=("self",), skip_locked=True).first()
            if trace is not None:
                until = now() + timedelta(seconds=LEASE_SECONDS)
                reopen(project_id, [(trace_pk, trace.trace_id)], signature, lease_token=token, lease_until=until)
                work = prepare(Claim(project_id, trace_pk, token, trace.last_arrival_at))
            raise _Looked
    except _Looked:
        return work


def _proposals(actor: Actor, project_id: int, wishes: list[Wish]) -> int:
    made = 0
    try:
        with bind(project_id):
            # Retiring over the cap is no proposal of these traces.
            proposed = propose(actor=actor, project_id=project_id, origin="extraction", wishes=wishes, max_learned=None)
            made = len(proposed.proposals)
            raise _Looked
    except _Looked:
        return made
