"""What settling a conflict does to its sides. Everything is locked and was looked at by whoever calls."""

from collections.abc import Iterable, Mapping
from dataclasses import replace
from datetime import datetime
from typing import Any
from uuid import UUID

from apps.access.actor import Actor
from apps.access.models import SENSITIVITIES
from apps.core.clock import now
from apps.core.errors import Conflict as Moved
from apps.core.errors import Invalid
from apps.curation.actions.approve_proposal import Edits, approve_proposal
from apps.curation.conflicts import contradicted
from apps.curation.evidence import evidence_of as evidence_of_proposal
from apps.curation.models import Proposal
from apps.curation.standing import Side
from apps.facts.actions.revise_fact import revise_fact
from apps.facts.append import Origin, append_fact, next_fact_id, place, supersede
from apps.facts.evidence import evidence_of
from apps.facts.keyed import PLAIN, slot_of
from apps.facts.models import Fact
from apps.facts.statement import Statement, narrowest

Places = Mapping[str, tuple[str, str]]


class Settling:
    """One settlement at work; it notes what it made and closed, so that it can be taken back."""

    def __init__(self, actor: Actor, project_id: int, sides: list[Side]) -> None:
        self.actor, self.project_id, self.sides = actor, project_id, sides
        self.made: set[int] = set()
        self.closed: set[int] = set()
        self.proposals: list[UUID] = [side.proposal.id for side in sides if side.proposal]
        self.held = [side.proposal.id for side in sides if side.proposal and side.proposal.state == "quarantined"]

    @property
    def facts(self) -> set[int]:
        """All facts that this is about: the sides, and what was made of them."""
        return {side.fact.id for side in self.sides if side.fact} | self.made

    def summary(self) -> dict[str, Any]:
        """For the audit: numbers and ids alone."""
        return {
            "made": sorted(self.made),
            "closed": sorted(self.closed),
            "proposals": [str(proposal_id) for proposal_id in self.proposals],
        }

    def keep(self, side: Side) -> None:
        """That one; the others give way to it."""
        winner = side.fact.id if side.fact else self._approved(side.row, replacing=True)
        self._close((other for other in self.sides if other is not side), winner)

    def keep_all(self, *, until: datetime | None, places: Places) -> None:
        """Each, changed as far as it is said."""
        if until is not None and len(self.sides) != 2:
            raise Invalid("two_sides", "A date parts two statements; here are more.", pointer="/until")
        if until is not None and places:
            raise Invalid("one_split", "Part them by time or by place, not by both.", pointer="/until")
        earlier = min(self.sides, key=lambda side: (side.said_at, side.ref))
        for side in self.sides:
            span = {"valid_to": until} if side is earlier else {"valid_from": until}
            self._kept(side, span if until else {}, places.get(side.ref))

    def write(self, content: str) -> None:
        """A third wording takes the place of all, with the evidence of all."""
        first = self.sides[0]
        facts = [side.fact for side in self.sides if side.fact]
        statement = replace(
            _statement(first.row),
            content=content,
            sensitivity=max((side.row.sensitivity for side in self.sides), key=SENSITIVITIES.index),
            confidence=1.0,
            importance=max(side.row.importance for side in self.sides),
            valid_from=None,
            valid_to=None,
            purposes=narrowest(side.row.purposes for side in self.sides),
            task_types=narrowest(side.row.task_types for side in self.sides),
        ).cleaned()
        placed = place(self.project_id, statement.scope, statement.scope_id, statement.agent_name)
        new_id = next_fact_id()
        if facts:
            self._supersede(facts, new_id)
        evidence = evidence_of(self.project_id, [fact.id for fact in facts])
        # What looks like a password speaks for nothing.
        waiting = [side.proposal for side in self.sides if side.proposal]
        for proposal in waiting:
            evidence += [] if "secret" in proposal.flags else evidence_of_proposal(proposal)
        fact, created = append_fact(
            project_id=self.project_id,
            statement=statement,
            placed=placed,
            origin=Origin(),
            approved_by=self.actor.name,
            evidence=list(dict.fromkeys(evidence)),
            fact_id=new_id,
            slot=slot_of(facts[0], statement.content) if facts else PLAIN,
        )
        if not created:
            raise Moved("fact_exists", f"Fact #{fact.id} says this already.")
        self.made.add(fact.id)
        for proposal in waiting:
            if "secret" in proposal.flags:
                _decide(proposal, self.actor, state="rejected", reason="other")
            else:
                _decide(proposal, self.actor, state="applied", fact_id=fact.id)

    def _kept(self, side: Side, span: dict[str, Any], to: tuple[str, str] | None) -> None:
        if isinstance(side.row, Proposal):
            self._approved(side.row, edits=Edits(scope=to and to[0], scope_id=to and to[1], **span))
        elif span or to:
            statement = replace(_statement(side.row), **span)
            if to:
                # An agent through which alone a user's fact was told stays so; another scope has its own.
                agent = statement.agent_name if (side.row.scope, to[0]) == ("user", "user") else ""
                statement = replace(statement, scope=to[0], scope_id=to[1], agent_name=agent)
            newer = revise_fact(actor=self.actor, project_id=self.project_id, fact_id=side.row.id, statement=statement)
            self.made.add(newer.id)
            self.closed.add(side.row.id)

    def _approved(self, row: Fact | Proposal, *, replacing: bool = False, edits: Edits | None = None) -> int:
        """The fact that the proposal became."""
        assert isinstance(row, Proposal)
        done = approve_proposal(
            actor=self.actor,
            project_id=self.project_id,
            proposal_id=row.id,
            edits=edits,
            supersede=replacing and bool(contradicted(row)),
        )
        if done.fact_id is None:
            raise Moved("conflict_moved", "A side changed since you read it; nothing was changed.")
        if done.fact_id not in self.facts:
            self.made.add(done.fact_id)
        replaced = Fact.objects.in_project(self.project_id).filter(superseded_by=done.fact_id)
        self.closed |= set(replaced.values_list("id", flat=True)) if replacing else set()
        return done.fact_id

    def _close(self, losers: Iterable[Side], winner: int) -> None:
        losing = list(losers)
        # Approving the winner has closed those it contradicts already.
        ids = [side.fact.id for side in losing if side.fact]
        self._supersede(list(Fact.objects.in_project(self.project_id).current().filter(id__in=ids)), winner)
        for side in losing:
            if side.proposal:
                _decide(side.proposal, self.actor, state="rejected", reason="other")

    def _supersede(self, facts: list[Fact], by_id: int) -> None:
        if facts:
            supersede(facts, by_id)
            self.closed |= {fact.id for fact in facts}


def _decide(proposal: Proposal, actor: Actor, *, state: str, reason: str = "", fact_id: int | None = None) -> None:
    proposal.state, proposal.reason, proposal.fact_id = state, reason, fact_id
    proposal.decided_at, proposal.reviewer = now(), actor.name
    proposal.save(update_fields=["state", "reason", "fact", "decided_at", "reviewer"])


def _statement(row: Fact | Proposal) -> Statement:
    """What a row says, as a statement of its place."""
    shared: dict[str, Any] = {
        name: getattr(row, name)
        for name in (
            "content", "scope", "scope_id", "attribute", "category", "memory_type", "confidence", "importance",
            "sensitivity", "valid_from", "valid_to", "purposes", "task_types",
        )
    }  # fmt: skip
    if isinstance(row, Fact):
        shared |= {"expires_at": row.expires_at}
    return Statement(**shared, agent_name=row.agent.name if row.agent else "")
