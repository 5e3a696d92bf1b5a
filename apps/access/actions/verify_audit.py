"""The operator wants to know whether a chain is whole, and waits until all of it was walked."""

from collections.abc import Mapping
from contextlib import nullcontext, suppress

from django.db import IntegrityError

from apps.access.actor import Actor
from apps.access.policies import require
from apps.audit.actions.record import record
from apps.audit.walking import Walk, walk_chain
from apps.core.transactions import bind


def verify_audit(*, actor: Actor, project_id: int | None, signed: Mapping[int, bytes]) -> Walk:
    """Walk the chain of a project, or of the installation, and compare it with the heads ``signed`` of the second place.
    That somebody looked stands in the chain that he looked at, unless its head does not fit: such a chain takes no event."""
    require(actor, "audit.verify", project_id=project_id)
    walk = walk_chain(project_id, signed)
    data: Mapping[str, int] = {"events": walk.seq} | ({"broken_at": walk.broken_at} if walk.broken_at else {})
    # One that is broken may take no event any more, and what was found has to be told all the same.
    with suppress(IntegrityError) if walk.broken_at else nullcontext(), bind(project_id):
        record(
            actor=actor,
            verb="audit.verify",
            object_type="chain",
            object_id=project_id or "installation",
            data=data,
        )
    return walk
