"""Change what a fact says: append the new version and close the old one."""

from apps.access.actor import Actor
from apps.access.policies import require
from apps.audit.actions.record import record
from apps.core.errors import Conflict, Invalid, NotFound
from apps.core.transactions import bind
from apps.facts.append import Origin, append_fact, next_fact_id, place, supersede
from apps.facts.evidence import evidence_of
from apps.facts.keyed import slot_of
from apps.facts.locks import locked_facts
from apps.facts.models import Fact
from apps.facts.statement import Statement


def revise_fact(
    *,
    actor: Actor,
    project_id: int,
    fact_id: int,
    statement: Statement,
    source: str = "",
    trust: int | None = None,
) -> Fact:
    """Supersede ``fact_id`` with a new version that keeps its origin and evidence; returns the new fact. ``source`` says
    where its words come from, if from elsewhere than the old ones, and ``trust`` how far that is believed; it is trusted
    no more than before.

    Raises NotFound, Invalid (``unchanged`` too), and Conflict: ``fact_moved`` when the fact was closed meanwhile,
    ``fact_exists`` when another current fact says this already.
    """
    require(actor, "facts.revise", project_id=project_id)
    statement = statement.cleaned()
    with bind(project_id):
        old = locked_facts(project_id, [fact_id]).get(fact_id)
        if old is None:
            raise NotFound("not_found", "There is no such fact in this project.")
        if not old.is_current:
            raise Conflict("fact_moved", "The fact was changed by somebody else; nothing was saved.")
        placed = place(project_id, statement.scope, statement.scope_id, statement.agent_name)
        same_place = (old.scope_id, old.agent_id) == (placed.scope_id, placed.agent_id)
        if same_place and all(getattr(old, name) == value for name, value in statement.marks().items()):
            raise Invalid("unchanged", "Nothing was changed.", pointer="/content")
        new_id = next_fact_id()
        supersede([old], new_id)
        new, created = append_fact(
            project_id=project_id,
            statement=statement,
            placed=placed,
            origin=Origin(
                source=source or old.source,
                speaker=old.speaker,
                trust=old.trust if trust is None else min(old.trust, trust),
                observed_at=old.observed_at,
                source_trace_id=old.source_trace_id,
                proposal_id=old.proposal_id,
            ),
            approved_by=actor.name,
            evidence=evidence_of(project_id, [old.id]),
            fact_id=new_id,
            slot=slot_of(old, statement.content),
        )
        if not created:
            raise Conflict("fact_exists", f"Fact #{new.id} says this already.")
        if old.contested_at is not None:
            # The new words settle no dispute by themselves.
            new.contested_at = old.contested_at
            new.save(update_fields=["contested_at"])
        record(
            actor=actor,
            verb="facts.revise",
            object_type="fact",
            object_id=new.id,
            data={"supersedes": [old.id]},
        )
    return new
