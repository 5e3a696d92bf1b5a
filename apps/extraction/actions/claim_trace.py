"""Claim one named trace at once, without waiting for it to settle."""

from datetime import timedelta
from uuid import uuid4

from django.db.models import Q
from django.db.models.functions import Now

from apps.core.transactions import bind
from apps.extraction.actions.claim_traces import LEASE_SECONDS, Claim, worker_name
from apps.traces.models import Trace


def claim_trace(*, project_id: int, trace_id: str) -> Claim | None:
    """The claim, or None when the trace is extracted, not there, or in somebody else's hands."""
    token = uuid4()
    with bind(project_id):
        claimed = Trace.objects.filter(
            Q(lease_until=None) | Q(lease_until__lt=Now()), project_id=project_id, trace_id=trace_id, extracted_at=None
        ).update(
            claimed_by=worker_name(),
            lease_until=Now() + timedelta(seconds=LEASE_SECONDS),
            lease_token=token,
        )
        if not claimed:
            return None
        trace = Trace.objects.get(project_id=project_id, trace_id=trace_id)
    return Claim(project_id, trace.id, token, trace.last_arrival_at)
