"""Which stored traces the present extractor has not mined yet.

The ledger is the runs themselves: a message that a run of the same extractor, version and model has looked at is not
mined by it again, and a trace is done when all of its messages are. So a trace that another extractor had begun, and of
which this one got the later messages alone, is still owed the earlier ones.
"""

from collections.abc import Collection
from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import Any
from uuid import UUID

from django.conf import settings
from django.db.models import Exists, OuterRef, Q, QuerySet
from django.db.models.functions import Now

from apps.core.counting import capped_count
from apps.extraction.adapters.llm import LLMExtractor
from apps.extraction.models import ExtractionRun, ExtractionSettings
from apps.extraction.queries import MAX_ATTEMPTS
from apps.extraction.rules import RulesExtractor
from apps.tenancy.models import Agent
from apps.traces.models import Message, Trace

REOPENED: dict[str, Any] = {
    "extracted_at": None,
    "not_before": None,
    "dead_reason": "",
    "attempts": 0,
    "lease_until": None,
    "lease_token": None,
    "claimed_by": "",
}
"""Columns of a trace that waits to be mined; the messages it is mined for lose their ``mined_at`` too."""


@dataclass(frozen=True)
class Signature:
    """What tells one extractor's work from another's. ``model`` is empty for the rules."""

    extractor: str
    version: str
    model: str = ""

    def __str__(self) -> str:
        return " ".join(part for part in (self.extractor, self.version, self.model) if part)


def signature_of(chosen: ExtractionSettings) -> Signature:
    """The extractor that a project uses now."""
    if chosen.extractor == "rules":
        return Signature(RulesExtractor.name, RulesExtractor.version)
    return Signature(LLMExtractor.name, LLMExtractor.version, chosen.model)


def stored_traces(project_id: int, *, since: datetime, agent_id: UUID | None = None) -> QuerySet[Trace]:
    """Settled production traces that ran since then, of one agent or of all, in nobody's hands and with something said
    in them by somebody who may be learned about."""
    at = Now()
    said = Message.objects.filter(project_id=project_id, trace_id=OuterRef("trace_id"))
    traces = Trace.objects.filter(
        Exists(said),
        Q(subject=None) | Q(subject__suppressed_at=None),
        Q(lease_until=None) | Q(lease_until__lt=at),
        Q(extracted_at__isnull=False) | Q(last_arrival_at__lte=at - timedelta(seconds=settings.QUIET_SECONDS)),
        project_id=project_id,
        origin="",
        started_at__gte=since,
    )
    if agent_id is not None:
        # A run may have come before its agent was registered: then it has the name alone.
        names = Agent.objects.filter(project_id=project_id, id=agent_id).values("name")
        traces = traces.filter(Q(agent_id=agent_id) | Q(agent_id=None, agent_name__in=names))
    return traces


def not_mined_by(traces: QuerySet[Trace], signature: Signature) -> QuerySet[Trace]:
    """Those with a message that no run of this extractor has looked at."""
    owed = messages_not_mined_by(
        Message.objects.filter(project_id=OuterRef("project_id"), trace_id=OuterRef("trace_id")), signature
    )
    return traces.filter(Exists(owed))


def messages_not_mined_by(messages: QuerySet[Message], signature: Signature) -> QuerySet[Message]:
    """Those that no run of this extractor has looked at."""
    runs = ExtractionRun.objects.filter(
        Q(mined__contains=[OuterRef("id")]) | Q(mined=None, messages__gt=0),
        project_id=OuterRef("project_id"),
        trace_id=OuterRef("trace_id"),
        extractor=signature.extractor,
        version=signature.version,
        model=signature.model,
        outcome="done",
    )
    return messages.filter(~Exists(runs))


def reopen(project_id: int, traces: Collection[tuple[int, str]], signature: Signature, **lease: Any) -> None:
    """Have these (id and trace id, locked) mined by this extractor: the messages it has not looked at, no others."""
    trace_ids = [trace_id for _, trace_id in traces]
    said = Message.objects.filter(project_id=project_id, trace_id__in=trace_ids)
    owed = list(messages_not_mined_by(said, signature).values_list("id", flat=True))
    said.filter(id__in=owed).update(mined_at=None)
    Trace.objects.filter(id__in=[pk for pk, _ in traces]).update(**REOPENED | {"by_hand": True} | lease)


def at_rest(traces: QuerySet[Trace]) -> QuerySet[Trace]:
    """Those that no worker will take by itself: mined before, or given up."""
    return traces.filter(Q(extracted_at__isnull=False) | ~Q(dead_reason="") | Q(attempts__gte=MAX_ATTEMPTS))


def stored_count(
    project_id: int, signature: Signature, *, since: datetime, agent_id: UUID | None = None, among: int | None = None
) -> int:
    """How many traces `queue_stored` would queue without a limit, as far as anybody counts (`counting.MOST` and one more);
    with ``among`` of the newest so many alone."""
    traces = at_rest(not_mined_by(stored_traces(project_id, since=since, agent_id=agent_id), signature))
    if among is not None:
        ran = Trace.objects.filter(project_id=project_id, origin="", started_at__gte=since)
        traces = traces.filter(id__in=ran.order_by("-started_at", "-id").values("id")[:among])
    return capped_count(traces)
