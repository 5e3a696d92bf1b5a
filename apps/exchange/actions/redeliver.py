"""Send a message once more."""

from uuid import UUID

from apps.access.actor import Actor
from apps.access.policies import require
from apps.audit.actions.record import record
from apps.core.errors import Conflict
from apps.core.transactions import bind
from apps.exchange.hook_queries import the_delivery, the_webhook
from apps.exchange.hooks import WAITING
from apps.exchange.models import WebhookDelivery


def redeliver(*, actor: Actor, project_id: int, webhook_id: int, delivery_id: UUID) -> WebhookDelivery:
    """Put one that arrived or was given up into the queue again, under the same id, with all its attempts; one that waits is
    sent at once. Raises NotFound, and Conflict ``webhook_off``, and ``in_flight`` while a worker posts it."""
    require(actor, "webhooks.change", project_id=project_id)
    with bind(project_id):
        webhook = the_webhook(project_id, webhook_id)
        delivery = the_delivery(webhook, delivery_id, lock=True)
        if not webhook.enabled:
            raise Conflict("webhook_off", "This webhook is switched off; nothing is sent.")
        if delivery.is_on_its_way:
            raise Conflict("in_flight", "It is being sent at this moment.")
        delivery.state, delivery.finished_at = WAITING, None
        delivery.attempts, delivery.not_before = 0, None
        # Who was paused over an earlier attempt notes nothing any more.
        delivery.claimed_by, delivery.lease_until, delivery.lease_token = "", None, None
        delivery.save()
        record(
            actor=actor,
            verb="webhooks.redeliver",
            object_type="webhook",
            object_id=webhook_id,
            data={"delivery": str(delivery_id)},
        )
    return delivery
