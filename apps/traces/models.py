"""Sessions, traces, spans and messages."""

from django.contrib.postgres.fields import ArrayField
from django.db import models
from django.db.models import Q
from django.db.models.functions import Now

from apps.core.leases import Leased
from apps.tenancy.models import Agent, Project, Subject

HEX_TRACE = r"^[0-9a-f]{32}$"
HEX_SPAN = r"^[0-9a-f]{16}$"
OPEN = Q(extracted_at__isnull=True, origin="")
"""Of a trace: not mined yet, and nobody's but the agents' own."""
SESSION_ROLES = ["user", "assistant", "tool_call", "tool_result", "reasoning", "summary"]


class Session(models.Model):
    """A conversation that spans several traces, where the agent names it."""

    id: int
    project = models.ForeignKey(Project, on_delete=models.CASCADE, db_index=False)
    external_id = models.CharField(max_length=255)
    subject = models.ForeignKey(Subject, null=True, on_delete=models.DO_NOTHING, db_constraint=False, db_index=False)
    created_at = models.DateTimeField(db_default=Now())

    class Meta:
        constraints = [
            models.UniqueConstraint(fields=["project", "external_id"], name="traces_session_uniq"),
            models.CheckConstraint(condition=Q(external_id__regex=r"\S"), name="traces_session_id_chk"),
        ]
        indexes = [models.Index(fields=["project", "subject"], name="traces_session_subject_idx")]

    def __str__(self) -> str:
        return self.external_id


class Trace(Leased):
    """One run of an agent. It is a queue entry too: settled and not extracted means a worker may claim it."""

    id: int
    project = models.ForeignKey(Project, on_delete=models.CASCADE, db_index=False)
    trace_id = models.CharField(max_length=32)
    agent = models.ForeignKey(Agent, null=True, on_delete=models.DO_NOTHING, db_constraint=False, db_index=False)
    agent_name = models.CharField(max_length=200, blank=True)
    subject = models.ForeignKey(Subject, null=True, on_delete=models.DO_NOTHING, db_constraint=False, db_index=False)
    session = models.ForeignKey(Session, null=True, on_delete=models.DO_NOTHING, db_constraint=False, db_index=False)
    # Where the run came from; empty is production, the SDK names everything else (replay, eval, learn …).
    origin = models.CharField(max_length=40, blank=True)
    root_name = models.CharField(max_length=255, blank=True)
    status = models.CharField(max_length=10, default="UNSET")
    started_at = models.DateTimeField(null=True)
    ended_at = models.DateTimeField(null=True)
    root_ended_at = models.DateTimeField(null=True)
    span_count = models.IntegerField(default=0)
    differing_copies = models.IntegerField(default=0)
    replaced_characters = models.IntegerField(default=0)
    masked_secrets = models.IntegerField(default=0)
    created_at = models.DateTimeField(db_default=Now())
    last_arrival_at = models.DateTimeField(db_default=Now())
    extracted_at = models.DateTimeField(null=True)
    # Kept by triggers of the messages and the proposals, so that a list need not count: how many there are, and the
    # first 200 characters that a user said.
    message_count = models.IntegerField(db_default=0)
    proposal_count = models.IntegerField(db_default=0)
    first_words = models.CharField(max_length=200, db_default="")
    # Queued among stored traces, by `learn` or its button: until it is mined, what has no confidence is certain.
    by_hand = models.BooleanField(db_default=False)

    class Meta:
        constraints = [
            models.UniqueConstraint(fields=["project", "trace_id"], name="traces_trace_uniq"),
            models.CheckConstraint(condition=Q(trace_id__regex=HEX_TRACE), name="traces_trace_id_chk"),
            models.CheckConstraint(condition=Q(status__in=["UNSET", "OK", "ERROR"]), name="traces_trace_status_chk"),
            models.CheckConstraint(condition=Q(span_count__gte=0), name="traces_trace_count_chk"),
        ]
        indexes = [
            # The list, newest first: whole, and by each thing it can be narrowed to.
            models.Index(fields=["project", "-started_at", "-id"], name="traces_trace_list_idx"),
            models.Index(fields=["project", "subject", "-started_at", "-id"], name="traces_trace_about_idx"),
            models.Index(fields=["project", "session", "-started_at", "-id"], name="traces_trace_session_idx"),
            models.Index(fields=["project", "agent_name", "-started_at", "-id"], name="traces_trace_agent_idx"),
            models.Index(
                fields=["project", "-started_at", "-id"],
                condition=Q(proposal_count__gt=0),
                name="traces_trace_learned_idx",
            ),
            # What is not mined yet, with what is said of it on every page.
            models.Index(
                fields=["project", "started_at", "id"],
                include=["last_arrival_at", "not_before", "dead_reason", "attempts", "lease_until"],
                condition=OPEN,
                name="traces_trace_open_idx",
            ),
            # The list of those that wait, that are tried again, and that are given up: few of many. So many attempts are
            # as many as extraction makes.
            models.Index(
                fields=["project", "started_at", "id"],
                condition=OPEN & Q(not_before__isnull=True, dead_reason=""),
                name="traces_trace_waiting_idx",
            ),
            models.Index(
                fields=["project", "started_at", "id"],
                condition=OPEN & Q(not_before__isnull=False, dead_reason=""),
                name="traces_trace_failing_idx",
            ),
            models.Index(
                fields=["project", "started_at", "id"],
                condition=OPEN & (~Q(dead_reason="") | Q(attempts__gte=5)),
                name="traces_trace_dead_idx",
            ),
            # The claim: what is not extracted yet, oldest arrival first.
            models.Index(
                fields=["last_arrival_at"],
                condition=Q(extracted_at__isnull=True),
                name="traces_trace_claim_idx",
            ),
        ]

    def __str__(self) -> str:
        return self.trace_id


class Span(models.Model):
    """One span as the SDK sent it. The first copy wins; a later, differing one is counted on the trace."""

    id: int
    project = models.ForeignKey(Project, on_delete=models.CASCADE, db_index=False)
    trace_id = models.CharField(max_length=32)
    span_id = models.CharField(max_length=16)
    parent_span_id = models.CharField(max_length=16, null=True)
    subject = models.ForeignKey(Subject, null=True, on_delete=models.DO_NOTHING, db_constraint=False, db_index=False)
    name = models.CharField(max_length=255)
    status = models.CharField(max_length=10)
    started_at = models.DateTimeField()
    ended_at = models.DateTimeField()
    attributes = models.JSONField(default=dict)
    events = models.JSONField(default=list)
    # What took the detectors too long to look through, encrypted under a key outside the database, until a worker has
    # screened it; its attributes and events are empty meanwhile.
    sealed = models.BinaryField(null=True)
    digest = models.BinaryField()
    received_at = models.DateTimeField(db_default=Now())

    class Meta:
        constraints = [
            models.UniqueConstraint(fields=["project", "trace_id", "span_id"], name="traces_span_uniq"),
            models.CheckConstraint(condition=Q(span_id__regex=HEX_SPAN), name="traces_span_id_chk"),
            models.CheckConstraint(condition=Q(status__in=["UNSET", "OK", "ERROR"]), name="traces_span_status_chk"),
        ]
        indexes = [
            models.Index(fields=["project", "subject"], name="traces_span_subject_idx"),
            # A trace's spans in order and as a tree, without the long rows they stand in.
            models.Index(
                fields=["project", "trace_id", "started_at", "-ended_at", "id"],
                include=["span_id", "parent_span_id", "name", "status"],
                name="traces_span_order_idx",
            ),
            # What waits for a worker to screen it.
            models.Index(fields=["id"], condition=Q(sealed__isnull=False), name="traces_span_sealed_idx"),
        ]

    def __str__(self) -> str:
        return f"{self.name} {self.span_id}"


class Message(models.Model):
    """What a user or an agent said in a trace, read out of the span that carried it."""

    id: int
    project = models.ForeignKey(Project, on_delete=models.CASCADE, db_index=False)
    trace_id = models.CharField(max_length=32)
    span_id = models.CharField(max_length=16)
    role = models.CharField(max_length=10)
    subject = models.ForeignKey(Subject, null=True, on_delete=models.DO_NOTHING, db_constraint=False, db_index=False)
    content = models.TextField()
    at = models.DateTimeField()
    mined_at = models.DateTimeField(null=True)

    class Meta:
        constraints = [
            models.UniqueConstraint(fields=["project", "trace_id", "span_id", "role"], name="traces_message_uniq"),
            models.CheckConstraint(condition=Q(role__in=["user", "assistant"]), name="traces_message_role_chk"),
        ]
        indexes = [
            models.Index(fields=["project", "trace_id", "at", "id"], name="traces_message_order_idx"),
            models.Index(fields=["project", "subject"], name="traces_message_subject_idx"),
        ]

    def __str__(self) -> str:
        return f"{self.role} in {self.trace_id}"


class SessionMessage(models.Model):
    """What an agent's working memory held, as its client sent it: every role of the loop, and summaries with the messages
    they stand for. ``external_id`` is the client's name for it within the session, by which a repeat is known.
    """

    id: int
    project = models.ForeignKey(Project, on_delete=models.CASCADE, db_index=False)
    session = models.ForeignKey(
        Session, on_delete=models.DO_NOTHING, db_constraint=False, db_index=False, related_name="messages"
    )
    subject = models.ForeignKey(Subject, null=True, on_delete=models.DO_NOTHING, db_constraint=False, db_index=False)
    external_id = models.CharField(max_length=120)
    role = models.CharField(max_length=12)
    content = models.TextField(blank=True)
    # Ids of the session's messages that a summary stands for.
    stands_for = ArrayField(models.BigIntegerField(), default=list)
    # Of a summary that the SDK's spans told of: ids of messages of the session's traces (`Message`).
    stands_for_said = ArrayField(models.BigIntegerField(), default=list, db_default=[])
    at = models.DateTimeField()
    created_at = models.DateTimeField(db_default=Now())

    class Meta:
        constraints = [
            models.UniqueConstraint(fields=["project", "session", "external_id"], name="traces_sessionmessage_uniq"),
            models.CheckConstraint(condition=Q(role__in=SESSION_ROLES), name="traces_sessionmessage_role_chk"),
            models.CheckConstraint(condition=Q(external_id__regex=r"\S"), name="traces_sessionmessage_id_chk"),
            models.CheckConstraint(
                condition=Q(stands_for=[]) | Q(role="summary"), name="traces_sessionmessage_summary_chk"
            ),
            models.CheckConstraint(
                condition=Q(stands_for_said=[]) | Q(role="summary"), name="traces_sessionmessage_said_chk"
            ),
        ]
        indexes = [
            models.Index(fields=["project", "session", "id"], name="traces_sessionmessage_order_ix"),
            models.Index(fields=["project", "subject"], name="traces_sessionmessage_subj_ix"),
            # What is over by a rule of retention.
            models.Index(fields=["project", "at", "id"], name="traces_sessionmessage_at_idx"),
        ]

    def __str__(self) -> str:
        return f"{self.role} in session {self.session_id}"

    @property
    def tokens(self) -> int:
        """An estimate: one for four characters, one at least."""
        return max(1, len(self.content) // 4)
