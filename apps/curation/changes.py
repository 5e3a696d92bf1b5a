"""What can be taken back for a while: who did what to which rows, noted in the transaction that did it."""

import hashlib
import json
from collections.abc import Mapping, Sequence
from datetime import UTC, datetime, timedelta
from typing import Any

from apps.access.actor import Actor
from apps.core.transactions import bound_project
from apps.curation.models import Change
from apps.facts.models import Fact

UNDO_FOR = timedelta(minutes=15)
"""How long a change may be taken back."""

MARKS = ("sensitivity", "expires_at", "review_at", "pinned", "restricted_at", "restricted_reason")
CLOSED = ("superseded_by_id", "superseded_at", "retired_at", "retired_reason")


def record_change(*, actor: Actor, verb: str, items: Sequence[Mapping[str, Any]]) -> Change:
    """Note a change of the bound project, inside the transaction of the verb that made it.

    ``verb`` is a key of ``UNDO`` (actions/undo_change.py). Each item names what it is about under ``fact`` (a number),
    ``facts`` (numbers) or ``proposal`` (an id as text), and holds what taking it back needs: ids, states, handling marks,
    never text. Raises RuntimeError outside a bound unit.
    """
    project_id = bound_project()
    if project_id is None:
        raise RuntimeError("record_change needs a bound project.")
    return Change.objects.create(
        project_id=project_id, made_by=actor.name, verb=verb, items=[dict(item) for item in items]
    )


def state_of(fact: Fact) -> dict[str, Any]:
    """How a fact is handled and whether it is closed, as JSON: what is set, and nothing that is not. Whoever takes a
    change back compares it. That a fact is in dispute is no part of it: machines say so at any time."""
    found = {name: getattr(fact, name) for name in (*MARKS, *CLOSED)}
    return {
        name: value.astimezone(UTC).isoformat() if isinstance(value, datetime) else value
        for name, value in found.items()
        if value
    }


def columns_of(marks: Mapping[str, Any]) -> dict[str, Any]:
    """Marks of `state_of` as columns; None for what was not set."""
    empty = {"restricted_reason": "", "pinned": False}
    return {
        name: datetime.fromisoformat(value) if value and name.endswith("_at") else value or empty.get(name)
        for name, value in marks.items()
    }


def marks_seen(fact: Fact) -> str:
    """What a form carries to tell whether the marks of its fact are still those it showed: 16 hex digits."""
    state = json.dumps(state_of(fact), sort_keys=True)
    return hashlib.blake2b(state.encode(), digest_size=8).hexdigest()
