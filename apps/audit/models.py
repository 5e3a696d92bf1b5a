"""The chain of events and its heads."""

from django.db import models
from django.db.models.functions import Now


class AuditEvent(models.Model):
    """One act. ``project_id`` is null for acts without a project (login, a new project): a chain of its own."""

    id: int
    project_id = models.BigIntegerField(null=True)
    seq = models.BigIntegerField()
    at = models.DateTimeField()
    actor_kind = models.CharField(max_length=10)
    actor_id = models.CharField(max_length=64)
    verb = models.CharField(max_length=60)
    object_type = models.CharField(max_length=40)
    object_id = models.CharField(max_length=64)
    reason = models.CharField(max_length=60, blank=True)
    request_id = models.CharField(max_length=64, blank=True)
    result = models.CharField(max_length=10)
    data = models.JSONField(default=dict)
    prev_hash = models.BinaryField()
    hash = models.BinaryField()

    class Meta:
        constraints = [
            models.UniqueConstraint(fields=["project_id", "seq"], nulls_distinct=False, name="audit_event_seq_uniq"),
            # Two events on one predecessor would be a fork of the chain.
            models.UniqueConstraint(
                fields=["project_id", "prev_hash"], nulls_distinct=False, name="audit_event_prev_uniq"
            ),
            models.CheckConstraint(condition=models.Q(result__in=["done", "denied"]), name="audit_event_result_chk"),
            models.CheckConstraint(
                condition=models.Q(actor_kind__in=["user", "key", "system", "anonymous"]),
                name="audit_event_actor_chk",
            ),
        ]
        indexes = [
            # An object's history in its drawer.
            models.Index(fields=["project_id", "object_type", "object_id", "seq"], name="audit_event_object_idx"),
            # The list by who, what, when and what was refused.
            models.Index(fields=["project_id", "actor_kind", "actor_id", "seq"], name="audit_event_actor_idx"),
            models.Index(fields=["project_id", "verb", "seq"], name="audit_event_verb_idx"),
            models.Index(fields=["project_id", "at"], name="audit_event_at_idx"),
            models.Index(
                fields=["project_id", "seq"],
                include=["verb", "actor_kind", "actor_id"],
                condition=models.Q(result="denied"),
                name="audit_event_denied_idx",
            ),
            models.Index(
                fields=["project_id", "verb", "seq"],
                condition=models.Q(result="denied"),
                name="audit_event_denied_verb_idx",
            ),
        ]

    def __str__(self) -> str:
        return f"{self.project_id or 'installation'}:{self.seq} {self.verb} {self.object_type} {self.object_id}"


class AuditHead(models.Model):
    """The last event of a chain; its row lock is what makes the chain a chain."""

    project_id = models.BigIntegerField(null=True)
    seq = models.BigIntegerField(default=0)
    hash = models.BinaryField()
    updated_at = models.DateTimeField(db_default=Now())
    # Up to where it stands in the second place (`apps.audit.heads`).
    signed_seq = models.BigIntegerField(default=0, db_default=0)

    class Meta:
        constraints = [
            models.UniqueConstraint(fields=["project_id"], nulls_distinct=False, name="audit_head_project_uniq"),
        ]

    def __str__(self) -> str:
        return f"{self.project_id or 'installation'} at {self.seq}"


class ChainCheck(models.Model):
    """One walk over a chain. ``seq`` and ``hash`` say how far it has come and what the next event must hang on, so that it
    goes on wherever it was left; ``total`` is where the chain ended when it began. ``broken_at`` is the first sequence
    number that does not fit."""

    id: int
    project_id = models.BigIntegerField(null=True)
    asked_by = models.CharField(max_length=80)
    started_at = models.DateTimeField(db_default=Now())
    moved_at = models.DateTimeField(db_default=Now())
    finished_at = models.DateTimeField(null=True)
    total = models.BigIntegerField()
    seq = models.BigIntegerField(default=0)
    hash = models.BinaryField()
    broken_at = models.BigIntegerField(null=True)

    class Meta:
        constraints = [
            # Asked twice, it is walked once.
            models.UniqueConstraint(
                fields=["project_id"],
                condition=models.Q(finished_at__isnull=True),
                nulls_distinct=False,
                name="audit_check_open_uniq",
            ),
            models.CheckConstraint(
                condition=models.Q(broken_at__isnull=True) | models.Q(finished_at__isnull=False),
                name="audit_check_broken_chk",
            ),
        ]
        indexes = [models.Index(fields=["project_id", "-id"], name="audit_check_last_idx")]

    def __str__(self) -> str:
        return f"check of {self.project_id or 'installation'} at {self.seq} of {self.total}"
