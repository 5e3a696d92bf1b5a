"""The ledger of reads."""

from django.contrib.postgres.fields import ArrayField
from django.db import models


class ReadLedger(models.Model):
    """One read of facts by one key: what was told to whom, in which order. Partitioned by month, by migration.

    Nothing refers to it and it refers to nothing: ids are bare, the query is a keyed-free digest and never text, the
    subject is its row id. A row may be lost in a crash's last fraction of a second; a fact never.
    """

    pk = models.CompositePrimaryKey("at", "id")
    at = models.DateTimeField()
    id = models.BigIntegerField()
    project_id = models.BigIntegerField()
    key_id = models.BigIntegerField(null=True)
    agent_id = models.UUIDField()
    subject_id = models.BigIntegerField(null=True)
    purpose = models.CharField(max_length=60, blank=True)
    query_hash = models.BinaryField(null=True)
    fact_ids = ArrayField(models.BigIntegerField())
    ranks = ArrayField(models.IntegerField())
    scores = ArrayField(models.FloatField(null=True))

    class Meta:
        managed = False
        db_table = "recall_readledger"

    def __str__(self) -> str:
        return f"{len(self.fact_ids)} facts at {self.at:%Y-%m-%d %H:%M}"
