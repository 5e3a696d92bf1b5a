"""Summaries that traces told of, kept as messages of their session."""

from collections.abc import Iterable
from typing import Any

from django.db.models import QuerySet

from apps.traces.models import Message, Session, SessionMessage, Span, Trace
from apps.traces.summaries import CALL, SPAN, Summed, is_summary, summed_up

NAMED = "span:"
"""How the names of such messages begin within their session."""
MOST = 2_000
"""Messages of a session, the newest before it, among which those are looked for that a summary stands for."""


def keep_summaries(project_id: int, trace_ids: Iterable[str]) -> int:
    """Store the summaries of the traces whose session is known, with what they stand for; returns how many are new. Nothing is
    done twice, and what a later summary stands for is found anew: traces of a session arrive in any order. The caller has
    locked the traces."""
    traces = Trace.objects.filter(project_id=project_id, trace_id__in=list(trace_ids)).exclude(session=None)
    found = list(traces.select_related("session").order_by("trace_id"))
    # Of two traces of one session that arrive at the same time, one would not see the other.
    sessions = Session.objects.select_for_update(no_key=True).filter(id__in={trace.session_id for trace in found})
    list(sessions.order_by("id").values_list("id"))
    return sum(_keep_trace(trace) for trace in found)


def _keep_trace(trace: Trace) -> int:
    spans = Span.objects.filter(project_id=trace.project_id, trace_id=trace.trace_id, name=SPAN)
    kept = _summaries(trace)
    assert trace.session_id is not None  # the caller asked for such
    new = 0
    for span in spans.order_by("started_at", "id"):
        summed = _summed(span)
        if summed is None:
            continue
        _, made = kept.get_or_create(
            project_id=trace.project_id,
            session_id=trace.session_id,
            external_id=f"{NAMED}{trace.trace_id}/{span.span_id}",
            defaults={"subject_id": trace.subject_id, "role": "summary", "content": summed.text, "at": span.ended_at}
            | _stands_for(trace, span, summed),
        )
        new += made
    own = f"{NAMED}{trace.trace_id}/"
    later = kept.filter(external_id__startswith=NAMED, at__gte=trace.started_at).exclude(external_id__startswith=own)
    for row in later.order_by("id"):
        trace_id, span_id = row.external_id.removeprefix(NAMED).rsplit("/", 1)
        known = Span.objects.filter(project_id=trace.project_id, trace_id=trace_id, span_id=span_id).first()
        summed = _summed(known) if known else None
        if known and summed:
            kept.filter(id=row.id).update(**_stands_for(trace, known, summed))
    return new


def _summaries(trace: Trace) -> QuerySet[SessionMessage]:
    assert trace.session_id is not None
    return SessionMessage.objects.filter(project_id=trace.project_id, session_id=trace.session_id, role="summary")


def _summed(span: Span) -> Summed | None:
    if not is_summary(SPAN, span.attributes):
        return None
    calls = Span.objects.filter(
        project_id=span.project_id,
        trace_id=span.trace_id,
        parent_span_id=span.parent_span_id,
        name__startswith=CALL,
    )
    return summed_up(span.attributes, calls.order_by("started_at", "id").values_list("attributes", flat=True))


def _stands_for(trace: Trace, span: Span, summed: Summed) -> dict[str, Any]:
    """The session's messages and summaries before a span that it summed up."""
    of_session = Trace.objects.filter(project_id=trace.project_id, session=trace.session)
    said = Message.objects.filter(
        project_id=trace.project_id, trace_id__in=of_session.values("trace_id"), at__lte=span.ended_at
    ).order_by("-at", "-id")
    own = f"{NAMED}{span.trace_id}/{span.span_id}"
    earlier = _summaries(trace).filter(at__lte=span.ended_at).exclude(external_id=own).order_by("at", "id")
    return {
        "stands_for": [
            number for number, content in earlier.values_list("id", "content") if summed.goes_on_from(content)
        ],
        "stands_for_said": summed.among(reversed(said.values_list("id", "role", "content")[:MOST])),
    }
