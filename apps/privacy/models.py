"""Requests of people about what is remembered of them, the ids they are known by, holds, receipts, and backups."""

from django.db import models
from django.db.models import F, Q
from django.db.models.functions import Now

from apps.core.ids import uuid7
from apps.core.leases import Leased
from apps.privacy.states import ERASES, FINISHED, KINDS, STATES, WIPE
from apps.tenancy.models import Project, Subject

IDENTITY_KINDS = ["user_id", "alias", "email", "phone", "name", "other"]
IDENTITY_METHODS = ["signed_in", "email_link", "document", "callback", "known_to_us", "other"]
REJECTIONS = ["not_verified", "not_the_person", "unfounded", "excessive", "legal_duty", "nothing_asked"]
HELD = ["fact", "trace", "subject"]
RETAINED = ["facts", "traces", "sessions", "messages", "reads", "answers", "rejected", "dreams"]
"""Stores of which a project may say for how long it keeps them."""


class PrivacyRequest(Leased):
    """What somebody asked for, from the day it came in to its receipt; a queue entry while it is carried out.

    ``number`` counts up in the project. ``subject_digest`` is the keyed digest of the id that was named, so that two
    requests about one person meet even after the first erased her. ``preview`` and ``progress`` hold counts by store,
    ids of facts and codes, never text. ``wish`` is what the person wrote; it is emptied when the request ends.
    ``exceptions``: fact id → ground for which it stays. ``residue`` is what verification still found.
    """

    id = models.UUIDField(primary_key=True, default=uuid7)
    project = models.ForeignKey(Project, on_delete=models.CASCADE, db_index=False)
    number = models.IntegerField()
    kind = models.CharField(max_length=12)
    state = models.CharField(max_length=30, default="received")
    subject = models.ForeignKey(Subject, null=True, on_delete=models.DO_NOTHING, db_constraint=False, db_index=False)
    subject_digest = models.BinaryField()
    wish = models.TextField(blank=True, default="")
    # Of a correction: which fact is wrong, and what is right.
    fact_id = models.BigIntegerField(null=True)
    correction = models.TextField(blank=True, default="")
    opened_by = models.CharField(max_length=64)
    received_at = models.DateTimeField(db_default=Now())
    due_at = models.DateTimeField()
    extended_until = models.DateTimeField(null=True)
    extension_reason = models.CharField(max_length=300, blank=True)
    # The clock stands while only the proof of identity is missing.
    paused_at = models.DateTimeField(null=True)
    identity_method = models.CharField(max_length=20, blank=True)
    identity_checked_by = models.CharField(max_length=64, blank=True)
    identity_checked_at = models.DateTimeField(null=True)
    duplicate_of = models.ForeignKey(
        "self", null=True, on_delete=models.DO_NOTHING, db_constraint=False, db_index=False, related_name="duplicates"
    )
    preview = models.JSONField(default=dict, db_default={})
    preview_digest = models.BinaryField(null=True)
    previewed_at = models.DateTimeField(null=True)
    exceptions = models.JSONField(default=dict, db_default={})
    # Accounts of staff that stay though they bear the person's name: row id → ground.
    accounts = models.JSONField(default=dict, db_default={})
    approved_by = models.CharField(max_length=64, blank=True)
    approved_at = models.DateTimeField(null=True)
    approved_digest = models.BinaryField(null=True)
    single_operator = models.BooleanField(db_default=False)
    suppressed_at = models.DateTimeField(null=True)
    progress = models.JSONField(default=dict, db_default={})
    verification = models.JSONField(default=dict, db_default={})
    residue = models.IntegerField(null=True)
    # Where a fault stopped it, and which.
    stopped_in = models.CharField(max_length=30, blank=True)
    error_code = models.CharField(max_length=60, blank=True)
    rejected_for = models.CharField(max_length=20, blank=True)
    finished_at = models.DateTimeField(null=True)

    class Meta:
        constraints = [
            models.UniqueConstraint(fields=["project", "number"], name="privacy_request_number_uniq"),
            models.UniqueConstraint(
                fields=["project"],
                condition=Q(kind=WIPE) & ~Q(state__in=sorted(FINISHED)),
                name="privacy_request_one_wipe_uniq",
            ),
            models.CheckConstraint(condition=Q(kind__in=[*KINDS, WIPE]), name="privacy_request_kind_chk"),
            models.CheckConstraint(condition=Q(state__in=STATES), name="privacy_request_state_chk"),
            # Two people, unless the installation says that there is only one.
            models.CheckConstraint(
                condition=Q(approved_by="") | ~Q(approved_by=F("opened_by")) | Q(single_operator=True),
                name="privacy_request_two_people_chk",
            ),
            # A key opens and never approves.
            models.CheckConstraint(
                condition=Q(approved_by="") | Q(approved_by__startswith="user:"), name="privacy_request_approver_chk"
            ),
            # Nothing is destroyed that was not approved as it was shown.
            models.CheckConstraint(
                condition=~Q(state__in=["suppressing", "erasing", "purging", "verifying"])
                | Q(approved_digest=F("preview_digest"))
                & ~Q(approved_by="")
                & (Q(identity_checked_at__isnull=False) | Q(kind=WIPE)),
                name="privacy_request_approved_chk",
            ),
            models.CheckConstraint(
                condition=~Q(state="completed", kind__in=sorted(ERASES)) | Q(residue=0),
                name="privacy_request_residue_chk",
            ),
            models.CheckConstraint(
                condition=Q(extended_until=None) | Q(extended_until__gt=F("due_at")) & ~Q(extension_reason=""),
                name="privacy_request_extension_chk",
            ),
            models.CheckConstraint(
                condition=~Q(state="rejected") | Q(rejected_for__in=REJECTIONS), name="privacy_request_rejected_chk"
            ),
            models.CheckConstraint(
                condition=~Q(state="duplicate") | Q(duplicate_of__isnull=False), name="privacy_request_duplicate_chk"
            ),
        ]
        indexes = [
            models.Index(fields=["project", "subject"], name="privacy_request_subject_idx"),
            models.Index(fields=["project", "state", "due_at"], name="privacy_request_due_idx"),
            # The list: what is open by when it is due, what has ended by when it came in, and of one kind.
            models.Index(
                fields=["project", "due_at", "id"],
                include=["kind"],
                condition=~Q(state__in=sorted(FINISHED)),
                name="privacy_request_open_idx",
            ),
            models.Index(
                fields=["project", "received_at", "id"],
                include=["kind"],
                condition=Q(state__in=sorted(FINISHED)),
                name="privacy_request_over_idx",
            ),
            models.Index(fields=["project", "subject_digest"], name="privacy_request_digest_idx"),
            # The few that a wipe asks for: wipes of the project, and words that people wrote.
            models.Index(fields=["project", "number"], condition=Q(kind=WIPE), name="privacy_request_wipe_idx"),
            models.Index(
                fields=["project", "id"], condition=~Q(wish="") | ~Q(correction=""), name="privacy_request_words_idx"
            ),
        ]

    def __str__(self) -> str:
        return f"request {self.number}"


class RequestIdentity(models.Model):
    """An id, address or name under which the person may appear in what is stored; deleted when the request ends."""

    project = models.ForeignKey(Project, on_delete=models.CASCADE, db_index=False)
    request = models.ForeignKey(
        PrivacyRequest, on_delete=models.DO_NOTHING, db_constraint=False, db_index=False, related_name="identities"
    )
    kind = models.CharField(max_length=10)
    value = models.CharField(max_length=255)

    class Meta:
        constraints = [
            models.UniqueConstraint(fields=["project", "request", "value"], name="privacy_identity_uniq"),
            models.CheckConstraint(condition=Q(kind__in=IDENTITY_KINDS), name="privacy_identity_kind_chk"),
            # `*` would be everybody, and a blank one too.
            models.CheckConstraint(condition=Q(value__regex=r"\S") & ~Q(value="*"), name="privacy_identity_value_chk"),
        ]

    def __str__(self) -> str:
        return self.kind


class Hold(models.Model):
    """A ground for which one thing is kept though it should go: a lawsuit, a duty to keep. Of one object, never of an
    account. What is held is told to nobody."""

    id: int
    project = models.ForeignKey(Project, on_delete=models.CASCADE, db_index=False)
    object_type = models.CharField(max_length=10)
    object_id = models.CharField(max_length=64)
    ground = models.CharField(max_length=300)
    placed_by = models.CharField(max_length=64)
    placed_at = models.DateTimeField(db_default=Now())
    review_on = models.DateField()
    released_by = models.CharField(max_length=64, blank=True)
    released_at = models.DateTimeField(null=True)

    class Meta:
        constraints = [
            models.UniqueConstraint(
                fields=["project", "object_type", "object_id"],
                condition=Q(released_at=None),
                name="privacy_hold_open_uniq",
            ),
            models.CheckConstraint(condition=Q(object_type__in=HELD), name="privacy_hold_type_chk"),
            models.CheckConstraint(condition=Q(ground__regex=r"\S"), name="privacy_hold_ground_chk"),
            models.CheckConstraint(
                condition=Q(released_at=None, released_by="") | Q(released_at__isnull=False) & ~Q(released_by=""),
                name="privacy_hold_released_chk",
            ),
        ]

    def __str__(self) -> str:
        return f"hold on {self.object_type} {self.object_id}"


class Receipt(models.Model):
    """What was done, provable without saying about whom: signed, and never changed."""

    id: int
    project = models.ForeignKey(Project, on_delete=models.CASCADE, db_index=False)
    request = models.ForeignKey(
        PrivacyRequest, on_delete=models.DO_NOTHING, db_constraint=False, db_index=False, related_name="receipts"
    )
    body = models.JSONField()
    digest = models.BinaryField()
    signature = models.BinaryField()
    issued_at = models.DateTimeField(db_default=Now())

    class Meta:
        constraints = [
            models.UniqueConstraint(fields=["project", "digest"], name="privacy_receipt_uniq"),
        ]
        indexes = [models.Index(fields=["project", "request", "id"], name="privacy_receipt_request_idx")]

    def __str__(self) -> str:
        return f"receipt {self.pk}"


EMPTIED: dict[str, None] = {"content": None, "held": None, "token_hash": None, "link_until": None}
"""What is taken off a package that is gone; ``removed_at`` says since when."""


class AccessPackage(models.Model):
    """What somebody is told that is remembered of them, packed, sealed under a key outside the database, to be fetched
    once by a link; gone a week after it was made. ``token_hash`` is of the link's secret, which is shown once."""

    id: int
    project = models.ForeignKey(Project, on_delete=models.CASCADE, db_index=False)
    request = models.ForeignKey(
        PrivacyRequest, on_delete=models.DO_NOTHING, db_constraint=False, db_index=False, related_name="packages"
    )
    content = models.BinaryField(null=True)
    sha256 = models.BinaryField()
    # Names in it that may be other people's, sealed as it is, until somebody has said which of them may be told.
    held = models.BinaryField(null=True)
    size = models.IntegerField()
    made_at = models.DateTimeField(db_default=Now())
    removed_at = models.DateTimeField(null=True)
    token_hash = models.BinaryField(null=True)
    link_until = models.DateTimeField(null=True)
    opened_at = models.DateTimeField(null=True)

    class Meta:
        constraints = [
            models.UniqueConstraint(fields=["token_hash"], name="privacy_package_token_uniq"),
            models.CheckConstraint(
                condition=Q(content=None, removed_at__isnull=False) | Q(content__isnull=False, removed_at=None),
                name="privacy_package_removed_chk",
            ),
            models.CheckConstraint(condition=Q(held=None) | Q(removed_at=None), name="privacy_package_held_chk"),
        ]
        indexes = [models.Index(fields=["project", "request", "id"], name="privacy_package_request_idx")]

    def __str__(self) -> str:
        return f"package {self.pk}"


class Backup(models.Model):
    """A dump that exists, until when: an erasure is complete everywhere only when the last one of before has expired.
    Of the whole installation, written by `manage.py backup`."""

    taken_at = models.DateTimeField()
    expires_at = models.DateTimeField()
    place = models.CharField(max_length=300)
    sha256 = models.BinaryField()
    removed_at = models.DateTimeField(null=True)

    class Meta:
        constraints = [
            models.UniqueConstraint(fields=["place"], name="privacy_backup_place_uniq"),
            models.CheckConstraint(condition=Q(expires_at__gt=F("taken_at")), name="privacy_backup_times_chk"),
        ]

    def __str__(self) -> str:
        return f"backup of {self.taken_at:%Y-%m-%d %H:%M}"


class Purge(models.Model):
    """That the bytes of deleted rows are to be written over, of the whole installation: done by the owner's process,
    since no other role may. ``report`` says step by step what was done and what proves it, or what stood in the way.
    ``rewrite_due``: finished but for the free space of its files, which is written anew in the maintenance window."""

    id: int
    requested_at = models.DateTimeField()
    started_at = models.DateTimeField(null=True)
    finished_at = models.DateTimeField(null=True)
    failed = models.BooleanField(db_default=False)
    rewrite_due = models.BooleanField(db_default=False)
    rewritten_at = models.DateTimeField(null=True)
    report = models.JSONField(default=dict, db_default={})

    def __str__(self) -> str:
        return f"purge {self.pk}"


class RetentionRule(models.Model):
    """For how many days a project keeps what; of several that fit a row the most specific counts. Empty is any scope,
    category or sensitivity; null days are for ever, and so is what no rule fits. Only facts have days of review, and days
    between their end and their deletion."""

    id: int
    project = models.ForeignKey(Project, on_delete=models.CASCADE, db_index=False)
    store = models.CharField(max_length=12)
    scope = models.CharField(max_length=10, blank=True, default="")
    category = models.CharField(max_length=60, blank=True, default="")
    sensitivity = models.CharField(max_length=10, blank=True, default="")
    keep_days = models.IntegerField(null=True)
    purge_days = models.IntegerField(null=True)
    review_days = models.IntegerField(null=True)
    changed_by = models.CharField(max_length=64)
    updated_at = models.DateTimeField(db_default=Now())

    class Meta:
        constraints = [
            models.UniqueConstraint(
                fields=["project", "store", "scope", "category", "sensitivity"], name="privacy_retention_uniq"
            ),
            models.CheckConstraint(condition=Q(store__in=RETAINED), name="privacy_retention_store_chk"),
            models.CheckConstraint(
                condition=Q(store__in=["facts", "rejected"]) | Q(scope="", category="", sensitivity=""),
                name="privacy_retention_narrowed_chk",
            ),
            models.CheckConstraint(
                condition=Q(store="facts") | Q(purge_days=None, review_days=None), name="privacy_retention_facts_chk"
            ),
            *(
                models.CheckConstraint(
                    condition=Q(**{name: None}) | Q(**{f"{name}__gte": least, f"{name}__lte": 3650}),
                    name=f"privacy_retention_{name}_chk",
                )
                for name, least in (("keep_days", 1), ("purge_days", 0), ("review_days", 1))
            ),
        ]

    def __str__(self) -> str:
        return f"retention of {self.store}"

    @property
    def rank(self) -> tuple[int, int]:
        """How specific it is: how much it names, and of as much, sensitivity before category before scope."""
        named = [bool(self.scope), bool(self.category), bool(self.sensitivity)]
        return sum(named), sum(weight for weight, one in zip((1, 2, 4), named, strict=True) if one)


class Restoration(models.Model):
    """That the database was restored from a backup: until ``replayed_at`` is set, nothing serves it, since it may hold what
    was erased after the backup was taken. ``report`` counts what was erased again."""

    id: int
    restored_at = models.DateTimeField(db_default=Now())
    replayed_at = models.DateTimeField(null=True)
    report = models.JSONField(default=dict, db_default={})

    def __str__(self) -> str:
        return f"restoration of {self.restored_at:%Y-%m-%d %H:%M}"
