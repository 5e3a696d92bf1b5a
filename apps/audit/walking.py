"""A walk over a chain, in pieces: numbers without gaps, each hash on its predecessor, the head in place, and all of it as it
was when its head was written down elsewhere."""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field

from apps.audit.chain import GENESIS
from apps.audit.models import AuditEvent
from apps.audit.queries import fits, head_of
from apps.core.transactions import bind

CHUNK = 2_000

CHANGED = "an event is missing, was changed or stands in another's place"
CUT = "the head of the chain and its last event don't fit: its end was cut off, or events were added past it"
REWRITTEN = "the event is not the one whose hash was written down outside the database"
SHORTENED = "events are missing that were written down outside the database"


@dataclass
class Walk:
    """How far it has come. ``broken_at`` is the first number that does not fit, and ``why`` says in which way; ``compared``
    counts the heads of the second place that were met."""

    seq: int = 0
    previous: bytes = GENESIS
    signed: Mapping[int, bytes] = field(default_factory=dict)
    compared: int = 0
    broken_at: int | None = None
    why: str = ""

    def over(self, events: Iterable[AuditEvent]) -> None:
        """Go on over the next events, as far as they fit."""
        for event in events:
            if not fits(event, self.seq + 1, self.previous):
                return self._stop(self.seq + 1, CHANGED)
            self.seq, self.previous = event.seq, bytes(event.hash)
            known = self.signed.get(self.seq)
            if known is not None:
                self.compared += 1
                if known != self.previous:
                    return self._stop(self.seq, REWRITTEN)
        return None

    def end(self, head: tuple[int, bytes], last: tuple[int, bytes]) -> None:
        """After the last event: ``head`` was read before it, ``last`` is read now. What is appended meanwhile lies between
        the two; a cut end leaves the head beyond the last event, and events that were added without it lie beyond it."""
        if self.broken_at is not None:
            return
        for seq, digest in (head, last):
            if seq == self.seq and digest != self.previous:
                return self._stop(self.seq + 1, CUT)
        if self.seq < head[0] or last[0] < self.seq:
            return self._stop(self.seq + 1, CUT)
        if max(self.signed, default=0) > last[0]:
            return self._stop(self.seq + 1, SHORTENED)

    def _stop(self, seq: int, why: str) -> None:
        self.broken_at, self.why = seq, why


def walk_chain(project_id: int | None, signed: Mapping[int, bytes]) -> Walk:
    """The whole chain of a project, or of the installation, in transactions of two thousand events; others may go on
    writing meanwhile. It holds no more than that many events, however long the chain is."""
    walk = Walk(signed=signed)
    while True:
        with bind(project_id):
            head = head_of(project_id)
            chain = AuditEvent.objects.filter(project_id=project_id, seq__gt=walk.seq).order_by("seq")
            found = list(chain[:CHUNK])
            walk.over(found)
            if walk.broken_at is not None or len(found) < CHUNK:
                walk.end(head, head_of(project_id))
                return walk
