"""Facts, their evidence and lineage, and operational values."""

from django.contrib.postgres.fields import ArrayField
from django.contrib.postgres.indexes import GinIndex, OpClass
from django.contrib.postgres.search import SearchVector, SearchVectorField
from django.db import models
from django.db.models import F, Func, Q
from django.db.models.functions import Now, Upper

import apps.core.lookups  # noqa: F401  (registers __length)
from apps.access.models import SENSITIVITIES
from apps.facts.querysets import FactQuerySet
from apps.tenancy.models import Agent, Project, Subject

SCOPES = ["agent", "project", "user", "session", "other"]
SOURCES = ["manual", "learned", "dream", "import", "agent"]
MEMORY_TYPES = ["semantic", "episodic", "procedural", "preference"]
SPEAKERS = ["user", "assistant", "tool", "curator", "agent", "unknown"]
RETIRE_REASONS = ["stale", "wrong", "duplicate", "expired", "merged", "policy", "undone", "removed"]
"""``removed``: whoever wrote it took it out again."""
RESTRICT_REASONS = ["hold", "erasure", "correction", "disabled"]

# What the console's filters ask of a fact: it stands in the indexes that its lists walk, so that only rows that are shown
# are fetched.
ASKED = [
    "source", "category", "memory_type", "sensitivity", "confidence", "superseded_at", "retired_at", "restricted_at", "expires_at",
]  # fmt: skip
VALIDITY = ["valid_from", "valid_to"]
CURRENT = Q(superseded_at__isnull=True, retired_at__isnull=True)
CLOSED = Q(superseded_at__isnull=False) | Q(retired_at__isnull=False)


class Fact(models.Model):
    """One statement that agents may be told.

    Append-only: a trigger lets UPDATE close a row and set handling marks, nothing else, and DELETE belongs to a
    forget or an erasure. ``content`` is one line of at most 2,000 code points; ``confidence`` and ``importance``
    lie in 0..1, ``trust`` in 0..5; ``observed_at`` is when it was said, ``valid_from``/``valid_to`` when it holds.
    ``purposes`` and ``task_types``: only reads that name one of these are told; null means any read is.
    """

    id: int
    project = models.ForeignKey(Project, on_delete=models.CASCADE, db_index=False)
    scope = models.CharField(max_length=10)
    scope_id = models.CharField(max_length=255)
    agent = models.ForeignKey(Agent, null=True, on_delete=models.DO_NOTHING, db_constraint=False, db_index=False)
    subject = models.ForeignKey(Subject, null=True, on_delete=models.DO_NOTHING, db_constraint=False, db_index=False)
    attribute = models.CharField(max_length=60, null=True)
    label = models.CharField(max_length=255, default="", blank=True)
    content = models.TextField()
    norm_hash = models.BinaryField()
    # Null for a statement; of a value any name a client gave it, the empty one too.
    key = models.CharField(max_length=512, null=True)
    value = models.JSONField(null=True)
    category = models.CharField(max_length=60, default="general")
    memory_type = models.CharField(max_length=12, default="semantic")
    confidence = models.FloatField(default=1.0)
    importance = models.FloatField(default=0.5)
    trust = models.SmallIntegerField(default=3)
    speaker = models.CharField(max_length=10, default="unknown")
    sensitivity = models.CharField(max_length=10, default="internal")
    purposes = ArrayField(models.CharField(max_length=60), null=True)
    task_types = ArrayField(models.CharField(max_length=60), null=True)
    source = models.CharField(max_length=10, default="manual")
    source_trace_id = models.CharField(max_length=32, null=True)
    proposal_id = models.UUIDField(null=True)
    observed_at = models.DateTimeField(db_default=Now())
    valid_from = models.DateTimeField(null=True)
    valid_to = models.DateTimeField(null=True)
    created_at = models.DateTimeField(db_default=Now())
    approved_by = models.CharField(max_length=64, blank=True)
    approved_at = models.DateTimeField(db_default=Now())
    expires_at = models.DateTimeField(null=True)
    review_at = models.DateTimeField(null=True)
    pinned = models.BooleanField(default=False)
    restricted_at = models.DateTimeField(null=True)
    restricted_reason = models.CharField(max_length=20, blank=True)
    # A conflict about it is open, since then: it goes on being told, and that it is disputed too.
    contested_at = models.DateTimeField(null=True)
    corroborations = models.IntegerField(default=0)
    last_seen_at = models.DateTimeField(null=True)
    superseded_by = models.ForeignKey(
        "self",
        null=True,
        on_delete=models.DO_NOTHING,
        db_constraint=False,
        db_index=False,
        related_name="supersedes",
    )
    superseded_at = models.DateTimeField(null=True)
    retired_at = models.DateTimeField(null=True)
    retired_reason = models.CharField(max_length=20, blank=True)
    # When what a reader is told of it changed last; the database keeps it.
    updated_at = models.DateTimeField(db_default=Now())
    # The words of the content for the keyword part of the read; `simple` keeps every language's words as they are.
    words = models.GeneratedField(
        expression=SearchVector("content", config="simple"), output_field=SearchVectorField(), db_persist=True
    )

    # Equal for facts that differ in case and in their last mark.
    loose_hash = models.GeneratedField(
        expression=Func(F("content"), function="fact_loose_hash"), output_field=models.UUIDField(), db_persist=True
    )

    objects = FactQuerySet.as_manager()

    class Meta:
        constraints = [
            models.UniqueConstraint(
                fields=["project", "agent", "scope", "scope_id", "label", "norm_hash"],
                condition=Q(key__isnull=True) & CURRENT,
                nulls_distinct=False,
                name="facts_fact_statement_uniq",
            ),
            models.UniqueConstraint(
                fields=["project", "agent", "scope", "scope_id", "label", "key"],
                condition=Q(key__isnull=False) & CURRENT,
                nulls_distinct=False,
                name="facts_fact_key_uniq",
            ),
            models.CheckConstraint(condition=Q(scope__in=SCOPES), name="facts_fact_scope_chk"),
            models.CheckConstraint(
                condition=Q(scope="agent", agent__isnull=False)
                | Q(scope="project", agent__isnull=True)
                | Q(scope__in=["user", "session", "other"]),
                name="facts_fact_agent_chk",
            ),
            # Blank would match nobody or everybody, `*` is an act and not a name.
            models.CheckConstraint(
                condition=Q(scope_id__regex=r"\S") & ~Q(scope_id="*"), name="facts_fact_scope_id_chk"
            ),
            models.CheckConstraint(
                condition=~Q(scope="user") | Q(subject__isnull=False), name="facts_fact_subject_chk"
            ),
            models.CheckConstraint(condition=Q(content__regex=r"\S"), name="facts_fact_content_blank_chk"),
            models.CheckConstraint(condition=Q(content__length__lte=2000), name="facts_fact_content_length_chk"),
            # One line: a line break inside a fact would make a line of its own in an agent's prompt.
            models.CheckConstraint(
                condition=~Q(content__regex=r"[\n\r\v\f\u0085\u2028\u2029]"),
                name="facts_fact_content_line_chk",
            ),
            models.CheckConstraint(condition=Q(norm_hash__length=16), name="facts_fact_hash_chk"),
            models.CheckConstraint(
                condition=Q(key__isnull=True, value__isnull=True)
                | Q(key__isnull=False, value__isnull=False) & ~Q(key__startswith="_"),
                name="facts_fact_key_chk",
            ),
            models.CheckConstraint(condition=Q(category__regex=r"\S"), name="facts_fact_category_chk"),
            models.CheckConstraint(condition=Q(memory_type__in=MEMORY_TYPES), name="facts_fact_type_chk"),
            models.CheckConstraint(condition=Q(confidence__gte=0, confidence__lte=1), name="facts_fact_confidence_chk"),
            models.CheckConstraint(condition=Q(importance__gte=0, importance__lte=1), name="facts_fact_importance_chk"),
            models.CheckConstraint(condition=Q(trust__gte=0, trust__lte=5), name="facts_fact_trust_chk"),
            models.CheckConstraint(condition=Q(speaker__in=SPEAKERS), name="facts_fact_speaker_chk"),
            models.CheckConstraint(condition=Q(sensitivity__in=SENSITIVITIES), name="facts_fact_sensitivity_chk"),
            models.CheckConstraint(condition=Q(source__in=SOURCES), name="facts_fact_source_chk"),
            models.CheckConstraint(
                condition=Q(attribute__isnull=True) | Q(attribute__regex=r"^[a-z0-9][a-z0-9-]*$"),
                name="facts_fact_attribute_chk",
            ),
            models.CheckConstraint(
                condition=Q(valid_from__isnull=True) | Q(valid_to__isnull=True) | Q(valid_to__gt=F("valid_from")),
                name="facts_fact_validity_chk",
            ),
            models.CheckConstraint(condition=~Q(superseded_by=F("id")), name="facts_fact_self_chk"),
            models.CheckConstraint(
                condition=Q(superseded_by__isnull=True) | Q(superseded_at__isnull=False),
                name="facts_fact_superseded_chk",
            ),
            models.CheckConstraint(
                condition=Q(retired_at__isnull=True, retired_reason="")
                | Q(retired_at__isnull=False, retired_reason__in=RETIRE_REASONS),
                name="facts_fact_retired_chk",
            ),
            models.CheckConstraint(
                condition=Q(restricted_at__isnull=True, restricted_reason="")
                | Q(restricted_at__isnull=False, restricted_reason__in=RESTRICT_REASONS),
                name="facts_fact_restricted_chk",
            ),
            models.CheckConstraint(condition=Q(corroborations__gte=0), name="facts_fact_corroborations_chk"),
            # An empty list would mean nobody, which retiring says better.
            models.CheckConstraint(
                condition=Q(purposes=None) | Q(purposes__len__gte=1, purposes__len__lte=20),
                name="facts_fact_purposes_chk",
            ),
            models.CheckConstraint(
                condition=Q(task_types=None) | Q(task_types__len__gte=1, task_types__len__lte=20),
                name="facts_fact_task_types_chk",
            ),
        ]
        indexes = [
            models.Index(fields=["project", "subject"], name="facts_fact_subject_idx"),
            # Wording that was corrected, until a rule of retention takes it.
            models.Index(
                fields=["project", "superseded_at"],
                condition=Q(restricted_reason="correction", superseded_by__isnull=False),
                name="facts_fact_corrected_idx",
            ),
            # Everything about one subject, newest first: what holds, counted from the index alone, and what was closed.
            models.Index(
                fields=["project", "subject", "-id"],
                include=["sensitivity", "source", "restricted_at", "expires_at", "valid_from", "valid_to"],
                condition=CURRENT & Q(subject__isnull=False),
                name="facts_fact_subject_now_idx",
            ),
            models.Index(
                fields=["project", "subject", "-id"],
                include=["sensitivity"],
                condition=CLOSED & Q(subject__isnull=False),
                name="facts_fact_subject_past_idx",
            ),
            # The most important of one scope id, with an agent …
            models.Index(
                fields=["project", "agent", "scope", "scope_id", "-importance", "-id"],
                condition=CURRENT & Q(agent__isnull=False, label=""),
                name="facts_fact_agent_scope_idx",
            ),
            # … and without one; a nullable column in front of the order would make Postgres sort the scope.
            models.Index(
                fields=["project", "scope", "scope_id", "-importance", "-id"],
                condition=CURRENT & Q(agent__isnull=True, label=""),
                name="facts_fact_shared_scope_idx",
            ),
            # What a client wrote, by when it was said: of one place, and of all of one scope.
            models.Index(
                fields=["project", "scope", "scope_id", "label", "-observed_at", "-id"],
                condition=CURRENT,
                name="facts_fact_said_idx",
            ),
            models.Index(
                fields=["project", "scope", "label", "-observed_at", "-id"],
                condition=CURRENT,
                name="facts_fact_all_said_idx",
            ),
            # How many of an agent's own are told, as far as anybody counts them: many entries are the same, and stand there once.
            models.Index(
                fields=["project", "agent", "restricted_at", "expires_at", "valid_from", "valid_to"],
                condition=CURRENT & Q(scope="agent", label=""),
                name="facts_fact_told_idx",
            ),
            # What says the same words, whoever is told it.
            models.Index(fields=["project", "norm_hash"], condition=CURRENT, name="facts_fact_hash_idx"),
            # What said them once and was closed.
            models.Index(fields=["project", "norm_hash"], condition=CLOSED, name="facts_fact_hash_past_idx"),
            # How far a list has come, in few pages.
            models.Index(fields=["project", "-id"], name="facts_fact_list_idx"),
            # How many there are to see, as far as anybody counts them; nothing of a row is read for it.
            models.Index(fields=["project", "sensitivity"], condition=CURRENT, name="facts_fact_seen_idx"),
            # The console's list by each of its orders, and of one scope id.
            # Rising, as they come in, and read backwards: an index that grows at its front has its pages half empty.
            models.Index(
                fields=["project", "id", "scope", "scope_id", *ASKED], include=VALIDITY, name="facts_fact_newest_idx"
            ),
            models.Index(
                fields=["project", "scope", "scope_id", "id", *ASKED], include=VALIDITY, name="facts_fact_place_idx"
            ),
            models.Index(
                fields=[
                    "project",
                    "confidence",
                    "id",
                    "scope",
                    "scope_id",
                    *(name for name in ASKED if name != "confidence"),
                ],
                include=VALIDITY,
                name="facts_fact_confidence_idx",
            ),
            # Few of many: what the lists would look for in vain for long.
            models.Index(fields=["project", "source", "-id"], condition=CURRENT, name="facts_fact_source_idx"),
            models.Index(
                fields=["project", "category", "-id"],
                include=["sensitivity"],
                condition=CURRENT,
                name="facts_fact_filed_idx",
            ),
            models.Index(
                fields=["project", "-id"],
                condition=CURRENT & Q(restricted_at__isnull=False),
                name="facts_fact_held_idx",
            ),
            # Words of a project or of a place, by their keys (apps/facts/sql/keys.sql).
            GinIndex(
                Func(F("project"), F("scope"), F("scope_id"), function="fact_keys"),
                F("words"),
                name="facts_fact_words_idx",
            ),
            # What not every read of its scope is told.
            models.Index(
                fields=["project", "scope", "scope_id", "id"],
                condition=Q(purposes__isnull=False)
                | Q(task_types__isnull=False)
                | Q(scope="user", agent__isnull=False),
                name="facts_fact_kept_idx",
            ),
            # What was there at a moment, and what replaced what since.
            models.Index(fields=["project", "approved_at", "id"], name="facts_fact_approved_idx"),
            models.Index(
                fields=["project", "superseded_at", "id"],
                include=["superseded_by", "approved_at"],
                condition=Q(superseded_at__isnull=False),
                name="facts_fact_replaced_idx",
            ),
            # What changed since a client last looked, and what ended by the clock alone.
            models.Index(fields=["project", "updated_at", "id"], name="facts_fact_updated_idx"),
            models.Index(
                fields=["project", "expires_at", "id"],
                condition=Q(expires_at__isnull=False),
                name="facts_fact_ends_idx",
            ),
            models.Index(
                fields=["project", "valid_to"], condition=Q(valid_to__isnull=False), name="facts_fact_valid_to_idx"
            ),
            # Search by parts of words, names and scripts without spaces.
            GinIndex(OpClass(Upper("content"), name="gin_trgm_ops"), name="facts_fact_trgm_idx"),
        ]

    def __str__(self) -> str:
        return f"#{self.pk}"

    @property
    def is_current(self) -> bool:
        """Neither superseded nor retired; whether it is served too depends on the clock and the marks."""
        return self.superseded_at is None and self.retired_at is None


class HotFact(models.Model):
    """What the hot read tells of a current fact of an agent, a project or a user; triggers of the facts keep it, nobody
    else writes (apps/facts/sql/hot.sql says why it is there). Partitioned by scope, by migration.

    ``brief`` is the fact's JSON as it goes out; null for what is long or not for everybody. ``agent_id`` of nought: told
    through every agent.
    """

    id = models.BigIntegerField(primary_key=True)
    project_id = models.BigIntegerField()
    agent_id = models.UUIDField()
    importance = models.FloatField()
    loose_hash = models.UUIDField()
    contested_at = models.DateTimeField(null=True)
    restricted_at = models.DateTimeField(null=True)
    expires_at = models.DateTimeField(null=True)
    valid_from = models.DateTimeField(null=True)
    valid_to = models.DateTimeField(null=True)
    scope = models.TextField()
    scope_id = models.TextField()
    norm_hash = models.BinaryField()
    sensitivity = models.TextField()
    category = models.TextField()
    memory_type = models.TextField()
    attribute = models.TextField(null=True)
    brief = models.TextField(null=True)

    class Meta:
        managed = False
        db_table = "facts_hot"

    def __str__(self) -> str:
        return f"#{self.pk}"


class Withdrawal(models.Model):
    """That a fact was forgotten, or made more sensitive, and who may have been told it before: never what it said.

    Written by a trigger of the facts. ``sensitivity`` is the one it had.
    """

    project = models.ForeignKey(Project, on_delete=models.CASCADE, db_index=False)
    fact_id = models.BigIntegerField()
    scope = models.CharField(max_length=10)
    agent_id = models.UUIDField(null=True)
    sensitivity = models.CharField(max_length=10)
    reason = models.CharField(max_length=12)
    at = models.DateTimeField()

    class Meta:
        constraints = [
            models.CheckConstraint(
                condition=Q(reason__in=["forgotten", "sensitivity"]), name="facts_withdrawal_reason_chk"
            )
        ]
        indexes = [models.Index(fields=["project", "at", "id"], name="facts_withdrawal_at_idx")]

    def __str__(self) -> str:
        return f"#{self.fact_id} {self.reason}"


class FactSource(models.Model):
    """The words a fact rests on: ``quote`` is the exact span ``start``..``end`` of a message (code points)."""

    project = models.ForeignKey(Project, on_delete=models.CASCADE, db_index=False)
    fact = models.ForeignKey(
        Fact, on_delete=models.DO_NOTHING, db_constraint=False, db_index=False, related_name="sources"
    )
    subject = models.ForeignKey(Subject, null=True, on_delete=models.DO_NOTHING, db_constraint=False, db_index=False)
    trace_id = models.CharField(max_length=32)
    message_id = models.BigIntegerField(null=True)
    quote = models.TextField()
    start = models.IntegerField(default=0)
    end = models.IntegerField(default=0)
    observed_at = models.DateTimeField()

    class Meta:
        constraints = [
            models.CheckConstraint(condition=Q(quote__regex=r"\S"), name="facts_source_quote_chk"),
            models.CheckConstraint(condition=Q(start__gte=0, end__gte=F("start")), name="facts_source_span_chk"),
        ]
        indexes = [models.Index(fields=["project", "subject"], name="facts_source_subject_idx")]

    def __str__(self) -> str:
        return f"evidence of #{self.fact_id}"


class FactDerivation(models.Model):
    """``child`` was made from ``parent``; its confidence and trust never exceed the weakest parent's."""

    project = models.ForeignKey(Project, on_delete=models.CASCADE, db_index=False)
    child = models.ForeignKey(
        Fact, on_delete=models.DO_NOTHING, db_constraint=False, db_index=False, related_name="derived_from"
    )
    parent = models.ForeignKey(
        Fact, on_delete=models.DO_NOTHING, db_constraint=False, db_index=False, related_name="derived_to"
    )

    class Meta:
        constraints = [
            models.UniqueConstraint(fields=["project", "child", "parent"], name="facts_derivation_uniq"),
            models.CheckConstraint(condition=~Q(child=F("parent")), name="facts_derivation_self_chk"),
        ]

    def __str__(self) -> str:
        return f"#{self.child_id} from #{self.parent_id}"


class Category(models.Model):
    """A name that facts are filed under. A ``retired_at`` one is offered no longer; ``now_called`` is what took its place,
    or empty. A project without a row has the usual ones."""

    project = models.ForeignKey(Project, on_delete=models.CASCADE, db_index=False)
    name = models.CharField(max_length=60)
    retired_at = models.DateTimeField(null=True)
    now_called = models.CharField(max_length=60, default="", blank=True)

    class Meta:
        constraints = [
            models.UniqueConstraint(fields=["project", "name"], name="facts_category_uniq"),
            models.CheckConstraint(condition=Q(name__regex=r"\S"), name="facts_category_name_chk"),
            models.CheckConstraint(
                condition=Q(now_called="") | Q(retired_at__isnull=False) & ~Q(now_called=F("name")),
                name="facts_category_moved_chk",
            ),
        ]

    def __str__(self) -> str:
        return self.name


class OperationalValue(models.Model):
    """A ``_`` key of a key/value client: read-your-write; never reviewed, served, dreamed or counted."""

    project = models.ForeignKey(Project, on_delete=models.CASCADE, db_index=False)
    agent = models.ForeignKey(Agent, null=True, on_delete=models.DO_NOTHING, db_constraint=False, db_index=False)
    subject = models.ForeignKey(Subject, null=True, on_delete=models.DO_NOTHING, db_constraint=False, db_index=False)
    scope = models.CharField(max_length=10)
    scope_id = models.CharField(max_length=255)
    key = models.CharField(max_length=512)
    value = models.JSONField(null=True)
    updated_at = models.DateTimeField(db_default=Now())

    class Meta:
        constraints = [
            models.UniqueConstraint(
                fields=["project", "agent", "scope", "scope_id", "key"],
                nulls_distinct=False,
                name="facts_operational_uniq",
            ),
            models.CheckConstraint(condition=Q(scope__in=SCOPES), name="facts_operational_scope_chk"),
            models.CheckConstraint(
                condition=Q(scope_id__regex=r"\S") & ~Q(scope_id="*"), name="facts_operational_scope_id_chk"
            ),
            models.CheckConstraint(condition=Q(key__startswith="_"), name="facts_operational_key_chk"),
        ]
        indexes = [models.Index(fields=["project", "subject"], name="facts_operational_subject_idx")]

    def __str__(self) -> str:
        return self.key


class WrittenOnce(models.Model):
    """That a client's write under an idempotency key was done, so that the same sent again is not done twice. ``digest``
    is of the writer and his key, ``asked`` a keyed one of what he sent; ``fact_id`` the row it led to, null where it led to
    none."""

    project = models.ForeignKey(Project, on_delete=models.CASCADE, db_index=False)
    digest = models.BinaryField()
    asked = models.BinaryField(null=True)
    fact_id = models.BigIntegerField(null=True)
    at = models.DateTimeField(db_default=Now())

    class Meta:
        constraints = [
            models.UniqueConstraint(fields=["project", "digest"], name="facts_writtenonce_uniq"),
            models.CheckConstraint(condition=Q(digest__length=32), name="facts_writtenonce_digest_chk"),
        ]
        indexes = [models.Index(fields=["project", "at"], name="facts_writtenonce_at_idx")]

    def __str__(self) -> str:
        return f"written {self.at:%Y-%m-%d}"
