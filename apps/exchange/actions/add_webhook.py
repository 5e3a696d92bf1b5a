"""Tell an address what happens in a project, from now on."""

from collections.abc import Collection

from apps.access.actor import Actor
from apps.access.policies import require
from apps.audit.actions.record import record
from apps.audit.queries import head_of
from apps.core.errors import Conflict, Invalid
from apps.core.transactions import bind
from apps.exchange import signing
from apps.exchange.adapters.addresses import AddressRefused, checked_target
from apps.exchange.hook_queries import MOST, webhooks_of
from apps.exchange.hooks import EVENTS
from apps.exchange.locks import lock_webhooks
from apps.exchange.models import Webhook


def add_webhook(*, actor: Actor, project_id: int, url: str, events: Collection[str]) -> tuple[Webhook, str]:
    """The webhook, and the secret that its messages are signed with, which is shown once. It begins at what is recorded
    next.

    Raises Invalid for an address that may not be called (``https_only``, ``address_refused``, ``unresolvable``, …) and for
    events that there are not, and Conflict ``too_many`` and ``webhook_exists``.
    """
    require(actor, "webhooks.change", project_id=project_id)
    url, wanted = checked_url(url), checked_events(events)
    secret = signing.new_secret()
    with bind(project_id):
        lock_webhooks(project_id)
        there = webhooks_of(project_id)
        if there.count() >= MOST:
            raise Conflict("too_many", f"A project has at most {MOST} webhooks. Delete one first.")
        if there.filter(url=url).exists():
            raise Conflict("webhook_exists", "There is a webhook to this address already.")
        webhook = Webhook.objects.create(
            project_id=project_id,
            url=url,
            events=wanted,
            secret=signing.seal(secret),
            cursor=head_of(project_id)[0],
            created_by=actor.name,
        )
        record(actor=actor, verb="webhooks.add", object_type="webhook", object_id=webhook.id, data={"events": wanted})
    return webhook, secret


def checked_url(url: str) -> str:
    """Raises Invalid."""
    try:
        return checked_target(url.strip()).url
    except AddressRefused as refusal:
        raise Invalid(refusal.code, refusal.detail, pointer="/url") from None


def checked_events(events: Collection[str]) -> list[str]:
    """In the order of the table. Raises Invalid."""
    if not events or not set(events) <= set(EVENTS):
        raise Invalid("unknown_event", "Choose at least one of the events there are.", pointer="/events")
    return [event for event in EVENTS if event in events]
