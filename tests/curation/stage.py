"""Wishes with their traces, for tests of the gate."""

from datetime import datetime
from typing import Any
from uuid import UUID

from apps.access.actor import Actor, system_actor
from apps.core.clock import now
from apps.core.transactions import bind
from apps.curation.actions.approve_proposal import approve_proposal
from apps.curation.actions.propose import Outcome, Proposed, Wish, propose
from apps.curation.models import Conflict, Proposal
from apps.facts.evidence import Evidence
from apps.facts.models import Fact
from apps.facts.statement import Statement
from apps.tenancy.models import Project
from apps.traces.actions.ingest_spans import ingest_spans
from tests.factories import make_agent, make_project, make_subject, user_actor
from tests.spans import run_of, trace_id


def stage(*traces: str) -> Project:
    """A project with the agent `support` and conversations of the user ada by these names; `t` is always there."""
    project = make_project()
    make_agent(project, "support")
    actor = Actor(kind="key", id="1", project_id=project.id, scopes=frozenset({"traces:write"}))
    for name in ("t", *traces):
        ingest_spans(actor=actor, project_id=project.id, spans=run_of(name, "Returns take 45 days.", user="ada"))
    return project


def wish(
    project: Project,
    content: str,
    *,
    user: str | None = None,
    scope: str = "agent",
    attribute: str | None = None,
    trace: str = "t",
    at: datetime | None = None,
    statement: dict[str, Any] | None = None,
    **fields: Any,
) -> Wish:
    """About the user where one is named, else about the agent's work. `fields` are the wish's."""
    at = at or now()
    quote = Evidence(
        trace_id=trace_id(trace), message_id=None, quote=content, start=0, end=len(content), observed_at=at
    )
    marks = {"scope": "user" if user else scope, "attribute": attribute, "confidence": 0.6}
    values: dict[str, Any] = {
        "statement": Statement(content=content, **(marks | (statement or {}))),
        "agent": make_agent(project, "support"),
        "subject": make_subject(project, user) if user else None,
        "observed_at": at,
        "source_trace_id": trace_id(trace),
        "evidence": (quote,),
    }
    return Wish(**(values | fields))


def put(project: Project, *wishes: Wish, **options: Any) -> Proposed:
    return propose(
        actor=system_actor("extraction", project.id),
        project_id=project.id,
        origin="extraction",
        wishes=list(wishes),
        **options,
    )


def outcome(project: Project, one: Wish, **options: Any) -> Outcome:
    (found,) = put(project, one, **options).outcomes
    return found


def propose_one(project: Project, *wishes: Wish) -> Proposal:
    return put(project, *wishes).proposals[0]


def dropped(project: Project, one: Wish) -> dict[str, int]:
    return put(project, one).dropped


def approve(project: Project, proposal: Proposal | UUID, **choices: Any) -> Proposal:
    proposal_id = proposal if isinstance(proposal, UUID) else proposal.id
    return approve_proposal(
        actor=user_actor(project, "curator"), project_id=project.id, proposal_id=proposal_id, **choices
    )


def learn(project: Project, one: Wish) -> Fact:
    """The fact a wish becomes when somebody approves it."""
    done = approve(project, propose_one(project, one))
    with bind(project.id):
        return Fact.objects.get(id=done.fact_id)


def told(project: Project) -> list[str]:
    """What is served, oldest first."""
    with bind(project.id):
        return list(Fact.objects.active().order_by("id").values_list("content", flat=True))


def conflicts(project: Project) -> list[tuple[str | None, str, set[str]]]:
    """Each conflict's attribute, settlement, and what stands on its sides: `#` before a fact, `P` before a proposal."""
    with bind(project.id):
        return [
            (
                conflict.attribute,
                conflict.settlement or "open",
                {
                    f"#{side.fact.content}" if side.fact else f"P {side.proposal.content}"
                    for side in conflict.sides.select_related("fact", "proposal")
                },
            )
            for conflict in Conflict.objects.order_by("id")
        ]
