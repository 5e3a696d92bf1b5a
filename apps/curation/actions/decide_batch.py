"""One verdict on many proposals: each is decided or left as it was, and every one left says why."""

from collections.abc import Sequence
from dataclasses import dataclass, field
from datetime import datetime
from typing import Literal
from uuid import UUID

from apps.access.actor import Actor
from apps.access.policies import require
from apps.core.errors import Conflict, DomainError, Invalid
from apps.core.transactions import bind
from apps.curation.actions.approve_proposal import approve_proposal
from apps.curation.actions.assign_proposal import assign_proposal
from apps.curation.actions.reject_proposal import reject_proposal
from apps.curation.actions.snooze_proposal import snooze_proposal
from apps.curation.changes import record_change
from apps.curation.locks import lock_places
from apps.curation.models import Change, Proposal, ProposalTarget
from apps.curation.noting import Item
from apps.facts.locks import locked_facts

MOST = 200
"""Proposals of one batch."""
VERBS = {
    "approve": "proposals.approve",
    "reject": "proposals.reject",
    "snooze": "proposals.snooze",
    "assign": "proposals.assign",
}


@dataclass(frozen=True, kw_only=True)
class Verdict:
    """What is said to all of them. ``reason`` is for a rejection, ``until`` and ``assignee`` mean what they mean to
    `snooze_proposal` and `assign_proposal`."""

    verb: Literal["approve", "reject", "snooze", "assign"]
    reason: str = ""
    until: datetime | None = None
    assignee: int | None = None


@dataclass(frozen=True)
class Left:
    """A proposal on which nothing was done: the code of the refusal, and it in words."""

    proposal_id: UUID
    code: str
    reason: str


@dataclass
class BatchResult:
    """``done`` in the order they were decided, ``left`` in the same order. ``change`` takes approvals or rejections back,
    and is None where there was none."""

    done: list[Proposal] = field(default_factory=list)
    left: list[Left] = field(default_factory=list)
    change: Change | None = None


def decide_batch(*, actor: Actor, project_id: int, proposal_ids: Sequence[UUID], verdict: Verdict) -> BatchResult:
    """Do the verdict's verb to each proposal, oldest first, in one transaction; one that refuses is left alone.

    What was decided meanwhile, holds a secret, needs a choice or a subject, is left with its reason; so is what is
    held, which is approved one by one. One whose target had moved becomes ``conflicted``, as it would by itself, and is
    among ``done``. Raises Invalid ``too_many`` for more than 200, and what is wrong with the verdict itself, with
    nothing done.
    """
    require(actor, VERBS[verdict.verb], project_id=project_id)
    ids = sorted(set(proposal_ids))
    if len(ids) > MOST:
        raise Invalid("too_many", f"At most {MOST} proposals are decided at once.", pointer="/ids")
    result, items = BatchResult(), list[Item]()
    with bind(project_id):
        _lock(project_id, ids)
        for proposal_id in ids:
            try:
                # A savepoint of its own: what refuses leaves no trace among the others.
                with bind(project_id):
                    result.done.append(_decide(actor, project_id, proposal_id, verdict, items))
            except DomainError as error:
                if error.code in {"unknown_choice", "out_of_range", "unknown_member"}:
                    raise
                result.left.append(Left(proposal_id, error.code, error.detail))
        if items:
            result.change = record_change(actor=actor, verb=VERBS[verdict.verb], items=items)
    return result


def _lock(project_id: int, ids: list[UUID]) -> None:
    """All that the verdicts will lock, in the order that single ones take it, so that two batches wait for each other
    rather than deadlock."""
    rows = Proposal.objects.in_project(project_id).filter(id__in=ids)
    lock_places(project_id, rows.order_by("id").values_list("scope", "scope_id"))
    list(rows.order_by("id").select_for_update().values_list("id"))
    targets = ProposalTarget.objects.filter(project_id=project_id, proposal_id__in=ids)
    locked_facts(project_id, targets.values_list("fact_id", flat=True))


def _decide(actor: Actor, project_id: int, proposal_id: UUID, verdict: Verdict, items: list[Item]) -> Proposal:
    match verdict.verb:
        case "approve":
            held = Proposal.objects.in_project(project_id).filter(id=proposal_id, state="quarantined")
            if held.exists():
                raise Conflict("held", "It is held: open it and decide it by itself.")
            return approve_proposal(actor=actor, project_id=project_id, proposal_id=proposal_id, items=items)
        case "reject":
            return reject_proposal(
                actor=actor, project_id=project_id, proposal_id=proposal_id, reason=verdict.reason, items=items
            )
        case "snooze":
            return snooze_proposal(actor=actor, project_id=project_id, proposal_id=proposal_id, until=verdict.until)
    return assign_proposal(actor=actor, project_id=project_id, proposal_id=proposal_id, assignee=verdict.assignee)
