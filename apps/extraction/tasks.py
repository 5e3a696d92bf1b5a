"""The sweep that finds settled traces."""

from celery import shared_task

from apps.extraction.actions.claim_traces import claim_traces
from apps.extraction.actions.extract_trace import extract_trace


@shared_task(name="extraction.sweep")
def sweep() -> int:
    """Claim and mine until nothing is left or the batch is done; a lost or doubled message changes nothing."""
    claims = claim_traces()
    for claim in claims:
        extract_trace(claim=claim)
    return len(claims)
