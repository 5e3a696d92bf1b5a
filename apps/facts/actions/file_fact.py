"""File a fact under another category: a new version, since a fact never changes."""

from dataclasses import replace

from apps.access.actor import Actor
from apps.access.policies import require
from apps.core.errors import NotFound
from apps.core.transactions import bind
from apps.facts.actions.revise_fact import revise_fact
from apps.facts.locks import locked_facts
from apps.facts.models import Fact
from apps.facts.statement import statement_of


def file_fact(*, actor: Actor, project_id: int, fact_id: int, category: str) -> Fact:
    """Supersede the fact by a version that says the same in another category; returns that. Locks, audit (as a revision)
    and errors are `revise_fact`'s; ``unchanged`` where it is filed there already."""
    require(actor, "facts.revise", project_id=project_id)
    with bind(project_id):
        fact = locked_facts(project_id, [fact_id]).get(fact_id)
        if fact is None:
            raise NotFound("not_found", "There is no such fact in this project.")
        statement = replace(statement_of(fact), category=category)
        return revise_fact(actor=actor, project_id=project_id, fact_id=fact_id, statement=statement)
