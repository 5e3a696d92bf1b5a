"""The ledger of reads, how facts are ranked, and their vectors."""

from functools import reduce
from operator import and_, or_

from django.contrib.postgres.fields import ArrayField
from django.db import models
from django.db.models import F, Q
from django.db.models.functions import Now
from pgvector.django import HalfVectorField

from apps.facts.models import Fact
from apps.tenancy.models import Project, Subject

WEIGHTS = [
    "similarity", "keyword", "named", "dated", "context", "recency", "importance", "confidence", "confirmation", "authority"
]  # fmt: skip
"""The parts a score is made of; "Ranking" in docs/recall.md says what each is."""

# Of Postgres' own stemmers.
LANGUAGES = [
    "arabic", "armenian", "basque", "catalan", "danish", "dutch", "english", "finnish", "french", "german", "greek",
    "hindi", "hungarian", "indonesian", "irish", "italian", "lithuanian", "nepali", "norwegian", "portuguese",
    "romanian", "russian", "serbian", "spanish", "swedish", "tamil", "turkish", "yiddish",
]  # fmt: skip


class ReadLedger(models.Model):
    """One read of facts by one key: what was told to whom, in which order. Partitioned by month, by migration. A list
    is read for no agent in particular.

    Nothing refers to it and it refers to nothing: ids are bare, the query is a keyed-free digest and never text, the
    subject is its row id. A row may be lost in a crash's last fraction of a second; a fact never.
    """

    pk = models.CompositePrimaryKey("at", "id")
    at = models.DateTimeField()
    id = models.BigIntegerField()
    project_id = models.BigIntegerField()
    key_id = models.BigIntegerField(null=True)
    agent_id = models.UUIDField(null=True)
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


class RecallSettings(models.Model):
    """How a project ranks facts for a question; one without a row has the defaults, which SQL says
    (``recall_weights``).

    Each weight, 0..1, multiplies a part of 0..1; ``half_life_days`` is how old what was said must be to count half.
    """

    project = models.OneToOneField(Project, on_delete=models.CASCADE)
    similarity = models.FloatField()
    keyword = models.FloatField()
    named = models.FloatField()
    dated = models.FloatField()
    context = models.FloatField()
    recency = models.FloatField()
    importance = models.FloatField()
    confidence = models.FloatField()
    confirmation = models.FloatField()
    authority = models.FloatField()
    half_life_days = models.FloatField()
    # Whose stop words and endings a question's words have; one of LANGUAGES.
    language = models.CharField(max_length=20)
    updated_at = models.DateTimeField(db_default=Now())

    class Meta:
        constraints = [
            models.CheckConstraint(
                condition=reduce(and_, (Q(**{f"{part}__gte": 0, f"{part}__lte": 1}) for part in WEIGHTS)),
                name="recall_settings_weights_chk",
            ),
            # All at nought would order by nothing.
            models.CheckConstraint(
                condition=reduce(or_, (Q(**{f"{part}__gt": 0}) for part in WEIGHTS)),
                name="recall_settings_any_chk",
            ),
            models.CheckConstraint(condition=Q(language__in=LANGUAGES), name="recall_settings_language_chk"),
            models.CheckConstraint(
                condition=Q(half_life_days__gt=0, half_life_days__lte=36_500), name="recall_settings_half_life_chk"
            ),
        ]

    def __str__(self) -> str:
        return f"weights of {self.project_id}"


class FactEmbedding(models.Model):
    """The vector of one fact by one model, normalised to length 1; filled by a worker that pulls.

    A table of its own keeps the facts narrow, and a change of model adds rows while the old ones go on serving.
    """

    project = models.ForeignKey(Project, on_delete=models.CASCADE, db_index=False)
    fact = models.ForeignKey(
        Fact, on_delete=models.DO_NOTHING, db_constraint=False, db_index=False, related_name="embeddings"
    )
    subject = models.ForeignKey(Subject, null=True, on_delete=models.DO_NOTHING, db_constraint=False, db_index=False)
    model = models.CharField(max_length=80)
    dims = models.SmallIntegerField()
    vector = HalfVectorField()
    created_at = models.DateTimeField(db_default=Now())

    class Meta:
        constraints = [
            models.UniqueConstraint(fields=["project", "fact", "model"], name="recall_embedding_uniq"),
            models.CheckConstraint(
                condition=models.Q(
                    dims=models.Func(F("vector"), function="vector_dims", output_field=models.IntegerField())
                ),
                name="recall_embedding_dims_chk",
            ),
        ]
        indexes = [
            models.Index(fields=["project", "subject"], name="recall_embedding_subject_idx"),
            # How long a model's vectors are, the shortest and the longest.
            models.Index(fields=["project", "model", "dims"], name="recall_embedding_model_idx"),
        ]

    def __str__(self) -> str:
        return f"#{self.fact_id} by {self.model}"


class EmbeddingModel(models.Model):
    """A model whose vectors this installation has or is to have, which one answers questions, and how far each reaches.

    Of no project: a question is compared with the vectors of one model, the same for all. ``chosen_at`` is since when
    workers name it in their settings, ``seen_at`` when one last did; the latest chosen that is still seen is the one to
    serve. ``walk_after`` is the fact up to which a walk over all has come, ``walk_until`` the walker's lease,
    ``walked_at`` the end of the last whole walk.
    """

    name = models.CharField(max_length=80, primary_key=True)
    # Of every vector under this name; null until there is one.
    dims = models.SmallIntegerField(null=True)
    serving = models.BooleanField(db_default=False)
    serving_since = models.DateTimeField(null=True)
    chosen_at = models.DateTimeField(db_default=Now())
    seen_at = models.DateTimeField(db_default=Now())
    walk_after = models.BigIntegerField(db_default=0)
    walk_until = models.DateTimeField(null=True)
    walked_at = models.DateTimeField(null=True)
    # Current facts with a vector of it, of how many; when that was counted, and how fast it grew.
    done = models.BigIntegerField(db_default=0)
    of = models.BigIntegerField(db_default=0)
    counted_at = models.DateTimeField(null=True)
    per_minute = models.FloatField(null=True)
    # The last thing that kept facts from their vectors, in a sentence; empty since one got its.
    fault = models.CharField(max_length=300, db_default="")
    fault_at = models.DateTimeField(null=True)

    class Meta:
        constraints = [
            models.UniqueConstraint(fields=["serving"], condition=Q(serving=True), name="recall_model_serving_uniq"),
        ]

    def __str__(self) -> str:
        return self.name


class FactServing(models.Model):
    """How often one fact was told to one agent by one key for one user, counted from the ledger by `roll_up_reads`.

    A minute or two behind. ``subject`` is null for reads that named no user, ``agent_id`` for lists. It outlives the ledger's partitions and
    goes with its fact or its subject; key and agent are bare ids, as in the ledger.
    """

    project = models.ForeignKey(Project, on_delete=models.CASCADE, db_index=False)
    fact = models.ForeignKey(
        Fact, on_delete=models.DO_NOTHING, db_constraint=False, db_index=False, related_name="servings"
    )
    key_id = models.BigIntegerField(null=True)
    agent_id = models.UUIDField(null=True)
    subject = models.ForeignKey(Subject, null=True, on_delete=models.DO_NOTHING, db_constraint=False, db_index=False)
    reads = models.BigIntegerField()
    first_at = models.DateTimeField()
    last_at = models.DateTimeField()

    class Meta:
        constraints = [
            models.UniqueConstraint(
                fields=["project", "fact", "key_id", "agent_id", "subject"],
                nulls_distinct=False,
                name="recall_serving_uniq",
            ),
            models.CheckConstraint(condition=Q(reads__gt=0), name="recall_serving_reads_chk"),
            models.CheckConstraint(condition=Q(last_at__gte=F("first_at")), name="recall_serving_times_chk"),
        ]
        indexes = [models.Index(fields=["project", "subject"], name="recall_serving_subject_idx")]

    def __str__(self) -> str:
        return f"#{self.fact_id}, {self.reads} times"


class FactTold(models.Model):
    """In how many reads of agents one fact was told, and when last: what its servings come to, so that no list adds them
    up. Kept by `roll_up_reads`, and by a trigger where servings go with their user. Without a row no read told it."""

    project = models.ForeignKey(Project, on_delete=models.CASCADE, db_index=False)
    fact = models.ForeignKey(
        Fact, on_delete=models.DO_NOTHING, db_constraint=False, db_index=False, related_name="told"
    )
    reads = models.BigIntegerField()
    last_at = models.DateTimeField()

    class Meta:
        constraints = [
            # With what a list says of each, so that it reads no row.
            models.UniqueConstraint(fields=["project", "fact"], include=["reads", "last_at"], name="recall_told_uniq"),
            models.CheckConstraint(condition=Q(reads__gt=0), name="recall_told_reads_chk"),
        ]
        # The facts by how often they were told.
        indexes = [models.Index(fields=["project", "reads", "fact"], include=["last_at"], name="recall_told_most_idx")]

    def __str__(self) -> str:
        return f"#{self.fact_id}, {self.reads} reads"


class AgentDay(models.Model):
    """How often one agent read on one day (UTC), and how many facts it was told, counted from the ledger by
    `roll_up_reads`. A minute or two behind; the agent is a bare id, as in the ledger."""

    project = models.ForeignKey(Project, on_delete=models.CASCADE, db_index=False)
    agent_id = models.UUIDField()
    day = models.DateField()
    reads = models.BigIntegerField()
    told = models.BigIntegerField()
    last_at = models.DateTimeField()

    class Meta:
        constraints = [
            # With what the list of agents says of a day, so that it reads no row.
            models.UniqueConstraint(
                fields=["project", "agent_id", "day"], include=["reads", "last_at"], name="recall_agentday_uniq"
            ),
            models.CheckConstraint(condition=Q(reads__gt=0, told__gte=0), name="recall_agentday_counts_chk"),
        ]

    def __str__(self) -> str:
        return f"{self.reads} reads on {self.day:%Y-%m-%d}"
