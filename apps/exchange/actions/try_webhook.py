"""See whether a webhook's messages arrive."""

from apps.access.actor import Actor
from apps.access.policies import require
from apps.audit.actions.record import record
from apps.core.clock import now
from apps.core.errors import Conflict
from apps.core.transactions import bind
from apps.exchange.hook_queries import the_webhook
from apps.exchange.hooks import TEST
from apps.exchange.models import WebhookDelivery


def try_webhook(*, actor: Actor, project_id: int, webhook_id: int) -> WebhookDelivery:
    """Queue a message about the webhook itself. Raises NotFound, and Conflict ``webhook_off``."""
    require(actor, "webhooks.change", project_id=project_id)
    with bind(project_id):
        webhook = the_webhook(project_id, webhook_id, lock=True)
        if not webhook.enabled:
            raise Conflict("webhook_off", "This webhook is switched off; nothing is sent.")
        delivery = WebhookDelivery.objects.create(
            project_id=project_id,
            webhook_id=webhook_id,
            event=TEST,
            object_type="webhook",
            object_id=str(webhook_id),
            at=now(),
        )
        record(actor=actor, verb="webhooks.try", object_type="webhook", object_id=webhook_id)
    return delivery
