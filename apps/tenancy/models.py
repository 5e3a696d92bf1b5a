"""Projects, agents, SDK instances, subjects and tombstones."""

from django.core.validators import RegexValidator
from django.db import models
from django.db.models import F, Q
from django.db.models.functions import Coalesce, Now, Upper

from apps.core.ids import uuid7

SLUG = r"^[a-z0-9][a-z0-9-]{0,62}$"
AGENT_ID = r"^[0-9a-fA-F]{8}-?([0-9a-fA-F]{4}-?){3}[0-9a-fA-F]{12}$"


def sought() -> models.GeneratedField:
    """An id as it is searched for by its beginning: in capitals, ordered by code point, so that a range of an index
    holds all that begin alike."""
    return models.GeneratedField(
        expression=Upper("external_id"), output_field=models.TextField(db_collation="C"), db_persist=True
    )


class Project(models.Model):
    """The tenant. Its slug is the scope id of project facts and never changes."""

    id: int
    slug = models.CharField(max_length=63, unique=True, validators=[RegexValidator(SLUG)])
    name = models.CharField(max_length=120)
    created_at = models.DateTimeField(db_default=Now())
    archived_at = models.DateTimeField(null=True)
    # Since a wipe was approved: no key works and nothing is told or learned, until an administrator opens it again.
    closed_at = models.DateTimeField(null=True)

    class Meta:
        constraints = [
            models.CheckConstraint(condition=Q(slug__regex=SLUG), name="tenancy_project_slug_chk"),
        ]

    def __str__(self) -> str:
        return self.slug


class Agent(models.Model):
    """An agent that reads facts and pushes traces; known by its id or its unique, unchanging name."""

    id = models.UUIDField(primary_key=True, default=uuid7)
    project = models.ForeignKey(Project, on_delete=models.CASCADE, db_index=False)
    name = models.CharField(max_length=200)
    agent_type = models.CharField(max_length=60, default="single")
    version = models.IntegerField(default=1)
    system_prompt = models.TextField(default="", blank=True)
    definition = models.JSONField(default=dict)
    created_at = models.DateTimeField(db_default=Now())
    registered_at = models.DateTimeField(null=True)

    class Meta:
        constraints = [
            # With the id, so that a part of a name is looked for in it alone.
            models.UniqueConstraint(fields=["project", "name"], include=["id"], name="tenancy_agent_name_uniq"),
            models.CheckConstraint(condition=Q(name__regex=r"\S") & ~Q(name="*"), name="tenancy_agent_name_chk"),
            # A name that looks like an id could be taken for another agent's id.
            models.CheckConstraint(
                condition=~Q(name__regex=AGENT_ID),
                name="tenancy_agent_name_not_id_chk",
            ),
        ]

    def __str__(self) -> str:
        return self.name


class AgentVersion(models.Model):
    """An agent as it registered itself once; the newest is what the agent's own row says too. ``registered_at`` is when it
    first came so, null where nobody registered it."""

    project = models.ForeignKey(Project, on_delete=models.CASCADE, db_index=False)
    agent = models.ForeignKey(
        Agent, on_delete=models.DO_NOTHING, db_constraint=False, db_index=False, related_name="versions"
    )
    version = models.IntegerField()
    agent_type = models.CharField(max_length=60)
    system_prompt = models.TextField(blank=True)
    definition = models.JSONField()
    registered_at = models.DateTimeField(null=True)

    class Meta:
        constraints = [
            models.UniqueConstraint(fields=["project", "agent", "version"], name="tenancy_agentversion_uniq"),
        ]

    def __str__(self) -> str:
        return f"{self.agent_id} version {self.version}"


class ClientInstance(models.Model):
    """One machine's SDK that enrolled with a key of the project."""

    project = models.ForeignKey(Project, on_delete=models.CASCADE, db_index=False)
    instance_id = models.CharField(max_length=64)
    hostname = models.CharField(max_length=255, blank=True)
    sdk_version = models.CharField(max_length=40, blank=True)
    fail_mode = models.CharField(max_length=10, default="open")
    governed_agent_ids = models.JSONField(default=list)
    first_seen_at = models.DateTimeField(db_default=Now())
    last_seen_at = models.DateTimeField(db_default=Now())

    class Meta:
        constraints = [
            models.UniqueConstraint(fields=["project", "instance_id"], name="tenancy_instance_uniq"),
            models.CheckConstraint(condition=Q(fail_mode__in=["open", "closed"]), name="tenancy_instance_mode_chk"),
        ]

    def __str__(self) -> str:
        return f"{self.hostname} ({self.instance_id})"


class Subject(models.Model):
    """Somebody facts can be about. ``epoch`` moves when the subject is erased, which fences work in flight.

    ``last_seen_at`` is when the newest of his traces began, to five minutes; null until there is one.
    """

    id: int
    project = models.ForeignKey(Project, on_delete=models.CASCADE, db_index=False)
    kind = models.CharField(max_length=20, default="user")
    external_id = models.CharField(max_length=255)
    epoch = models.IntegerField(default=0)
    suppressed_at = models.DateTimeField(null=True)
    created_at = models.DateTimeField(db_default=Now())
    last_seen_at = models.DateTimeField(null=True)
    # Where he stands in the list: when he was seen last, or became known.
    seen_at = models.GeneratedField(
        expression=Coalesce("last_seen_at", "created_at"), output_field=models.DateTimeField(), db_persist=True
    )
    name_key = sought()

    class Meta:
        constraints = [
            models.UniqueConstraint(fields=["project", "kind", "external_id"], name="tenancy_subject_uniq"),
            models.CheckConstraint(condition=Q(kind__in=["user"]), name="tenancy_subject_kind_chk"),
            # A blank id would mean nobody or, worse, everybody; `*` means all and names no one.
            models.CheckConstraint(
                condition=Q(external_id__regex=r"\S") & ~Q(external_id="*"), name="tenancy_subject_id_chk"
            ),
        ]
        indexes = [
            models.Index(fields=["project", "-seen_at", "-id"], name="tenancy_subject_seen_idx"),
            models.Index(fields=["project", "name_key", "id"], name="tenancy_subject_name_idx"),
        ]

    def __str__(self) -> str:
        return f"{self.kind}:{self.external_id}"


class SubjectAlias(models.Model):
    """Another id under which a subject appears; one alias leads to one subject, and is no subject's own id."""

    project = models.ForeignKey(Project, on_delete=models.CASCADE, db_index=False)
    subject = models.ForeignKey(
        Subject, on_delete=models.DO_NOTHING, db_constraint=False, db_index=False, related_name="aliases"
    )
    external_id = models.CharField(max_length=255)
    created_at = models.DateTimeField(db_default=Now())
    name_key = sought()

    class Meta:
        constraints = [
            models.UniqueConstraint(fields=["project", "external_id"], name="tenancy_alias_uniq"),
            models.CheckConstraint(
                condition=Q(external_id__regex=r"\S") & ~Q(external_id="*"), name="tenancy_alias_id_chk"
            ),
        ]
        indexes = [models.Index(fields=["project", "name_key", "id"], name="tenancy_alias_name_idx")]

    def __str__(self) -> str:
        return self.external_id


class Tombstone(models.Model):
    """What may not be learned again: a keyed digest of a subject, a statement or a trace, never its text; or of the whole
    project, after a wipe."""

    project = models.ForeignKey(Project, on_delete=models.CASCADE, db_index=False)
    kind = models.CharField(max_length=10)
    digest = models.BinaryField()
    key_version = models.SmallIntegerField(default=1)
    blocks_observed_before = models.DateTimeField()
    permanent = models.BooleanField(default=False)
    created_at = models.DateTimeField(db_default=Now())
    # When it was written to the log that a restored backup is brought up to date from.
    logged_at = models.DateTimeField(null=True)

    class Meta:
        indexes = [models.Index(fields=["id"], condition=Q(logged_at=None), name="tenancy_tombstone_unlogged_idx")]
        constraints = [
            models.UniqueConstraint(fields=["project", "kind", "key_version", "digest"], name="tenancy_tombstone_uniq"),
            models.CheckConstraint(
                condition=Q(kind__in=["subject", "fact", "trace", "project"]), name="tenancy_tombstone_kind_chk"
            ),
            # Only an objection is permanent, and that is about a person.
            models.CheckConstraint(
                condition=Q(permanent=False) | Q(kind="subject"), name="tenancy_tombstone_permanent_chk"
            ),
            models.CheckConstraint(
                condition=Q(blocks_observed_before__lte=F("created_at")) | Q(permanent=True),
                name="tenancy_tombstone_cutoff_chk",
            ),
        ]

    def __str__(self) -> str:
        return f"{self.kind} before {self.blocks_observed_before:%Y-%m-%d}"
