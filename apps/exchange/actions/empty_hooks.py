"""Delete old rows of the log of what webhooks sent."""

from datetime import timedelta

from django.db import connection

from apps.access.actor import system_actor
from apps.access.policies import require
from apps.audit.actions.record import record
from apps.core.clock import now
from apps.core.transactions import bind
from apps.exchange.hooks import KEPT_DAYS
from apps.exchange.models import WebhookDelivery

BATCH = 5_000


def empty_hooks() -> int:
    """How many rows went, of any project: what arrived or was given up longer ago than the log is kept."""
    before, gone = now() - timedelta(days=KEPT_DAYS), 0
    with connection.cursor() as cursor:
        cursor.execute("SELECT project_id FROM projects_with_old_deliveries(%s)", [before])
        found = [row[0] for row in cursor.fetchall()]
    for project_id in found:
        actor = system_actor("exchange", project_id)
        require(actor, "webhooks.deliver", project_id=project_id)
        with bind(project_id):
            old = WebhookDelivery.objects.filter(project_id=project_id, finished_at__lt=before)
            ids = list(old.order_by("finished_at").values_list("id", flat=True)[:BATCH])
            count = int(old.filter(id__in=ids)._raw_delete("default"))
            record(
                actor=actor, verb="webhooks.empty", object_type="project", object_id=project_id, data={"rows": count}
            )
        gone += count
    return gone
