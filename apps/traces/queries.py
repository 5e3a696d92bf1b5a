"""Reading traces: the list, one trace's spans, and the conversation it holds."""

from apps.traces.models import Message, Span, Trace


def conversation(trace: Trace) -> list[Message]:
    """What user and agent said in the run, in order: the messages of the outermost spans that carry any.

    Under a swarm or a supervisor the agents' own inputs are what the supervisor wrote, not what the user said.
    """
    messages = list(Message.objects.filter(project_id=trace.project_id, trace_id=trace.trace_id))
    parents = dict(
        Span.objects.filter(project_id=trace.project_id, trace_id=trace.trace_id).values_list(
            "span_id", "parent_span_id"
        )
    )
    outer = outermost({message.span_id for message in messages}, parents)
    kept = [message for message in messages if message.span_id in outer]
    return sorted(kept, key=lambda message: (message.at, message.role != "user", message.id))


def outermost(speaking: set[str], parents: dict[str, str | None]) -> set[str]:
    """The spans of ``speaking`` that lie inside no other one; ``parents`` has the span above each span of the trace."""

    def is_inner(span_id: str) -> bool:
        seen = {span_id}
        above = parents.get(span_id)
        while above is not None and above not in seen:
            if above in speaking:
                return True
            seen.add(above)
            above = parents.get(above)
        return False

    return {span_id for span_id in speaking if not is_inner(span_id)}


def spans_of(trace: Trace) -> list[Span]:
    """The trace's spans as they ran, parents before children where they began together."""
    return list(
        Span.objects.filter(project_id=trace.project_id, trace_id=trace.trace_id).order_by(
            "started_at", "-ended_at", "id"
        )
    )
