"""Proposals with their targets and evidence, conflicts, facts that may be one, and changes that can be taken back."""

from django.contrib.postgres.fields import ArrayField
from django.db import models
from django.db.models import F, Q
from django.db.models.functions import Now

import apps.core.lookups  # noqa: F401  (registers __length)
from apps.access.models import SENSITIVITIES
from apps.core.ids import uuid7
from apps.curation.querysets import ProposalQuerySet
from apps.facts.models import MEMORY_TYPES, SCOPES, SPEAKERS, Fact
from apps.tenancy.models import Agent, Project, Subject

OPERATIONS = ["add", "supersede", "merge", "retire", "rescope", "redate"]
ORIGINS = ["extraction", "dream", "import", "api", "person"]
STATES = ["pending", "quarantined", "accepted", "applied", "rejected", "conflicted", "expired", "reverted"]
OPEN_STATES = ["pending", "quarantined", "accepted"]
UNDECIDED = ["pending", "quarantined"]
"""States in which somebody has to decide; what is snoozed is among them."""
ASKED = [
    *("state", "snoozed_until", "assignee", "sensitivity", "origin", "flags", "confidence", "agent", "source_trace_id"),
]
"""What the queue filters by beside place and kind: its indexes hold it, so that no row is read that a page does not show."""
SAYING = ["add", "supersede", "merge"]
"""Operations that would have something said; the others handle a fact as it is."""
FLAGS = ["secret", "injection", "personal", "duplicate", "conflict", "low_evidence", "no_subject", "no_agent"]
REJECT_REASONS = ["not_said", "vague", "outdated", "private", "duplicate", "instruction", "other"]


class Proposal(models.Model):
    """A wish to change facts, from a machine or a person, until somebody decides.

    The statement columns mean what they mean on a fact. ``scope_id`` is blank only where the proposal is held
    (quarantined) or was: nobody knew whom it is about. The target of an ``add`` is the fact it seems to say again, of
    a ``supersede`` one it would replace, of a ``retire`` the one that would no longer be told.
    """

    id = models.UUIDField(primary_key=True, default=uuid7)
    project = models.ForeignKey(Project, on_delete=models.CASCADE, db_index=False)
    op = models.CharField(max_length=10)
    origin = models.CharField(max_length=10)
    state = models.CharField(max_length=12, default="pending")
    scope = models.CharField(max_length=10)
    scope_id = models.CharField(max_length=255, blank=True)
    agent = models.ForeignKey(Agent, null=True, on_delete=models.DO_NOTHING, db_constraint=False, db_index=False)
    subject = models.ForeignKey(Subject, null=True, on_delete=models.DO_NOTHING, db_constraint=False, db_index=False)
    attribute = models.CharField(max_length=60, null=True)
    content = models.TextField()
    norm_hash = models.BinaryField()
    category = models.CharField(max_length=60, default="general")
    memory_type = models.CharField(max_length=12, default="semantic")
    confidence = models.FloatField(default=0.6)
    importance = models.FloatField(default=0.5)
    trust = models.SmallIntegerField(default=3)
    speaker = models.CharField(max_length=10, default="unknown")
    sensitivity = models.CharField(max_length=10, default="internal")
    observed_at = models.DateTimeField()
    valid_from = models.DateTimeField(null=True)
    valid_to = models.DateTimeField(null=True)
    flags = ArrayField(models.CharField(max_length=20), default=list)
    policy_rule = models.CharField(max_length=60, blank=True)
    source_trace_id = models.CharField(max_length=32, null=True)
    run_id = models.BigIntegerField(null=True)
    created_at = models.DateTimeField(db_default=Now())
    snoozed_until = models.DateTimeField(null=True)
    assignee = models.BigIntegerField(null=True)
    reviewer = models.CharField(max_length=64, blank=True)
    decided_at = models.DateTimeField(null=True)
    reason = models.CharField(max_length=40, blank=True)
    purposes = ArrayField(models.CharField(max_length=60), null=True)
    task_types = ArrayField(models.CharField(max_length=60), null=True)
    fact = models.ForeignKey(
        Fact,
        null=True,
        on_delete=models.DO_NOTHING,
        db_constraint=False,
        db_index=False,
        related_name="proposals",
    )

    objects = ProposalQuerySet.as_manager()

    class Meta:
        constraints = [
            models.CheckConstraint(condition=Q(op__in=OPERATIONS), name="curation_proposal_op_chk"),
            models.CheckConstraint(condition=Q(origin__in=ORIGINS), name="curation_proposal_origin_chk"),
            models.CheckConstraint(condition=Q(state__in=STATES), name="curation_proposal_state_chk"),
            models.CheckConstraint(condition=Q(scope__in=SCOPES), name="curation_proposal_scope_chk"),
            models.CheckConstraint(
                condition=Q(scope_id__regex=r"\S") & ~Q(scope_id="*")
                | Q(scope_id="") & ~Q(state__in=["pending", "accepted"]),
                name="curation_proposal_scope_id_chk",
            ),
            models.CheckConstraint(
                condition=Q(content__regex=r"\S", content__length__lte=2000),
                name="curation_proposal_content_chk",
            ),
            models.CheckConstraint(condition=Q(norm_hash__length=16), name="curation_proposal_hash_chk"),
            models.CheckConstraint(condition=Q(memory_type__in=MEMORY_TYPES), name="curation_proposal_type_chk"),
            models.CheckConstraint(
                condition=Q(confidence__gte=0, confidence__lte=1, importance__gte=0, importance__lte=1),
                name="curation_proposal_range_chk",
            ),
            models.CheckConstraint(condition=Q(trust__gte=0, trust__lte=5), name="curation_proposal_trust_chk"),
            models.CheckConstraint(condition=Q(speaker__in=SPEAKERS), name="curation_proposal_speaker_chk"),
            models.CheckConstraint(
                condition=Q(sensitivity__in=SENSITIVITIES), name="curation_proposal_sensitivity_chk"
            ),
            models.CheckConstraint(
                condition=Q(valid_from__isnull=True) | Q(valid_to__isnull=True) | Q(valid_to__gt=F("valid_from")),
                name="curation_proposal_validity_chk",
            ),
            models.CheckConstraint(condition=Q(flags__contained_by=FLAGS), name="curation_proposal_flags_chk"),
            # Decided has a time and somebody who decided; undecided has neither.
            models.CheckConstraint(
                condition=Q(state__in=["pending", "quarantined"], decided_at__isnull=True, reviewer="")
                | Q(state__in=["accepted", "applied", "rejected", "conflicted", "expired", "reverted"])
                & Q(decided_at__isnull=False)
                & ~Q(reviewer=""),
                name="curation_proposal_decided_chk",
            ),
            models.CheckConstraint(
                condition=~Q(state="rejected") | Q(reason__in=REJECT_REASONS),
                name="curation_proposal_reason_chk",
            ),
            models.CheckConstraint(
                condition=Q(purposes=None) | Q(purposes__len__gte=1, purposes__len__lte=20),
                name="curation_proposal_purposes_chk",
            ),
            models.CheckConstraint(
                condition=Q(task_types=None) | Q(task_types__len__gte=1, task_types__len__lte=20),
                name="curation_proposal_task_types_chk",
            ),
        ]
        indexes = [
            models.Index(fields=["project", "subject"], name="curation_proposal_subject_idx"),
            # What came of one run.
            models.Index(
                fields=["project", "run_id"], condition=Q(run_id__isnull=False), name="curation_proposal_run_idx"
            ),
            # What waits about one subject, newest first.
            models.Index(
                fields=["project", "subject", "-created_at", "-id"],
                include=["sensitivity"],
                condition=Q(state__in=["pending", "quarantined"], subject__isnull=False),
                name="curation_proposal_about_idx",
            ),
            # The queue, newest first.
            models.Index(fields=["project", "state", "-created_at", "-id"], name="curation_proposal_queue_idx"),
            # The same of what is undecided, with all that the queue filters by and counts: no row is read for that.
            models.Index(
                # Rising, as they come in, and read backwards: an index that grows at its front has its pages half empty.
                fields=["project", "created_at", "id"],
                include=[
                    *("state", "snoozed_until", "assignee", "sensitivity", "scope", "scope_id", "origin", "op"),
                    *("flags", "confidence", "agent", "source_trace_id"),
                ],
                condition=Q(state__in=UNDECIDED),
                name="curation_proposal_waiting_idx",
            ),
            # The queue by subject and by kind.
            models.Index(
                fields=["project", "scope", "scope_id", "created_at", "id"],
                include=ASKED,
                condition=Q(state__in=UNDECIDED),
                name="curation_proposal_place_idx",
            ),
            models.Index(
                fields=["project", "op", "created_at", "id"],
                include=[*ASKED, "scope", "scope_id"],
                condition=Q(state__in=UNDECIDED),
                name="curation_proposal_op_idx",
            ),
            # What is put off, and was: few.
            models.Index(
                fields=["project", "created_at", "id"],
                include=["snoozed_until", "sensitivity"],
                condition=Q(state__in=UNDECIDED, snoozed_until__isnull=False),
                name="curation_proposal_later_idx",
            ),
            models.Index(
                fields=["project", "assignee", "-created_at", "-id"],
                condition=Q(state__in=UNDECIDED, assignee__isnull=False),
                name="curation_proposal_assigned_idx",
            ),
            # How many wait, as far as anybody counts them: many entries are the same, and stand there once.
            models.Index(
                fields=["project", "sensitivity", "snoozed_until"],
                condition=Q(state__in=UNDECIDED),
                name="curation_proposal_count_idx",
            ),
            # What was decided, last first, and how many of it a reader may see.
            models.Index(
                fields=["project", "state", "decided_at", "id"],
                include=["sensitivity"],
                condition=Q(decided_at__isnull=False),
                name="curation_proposal_decided_idx",
            ),
            models.Index(fields=["project", "source_trace_id"], include=["state"], name="curation_proposal_trace_idx"),
            models.Index(fields=["project", "norm_hash"], name="curation_proposal_hash_idx"),
        ]

    def __str__(self) -> str:
        return self.number

    @property
    def number(self) -> str:
        """How people name it: P and the last six digits of its id."""
        return f"P-{self.id.hex[-6:]}"


class ProposalTarget(models.Model):
    """A fact the proposal would change. A fact's row is one version, so its id says which was read."""

    project = models.ForeignKey(Project, on_delete=models.CASCADE, db_index=False)
    proposal = models.ForeignKey(
        Proposal, on_delete=models.DO_NOTHING, db_constraint=False, db_index=False, related_name="targets"
    )
    fact = models.ForeignKey(
        Fact, on_delete=models.DO_NOTHING, db_constraint=False, db_index=False, related_name="targeted_by"
    )

    class Meta:
        constraints = [
            models.UniqueConstraint(fields=["project", "proposal", "fact"], name="curation_target_uniq"),
        ]

    def __str__(self) -> str:
        return f"{self.proposal_id} on #{self.fact_id}"


class ProposalEvidence(models.Model):
    """The words a proposal rests on: ``quote`` is the exact span ``start``..``end`` of a message (code points)."""

    project = models.ForeignKey(Project, on_delete=models.CASCADE, db_index=False)
    proposal = models.ForeignKey(
        Proposal, on_delete=models.DO_NOTHING, db_constraint=False, db_index=False, related_name="evidence"
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
            models.CheckConstraint(condition=Q(quote__regex=r"\S"), name="curation_evidence_quote_chk"),
            models.CheckConstraint(condition=Q(start__gte=0, end__gte=F("start")), name="curation_evidence_span_chk"),
        ]
        indexes = [models.Index(fields=["project", "subject"], name="curation_evidence_subject_idx")]

    def __str__(self) -> str:
        return f"evidence of {self.proposal_id}"


class WaitingWrite(models.Model):
    """What a client wrote and a person has not decided about: whose word a proposal is, and the slot it would stand in.

    Its writer reads it back; nobody else is told. The ``value`` of a key's removal is null in the database.
    """

    project = models.ForeignKey(Project, on_delete=models.CASCADE, db_index=False)
    proposal = models.ForeignKey(
        Proposal, on_delete=models.DO_NOTHING, db_constraint=False, db_index=False, related_name="writes"
    )
    writer = models.CharField(max_length=64)
    label = models.CharField(max_length=255, default="", blank=True)
    key = models.CharField(max_length=512, null=True)
    value = models.JSONField(null=True)
    source = models.CharField(max_length=10)

    class Meta:
        constraints = [
            models.UniqueConstraint(fields=["project", "proposal", "writer"], name="curation_waitingwrite_uniq"),
            models.CheckConstraint(condition=~Q(writer=""), name="curation_waitingwrite_writer_chk"),
            models.CheckConstraint(
                condition=Q(key__isnull=False) | Q(value__isnull=True), name="curation_waitingwrite_value_chk"
            ),
        ]
        indexes = [models.Index(fields=["project", "writer", "-id"], name="curation_waitingwrite_own_idx")]

    def __str__(self) -> str:
        return f"write {self.pk}"


class Conflict(models.Model):
    """Statements on one subject and attribute that can't all hold. While it is open the approved fact is served.

    ``scope`` and ``scope_id`` are set for a session or another place; of a user, an agent or the project they are
    empty, since ``subject`` and ``agent`` (both null: the project) say whose it is. Where a statement changes a fact on
    another attribute, or on none, ``attribute`` is ``fact-`` and that fact's id. ``opened_by`` names the person who put
    facts against each other; it is empty where a proposal did. ``note`` is what was said in settling it.
    """

    id: int
    project = models.ForeignKey(Project, on_delete=models.CASCADE, db_index=False)
    subject = models.ForeignKey(Subject, null=True, on_delete=models.DO_NOTHING, db_constraint=False, db_index=False)
    agent = models.ForeignKey(Agent, null=True, on_delete=models.DO_NOTHING, db_constraint=False, db_index=False)
    scope = models.CharField(max_length=10, blank=True, default="")
    scope_id = models.CharField(max_length=255, blank=True, default="")
    attribute = models.CharField(max_length=60)
    opened_at = models.DateTimeField(db_default=Now())
    settled_at = models.DateTimeField(null=True)
    settled_by = models.CharField(max_length=64, blank=True)
    settlement = models.CharField(max_length=20, blank=True)
    opened_by = models.CharField(max_length=64, blank=True, default="")
    note = models.CharField(max_length=500, blank=True, default="")

    class Meta:
        constraints = [
            models.UniqueConstraint(
                fields=["project", "subject", "agent", "scope", "scope_id", "attribute"],
                condition=Q(settled_at__isnull=True),
                nulls_distinct=False,
                name="curation_conflict_open_uniq",
            ),
            models.CheckConstraint(
                condition=Q(scope="", scope_id="")
                | Q(scope__in=["session", "other"], subject=None, agent=None) & Q(scope_id__regex=r"\S"),
                name="curation_conflict_place_chk",
            ),
            models.CheckConstraint(
                condition=Q(settled_at__isnull=True, settled_by="", settlement="")
                | Q(settled_at__isnull=False, settlement__in=["kept_one", "kept_both", "wrote_new", "moot"])
                & ~Q(settled_by=""),
                name="curation_conflict_settled_chk",
            ),
        ]
        indexes = [
            # The list, newest first: the open ones, the settled ones, and those of one name.
            models.Index(
                fields=["project", "-id"],
                include=["opened_at"],
                condition=Q(settled_at__isnull=True),
                name="curation_conflict_open_idx",
            ),
            models.Index(
                fields=["project", "-id"], condition=Q(settled_at__isnull=False), name="curation_conflict_done_idx"
            ),
            models.Index(
                fields=["project", "attribute", "id"], include=["settled_at"], name="curation_conflict_attr_idx"
            ),
            models.Index(
                fields=["project", "subject", "id"], include=["settled_at"], name="curation_conflict_subject_idx"
            ),
            models.Index(fields=["project", "agent", "id"], include=["settled_at"], name="curation_conflict_agent_idx"),
            models.Index(
                fields=["project", "scope_id", "id"],
                include=["settled_at"],
                condition=~Q(scope_id=""),
                name="curation_conflict_place_idx",
            ),
        ]

    def __str__(self) -> str:
        return f"conflict {self.pk}"


class ConflictSide(models.Model):
    """One side of a conflict: a fact or a proposal."""

    project = models.ForeignKey(Project, on_delete=models.CASCADE, db_index=False)
    conflict = models.ForeignKey(
        Conflict, on_delete=models.DO_NOTHING, db_constraint=False, db_index=False, related_name="sides"
    )
    fact = models.ForeignKey(Fact, null=True, on_delete=models.DO_NOTHING, db_constraint=False, db_index=False)
    proposal = models.ForeignKey(Proposal, null=True, on_delete=models.DO_NOTHING, db_constraint=False, db_index=False)

    class Meta:
        constraints = [
            models.UniqueConstraint(
                fields=["project", "conflict", "fact", "proposal"],
                nulls_distinct=False,
                name="curation_side_uniq",
            ),
            models.CheckConstraint(
                condition=Q(fact__isnull=False, proposal__isnull=True) | Q(fact__isnull=True, proposal__isnull=False),
                name="curation_side_one_chk",
            ),
        ]

    def __str__(self) -> str:
        return f"side of conflict {self.conflict_id}"


class Change(models.Model):
    """What a person did a moment ago, so that it can be taken back: ids, states and handling marks, never text.

    ``items`` is a list of JSON objects, one a thing that changed; what they hold is between the verb that recorded them
    and its entry in ``UNDO`` (actions/undo_change.py). ``made_by`` and ``undone_by`` name an actor.
    """

    id = models.UUIDField(primary_key=True, default=uuid7)
    project = models.ForeignKey(Project, on_delete=models.CASCADE, db_index=False)
    made_by = models.CharField(max_length=64)
    verb = models.CharField(max_length=40)
    made_at = models.DateTimeField(db_default=Now())
    items = models.JSONField()
    undone_at = models.DateTimeField(null=True)
    undone_by = models.CharField(max_length=64, blank=True)

    class Meta:
        constraints = [
            models.CheckConstraint(condition=~Q(made_by="") & ~Q(verb=""), name="curation_change_made_chk"),
            models.CheckConstraint(
                condition=Q(undone_at__isnull=True, undone_by="") | Q(undone_at__isnull=False) & ~Q(undone_by=""),
                name="curation_change_undone_chk",
            ),
        ]
        # The last changes of a person.
        indexes = [models.Index(fields=["project", "made_by", "-made_at"], name="curation_change_maker_idx")]

    def __str__(self) -> str:
        return f"{self.verb} by {self.made_by}"


class Uncompared(models.Model):
    """A fact that nobody has looked for duplicates of: a queue that the database fills when a fact is appended, and
    again when it gets a vector."""

    project = models.ForeignKey(Project, on_delete=models.CASCADE, db_index=False)
    fact = models.ForeignKey(Fact, on_delete=models.DO_NOTHING, db_constraint=False, db_index=False, related_name="+")

    class Meta:
        constraints = [models.UniqueConstraint(fields=["project", "fact"], name="curation_uncompared_uniq")]

    def __str__(self) -> str:
        return f"#{self.fact_id}"


class DuplicateGroup(models.Model):
    """Facts that seem to say one thing, found by `compare_facts`. ``alike`` is that of its closest pair, 0..1; 1 is
    kept for the same text. A group goes when a person has decided, or when fewer than two of its facts are current."""

    id: int
    project = models.ForeignKey(Project, on_delete=models.CASCADE, db_index=False)
    alike = models.FloatField()
    found_at = models.DateTimeField(db_default=Now())

    class Meta:
        constraints = [
            models.CheckConstraint(condition=Q(alike__gte=0, alike__lte=1), name="curation_group_alike_chk"),
        ]
        # The page, the closest first.
        indexes = [models.Index(fields=["project", "-alike", "-id"], name="curation_group_alike_idx")]

    def __str__(self) -> str:
        return f"group {self.pk}"


class DuplicateMember(models.Model):
    """A fact of a group. ``alike`` is to the nearest other one of it, as in the group."""

    project = models.ForeignKey(Project, on_delete=models.CASCADE, db_index=False)
    group = models.ForeignKey(
        DuplicateGroup, on_delete=models.DO_NOTHING, db_constraint=False, db_index=False, related_name="members"
    )
    fact = models.ForeignKey(Fact, on_delete=models.DO_NOTHING, db_constraint=False, db_index=False, related_name="+")
    alike = models.FloatField()

    class Meta:
        constraints = [
            # One group a fact: two groups that meet become one.
            models.UniqueConstraint(fields=["project", "fact"], name="curation_member_uniq"),
            models.CheckConstraint(condition=Q(alike__gte=0, alike__lte=1), name="curation_member_alike_chk"),
        ]

    def __str__(self) -> str:
        return f"#{self.fact_id} in group {self.group_id}"


class NotDuplicates(models.Model):
    """Two facts that a person said are not the same, for good: so are the versions that replace them. ``first`` is the one
    with the lower number."""

    project = models.ForeignKey(Project, on_delete=models.CASCADE, db_index=False)
    first = models.ForeignKey(Fact, on_delete=models.DO_NOTHING, db_constraint=False, db_index=False, related_name="+")
    second = models.ForeignKey(Fact, on_delete=models.DO_NOTHING, db_constraint=False, db_index=False, related_name="+")
    said_by = models.CharField(max_length=64)
    said_at = models.DateTimeField(db_default=Now())

    class Meta:
        constraints = [
            models.UniqueConstraint(fields=["project", "first", "second"], name="curation_notduplicates_uniq"),
            models.CheckConstraint(condition=Q(first__lt=F("second")), name="curation_notduplicates_order_chk"),
        ]

    def __str__(self) -> str:
        return f"#{self.first_id} is not #{self.second_id}"
