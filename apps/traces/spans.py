"""One span as the SDK sends it: checked, masked, made storable. No database; a bad span gives a reason, no error."""

import hashlib
import json
import re
from dataclasses import dataclass
from datetime import UTC, datetime
from typing import Any

from django.conf import settings

from apps.core.sealing import SPANS, seal
from apps.core.text import storable_json
from apps.screening.screen import mask_json

STATUSES = {"UNSET", "OK", "ERROR"}
# Seconds of detector time a span; over it the span is sealed and a worker screens it.
SPAN_BUDGET = 0.25
# Spans that carry what a user or an agent said, by the first part of their attributes.
SPEAKING = ("agent", "swarm", "supervisor", "chain")


@dataclass(frozen=True, kw_only=True)
class SpanRow:
    """A span ready for the database: no secret is in it. ``digest`` is 16 bytes over what is stored of it, keyed where
    it is ``sealed``: encrypted and without attributes, because it could not be screened in time."""

    trace_id: str
    span_id: str
    parent_span_id: str | None
    name: str
    status: str
    started_at: datetime
    ended_at: datetime
    attributes: dict[str, Any]
    events: list[Any]
    digest: bytes
    replaced: int
    masked: int = 0
    sealed: bytes | None = None

    def text(self, name: str) -> str:
        """A text attribute, or "" when it is missing or something else."""
        value = self.attributes.get(name)
        return value if isinstance(value, str) else ""

    @property
    def is_root(self) -> bool:
        return self.parent_span_id is None

    @property
    def is_memory(self) -> bool:
        """The SDK's own memory and learning calls, which hold what the plane itself told."""
        return self.name.startswith(("memory.", "learn."))

    def said(self) -> list[tuple[str, str]]:
        """(role, text) of what this span carries: the user's input and the agent's output."""
        if self.is_memory:
            return []
        for kind in SPEAKING:
            asked, answered = self.text(f"{kind}.input"), self.text(f"{kind}.output")
            if asked or answered:
                return [(role, text) for role, text in (("user", asked), ("assistant", answered)) if text.strip()]
        return []


def read_span(raw: Any) -> SpanRow | str:
    """The row, or the reason the span is dropped: not_an_object, bad_trace_id, bad_span_id, bad_parent, bad_time,
    bad_attributes."""
    if not isinstance(raw, dict):
        return "not_an_object"
    raw, replaced = storable_json(raw)
    trace_id, span_id, parent = raw.get("trace_id"), raw.get("span_id"), raw.get("parent_span_id") or None
    if not _hex(trace_id, 32):
        return "bad_trace_id"
    if not _hex(span_id, 16):
        return "bad_span_id"
    if parent is not None and not _hex(parent, 16):
        return "bad_parent"
    started, ended = _time(raw.get("start_time")), _time(raw.get("end_time"))
    if started is None or ended is None or ended < started:
        return "bad_time"
    attributes, events = raw.get("attributes"), raw.get("events")
    attributes = {} if attributes is None else attributes
    events = [] if events is None else events
    if not isinstance(attributes, dict) or not isinstance(events, list):
        return "bad_attributes"
    name, status = raw.get("name"), raw.get("status")
    payload = {"name": name if isinstance(name, str) else "", "attributes": attributes, "events": events}
    # Before the first insert: the write-ahead log would keep what a later update removes.
    clean, masked, over = mask_json(payload, budget_seconds=SPAN_BUDGET)
    sealed = seal(json.dumps(payload, separators=(",", ":")).encode(), use=SPANS) if over else None
    if sealed is not None:
        clean = {"name": "", "attributes": {}, "events": []}
    fields = {**raw, **clean}
    canonical = json.dumps(payload if sealed else fields, sort_keys=True, separators=(",", ":")).encode()
    return SpanRow(
        trace_id=trace_id,
        span_id=span_id,
        parent_span_id=parent,
        name=clean["name"][:255],
        status=status if isinstance(status, str) and status in STATUSES else "UNSET",
        started_at=started,
        ended_at=ended,
        attributes=clean["attributes"],
        events=clean["events"],
        digest=hashlib.blake2b(canonical, digest_size=16, key=settings.SECRET_KEY.encode()[:64]).digest(),
        replaced=replaced,
        masked=masked,
        sealed=sealed,
    )


def _hex(value: Any, digits: int) -> bool:
    return (
        isinstance(value, str)
        and re.fullmatch(r"[0-9a-f]+", value) is not None
        and len(value) == digits
        and set(value) != {"0"}
    )


def _time(value: Any) -> datetime | None:
    if not isinstance(value, str):
        return None
    try:
        at = datetime.fromisoformat(value).astimezone(UTC)
    except (ValueError, OverflowError):
        return None
    # A time without a zone would be read in the server's own; the SDK always sends one.
    return at if re.search(r"(Z|[+-]\d{2}:?\d{2})$", value) and 2000 <= at.year < 2200 else None
