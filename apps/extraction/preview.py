"""What the present extractor would make of one stored trace, without asking anybody and without leaving a trace of having
looked."""

from dataclasses import dataclass, field
from datetime import timedelta
from uuid import uuid4

from apps.access.actor import Actor
from apps.access.policies import require
from apps.core.clock import now
from apps.core.errors import Conflict, NotFound
from apps.core.transactions import bind
from apps.curation.actions.propose import Outcome, propose
from apps.extraction.actions.claim_traces import LEASE_SECONDS, Claim
from apps.extraction.adapters.llm import LLMExtractor
from apps.extraction.conversations import bounded
from apps.extraction.ledger import REOPENED, Signature, signature_of
from apps.extraction.policy import Verdict, judge
from apps.extraction.queries import settings_of
from apps.extraction.stages import prepare
from apps.extraction.work import Work, wish
from apps.traces.models import Message, Trace

MOST_READ = 20_000
"""Code points of a conversation that a preview reads: somebody waits for it."""


@dataclass(frozen=True)
class Previewed:
    """``found`` has each candidate's verdict and, for what was not left out, what the queue would make of it now. A model is
    not asked: ``calls`` questions of about ``tokens`` tokens it would be. ``messages`` were read; ``cut`` where the
    conversation is longer than `MOST_READ`."""

    extractor: Signature
    messages: int = 0
    cut: bool = False
    found: list[tuple[Verdict, Outcome | None]] = field(default_factory=list)
    calls: int = 0
    tokens: int = 0


class _Looked(Exception):
    """Ends a unit that must leave nothing."""


def preview(*, actor: Actor, project_id: int, trace_id: str) -> Previewed:
    """Reads the whole trace as a worker would and has the queue judge what is found, then rolls all of it back: no row, no
    event. Nearness in meaning is not looked at. Raises NotFound, and Conflict ``busy`` while somebody else has the trace."""
    require(actor, "traces.extract", project_id=project_id)
    with bind(project_id):
        signature = signature_of(settings_of(project_id))
    work = _work(project_id, trace_id)
    conversation = bounded(work.conversation, MOST_READ)
    cut = conversation != work.conversation
    messages = sum(bool(turn.text) for turn in conversation.turns)
    if isinstance(work.extractor, LLMExtractor):
        calls, tokens = work.extractor.foresee(work.conversation)
        return Previewed(signature, len(work.conversation.turns), False, calls=calls, tokens=tokens)
    verdicts = judge(work.extractor.extract(conversation).candidates, conversation, cap=work.cap)
    return Previewed(signature, messages, cut, _outcomes(actor, project_id, work, verdicts))


def _work(project_id: int, trace_id: str) -> Work:
    work: Work | None = None
    token = uuid4()
    try:
        with bind(project_id):
            traces = Trace.objects.filter(project_id=project_id, trace_id=trace_id)
            if not traces.exists():
                raise NotFound("not_found", "There is no such trace in this project.")
            trace = traces.select_for_update(of=("self",), skip_locked=True).first()
            if trace is not None:
                Message.objects.filter(project_id=project_id, trace_id=trace_id).update(mined_at=None)
                until = now() + timedelta(seconds=LEASE_SECONDS)
                traces.update(**REOPENED | {"lease_until": until, "lease_token": token})
                work = prepare(Claim(project_id, trace.id, token, trace.last_arrival_at))
            raise _Looked
    except _Looked:
        if work is None:
            raise Conflict("busy", "The trace is just being read. Look again in a moment.") from None
        return work


def _outcomes(
    actor: Actor, project_id: int, work: Work, verdicts: list[Verdict]
) -> list[tuple[Verdict, Outcome | None]]:
    wanted = [number for number, verdict in enumerate(verdicts) if verdict.outcome != "dropped"]
    outcomes: list[Outcome] = []
    try:
        with bind(project_id):
            wishes = [wish(work, work.subject, verdicts[number], None) for number in wanted]
            # Retiring over the cap is no proposal of this trace.
            done = propose(actor=actor, project_id=project_id, origin="extraction", wishes=wishes, max_learned=None)
            outcomes = done.outcomes
            raise _Looked
    except _Looked:
        of = dict(zip(wanted, outcomes, strict=True))
    return [(verdict, of.get(number)) for number, verdict in enumerate(verdicts)]
