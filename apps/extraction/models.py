"""Runs of an extractor over a trace."""

from django.db import models
from django.db.models import Q
from django.db.models.functions import Now

from apps.tenancy.models import Project


class ExtractionRun(models.Model):
    """One pass over the messages of a trace that were not mined yet, and what came of it."""

    id: int
    project = models.ForeignKey(Project, on_delete=models.CASCADE, db_index=False)
    trace_id = models.CharField(max_length=32)
    extractor = models.CharField(max_length=60)
    version = models.CharField(max_length=40)
    started_at = models.DateTimeField()
    finished_at = models.DateTimeField(db_default=Now())
    messages = models.IntegerField(default=0)
    proposed = models.IntegerField(default=0)
    dropped = models.JSONField(default=dict)
    outcome = models.CharField(max_length=10, default="done")
    error_code = models.CharField(max_length=60, blank=True)

    class Meta:
        constraints = [
            models.CheckConstraint(
                condition=Q(outcome="done", error_code="") | Q(outcome="failed") & ~Q(error_code=""),
                name="extraction_run_outcome_chk",
            ),
        ]

    def __str__(self) -> str:
        return f"{self.extractor} {self.version} over {self.trace_id}"
