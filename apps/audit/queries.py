"""Reading and verifying the chain."""

from dataclasses import dataclass
from datetime import UTC

from django.db.models import QuerySet

from apps.audit.chain import GENESIS, event_hash
from apps.audit.models import AuditEvent, AuditHead

HASHED = (
    "project_id",
    "seq",
    "at",
    "actor_kind",
    "actor_id",
    "verb",
    "object_type",
    "object_id",
    "reason",
    "request_id",
    "result",
    "data",
)


@dataclass(frozen=True)
class ChainReport:
    """``events`` read; ``broken_at`` is the first sequence number that does not fit, null when all do."""

    events: int
    broken_at: int | None


def verify_chain(project_id: int | None) -> ChainReport:
    """Walk the whole chain of the bound project: numbers without gaps, each hash on its predecessor, head in place."""
    previous, seq = GENESIS, 0
    for event in AuditEvent.objects.filter(project_id=project_id).order_by("seq").iterator(chunk_size=2000):
        seq += 1
        values = {name: getattr(event, name) for name in HASHED}
        values["at"] = event.at.astimezone(UTC)
        if event.seq != seq or bytes(event.prev_hash) != previous:
            return ChainReport(seq, seq)
        if event_hash(values, previous) != bytes(event.hash):
            return ChainReport(seq, seq)
        previous = bytes(event.hash)
    head = AuditHead.objects.filter(project_id=project_id).first()
    # The head moves with each event, so a cut tail leaves it pointing beyond the last row.
    if (head.seq if head else 0) != seq or (bytes(head.hash) if head else GENESIS) != previous:
        return ChainReport(seq, seq + 1)
    return ChainReport(seq, None)


def history_of(project_id: int, object_type: str, *object_ids: object) -> QuerySet[AuditEvent]:
    """What happened to one object or to several of a kind, oldest first."""
    names = [str(object_id) for object_id in object_ids]
    return AuditEvent.objects.filter(project_id=project_id, object_type=object_type, object_id__in=names).order_by(
        "seq"
    )
