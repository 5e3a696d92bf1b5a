"""Reads of webhooks and of what they sent."""

from uuid import UUID

from django.db.models import QuerySet

from apps.core.errors import NotFound
from apps.exchange.models import Webhook, WebhookDelivery

MOST = 20
"""Webhooks of a project: each reads every act of it."""


def webhooks_of(project_id: int) -> QuerySet[Webhook]:
    """Those of the bound project, newest first."""
    return Webhook.objects.filter(project_id=project_id).order_by("-id")


def the_webhook(project_id: int, webhook_id: int, *, lock: bool = False) -> Webhook:
    """One of them. Raises NotFound."""
    rows = webhooks_of(project_id)
    found = (rows.select_for_update(no_key=True) if lock else rows).filter(id=webhook_id).first()
    if found is None:
        raise NotFound("not_found", "There is no such webhook in this project.")
    return found


def deliveries_of(webhook: Webhook, state: str = "") -> QuerySet[WebhookDelivery]:
    """What it sent, or what of that stands so."""
    rows = WebhookDelivery.objects.filter(project_id=webhook.project_id, webhook_id=webhook.id)
    return rows.filter(state=state) if state else rows


def the_delivery(webhook: Webhook, delivery_id: UUID, *, lock: bool = False) -> WebhookDelivery:
    """One message of it. Raises NotFound."""
    rows = deliveries_of(webhook).filter(id=delivery_id)
    found = (rows.select_for_update(no_key=True) if lock else rows).first()
    if found is None:
        raise NotFound("not_found", "There is no such message of this webhook.")
    return found
