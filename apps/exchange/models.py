"""Imports and the lines they were read into."""

from django.contrib.postgres.fields import ArrayField
from django.db import models
from django.db.models import Q
from django.db.models.functions import Now

import apps.core.lookups  # noqa: F401  (registers __length)
from apps.core.leases import Leased
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
    that a second line that says the same is known."""

    project = models.ForeignKey(Project, on_delete=models.CASCADE, db_index=False)
    upload = models.ForeignKey(
        Import, on_delete=models.DO_NOTHING, db_constraint=False, db_index=False, related_name="rows"
    )
    number = models.IntegerField()
    record = models.JSONField(null=True)
    digest = models.BinaryField(null=True)
    reason = models.CharField(max_length=40, blank=True, default="")

    class Meta:
        constraints = [
            models.UniqueConstraint(fields=["project", "upload", "number"], name="exchange_importline_uniq"),
            models.CheckConstraint(condition=Q(number__gte=1), name="exchange_importline_number_chk"),
            models.CheckConstraint(
                condition=Q(digest__isnull=True) | Q(digest__length=16), name="exchange_importline_digest_chk"
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
        ]

    def __str__(self) -> str:
        return f"line {self.number}"
