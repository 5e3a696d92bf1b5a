"""Columns of a row that is a queue entry: who works on it, until when, and with which token."""

from django.db import models


class Leased(models.Model):
    """Claimed by `claim_work` with SKIP LOCKED. The commit of the work names ``lease_token`` in its WHERE, so a
    worker that was paused beyond its lease writes nothing."""

    claimed_by = models.CharField(max_length=120, blank=True)
    lease_until = models.DateTimeField(null=True)
    lease_token = models.UUIDField(null=True)
    attempts = models.IntegerField(default=0)
    not_before = models.DateTimeField(null=True)
    dead_reason = models.CharField(max_length=60, blank=True)

    class Meta:
        abstract = True
