"""Facts of earlier moments. Only time brings them about, so they are written past the verbs."""

from datetime import datetime, timedelta
from typing import Any

from apps.core.clock import now
from apps.core.text import norm_hash
from apps.core.transactions import bind
from apps.facts.models import Fact
from apps.tenancy.models import Agent, Project


def ago(**span: float) -> datetime:
    return (now() - timedelta(**span)).replace(microsecond=0)


def make_older(project: Project, **span: float) -> None:
    Project.objects.filter(id=project.id).update(created_at=ago(**span))


def past_fact(
    project: Project, content: str, approved_at: datetime, *, agent: Agent | None = None, **fields: Any
) -> Fact:
    """A fact of the project, or of an agent, that was approved then. `fields` as the model has them."""
    place: dict[str, Any] = {"scope": "project", "scope_id": project.slug}
    if agent is not None:
        place = {"scope": "agent", "scope_id": agent.name, "agent": agent}
    with bind(project.id):
        fact: Fact = Fact.objects.create(
            project=project,
            content=content,
            norm_hash=norm_hash(content),
            approved_at=approved_at,
            created_at=approved_at,
            observed_at=approved_at,
            **place | fields,
        )
        return fact
