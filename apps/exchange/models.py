"""Imports and the lines they were read into; webhooks and what they send."""

from django.contrib.postgres.fields import ArrayField
from django.db import models
from django.db.models import Q
from django.db.models.functions import Now

import apps.core.lookups  # noqa: F401  (registers __length)
from apps.core.clock import now
from apps.core.ids import uuid7
from apps.core.leases import Leased
from apps.exchange.hooks import DISABLED_FOR, EVENTS, ONCE, TEST, WAITING
from apps.exchange.hooks import STATES as DELIVERY_STATES
from apps.exchange.states import STATES, WORKING
from apps.tenancy.models import Project


class Import(Leased):
    """One file, or one table elsewhere, that is brought in: a queue entry while it is checked or runs.

    ``lines`` were read, up to number ``last_line``; ``position`` is the number of the last one that was dealt with. ``header`` and ``columns``
    belong to tables alone: the names of their columns, and which of them is which field. ``forecast`` and ``counts`` say
    by outcome how many lines there would be and were. ``direct``: told at once and not proposed. The lines go some time
    after it has ended (``emptied_at``).
    """

    id: int
    project = models.ForeignKey(Project, on_delete=models.CASCADE, db_index=False)
    name = models.CharField(max_length=255, blank=True)
    shape = models.CharField(max_length=20)
    size = models.BigIntegerField(default=0)
    state = models.CharField(max_length=10, default="uploaded")
    header = ArrayField(models.TextField(), default=list)
    columns = models.JSONField(default=dict)
    direct = models.BooleanField(default=False)
    register_agents = models.BooleanField(default=False)
    lines = models.IntegerField(default=0)
    last_line = models.IntegerField(default=0)
    position = models.IntegerField(default=0)
    forecast = models.JSONField(default=dict)
    counts = models.JSONField(default=dict)
    uploaded_by = models.CharField(max_length=64)
    started_by = models.CharField(max_length=64, blank=True)
    created_at = models.DateTimeField(db_default=Now())
    checked_at = models.DateTimeField(null=True)
    started_at = models.DateTimeField(null=True)
    finished_at = models.DateTimeField(null=True)
    emptied_at = models.DateTimeField(null=True)
    error_code = models.CharField(max_length=60, blank=True)

    class Meta:
        constraints = [
            models.CheckConstraint(condition=Q(state__in=STATES), name="exchange_import_state_chk"),
            models.CheckConstraint(
                condition=Q(lines__gte=0, position__gte=0, last_line__gte=0), name="exchange_import_lines_chk"
            ),
            models.CheckConstraint(
                condition=Q(state="failed") & ~Q(error_code="") | ~Q(state="failed") & Q(error_code=""),
                name="exchange_import_error_chk",
            ),
            models.CheckConstraint(
                condition=~Q(state__in=["running", "done"]) | ~Q(started_by=""), name="exchange_import_started_chk"
            ),
        ]
        indexes = [
            models.Index(fields=["project", "-id"], name="exchange_import_list_idx"),
            models.Index(fields=["created_at"], condition=Q(state__in=WORKING), name="exchange_import_queue_idx"),
        ]

    def __str__(self) -> str:
        return f"import {self.pk}"

    @property
    def percent(self) -> int:
        """How far the check or the run has come."""
        return 100 if not self.last_line else min(100, 100 * self.position // self.last_line)

    @property
    def is_working(self) -> bool:
        return self.state in WORKING


class ImportLine(models.Model):
    """One line of the file as it was read, or ``reason`` why it is not taken in. ``digest`` is of the statement it makes, so
    that a second line that says the same is known; ``seal`` is of the words of one in which screening found nothing, and of its
    rules.

    ``given_id`` is what the file calls the fact by; ``parent``: a later line was derived from it, and ``fact_id`` is then the
    fact here that says it, once there is one.
    """

    project = models.ForeignKey(Project, on_delete=models.CASCADE, db_index=False)
    upload = models.ForeignKey(
        Import, on_delete=models.DO_NOTHING, db_constraint=False, db_index=False, related_name="rows"
    )
    number = models.IntegerField()
    record = models.JSONField(null=True)
    digest = models.BinaryField(null=True)
    seal = models.BinaryField(null=True)
    given_id = models.BigIntegerField(null=True)
    parent = models.BooleanField(default=False)
    fact_id = models.BigIntegerField(null=True)
    reason = models.CharField(max_length=40, blank=True, default="")

    class Meta:
        constraints = [
            models.UniqueConstraint(fields=["project", "upload", "number"], name="exchange_importline_uniq"),
            models.CheckConstraint(condition=Q(number__gte=1), name="exchange_importline_number_chk"),
            models.CheckConstraint(
                condition=Q(digest__isnull=True) | Q(digest__length=16), name="exchange_importline_digest_chk"
            ),
            models.CheckConstraint(
                condition=Q(seal__isnull=True) | Q(seal__length=16), name="exchange_importline_seal_chk"
            ),
        ]
        indexes = [
            models.Index(
                fields=["project", "upload", "number"],
                condition=~Q(reason=""),
                name="exchange_importline_bad_idx",
            ),
            models.Index(
                fields=["project", "upload", "digest", "number"],
                condition=Q(digest__isnull=False),
                name="exchange_importline_same_idx",
            ),
            models.Index(
                fields=["project", "upload", "given_id"],
                condition=Q(given_id__isnull=False),
                name="exchange_importline_given_idx",
            ),
        ]

    def __str__(self) -> str:
        return f"line {self.number}"


class Webhook(models.Model):
    """An address that is told what happens in a project, by ids alone.

    ``cursor`` is the number of the audit event up to which was read. ``old_secret`` signs beside ``secret`` until
    ``old_secret_until``. ``failures`` counts attempts in a row that came to nothing, since ``failing_since``.
    """

    id: int
    project = models.ForeignKey(Project, on_delete=models.CASCADE, db_index=False)
    url = models.CharField(max_length=2_000)
    events = ArrayField(models.CharField(max_length=30))
    secret = models.BinaryField()
    old_secret = models.BinaryField(null=True)
    old_secret_until = models.DateTimeField(null=True)
    enabled = models.BooleanField(default=True)
    disabled_for = models.CharField(max_length=12, blank=True, default="")
    disabled_at = models.DateTimeField(null=True)
    cursor = models.BigIntegerField()
    failures = models.IntegerField(default=0)
    failing_since = models.DateTimeField(null=True)
    last_at = models.DateTimeField(null=True)
    last_status = models.SmallIntegerField(null=True)
    last_error = models.CharField(max_length=20, blank=True, default="")
    delivered_at = models.DateTimeField(null=True)
    created_by = models.CharField(max_length=64)
    created_at = models.DateTimeField(db_default=Now())

    class Meta:
        constraints = [
            models.CheckConstraint(condition=Q(url__regex=r"^https?://"), name="exchange_webhook_url_chk"),
            models.CheckConstraint(
                condition=Q(events__len__gte=1, events__contained_by=list(EVENTS)), name="exchange_webhook_events_chk"
            ),
            models.CheckConstraint(
                condition=Q(enabled=True, disabled_for="", disabled_at=None)
                | Q(enabled=False, disabled_for__in=DISABLED_FOR, disabled_at__isnull=False),
                name="exchange_webhook_enabled_chk",
            ),
            models.CheckConstraint(
                condition=Q(old_secret=None, old_secret_until=None)
                | Q(old_secret__isnull=False, old_secret_until__isnull=False),
                name="exchange_webhook_secrets_chk",
            ),
            models.CheckConstraint(
                condition=Q(failures=0, failing_since=None) | Q(failures__gt=0, failing_since__isnull=False),
                name="exchange_webhook_failing_chk",
            ),
        ]
        indexes = [models.Index(fields=["project", "-id"], name="exchange_webhook_list_idx")]

    def __str__(self) -> str:
        return f"webhook {self.pk}"


class WebhookDelivery(Leased):
    """One message to one webhook: a queue entry until it arrived or was given up, and then the log of it.

    What it is about is named by kind and id, and by ``seq``, the audit event it follows from (null: a test). Its own id
    is the message's, whatever number of times it is sent.
    """

    id = models.UUIDField(primary_key=True, default=uuid7)
    project = models.ForeignKey(Project, on_delete=models.CASCADE, db_index=False)
    webhook = models.ForeignKey(
        Webhook, on_delete=models.DO_NOTHING, db_constraint=False, db_index=False, related_name="deliveries"
    )
    event = models.CharField(max_length=30)
    object_type = models.CharField(max_length=40)
    object_id = models.CharField(max_length=64)
    seq = models.BigIntegerField(null=True)
    at = models.DateTimeField()
    state = models.CharField(max_length=10, default=WAITING)
    last_at = models.DateTimeField(null=True)
    last_status = models.SmallIntegerField(null=True)
    last_error = models.CharField(max_length=20, blank=True, default="")
    finished_at = models.DateTimeField(null=True)
    created_at = models.DateTimeField(db_default=Now())

    class Meta:
        constraints = [
            models.UniqueConstraint(
                fields=["project", "webhook", "event", "object_type", "object_id", "seq"],
                name="exchange_delivery_uniq",
            ),
            models.UniqueConstraint(
                fields=["project", "webhook", "event", "object_type", "object_id"],
                condition=Q(object_type__in=ONCE),
                name="exchange_delivery_once_uniq",
            ),
            models.CheckConstraint(condition=Q(event__in=[*EVENTS, TEST]), name="exchange_delivery_event_chk"),
            models.CheckConstraint(condition=Q(state__in=DELIVERY_STATES), name="exchange_delivery_state_chk"),
            models.CheckConstraint(
                condition=Q(state=WAITING, finished_at=None) | ~Q(state=WAITING) & Q(finished_at__isnull=False),
                name="exchange_delivery_finished_chk",
            ),
            models.CheckConstraint(condition=Q(attempts__gte=0), name="exchange_delivery_attempts_chk"),
        ]
        indexes = [
            # The log, whole and by state, and what waits of one webhook.
            models.Index(fields=["project", "webhook", "-id"], name="exchange_delivery_log_idx"),
            models.Index(fields=["project", "webhook", "state", "-id"], name="exchange_delivery_state_idx"),
            models.Index(
                fields=["project", "webhook", "id"], condition=Q(state=WAITING), name="exchange_delivery_queue_idx"
            ),
            models.Index(
                fields=["finished_at"], condition=Q(finished_at__isnull=False), name="exchange_delivery_old_idx"
            ),
        ]

    def __str__(self) -> str:
        return f"{self.event} {self.object_type} {self.object_id}"

    @property
    def is_on_its_way(self) -> bool:
        """Whether a worker has it in hand."""
        return self.lease_until is not None and self.lease_until > now()
