"""Write down a fact that agents may be told at once."""

from dataclasses import dataclass

from apps.access.actor import Actor
from apps.access.policies import require
from apps.audit.actions.record import record
from apps.core.transactions import bind
from apps.facts.append import Origin, append_fact, place
from apps.facts.evidence import Evidence
from apps.facts.models import Fact
from apps.facts.statement import Statement


@dataclass(frozen=True)
class Added:
    """``created`` is false when a current fact says the same already; then nothing was written."""

    fact: Fact
    created: bool


def add_fact(
    *,
    actor: Actor,
    project_id: int,
    statement: Statement,
    origin: Origin | None = None,
    evidence: list[Evidence] | None = None,
) -> Added:
    """Append a fact, approved by whoever adds it. Idempotent by its normalised words in its scope.

    Raises Invalid with one error a field; nothing is written then.
    """
    require(actor, "facts.add", project_id=project_id)
    statement = statement.cleaned()
    with bind(project_id):
        placed = place(project_id, statement.scope, statement.scope_id, statement.agent_name)
        fact, created = append_fact(
            project_id=project_id,
            statement=statement,
            placed=placed,
            origin=origin or Origin(),
            approved_by=actor.name,
            evidence=evidence or [],
        )
        if created:
            record(actor=actor, verb="facts.add", object_type="fact", object_id=fact.id)
    return Added(fact, created)
