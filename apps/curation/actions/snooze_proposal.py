"""A reviewer looks at it later: it leaves the queue until a moment, and comes back by itself."""

from datetime import datetime, timedelta
from uuid import UUID

from apps.access.actor import Actor
from apps.access.policies import require
from apps.audit.actions.record import record
from apps.core.clock import now
from apps.core.errors import Invalid
from apps.core.transactions import bind
from apps.curation.locks import locked_undecided
from apps.curation.models import Proposal

LONGEST = timedelta(days=366)


def snooze_proposal(*, actor: Actor, project_id: int, proposal_id: UUID, until: datetime | None) -> Proposal:
    """Put an undecided proposal off until a moment within a year, or with None bring it back now.

    Raises NotFound, Conflict ``proposal_decided``, and Invalid ``out_of_range`` for a moment that has passed or is
    more than a year away.
    """
    require(actor, "proposals.snooze", project_id=project_id)
    at = now()
    if until is not None and not at < until <= at + LONGEST:
        raise Invalid("out_of_range", "Choose a day that lies ahead, at most a year from now.", pointer="/until")
    with bind(project_id):
        proposal = locked_undecided(project_id, proposal_id)
        if proposal.snoozed_until != until:
            proposal.snoozed_until = until
            proposal.save(update_fields=["snoozed_until"])
            data = {"until": until.isoformat() if until else None}
            record(actor=actor, verb="proposals.snooze", object_type="proposal", object_id=proposal.id, data=data)
    return proposal
