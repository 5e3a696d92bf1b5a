"""Dream runs, their phases, the changes they stage, the gate of each place, and what a project chose."""

from django.contrib.postgres.fields import ArrayField
from django.db import models
from django.db.models import Q
from django.db.models.functions import Now

import apps.core.lookups  # noqa: F401  (registers __length)
from apps.access.models import SENSITIVITIES
from apps.core.leases import Leased
from apps.dreaming.states import CHANGE_STATES, OPEN, PHASES, RUN_STATES
from apps.facts.models import MEMORY_TYPES, SCOPES, Fact
from apps.tenancy.models import Project, Subject
from apps.traces.models import Session

ENGINES = ["rules", "llm"]
ORIGINS = ["button", "schedule", "threshold", "session", "api"]
OPERATIONS = ["merge", "supersede", "redate", "resolve", "conflict", "retire", "archive", "shorten", "add"]
"""``resolve`` keeps one side of a contradiction, ``conflict`` puts the sides before a person; ``archive`` retires what is
over a limit, which a person decides one by one."""
REPLACING = ["merge", "supersede", "redate", "shorten"]
"""Operations that may put new words in place of facts."""
CLOSING = ["retire", "archive"]
FLAGS = ["pinned", "policy", "personal", "special", "contested", "mixed_trust", "over_limit"]
"""What keeps a change from being applied without a person."""
ROLES = ["source", "keep", "side"]
STOPS = ["", "tokens", "time", "erased", "unchanged"]


class DreamSettings(models.Model):
    """What a project chose; a project without a row uses the defaults, under which nothing starts by itself and
    everything waits for a person.

    ``schedule_hours`` and ``threshold`` (new facts of a place) start runs, null: they don't. ``fact_cap`` is how many
    current facts a place should have, null: any number. ``retire_percent`` of a place may be retired in one run, of
    which there may always be three. ``stale_days``: a learned fact that nobody confirmed for so long is stale.
    """

    project = models.OneToOneField(Project, on_delete=models.CASCADE)
    engine = models.CharField(max_length=10, default="rules")
    model = models.CharField(max_length=80, blank=True, default="")
    schedule_hours = models.IntegerField(null=True)
    threshold = models.IntegerField(null=True)
    settle_seconds = models.IntegerField(default=60)
    fact_cap = models.IntegerField(null=True, default=100)
    retire_percent = models.IntegerField(default=10)
    stale_days = models.IntegerField(default=180)
    max_tokens = models.IntegerField(default=60_000)
    max_seconds = models.IntegerField(default=600)
    auto_exact = models.BooleanField(default=False)
    auto_own = models.BooleanField(default=False)
    updated_at = models.DateTimeField(db_default=Now())

    class Meta:
        constraints = [
            models.CheckConstraint(condition=Q(engine__in=ENGINES), name="dreaming_settings_engine_chk"),
            models.CheckConstraint(condition=~Q(engine="llm") | ~Q(model=""), name="dreaming_settings_model_chk"),
            models.CheckConstraint(
                condition=Q(schedule_hours=None) | Q(schedule_hours__gte=1, schedule_hours__lte=8760),
                name="dreaming_settings_schedule_chk",
            ),
            models.CheckConstraint(
                condition=Q(threshold=None) | Q(threshold__gte=1), name="dreaming_settings_threshold_chk"
            ),
            models.CheckConstraint(
                condition=Q(settle_seconds__gte=0, settle_seconds__lte=3600), name="dreaming_settings_settle_chk"
            ),
            models.CheckConstraint(condition=Q(fact_cap=None) | Q(fact_cap__gte=1), name="dreaming_settings_cap_chk"),
            models.CheckConstraint(
                condition=Q(retire_percent__gte=0, retire_percent__lte=50), name="dreaming_settings_percent_chk"
            ),
            models.CheckConstraint(
                condition=Q(stale_days__gte=1, max_tokens__gte=1_000, max_seconds__gte=10),
                name="dreaming_settings_least_chk",
            ),
        ]

    def __str__(self) -> str:
        return f"{self.engine} for {self.project_id}"


class DreamRun(Leased):
    """One consolidation of the facts told under one scope id. It is a queue entry: while queued or running, a worker that
    holds its lease does the phase it stands at.

    ``base_fact_id`` pins what the run looks at: facts appended later belong to the next one. ``subject_epoch`` is the
    subject's when it was asked for; a run whose subject was erased since writes nothing. ``message_upto`` is the last
    message of its session's that it reads. ``idempotency`` is a digest of the asker's key, ``asked`` a keyed one of what he sent under it. ``stop_reason`` says why it
    ended early with what it had.
    """

    id: int
    project = models.ForeignKey(Project, on_delete=models.CASCADE, db_index=False)
    scope = models.CharField(max_length=10)
    scope_id = models.CharField(max_length=255)
    subject = models.ForeignKey(Subject, null=True, on_delete=models.DO_NOTHING, db_constraint=False, db_index=False)
    subject_epoch = models.IntegerField(null=True)
    session = models.ForeignKey(Session, null=True, on_delete=models.DO_NOTHING, db_constraint=False, db_index=False)
    message_upto = models.BigIntegerField(null=True)
    origin = models.CharField(max_length=10)
    requested_by = models.CharField(max_length=64)
    idempotency = models.BinaryField(null=True)
    asked = models.BinaryField(null=True)
    dry_run = models.BooleanField(default=False)
    engine = models.CharField(max_length=10)
    model = models.CharField(max_length=80, blank=True, default="")
    version = models.CharField(max_length=40, blank=True, default="")
    state = models.CharField(max_length=10, default="queued")
    phase = models.CharField(max_length=12, default="orient")
    base_fact_id = models.BigIntegerField(null=True)
    facts_before = models.IntegerField(default=0)
    created_at = models.DateTimeField(db_default=Now())
    started_at = models.DateTimeField(null=True)
    finished_at = models.DateTimeField(null=True)
    max_tokens = models.IntegerField(default=60_000)
    max_seconds = models.IntegerField(default=600)
    tool_calls = models.IntegerField(default=0)
    prompt_tokens = models.IntegerField(default=0)
    completion_tokens = models.IntegerField(default=0)
    cost = models.DecimalField(max_digits=12, decimal_places=6, null=True)
    stop_reason = models.CharField(max_length=12, blank=True, default="")
    error_code = models.CharField(max_length=60, blank=True, default="")
    undone_at = models.DateTimeField(null=True)

    class Meta:
        constraints = [
            # Single flight: two who start a run of one place at once get the same one.
            models.UniqueConstraint(
                fields=["project", "scope", "scope_id"],
                condition=Q(state__in=sorted(OPEN)),
                name="dreaming_run_open_uniq",
            ),
            models.UniqueConstraint(fields=["project", "idempotency"], name="dreaming_run_idempotency_uniq"),
            models.CheckConstraint(condition=Q(scope__in=SCOPES), name="dreaming_run_scope_chk"),
            models.CheckConstraint(
                condition=Q(scope_id__regex=r"\S") & ~Q(scope_id="*"), name="dreaming_run_scope_id_chk"
            ),
            models.CheckConstraint(
                condition=~Q(scope="user") | Q(subject__isnull=False), name="dreaming_run_subject_chk"
            ),
            models.CheckConstraint(condition=Q(origin__in=ORIGINS), name="dreaming_run_origin_chk"),
            models.CheckConstraint(condition=Q(engine__in=ENGINES), name="dreaming_run_engine_chk"),
            models.CheckConstraint(condition=Q(state__in=RUN_STATES), name="dreaming_run_state_chk"),
            models.CheckConstraint(condition=Q(phase__in=PHASES), name="dreaming_run_phase_chk"),
            models.CheckConstraint(condition=Q(stop_reason__in=STOPS), name="dreaming_run_stop_chk"),
            models.CheckConstraint(
                condition=Q(state__in=sorted(OPEN), finished_at__isnull=True)
                | ~Q(state__in=sorted(OPEN)) & Q(finished_at__isnull=False),
                name="dreaming_run_finished_chk",
            ),
            models.CheckConstraint(condition=~Q(state="failed") | ~Q(error_code=""), name="dreaming_run_error_chk"),
        ]
        indexes = [
            # With what the list is narrowed by, so that no run is read that a page does not show.
            models.Index(
                fields=["project", "id"], include=["state", "scope", "scope_id", "origin"], name="dreaming_run_list_idx"
            ),
            models.Index(
                fields=["project", "scope", "scope_id", "-id"],
                include=["state", "origin"],
                name="dreaming_run_place_idx",
            ),
            # What waits for somebody, and the list by state.
            models.Index(fields=["project", "state", "-id"], name="dreaming_run_state_idx"),
            # How many wait, as far as anybody counts them.
            models.Index(
                fields=["project", "id"], condition=Q(state="proposed", dry_run=False), name="dreaming_run_waiting_idx"
            ),
            models.Index(fields=["project", "subject"], name="dreaming_run_subject_idx"),
            # The claim, across projects.
            models.Index(fields=["created_at"], condition=Q(state__in=sorted(OPEN)), name="dreaming_run_claim_idx"),
        ]

    def __str__(self) -> str:
        return f"dream run {self.pk}"

    @property
    def is_open(self) -> bool:
        return self.state in OPEN


class DreamPhase(models.Model):
    """One phase of a run: how it went and what it cost. ``output`` is its report: counts, codes and bare ids, never a word
    of what was read or answered (dreaming/reports.py)."""

    project = models.ForeignKey(Project, on_delete=models.CASCADE, db_index=False)
    run = models.ForeignKey(
        DreamRun, on_delete=models.DO_NOTHING, db_constraint=False, db_index=False, related_name="phases"
    )
    name = models.CharField(max_length=12)
    state = models.CharField(max_length=10)
    attempts = models.IntegerField(default=1)
    started_at = models.DateTimeField()
    finished_at = models.DateTimeField(null=True)
    output = models.JSONField(default=dict)
    tool_calls = models.IntegerField(default=0)
    prompt_tokens = models.IntegerField(default=0)
    completion_tokens = models.IntegerField(default=0)
    cost = models.DecimalField(max_digits=12, decimal_places=6, null=True)
    error_code = models.CharField(max_length=60, blank=True, default="")

    class Meta:
        constraints = [
            models.UniqueConstraint(fields=["project", "run", "name"], name="dreaming_phase_uniq"),
            models.CheckConstraint(condition=Q(name__in=PHASES), name="dreaming_phase_name_chk"),
            models.CheckConstraint(
                condition=Q(state="running", finished_at__isnull=True)
                | Q(state__in=["done", "failed", "skipped"], finished_at__isnull=False),
                name="dreaming_phase_state_chk",
            ),
        ]

    def __str__(self) -> str:
        return f"{self.name} of run {self.run_id}"


class DreamChange(models.Model):
    """A change that a run would make, until somebody decides. What it says now are its targets' rows; ``content`` is what
    it would say afterwards, empty where nothing is said anew.

    ``evidence`` is a list of ``{"fact": id}`` and ``{"message": id}``, of rows that the run had before it. ``trust`` and
    ``confidence`` are what the result has: the least of its sources'. ``targets_count`` is how many targets it was staged
    with: one that lost some is conflicted. ``done`` is what taking it back needs: ids, states and marks, never text.
    ``why`` is the code for which it became conflicted or was left.
    """

    id: int
    project = models.ForeignKey(Project, on_delete=models.CASCADE, db_index=False)
    run = models.ForeignKey(
        DreamRun, on_delete=models.DO_NOTHING, db_constraint=False, db_index=False, related_name="changes"
    )
    phase = models.CharField(max_length=12)
    position = models.IntegerField()
    op = models.CharField(max_length=10)
    state = models.CharField(max_length=10, default="pending")
    safe = models.BooleanField(default=False)
    automatic = models.BooleanField(default=False)
    flags = ArrayField(models.CharField(max_length=12), default=list)
    rule = models.CharField(max_length=40)
    reason = models.CharField(max_length=500, blank=True, default="")
    content = models.TextField(blank=True, default="")
    subject = models.ForeignKey(Subject, null=True, on_delete=models.DO_NOTHING, db_constraint=False, db_index=False)
    attribute = models.CharField(max_length=60, null=True)
    category = models.CharField(max_length=60, blank=True, default="")
    memory_type = models.CharField(max_length=12, default="semantic")
    sensitivity = models.CharField(max_length=10, default="internal")
    trust = models.SmallIntegerField(default=3)
    confidence = models.FloatField(default=1.0)
    observed_at = models.DateTimeField(null=True)
    valid_to = models.DateTimeField(null=True)
    evidence = models.JSONField(default=list)
    targets_count = models.IntegerField(default=0)
    source_trace_id = models.CharField(max_length=32, null=True)
    created_at = models.DateTimeField(db_default=Now())
    decided_at = models.DateTimeField(null=True)
    decided_by = models.CharField(max_length=64, blank=True, default="")
    fact = models.ForeignKey(
        Fact, null=True, on_delete=models.DO_NOTHING, db_constraint=False, db_index=False, related_name="+"
    )
    done = models.JSONField(null=True)
    why = models.CharField(max_length=40, blank=True, default="")

    class Meta:
        constraints = [
            models.UniqueConstraint(fields=["project", "run", "phase", "position"], name="dreaming_change_uniq"),
            models.CheckConstraint(condition=Q(op__in=OPERATIONS), name="dreaming_change_op_chk"),
            models.CheckConstraint(condition=Q(phase__in=["consolidate", "prune"]), name="dreaming_change_phase_chk"),
            models.CheckConstraint(condition=Q(state__in=CHANGE_STATES), name="dreaming_change_state_chk"),
            models.CheckConstraint(condition=Q(flags__contained_by=FLAGS), name="dreaming_change_flags_chk"),
            models.CheckConstraint(condition=~Q(automatic=True) | Q(safe=True), name="dreaming_change_safe_chk"),
            models.CheckConstraint(
                condition=Q(content__length__lte=2000) & (Q(content="") | Q(content__regex=r"\S")),
                name="dreaming_change_content_chk",
            ),
            models.CheckConstraint(
                condition=~Q(op__in=["supersede", "redate", "shorten", "add"]) | ~Q(content=""),
                name="dreaming_change_words_chk",
            ),
            models.CheckConstraint(
                condition=~Q(op__in=["resolve", "conflict", "retire", "archive"]) | Q(content=""),
                name="dreaming_change_no_words_chk",
            ),
            models.CheckConstraint(
                condition=Q(trust__gte=0, trust__lte=5, confidence__gte=0, confidence__lte=1),
                name="dreaming_change_range_chk",
            ),
            models.CheckConstraint(condition=Q(sensitivity__in=SENSITIVITIES), name="dreaming_change_sensitivity_chk"),
            models.CheckConstraint(condition=Q(memory_type__in=MEMORY_TYPES), name="dreaming_change_type_chk"),
            # Evidence is required, whoever writes.
            models.CheckConstraint(condition=~Q(evidence=[]), name="dreaming_change_evidence_chk"),
            models.CheckConstraint(
                condition=Q(state="pending", decided_at__isnull=True, decided_by="")
                | ~Q(state="pending") & Q(decided_at__isnull=False) & ~Q(decided_by=""),
                name="dreaming_change_decided_chk",
            ),
            models.CheckConstraint(
                condition=~Q(state="applied") | Q(done__isnull=False), name="dreaming_change_done_chk"
            ),
        ]
        indexes = [
            models.Index(fields=["project", "subject"], name="dreaming_change_subject_idx"),
            # The diff page, and what is undecided of a run.
            models.Index(
                fields=["project", "run", "id"],
                include=["op", "state", "safe", "sensitivity"],
                name="dreaming_change_run_idx",
            ),
            models.Index(fields=["project", "source_trace_id"], name="dreaming_change_trace_idx"),
        ]

    def __str__(self) -> str:
        return f"{self.op} of run {self.run_id}"


class DreamTarget(models.Model):
    """A fact that a change would close (``source``), keep, or put beside others (``side``). A fact's row is one version, so
    its id says which was read; ``seen`` says how it was handled then (`curation.changes.marks_seen`)."""

    project = models.ForeignKey(Project, on_delete=models.CASCADE, db_index=False)
    run = models.ForeignKey(DreamRun, on_delete=models.DO_NOTHING, db_constraint=False, db_index=False)
    change = models.ForeignKey(
        DreamChange, on_delete=models.DO_NOTHING, db_constraint=False, db_index=False, related_name="targets"
    )
    fact = models.ForeignKey(Fact, on_delete=models.DO_NOTHING, db_constraint=False, db_index=False, related_name="+")
    role = models.CharField(max_length=10)
    seen = models.CharField(max_length=16)

    class Meta:
        constraints = [
            models.UniqueConstraint(fields=["project", "change", "fact"], name="dreaming_target_uniq"),
            # One change of a run closes a fact, and nothing is staged twice.
            models.UniqueConstraint(
                fields=["project", "run", "fact"], condition=Q(role="source"), name="dreaming_target_source_uniq"
            ),
            models.CheckConstraint(condition=Q(role__in=ROLES), name="dreaming_target_role_chk"),
        ]

    def __str__(self) -> str:
        return f"#{self.fact_id} in change {self.change_id}"


class DreamGate(models.Model):
    """How the runs of one place went lately. Three failures in a row close it since ``closed_at``; after the cool-down one
    trial run passes (``trial_at``), and a success opens it again."""

    project = models.ForeignKey(Project, on_delete=models.CASCADE, db_index=False)
    scope = models.CharField(max_length=10)
    scope_id = models.CharField(max_length=255)
    subject = models.ForeignKey(Subject, null=True, on_delete=models.DO_NOTHING, db_constraint=False, db_index=False)
    failures = models.IntegerField(default=0)
    closed_at = models.DateTimeField(null=True)
    trial_at = models.DateTimeField(null=True)
    last_error = models.CharField(max_length=60, blank=True, default="")

    class Meta:
        constraints = [
            models.UniqueConstraint(fields=["project", "scope", "scope_id"], name="dreaming_gate_uniq"),
            models.CheckConstraint(condition=Q(failures__gte=0), name="dreaming_gate_failures_chk"),
            models.CheckConstraint(
                condition=Q(closed_at__isnull=True, trial_at__isnull=True) | Q(closed_at__isnull=False),
                name="dreaming_gate_trial_chk",
            ),
            models.CheckConstraint(condition=Q(scope__in=SCOPES), name="dreaming_gate_scope_chk"),
        ]
        indexes = [models.Index(fields=["project", "subject"], name="dreaming_gate_subject_idx")]

    def __str__(self) -> str:
        return f"gate of {self.scope}"
