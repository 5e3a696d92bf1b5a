"""A webhook goes, with the log of what it sent."""

from apps.access.actor import Actor
from apps.access.policies import require
from apps.audit.actions.record import record
from apps.core.transactions import bind
from apps.exchange.hook_queries import deliveries_of, the_webhook


def delete_webhook(*, actor: Actor, project_id: int, webhook_id: int) -> None:
    """What still waits is not sent. Raises NotFound."""
    require(actor, "webhooks.change", project_id=project_id)
    with bind(project_id):
        # Messages before their webhook, as a worker takes them.
        deliveries_of(the_webhook(project_id, webhook_id))._raw_delete("default")
        the_webhook(project_id, webhook_id, lock=True).delete()
        record(actor=actor, verb="webhooks.delete", object_type="webhook", object_id=webhook_id)
