"""Screen the spans that took too long when they arrived, and join them to their traces."""

import json
import math
import sys

from django.db import connection

from apps.core.sealing import SPANS, unseal
from apps.core.transactions import bind
from apps.screening.screen import mask_json
from apps.traces.actions.ingest_spans import join_spans, without_erased
from apps.traces.keeping import keep_summaries
from apps.traces.models import Span, Trace
from apps.traces.spans import SpanRow


def screen_sealed(*, limit: int = 20) -> int:
    """Open up to ``limit`` sealed spans, mask their secrets without a bound on time, and store them; returns how many.

    Any number of workers take different ones. A span that can't be opened, because SECRET_KEY changed, stays sealed and
    raises InvalidToken.
    """
    with connection.cursor() as cursor:
        cursor.execute("SELECT project_id, id FROM sealed_spans(%s)", [limit])
        found = cursor.fetchall()
    return sum(_screen_one(project_id, span_id) for project_id, span_id in found)


def _screen_one(project_id: int, span_id: int) -> int:
    with bind(project_id):
        span = (
            Span.objects.select_for_update(skip_locked=True)
            .filter(project_id=project_id, id=span_id, sealed__isnull=False)
            .first()
        )
        if span is None:
            return 0
        assert span.sealed is not None  # the filter asked for it
        clean, masked, _ = mask_json(
            json.loads(unseal(bytes(span.sealed), use=SPANS)), budget_seconds=math.inf, max_chars=sys.maxsize
        )
        row = SpanRow(
            trace_id=span.trace_id,
            span_id=span.span_id,
            parent_span_id=span.parent_span_id,
            name=clean["name"][:255],
            status=span.status,
            started_at=span.started_at,
            ended_at=span.ended_at,
            attributes=clean["attributes"],
            events=clean["events"],
            digest=bytes(span.digest),
            replaced=0,
            masked=masked,
        )
        trace = Trace.objects.select_for_update().get(project_id=project_id, trace_id=span.trace_id)
        if not without_erased(project_id, [row]):
            # Its person was erased while it lay sealed: the conversation goes whole, as it does at the door.
            trace.delete()
            return 1
        Span.objects.filter(id=span.id).update(name=row.name, attributes=row.attributes, events=row.events, sealed=None)
        join_spans(project_id, span.trace_id, [row], known=1)
        keep_summaries(project_id, [span.trace_id])
    return 1
