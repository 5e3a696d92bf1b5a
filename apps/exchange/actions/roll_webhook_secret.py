"""A new secret for a webhook."""

from datetime import timedelta

from cryptography.fernet import InvalidToken

from apps.access.actor import Actor
from apps.access.policies import require
from apps.audit.actions.record import record
from apps.core.clock import now
from apps.core.transactions import bind
from apps.exchange import signing
from apps.exchange.actions.switch_webhook import switched_on
from apps.exchange.delivering import secrets_of
from apps.exchange.hook_queries import the_webhook
from apps.exchange.models import Webhook

OVERLAP = timedelta(days=1)
MOST = 5
"""Older secrets that sign beside the new one."""


def roll_webhook_secret(*, actor: Actor, project_id: int, webhook_id: int) -> tuple[Webhook, str]:
    """The webhook with its new secret, which is shown once. For a day messages are signed with the old ones too: made again
    within the day, none that a receiver may have by now stops at once. Where these can't be opened any more the new one is
    alone, and a webhook that was switched off for it is switched on. Raises NotFound."""
    require(actor, "webhooks.change", project_id=project_id)
    secret = signing.new_secret()
    with bind(project_id):
        webhook = the_webhook(project_id, webhook_id, lock=True)
        try:
            old = secrets_of(webhook)[:MOST]
        except InvalidToken:
            old = []
        webhook.old_secret = signing.seal(*old) if old else None
        webhook.old_secret_until = now() + OVERLAP if old else None
        webhook.secret = signing.seal(secret)
        webhook.save(update_fields=["secret", "old_secret", "old_secret_until"])
        if webhook.disabled_for == "unreadable":
            switched_on(webhook)
        data = {"beside": len(old)}
        record(actor=actor, verb="webhooks.roll_secret", object_type="webhook", object_id=webhook_id, data=data)
    return webhook, secret
