"""Somebody wants to know whether the audit chain is whole."""

from apps.access.actor import Actor
from apps.access.policies import require
from apps.audit.actions.check_chain import check_chain
from apps.audit.chain import GENESIS
from apps.audit.models import ChainCheck
from apps.audit.queries import head_of
from apps.core.transactions import bind

AT_ONCE = 1.5
"""Seconds that are walked before the answer; a chain of some ten thousand events is done by then, workers walk the rest."""


def ask_for_check(*, actor: Actor, project_id: int) -> ChainCheck:
    """Begin to walk the chain, or go on with the walk that is open. The finished walk is an event of its own."""
    require(actor, "audit.verify", project_id=project_id)
    with bind(project_id):
        total, _ = head_of(project_id)
        ChainCheck.objects.bulk_create(
            [ChainCheck(project_id=project_id, asked_by=actor.name, total=total, hash=GENESIS)], ignore_conflicts=True
        )
        check = ChainCheck.objects.filter(project_id=project_id).latest("id")
    return check_chain(project_id=project_id, check_id=check.id, seconds=AT_ONCE) or check
