"""One message on its way: begun in one transaction, posted outside any, its outcome written in another.

The commit of the outcome names the lease token: a worker that was paused beyond its lease writes nothing. What was posted and
not noted is posted again, under the same id.
"""

import json
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from typing import Any
from uuid import UUID

from cryptography.fernet import InvalidToken
from django.conf import settings

from apps.access.actor import system_actor
from apps.audit.actions.record import record
from apps.core.clock import now, seconds
from apps.core.transactions import bind
from apps.exchange import signing
from apps.exchange.adapters.post_hook import Answer
from apps.exchange.hook_leases import Claim
from apps.exchange.hook_queries import the_webhook
from apps.exchange.hooks import (
    ATTEMPTS,
    BACKOFF,
    DELIVERED,
    FAILING_FOR,
    GIVEN_UP,
    IN_A_ROW,
    WAITING,
)
from apps.exchange.models import Webhook, WebhookDelivery

GONE = 410
"""What a receiver answers that wants to hear no more."""


@dataclass(frozen=True)
class Letter:
    """What is posted, and where to."""

    claim: Claim
    url: str
    headers: dict[str, str]
    body: bytes


def begin(claim: Claim) -> Letter | None:
    """Count the attempt and write the message; None when there is nothing to send any more."""
    with bind(claim.project_id):
        delivery = _held(claim)
        if delivery is None:
            return None
        webhook = the_webhook(claim.project_id, delivery.webhook_id)
        if not webhook.enabled:
            _free(delivery)
            return None
        if delivery.attempts >= ATTEMPTS:
            # Its worker died each time, or the last outcome was never noted.
            _end(delivery, GIVEN_UP, now())
            return None
        try:
            secrets = secrets_of(webhook)
        except InvalidToken:
            _free(delivery)
            switch_off(the_webhook(claim.project_id, webhook.id, lock=True), "unreadable")
            return None
        delivery.attempts += 1
        delivery.save(update_fields=["attempts"])
        body = body_of(delivery, webhook.project.slug)
    return Letter(claim, webhook.url, headers_of(secrets, delivery.id, int(seconds()), body), body)


def finish(letter: Letter, answer: Answer) -> bool:
    """Note what came of it, with the message and with its webhook; False when the lease was lost."""
    claim, at = letter.claim, now()
    with bind(claim.project_id):
        delivery = _held(claim)
        if delivery is None:
            return False
        # The message first, then its webhook: the one order of this room.
        webhook = the_webhook(claim.project_id, delivery.webhook_id, lock=True)
        _note(webhook, answer, at)
        delivery.last_at, delivery.last_status, delivery.last_error = at, answer.status, answer.error
        if not answer.error:
            _end(delivery, DELIVERED, at)
        elif delivery.attempts >= ATTEMPTS:
            _end(delivery, GIVEN_UP, at)
        else:
            _free(delivery, at + timedelta(seconds=BACKOFF[delivery.attempts - 1]))
        if answer.status == GONE:
            switch_off(webhook, "gone")
        elif webhook.failures >= IN_A_ROW and (webhook.failing_since or at) <= at - timedelta(seconds=FAILING_FOR):
            switch_off(webhook, "failing")
    return True


def switch_off(webhook: Webhook, why: str) -> None:
    """Nothing more is read or sent for a locked webhook, until somebody switches it on."""
    if not webhook.enabled:
        return
    webhook.enabled, webhook.disabled_for, webhook.disabled_at = False, why, now()
    webhook.save(update_fields=["enabled", "disabled_for", "disabled_at"])
    actor = system_actor("exchange", webhook.project_id)
    record(actor=actor, verb="webhooks.disable", object_type="webhook", object_id=webhook.id, reason=why)


def body_of(delivery: WebhookDelivery, slug: str) -> bytes:
    """Ids alone: whoever wants to know more asks for it with a key of his own."""
    said: dict[str, Any] = {
        "id": str(delivery.id),
        "type": delivery.event,
        "at": _moment(delivery.at),
        "project": slug,
        "object": {"type": delivery.object_type, "id": delivery.object_id},
    }
    return json.dumps(said, separators=(",", ":")).encode()


def headers_of(secrets: list[str], message_id: UUID, timestamp: int, body: bytes) -> dict[str, str]:
    return {
        "Content-Type": "application/json",
        "User-Agent": f"memoryplane/{settings.VERSION}",
        "Accept-Encoding": "identity",
        "webhook-id": str(message_id),
        "webhook-timestamp": str(timestamp),
        "webhook-signature": signing.signature(secrets, str(message_id), timestamp, body),
    }


def _moment(at: datetime) -> str:
    return at.astimezone(UTC).isoformat(timespec="milliseconds").replace("+00:00", "Z")


def secrets_of(webhook: Webhook) -> list[str]:
    """The new one first. Raises InvalidToken."""
    found = signing.unseal(webhook.secret)
    if webhook.old_secret and webhook.old_secret_until and webhook.old_secret_until > now():
        found += signing.unseal(webhook.old_secret)
    return found


def _held(claim: Claim) -> WebhookDelivery | None:
    rows = WebhookDelivery.objects.select_for_update(no_key=True).filter(
        project_id=claim.project_id, id=claim.delivery_id, lease_token=claim.lease_token, state=WAITING
    )
    return rows.first()


def _note(webhook: Webhook, answer: Answer, at: datetime) -> None:
    webhook.last_at, webhook.last_status, webhook.last_error = at, answer.status, answer.error
    if answer.error:
        webhook.failures += 1
        webhook.failing_since = webhook.failing_since or at
    else:
        webhook.failures, webhook.failing_since, webhook.delivered_at = 0, None, at
    webhook.save(update_fields=["last_at", "last_status", "last_error", "failures", "failing_since", "delivered_at"])


def _free(delivery: WebhookDelivery, not_before: datetime | None = None) -> None:
    delivery.claimed_by, delivery.lease_until, delivery.lease_token = "", None, None
    delivery.not_before = not_before
    delivery.save(
        update_fields=[
            "claimed_by", "lease_until", "lease_token", "not_before", "last_at", "last_status", "last_error",
        ]
    )  # fmt: skip


def _end(delivery: WebhookDelivery, state: str, at: datetime) -> None:
    delivery.state, delivery.finished_at = state, at
    delivery.save(update_fields=["state", "finished_at"])
    _free(delivery)
