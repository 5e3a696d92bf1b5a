"""How a project's traces are mined, each run of an extractor, and what was decided about every candidate."""

from django.contrib.postgres.fields import ArrayField
from django.db import models
from django.db.models import F, Q
from django.db.models.functions import Now

import apps.core.lookups  # noqa: F401  (registers __length)
from apps.curation.models import Proposal
from apps.facts.models import Fact
from apps.tenancy.models import Project, Subject
from apps.traces.models import Message

EXTRACTORS = ["rules", "llm"]
OUTCOMES = ["kept", "held", "same", "dropped"]


class ExtractionSettings(models.Model):
    """What a project chose; a project without a row uses the defaults.

    ``model`` is a name of the operator's list, never an address.
    ``max_learned`` caps the learned facts of one subject; null is no cap.
    """

    project = models.OneToOneField(Project, on_delete=models.CASCADE)
    extractor = models.CharField(max_length=10, default="rules")
    model = models.CharField(max_length=80, blank=True)
    prompt_addition = models.TextField(blank=True, default="")
    max_per_trace = models.IntegerField(default=20)
    max_learned = models.IntegerField(null=True, default=200)
    updated_at = models.DateTimeField(db_default=Now())

    class Meta:
        constraints = [
            models.CheckConstraint(condition=Q(extractor__in=EXTRACTORS), name="extraction_settings_extractor_chk"),
            models.CheckConstraint(condition=~Q(extractor="llm") | ~Q(model=""), name="extraction_settings_model_chk"),
            models.CheckConstraint(
                condition=Q(prompt_addition__length__lte=4000), name="extraction_settings_prompt_chk"
            ),
            models.CheckConstraint(
                condition=Q(max_per_trace__gte=1, max_per_trace__lte=100), name="extraction_settings_trace_cap_chk"
            ),
            models.CheckConstraint(
                condition=Q(max_learned__isnull=True) | Q(max_learned__gte=1), name="extraction_settings_cap_chk"
            ),
        ]

    def __str__(self) -> str:
        return f"{self.extractor} for {self.project_id}"


class ExtractionRun(models.Model):
    """One pass over the messages of a trace that were not mined yet, and what came of it.

    ``mined`` are the ids of these messages, for the ledger; null for a run that failed, and for one of the time before
    the ids were kept, which counts as one over the whole trace.
    ``judge`` tells of the injection judge that was asked besides: its model, its prompt's ``version``, how many candidates
    it was ``asked`` about, how many of them it ``raised`` to be held or refused, and the ``fault`` for which its answer
    was of no use, or an empty string; an empty object when there was none to ask. Its tokens are in the run's.
    ``cost`` is in the currency of the operator's price list, null when the model has no price. ``raw_answer`` is what
    the model said, kept for the reviewer and erased with the trace.
    """

    id: int
    project = models.ForeignKey(Project, on_delete=models.CASCADE, db_index=False)
    trace_id = models.CharField(max_length=32)
    subject = models.ForeignKey(Subject, null=True, on_delete=models.DO_NOTHING, db_constraint=False, db_index=False)
    extractor = models.CharField(max_length=60)
    version = models.CharField(max_length=40)
    model = models.CharField(max_length=80, blank=True, default="")
    started_at = models.DateTimeField()
    finished_at = models.DateTimeField(db_default=Now())
    messages = models.IntegerField(default=0)
    mined = ArrayField(models.BigIntegerField(), null=True)
    proposed = models.IntegerField(default=0)
    dropped = models.JSONField(default=dict)
    prompt_tokens = models.IntegerField(default=0)
    completion_tokens = models.IntegerField(default=0)
    cost = models.DecimalField(max_digits=12, decimal_places=6, null=True)
    latency_ms = models.IntegerField(default=0)
    raw_answer = models.TextField(blank=True, default="")
    judge = models.JSONField(default=dict, db_default={})
    outcome = models.CharField(max_length=10, default="done")
    error_code = models.CharField(max_length=60, blank=True)

    class Meta:
        constraints = [
            models.CheckConstraint(
                condition=Q(outcome="done", error_code="") | Q(outcome="failed") & ~Q(error_code=""),
                name="extraction_run_outcome_chk",
            ),
        ]
        indexes = [
            models.Index(fields=["project", "subject"], name="extraction_run_subject_idx"),
            # Cost and junk of the last hours, for the health page.
            models.Index(fields=["project", "-finished_at"], include=["cost"], name="extraction_run_recent_idx"),
        ]

    def __str__(self) -> str:
        return f"{self.extractor} {self.version} over {self.trace_id}"


class CandidateDecision(models.Model):
    """What became of one candidate and by which rule. It holds no text: the words are the span of the message."""

    project = models.ForeignKey(Project, on_delete=models.CASCADE, db_index=False)
    run = models.ForeignKey(
        ExtractionRun, on_delete=models.DO_NOTHING, db_constraint=False, db_index=False, related_name="decisions"
    )
    message = models.ForeignKey(Message, null=True, on_delete=models.DO_NOTHING, db_constraint=False, db_index=False)
    start = models.IntegerField(default=0)
    end = models.IntegerField(default=0)
    outcome = models.CharField(max_length=10)
    rule = models.CharField(max_length=60)
    proposal = models.ForeignKey(Proposal, null=True, on_delete=models.DO_NOTHING, db_constraint=False, db_index=False)
    fact = models.ForeignKey(Fact, null=True, on_delete=models.DO_NOTHING, db_constraint=False, db_index=False)

    class Meta:
        constraints = [
            models.CheckConstraint(condition=Q(outcome__in=OUTCOMES), name="extraction_decision_outcome_chk"),
            models.CheckConstraint(condition=Q(rule__regex=r"\S"), name="extraction_decision_rule_chk"),
            models.CheckConstraint(condition=Q(start__gte=0, end__gte=F("start")), name="extraction_decision_span_chk"),
            models.CheckConstraint(
                condition=~Q(outcome="dropped") | Q(proposal__isnull=True), name="extraction_decision_dropped_chk"
            ),
        ]

    def __str__(self) -> str:
        return f"{self.outcome} by {self.rule}"


class DayFigures(models.Model):
    """What happened in a project on one day, UTC: counted from the rows themselves, the last two days anew every few
    minutes, so that charts over months read a row a day. It outlives what it counts."""

    project = models.ForeignKey(Project, on_delete=models.CASCADE, db_index=False)
    day = models.DateField()
    facts_added = models.BigIntegerField(default=0)
    facts_ended = models.BigIntegerField(default=0)
    traces = models.BigIntegerField(default=0)
    runs = models.BigIntegerField(default=0)
    failed_runs = models.BigIntegerField(default=0)
    proposed = models.BigIntegerField(default=0)
    left_out = models.BigIntegerField(default=0)
    tokens_in = models.BigIntegerField(default=0)
    tokens_out = models.BigIntegerField(default=0)
    cost = models.DecimalField(max_digits=14, decimal_places=6, null=True)

    class Meta:
        constraints = [models.UniqueConstraint(fields=["project", "day"], name="extraction_day_uniq")]

    def __str__(self) -> str:
        return f"{self.day} of {self.project_id}"


class Worker(models.Model):
    """A worker process that said a moment ago that it is there; of no project."""

    name = models.CharField(max_length=200, primary_key=True)
    started_at = models.DateTimeField(db_default=Now())
    seen_at = models.DateTimeField(db_default=Now())

    def __str__(self) -> str:
        return self.name
