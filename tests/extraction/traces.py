"""Traces that are ready to be mined."""

from datetime import timedelta
from typing import Any

from apps.access.actor import Actor
from apps.core.transactions import bind
from apps.tenancy.models import Project
from apps.traces.actions.ingest_spans import ingest_spans
from apps.traces.models import Trace
from tests.factories import make_agent, make_project


def make_desk(slug: str = "acme") -> Project:
    """A project with the agent `support`."""
    project = make_project(slug)
    make_agent(project, "support")
    return project


def push(project: Project, spans: list[dict[str, Any]]) -> None:
    actor = Actor(kind="key", id="1", project_id=project.id, scopes=frozenset({"traces:write"}))
    ingest_spans(actor=actor, project_id=project.id, spans=spans)


def settle(project: Project, seconds: float = 11) -> None:
    """As if nothing had arrived for so long."""
    with bind(project.id):
        for trace in Trace.objects.filter(project_id=project.id, extracted_at=None):
            Trace.objects.filter(id=trace.id).update(last_arrival_at=trace.last_arrival_at - timedelta(seconds=seconds))
