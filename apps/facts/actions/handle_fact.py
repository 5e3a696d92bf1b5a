"""Set a handling mark of a fact: sensitivity, expiry, pinned, switched off."""

from datetime import datetime
from typing import Any

from apps.access.actor import Actor
from apps.access.policies import require
from apps.audit.actions.record import record
from apps.core.errors import NotFound
from apps.core.transactions import bind
from apps.facts.handling import Handling
from apps.facts.locks import locked_facts
from apps.facts.models import Fact

VERBS = {
    "sensitivity": "facts.set_sensitivity",
    "expiry": "facts.set_expiry",
    "pin": "facts.pin",
    "unpin": "facts.unpin",
    "disable": "facts.disable",
    "enable": "facts.enable",
}
"""What the audit calls each kind."""


def handle_fact(*, actor: Actor, project_id: int, fact_id: int, handling: Handling) -> Fact:
    """Set the mark and return the fact. Raises NotFound, Invalid for a value no fact may have or the one it has
    (``unchanged``), and Conflict ``fact_moved``, ``restricted``; nothing is written then."""
    require(actor, "facts.handle", project_id=project_id)
    handling.checked()
    with bind(project_id):
        fact = locked_facts(project_id, [fact_id]).get(fact_id)
        if fact is None:
            raise NotFound("not_found", "There is no such fact in this project.")
        columns = handling.columns(fact)
        data = {name: [_plain(getattr(fact, name)), _plain(value)] for name, value in columns.items()}
        for name, value in columns.items():
            setattr(fact, name, value)
        fact.save(update_fields=list(columns))
        record(actor=actor, verb=VERBS[handling.kind], object_type="fact", object_id=fact.id, data=data)
    return fact


def _plain(value: Any) -> Any:
    return value.isoformat() if isinstance(value, datetime) else value
