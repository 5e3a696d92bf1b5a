"""Mine stored traces with the project's present extractor."""

from collections import deque
from collections.abc import Callable
from dataclasses import dataclass, field
from datetime import datetime, timedelta
from uuid import UUID, uuid4

from django.db.models.functions import Now

from apps.access.actor import Actor
from apps.access.policies import require
from apps.audit.actions.record import record
from apps.core.errors import Invalid
from apps.core.transactions import bind
from apps.extraction.actions.claim_traces import LEASE_SECONDS, Claim, worker_name
from apps.extraction.forecast import Forecast, forecast
from apps.extraction.ledger import Signature, not_mined_by, reopen, signature_of, stored_traces
from apps.extraction.pool import Mined, mine
from apps.extraction.queries import settings_of
from apps.inference.chat import model_choice
from apps.traces.models import Trace

MOST = 10_000
SECONDS = 24 * 3600.0


@dataclass(frozen=True)
class Learned:
    """``found`` traces were not mined by this extractor yet, at most the limit; ``known`` were. Of those found
    ``mined`` are done, ``failed`` and ``put_off`` are tried again by the workers, ``taken`` were in other hands by
    then. ``proposed`` counts proposals, ``errors`` failures by code. A dry run has ``found``, ``known`` and ``forecast``."""

    extractor: str
    found: int
    known: int
    mined: int = 0
    failed: int = 0
    put_off: int = 0
    taken: int = 0
    proposed: int = 0
    errors: dict[str, int] = field(default_factory=dict)
    forecast: Forecast | None = None


def learn_traces(
    *,
    actor: Actor,
    project_id: int,
    since: datetime,
    agent_id: UUID | None = None,
    limit: int = 100,
    dry_run: bool = False,
    progress: Callable[[int, int], None] | None = None,
) -> Learned:
    """Mine the newest ``limit`` traces that ran since then and that the present extractor has not mined.

    Nothing is mined twice by the same extractor, version and model, by any number of callers at once; what is known,
    waits or was refused is not proposed again. ``progress`` hears (taken up, found) whenever more are taken up. Must be
    called outside a transaction. A dry run asks nobody and changes nothing; it says what to expect.

    Raises Invalid for a limit outside 1..10,000, and ModelNotConfigured where the operator no longer offers the
    project's model.
    """
    require(actor, "traces.extract", project_id=project_id)
    if not 1 <= limit <= MOST:
        raise Invalid("out_of_range", f"Between 1 and {MOST:,} traces.", pointer="/limit")
    with bind(project_id):
        chosen = settings_of(project_id)
        signature = signature_of(chosen)
        stored = stored_traces(project_id, since=since, agent_id=agent_id)
        waiting = not_mined_by(stored, signature)
        known = stored.count() - waiting.count()
        found = list(waiting.order_by("-started_at", "-id").values_list("id", flat=True)[:limit])
    if chosen.extractor == "llm":
        model_choice(chosen.model)
    if dry_run:
        expected = forecast(actor=actor, project_id=project_id, trace_pks=found, signature=signature)
        return Learned(str(signature), len(found), known, forecast=expected)
    if not found:
        return Learned(str(signature), 0, known)
    left = deque(found)

    def claim(most: int) -> list[Claim]:
        claims: list[Claim] = []
        while left and len(claims) < most:
            one = _claim(project_id, left.popleft(), since, signature)
            if one is not None:
                claims.append(one)
        if progress is not None:
            progress(len(found) - len(left), len(found))
        return claims

    mined = mine(claim=claim, seconds=SECONDS)
    learned = _learned(signature, found=len(found), known=known, mined=mined)
    with bind(project_id):
        record(
            actor=actor,
            verb="traces.learn",
            object_type="traces",
            object_id=str(signature),
            data={"found": learned.found, "mined": learned.mined, "failed": learned.failed},
        )
    return learned


def _claim(project_id: int, trace_pk: int, since: datetime, signature: Signature) -> Claim | None:
    """Take up what one trace still owes; None when somebody has it, or the same extractor was faster."""
    token = uuid4()
    with bind(project_id):
        stored = stored_traces(project_id, since=since).filter(id=trace_pk)
        trace = stored.select_for_update(of=("self",), skip_locked=True).first()
        # A statement of its own, so that it sees what was committed while the row was being locked.
        if trace is None or not not_mined_by(Trace.objects.filter(id=trace_pk), signature).exists():
            return None
        lease = {"lease_until": Now() + timedelta(seconds=LEASE_SECONDS), "lease_token": token}
        reopen(project_id, [(trace_pk, trace.trace_id)], signature, claimed_by=worker_name(), **lease)
    return Claim(project_id, trace_pk, token, trace.last_arrival_at)


def _learned(signature: Signature, *, found: int, known: int, mined: Mined) -> Learned:
    return Learned(
        extractor=str(signature),
        found=found,
        known=known,
        mined=mined.done,
        failed=mined.failed,
        put_off=mined.put_off,
        taken=found - mined.done - mined.failed - mined.put_off,
        proposed=mined.proposed,
        errors=mined.errors,
    )
