"""Reading and verifying the chain."""

import json
from collections.abc import Iterator
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta

from django.db.models import QuerySet

from apps.audit.chain import GENESIS, event_hash
from apps.audit.models import AuditEvent, AuditHead, ChainCheck
from apps.core.transactions import bind

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


def fits(event: AuditEvent, seq: int, previous: bytes) -> bool:
    """Whether ``event`` is the one of this number, hangs on ``previous`` and says what it said when it was written."""
    values = {name: getattr(event, name) for name in HASHED}
    values["at"] = event.at.astimezone(UTC)
    return event.seq == seq and bytes(event.prev_hash) == previous and event_hash(values, previous) == bytes(event.hash)


def verify_chain(project_id: int | None) -> ChainReport:
    """Walk the whole chain of the bound project: numbers without gaps, each hash on its predecessor, head in place. Others
    may go on writing meanwhile."""
    # A head that is read before the walk and one that is read after it: what is written in between lies between the two.
    head, head_hash = head_of(project_id)
    previous, seq = GENESIS, 0
    for event in AuditEvent.objects.filter(project_id=project_id).order_by("seq").iterator(chunk_size=2000):
        seq += 1
        if not fits(event, seq, previous):
            return ChainReport(seq, seq)
        previous = bytes(event.hash)
        if seq == head and previous != head_hash:
            return ChainReport(seq, seq + 1)
    # The head moves with each event, so a cut tail leaves it pointing beyond the last row, and rows that were added without
    # it lie beyond the head.
    last, last_hash = head_of(project_id)
    if seq < head or last < seq or (last == seq and last_hash != previous):
        return ChainReport(seq, seq + 1)
    return ChainReport(seq, None)


def head_of(project_id: int | None) -> tuple[int, bytes]:
    """Number and hash of the last event; 0 and the beginning for a chain without any."""
    head = AuditHead.objects.filter(project_id=project_id).first()
    return (head.seq, bytes(head.hash)) if head else (0, GENESIS)


def last_check(project_id: int | None) -> ChainCheck | None:
    """The newest walk over the chain of the bound project."""
    return ChainCheck.objects.filter(project_id=project_id).order_by("-id").first()


SLACK = timedelta(minutes=10)
"""An event bears the time of its act, and gets its number when the act's transaction commits: longer none lasts."""


@dataclass(frozen=True)
class Wanted:
    """Which events; everything empty is all of them. ``actor`` is a kind and an id, ``until`` is exclusive."""

    actor: tuple[str, str] | None = None
    kind: str = ""
    verb: str = ""
    objects: tuple[str, ...] = ()
    object_id: str = ""
    since: datetime | None = None
    until: datetime | None = None
    denied: bool = False


def events(project_id: int, wanted: Wanted) -> QuerySet[AuditEvent]:
    """Events of the bound project, in no order yet; their numbers are the order in which they were written.

    A time is turned into a range of numbers by the index on time, so that a page of last year costs what one of today
    does.
    """
    found = whole = AuditEvent.objects.filter(project_id=project_id)
    if wanted.actor:
        found = found.filter(actor_kind=wanted.actor[0], actor_id=wanted.actor[1])
    if wanted.kind:
        found = found.filter(actor_kind=wanted.kind)
    if wanted.verb:
        found = found.filter(verb=wanted.verb)
    if wanted.object_id:
        found = found.filter(object_type__in=wanted.objects, object_id=wanted.object_id)
    if wanted.denied:
        found = found.filter(result="denied")
    if wanted.since:
        first = whole.filter(at__gte=wanted.since - SLACK).order_by("at").values("seq")[:1]
        found = found.filter(at__gte=wanted.since, seq__gte=first)
    if wanted.until:
        last = whole.filter(at__lt=wanted.until + SLACK).order_by("-at").values("seq")[:1]
        found = found.filter(at__lt=wanted.until, seq__lte=last)
    return found


def exported(project_id: int, wanted: Wanted, up_to: int, *, piece: int = 1_000) -> Iterator[str]:
    """Events of a project as JSON lines, oldest first: what is hashed, and both hashes, so that whoever has the key can
    walk the file. It binds the project itself, for each piece anew."""
    seq = 0
    while True:
        with bind(project_id):
            rows = list(events(project_id, wanted).filter(seq__gt=seq, seq__lte=up_to).order_by("seq")[:piece])
        for event in rows:
            values = {name: getattr(event, name) for name in HASHED} | {
                "at": event.at.astimezone(UTC).isoformat(timespec="microseconds"),
                "prev_hash": bytes(event.prev_hash).hex(),
                "hash": bytes(event.hash).hex(),
            }
            yield json.dumps(values, ensure_ascii=False) + "\n"
        if len(rows) < piece:
            return
        seq = rows[-1].seq


def history_of(project_id: int, object_type: str, *object_ids: object) -> QuerySet[AuditEvent]:
    """What happened to one object or to several of a kind, oldest first."""
    names = [str(object_id) for object_id in object_ids]
    return AuditEvent.objects.filter(project_id=project_id, object_type=object_type, object_id__in=names).order_by(
        "seq"
    )
