"""Switch a webhook off, or on again."""

from apps.access.actor import Actor
from apps.access.policies import require
from apps.audit.actions.record import record
from apps.audit.queries import head_of
from apps.core.clock import now
from apps.core.errors import Conflict
from apps.core.transactions import bind
from apps.exchange.hook_queries import deliveries_of, the_webhook
from apps.exchange.hooks import WAITING
from apps.exchange.models import Webhook


def switch_webhook(*, actor: Actor, project_id: int, webhook_id: int, enabled: bool) -> Webhook:
    """Off, nothing is read or sent. On again it begins at what is recorded next; what still waits is sent at once.

    Raises NotFound, and Conflict ``unreadable`` for one whose secret can't be opened any more.
    """
    require(actor, "webhooks.change", project_id=project_id)
    with bind(project_id):
        # Messages before their webhook, as a worker takes them.
        waiting = deliveries_of(the_webhook(project_id, webhook_id), WAITING).order_by("id")
        list(waiting.select_for_update(no_key=True).values_list("id"))
        webhook = the_webhook(project_id, webhook_id, lock=True)
        if webhook.enabled == enabled:
            return webhook
        if enabled:
            if webhook.disabled_for == "unreadable":
                raise Conflict(
                    "unreadable", "Its secret can't be opened any more. Make a new one, which switches it on."
                )
            switched_on(webhook)
        else:
            webhook.enabled, webhook.disabled_for, webhook.disabled_at = False, "person", now()
            webhook.save(update_fields=["enabled", "disabled_for", "disabled_at"])
        verb = "webhooks.enable" if enabled else "webhooks.disable"
        record(actor=actor, verb=verb, object_type="webhook", object_id=webhook_id, reason="" if enabled else "person")
    return webhook


def switched_on(webhook: Webhook) -> None:
    """Put a locked webhook to work, from the head of the chain on."""
    webhook.enabled, webhook.disabled_for, webhook.disabled_at = True, "", None
    webhook.failures, webhook.failing_since = 0, None
    webhook.cursor = head_of(webhook.project_id)[0]
    webhook.save(update_fields=["enabled", "disabled_for", "disabled_at", "failures", "failing_since", "cursor"])
    deliveries_of(webhook, WAITING).update(not_before=None, attempts=0)
