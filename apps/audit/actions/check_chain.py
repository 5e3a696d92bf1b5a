"""Walk on over a chain, as far as time allows."""

import time
from dataclasses import dataclass

from apps.audit.actions.record import Acting, record
from apps.audit.heads import signed_heads
from apps.audit.models import AuditEvent, ChainCheck
from apps.audit.queries import head_of
from apps.audit.walking import Walk
from apps.core.clock import now
from apps.core.transactions import bind

CHUNK = 2_000


@dataclass(frozen=True)
class _Asker:
    kind: str
    id: str


def check_chain(*, project_id: int, check_id: int, seconds: float) -> ChainCheck | None:
    """Go on with a check for ``seconds`` or until it is done; returns it as it then is, or None when somebody else is at
    it or it is done already.

    What it has walked is committed every two thousand events. A finished one is an event of the chain that it walked.
    """
    end = time.monotonic() + seconds
    while True:
        with bind(project_id):
            rows = ChainCheck.objects.select_for_update(skip_locked=True)
            check = rows.filter(project_id=project_id, id=check_id, finished_at=None).first()
            if check is None:
                return None
            _walk(check)
            if check.finished_at is not None or time.monotonic() >= end:
                return check


def _walk(check: ChainCheck) -> None:
    chain = AuditEvent.objects.filter(project_id=check.project_id, seq__gt=check.seq).order_by("seq")
    walk = Walk(check.seq, bytes(check.hash), signed_heads(check.project_id))
    # Read before the events: one that is appended meanwhile is walked too, or is left for the next check.
    head = head_of(check.project_id)
    found = list(chain[:CHUNK])
    walk.over(found)
    if walk.broken_at is not None or len(found) < CHUNK:
        walk.end(head, head_of(check.project_id))
        check.finished_at = now()
    seq, check.broken_at = walk.seq, walk.broken_at
    check.seq, check.hash, check.moved_at = seq, walk.previous, now()
    check.total = max(check.total, seq)
    check.save(update_fields=["seq", "hash", "moved_at", "total", "broken_at", "finished_at"])
    if check.finished_at is not None:
        kind, _, who = check.asked_by.partition(":")
        asker: Acting = _Asker(kind, who)
        data = {"events": seq} | ({"broken_at": check.broken_at} if check.broken_at else {})
        record(actor=asker, verb="audit.verify", object_type="chain", object_id=check.id, data=data)
