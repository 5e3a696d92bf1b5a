"""A refusal, in a transaction of its own: the one it happened in was rolled back."""

from apps.access.policies import Refused
from apps.audit.actions.record import record
from apps.core.transactions import bind


def record_denial(refusal: Refused) -> None:
    """One event in the chain of the project where it happened, or of the installation."""
    with bind(refusal.project_id):
        record(
            actor=refusal.actor,
            verb=refusal.verb,
            object_type="policy",
            object_id=refusal.verb,
            reason="" if refusal.code == "not_allowed" else refusal.code,
            result="denied",
        )
