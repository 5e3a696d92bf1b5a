"""Stop telling a fact, and keep it."""

from apps.access.actor import Actor
from apps.access.policies import require
from apps.audit.actions.record import record
from apps.core.clock import now
from apps.core.errors import Invalid, NotFound
from apps.core.transactions import bind
from apps.facts.handling import require_current
from apps.facts.locks import locked_facts
from apps.facts.models import RETIRE_REASONS, Fact


def retire_fact(*, actor: Actor, project_id: int, fact_id: int, reason: str) -> Fact:
    """Close a current fact without a successor. Raises NotFound, Invalid for an unknown reason, and Conflict
    ``fact_moved`` when it was closed before."""
    require(actor, "facts.retire", project_id=project_id)
    if reason not in RETIRE_REASONS:
        raise Invalid("unknown_choice", "Not a reason to retire a fact.", pointer="/reason")
    with bind(project_id):
        fact = locked_facts(project_id, [fact_id]).get(fact_id)
        if fact is None:
            raise NotFound("not_found", "There is no such fact in this project.")
        require_current(fact)
        fact.retired_at, fact.retired_reason = now(), reason
        fact.save(update_fields=["retired_at", "retired_reason"])
        record(actor=actor, verb="facts.retire", object_type="fact", object_id=fact.id, reason=reason)
    return fact
