"""A fact was said again: its evidence grows, and its count by one for each further conversation."""

from django.db.models import DateTimeField, F, Value
from django.db.models.functions import Coalesce, Greatest

from apps.core.clock import now
from apps.facts.evidence import Evidence, source_rows
from apps.facts.models import Fact, FactSource


def corroborate(fact: Fact, evidence: list[Evidence]) -> bool:
    """Add what is new of ``evidence`` to a fact the caller has locked; returns whether it counted.

    The fact's own conversation and one that counted before do not count again, so a run may be repeated. Sets
    ``corroborations`` and ``last_seen_at``, which never goes back.
    """
    said_in = {item.trace_id for item in evidence}
    rows = FactSource.objects.filter(project_id=fact.project_id, fact_id=fact.id, trace_id__in=said_in)
    known = set(rows.values_list("trace_id", "message_id", "start", "end", "quote"))
    fresh = [item for item in dict.fromkeys(evidence) if item.span not in known]
    FactSource.objects.bulk_create(source_rows(fact, fresh))
    more = said_in - {trace_id for trace_id, *_ in known} - {fact.source_trace_id}
    if more:
        # A client's clock may be ahead of ours.
        seen = min(now(), max(item.observed_at for item in fresh if item.trace_id in more))
        at = Value(seen, output_field=DateTimeField())
        Fact.objects.filter(project_id=fact.project_id, id=fact.id).update(
            corroborations=F("corroborations") + len(more),
            last_seen_at=Greatest(Coalesce(F("last_seen_at"), at), at),
        )
    return bool(more)
