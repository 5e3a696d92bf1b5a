"""A person changes what a fact says, and may take it back for a while."""

from apps.access.actor import Actor
from apps.access.policies import require
from apps.core.errors import Conflict
from apps.core.transactions import bind
from apps.curation.changes import marks_seen, record_change, state_of
from apps.curation.models import Change
from apps.facts.actions.revise_fact import revise_fact
from apps.facts.locks import locked_facts
from apps.facts.models import Fact
from apps.facts.statement import Statement


def edit_fact(
    *, actor: Actor, project_id: int, fact_id: int, statement: Statement, seen: str = ""
) -> tuple[Fact, Change]:
    """The new version, and the change that undo takes back. Audit and errors are `revise_fact`'s; ``fact_moved`` too where
    ``seen`` (`marks_seen` of what the writer began from) is given and somebody marked the fact otherwise since."""
    require(actor, "facts.revise", project_id=project_id)
    with bind(project_id):
        old = locked_facts(project_id, [fact_id]).get(fact_id)
        if old is not None and seen and marks_seen(old) != seen:
            raise Conflict("fact_moved", "The fact was marked otherwise by somebody else; nothing was saved.")
        new = revise_fact(actor=actor, project_id=project_id, fact_id=fact_id, statement=statement)
        item = {"fact": fact_id, "new": new.id, "now": state_of(new)}
        return new, record_change(actor=actor, verb="facts.revise", items=[item])
