"""Change where a webhook goes and what it tells."""

from collections.abc import Collection

from apps.access.actor import Actor
from apps.access.policies import require
from apps.audit.actions.record import record
from apps.core.errors import Conflict
from apps.core.transactions import bind
from apps.exchange.actions.add_webhook import checked_events, checked_url
from apps.exchange.hook_queries import the_webhook, webhooks_of
from apps.exchange.locks import lock_webhooks
from apps.exchange.models import Webhook


def change_webhook(*, actor: Actor, project_id: int, webhook_id: int, url: str, events: Collection[str]) -> Webhook:
    """Messages that wait go to the new address. Raises NotFound, and what `add_webhook` raises."""
    require(actor, "webhooks.change", project_id=project_id)
    url, wanted = checked_url(url), checked_events(events)
    with bind(project_id):
        lock_webhooks(project_id)
        webhook = the_webhook(project_id, webhook_id, lock=True)
        if webhooks_of(project_id).filter(url=url).exclude(id=webhook_id).exists():
            raise Conflict("webhook_exists", "There is a webhook to this address already.")
        moved = webhook.url != url
        webhook.url, webhook.events = url, wanted
        webhook.save(update_fields=["url", "events"])
        data = {"events": wanted, "moved": moved}
        record(actor=actor, verb="webhooks.change", object_type="webhook", object_id=webhook_id, data=data)
    return webhook
