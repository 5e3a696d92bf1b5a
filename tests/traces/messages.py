"""A message in a trace, past the ingest."""

from datetime import timedelta

from apps.core.clock import now
from apps.core.transactions import bind
from apps.tenancy.models import Project, Subject
from apps.traces.models import Message, Span, Trace


def message(project: Project, trace: str, role: str, text: str, *, subject: Subject | None = None) -> int:
    """Its id. The trace and a span are made where there is none."""
    at = now() - timedelta(minutes=1)
    with bind(project.id):
        Trace.objects.get_or_create(
            project_id=project.id,
            trace_id=trace,
            defaults={"subject": subject, "agent_name": "support", "started_at": at, "extracted_at": at},
        )
        number = Span.objects.filter(project_id=project.id, trace_id=trace).count() + 1
        span = f"{number:016x}"
        Span.objects.create(
            project_id=project.id,
            trace_id=trace,
            span_id=span,
            subject=subject,
            name="agent.support",
            status="OK",
            started_at=at,
            ended_at=at,
            digest=bytes(16),
        )
        return Message.objects.create(
            project_id=project.id, trace_id=trace, span_id=span, role=role, subject=subject, content=text, at=at
        ).id
