"""Summaries that traces told of, kept as messages of their session."""

from apps.traces.models import Message, SessionMessage, Span, Trace
from apps.traces.summaries import CALL, SPAN, is_summary, summed_up

NAMED = "span:"
"""How the names of such messages begin within their session."""
MOST = 2_000
"""Messages of a session, the newest before it, among which those are looked for that a summary stands for."""


def keep_summaries(project_id: int, trace_id: str) -> int:
    """Store the summaries of a trace whose session is known, with what they stand for; returns how many are new. Nothing is
    done twice. The caller has locked the trace."""
    spans = Span.objects.filter(project_id=project_id, trace_id=trace_id)
    told = [span for span in spans.filter(name=SPAN).order_by("started_at", "id") if is_summary(SPAN, span.attributes)]
    trace = (
        Trace.objects.filter(project_id=project_id, trace_id=trace_id).exclude(session=None).first() if told else None
    )
    if trace is None or trace.session_id is None:
        return 0
    beside = spans.filter(name__startswith=CALL, parent_span_id__in={span.parent_span_id for span in told})
    calls: dict[str | None, list[dict[str, object]]] = {}
    for parent, attributes in beside.order_by("started_at", "id").values_list("parent_span_id", "attributes"):
        calls.setdefault(parent, []).append(attributes)
    kept = SessionMessage.objects.filter(project_id=project_id, session_id=trace.session_id, role="summary")
    new = 0
    for span in told:
        summed = summed_up(span.attributes, calls.get(span.parent_span_id, []))
        if summed is None:
            continue
        said = Message.objects.filter(
            project_id=project_id,
            trace_id__in=Trace.objects.filter(project_id=project_id, session_id=trace.session_id).values("trace_id"),
            at__lte=span.ended_at,
        ).order_by("-at", "-id")
        _, made = SessionMessage.objects.get_or_create(
            project_id=project_id,
            session_id=trace.session_id,
            external_id=f"{NAMED}{trace_id}/{span.span_id}",
            defaults={
                "subject_id": trace.subject_id,
                "role": "summary",
                "content": summed.text,
                "at": span.ended_at,
                "stands_for": [
                    number
                    for number, content in kept.order_by("id").values_list("id", "content")
                    if summed.goes_on_from(content)
                ],
                "stands_for_said": summed.among(reversed(said.values_list("id", "role", "content")[:MOST])),
            },
        )
        new += made
    return new
