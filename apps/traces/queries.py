"""Reading traces: the list, one trace's spans, and the conversation it holds."""

from collections.abc import Collection

from apps.traces.models import Message, Span, Trace


def conversation(trace: Trace) -> list[Message]:
    """What user and agent said in the run, in order: the messages of the outermost spans that carry any.

    Under a swarm or a supervisor the agents' own inputs are what the supervisor wrote, not what the user said.
    """
    return conversations(trace.project_id, {trace.trace_id}).get(trace.trace_id, [])


def conversations(project_id: int, trace_ids: Collection[str]) -> dict[str, list[Message]]:
    """The same of several traces at once, by their ids; one where nothing was said is left out."""
    if not trace_ids:
        return {}
    of_traces = {"project_id": project_id, "trace_id__in": list(trace_ids)}
    messages: dict[str, list[Message]] = {}
    for message in Message.objects.filter(**of_traces):
        messages.setdefault(message.trace_id, []).append(message)
    parents: dict[str, dict[str, str | None]] = {}
    for trace_id, span_id, parent in Span.objects.filter(**of_traces).values_list(
        "trace_id", "span_id", "parent_span_id"
    ):
        parents.setdefault(trace_id, {})[span_id] = parent
    found = {}
    for trace_id, said in messages.items():
        outer = outermost({message.span_id for message in said}, parents.get(trace_id, {}))
        kept = [message for message in said if message.span_id in outer]
        found[trace_id] = sorted(kept, key=lambda message: (message.at, message.role != "user", message.id))
    return found


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
