"""What a project keeps for how long: rules by store, of which the most specific that fits a row wins, and what is due by them."""

from collections.abc import Callable, Iterable
from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import Any

from django.db import connection
from django.db.models import CharField, Exists, OuterRef, Q
from django.db.models.functions import Cast, Coalesce

from apps.core.clock import now
from apps.core.counting import MOST, capped_count
from apps.curation.conflicts import clear_away, touching
from apps.curation.models import Proposal
from apps.dreaming.models import DreamChange, DreamRun
from apps.extraction.models import ExtractionRun
from apps.privacy.fact_retention import (
    by_rule,
    facts_corrected,
    facts_ended,
    facts_over,
    facts_to_review,
    hide,
    purge,
    set_review,
)
from apps.privacy.models import Hold, RetentionRule
from apps.traces.models import Session, SessionMessage, Trace

BATCH = 1_000
LEAST, LONGEST = 1, 3650
"""Days that may be chosen."""

Rules = list[RetentionRule]
Count = Callable[[int, RetentionRule, Rules], int]


@dataclass(frozen=True)
class Step:
    """What a rule asks for: ``days`` names its column, ``said`` what happens then. ``count`` is capped at MOST + 1; ``act``
    takes a batch and returns how many rows it was. The project is bound."""

    name: str
    days: str
    said: str
    count: Count
    act: Count


@dataclass(frozen=True)
class Kind:
    """A store that rules are about; ``narrowed``: a rule may name scope, category and sensitivity."""

    store: str
    label: str
    what: str
    steps: list[Step]
    narrowed: bool = False


def rules_of(project_id: int) -> Rules:
    """The project's rules, by store, the most specific first. The project is bound."""
    order = {kind.store: place for place, kind in enumerate(KINDS)}
    rows = RetentionRule.objects.filter(project_id=project_id)
    return sorted(rows, key=lambda rule: (order[rule.store], [-one for one in rule.rank], rule.id))


def due(project_id: int, rules: Rules, only: Iterable[RetentionRule]) -> dict[tuple[int | None, str], int]:
    """A dry run: how many rows each step of these rules would take now, by the rule's id and the step's name."""
    return {(rule.pk, step.name): step.count(project_id, rule, rules) for rule in only for step in steps_of(rule)}


def steps_of(rule: RetentionRule) -> list[Step]:
    """Those for which the rule says a number of days."""
    return [step for step in KINDS_BY_NAME[rule.store].steps if getattr(rule, step.days) is not None]


def cut_off(days: int | None) -> datetime:
    """What is older than this is due."""
    return now() - timedelta(days=days or 0)


def _unheld(rows: Any, project_id: int, *, trace: str) -> Any:
    """Without what is held itself, or belongs to a person who is: ``trace`` leads to the trace's id."""
    held = Hold.objects.filter(project_id=project_id, released_at=None)
    return rows.annotate(person=Cast("subject_id", CharField())).filter(
        ~Exists(held.filter(object_type="trace", object_id=OuterRef(trace))),
        ~Exists(held.filter(object_type="subject", object_id=OuterRef("person"))),
    )


def _old_traces(project_id: int, rule: RetentionRule, rules: Rules) -> Any:
    """Read or given up, and not held. What still waits for a worker stays."""
    rows = Trace.objects.filter(project_id=project_id, started_at__lt=cut_off(rule.keep_days))
    read = rows.exclude(extracted_at=None, dead_reason="", origin="")
    return _unheld(read, project_id, trace="trace_id").order_by("started_at", "id")


def _delete_traces(project_id: int, rule: RetentionRule, rules: Rules) -> int:
    ids = list(_old_traces(project_id, rule, rules).values_list("id", flat=True)[:BATCH])
    # Spans, messages, runs and quotes go with them by the foreign keys; facts and proposals forget where they came from.
    return int(Trace.objects.filter(project_id=project_id, id__in=ids)._raw_delete("default")) if ids else 0


def _old_sessions(project_id: int, rule: RetentionRule, rules: Rules) -> Any:
    """Those in which nothing was said since; a held conversation keeps its session."""
    cut, held = cut_off(rule.keep_days), Hold.objects.filter(project_id=project_id, released_at=None)
    said = Trace.objects.filter(project_id=project_id, session_id=OuterRef("id"))
    kept = said.filter(Exists(held.filter(object_type="trace", object_id=OuterRef("trace_id"))))
    rows = Session.objects.filter(project_id=project_id, created_at__lt=cut)
    return (
        rows.annotate(person=Cast("subject_id", CharField()))
        .filter(
            ~Exists(said.filter(started_at__gte=cut)),
            ~Exists(SessionMessage.objects.filter(project_id=project_id, session_id=OuterRef("id"), at__gte=cut)),
            ~Exists(kept),
            ~Exists(held.filter(object_type="subject", object_id=OuterRef("person"))),
        )
        .order_by("created_at", "id")
    )


def _delete_sessions(project_id: int, rule: RetentionRule, rules: Rules) -> int:
    ids = list(_old_sessions(project_id, rule, rules).values_list("id", flat=True)[:BATCH])
    return int(Session.objects.filter(project_id=project_id, id__in=ids)._raw_delete("default")) if ids else 0


def _old_messages(project_id: int, rule: RetentionRule, rules: Rules) -> Any:
    """What sessions held, message by message, however long the session goes on."""
    held = Hold.objects.filter(project_id=project_id, released_at=None)
    said = Trace.objects.filter(project_id=project_id, session_id=OuterRef("session_id"))
    rows = SessionMessage.objects.filter(project_id=project_id, at__lt=cut_off(rule.keep_days))
    return (
        rows.annotate(person=Cast(Coalesce("subject_id", "session__subject_id"), CharField()))
        .filter(
            ~Exists(held.filter(object_type="subject", object_id=OuterRef("person"))),
            ~Exists(said.filter(trace_id__in=held.filter(object_type="trace").values("object_id"))),
        )
        .order_by("at", "id")
    )


def _delete_messages(project_id: int, rule: RetentionRule, rules: Rules) -> int:
    ids = list(_old_messages(project_id, rule, rules).values_list("id", flat=True)[:BATCH])
    return int(SessionMessage.objects.filter(project_id=project_id, id__in=ids)._raw_delete("default")) if ids else 0


def _old_dreams(project_id: int, rule: RetentionRule, rules: Rules) -> Any:
    """Runs that ended, decided on or not; none over a held person's facts, or with a change about her."""
    held = Hold.objects.filter(project_id=project_id, released_at=None, object_type="subject")
    about = DreamChange.objects.filter(project_id=project_id, run_id=OuterRef("id"))
    about = about.annotate(whom=Cast("subject_id", CharField())).filter(whom__in=held.values("object_id"))
    rows = DreamRun.objects.filter(project_id=project_id, finished_at__lt=cut_off(rule.keep_days))
    return (
        rows.annotate(person=Cast("subject_id", CharField()))
        .filter(~Exists(held.filter(object_id=OuterRef("person"))), ~Exists(about))
        .order_by("finished_at", "id")
    )


def _delete_dreams(project_id: int, rule: RetentionRule, rules: Rules) -> int:
    ids = list(_old_dreams(project_id, rule, rules).values_list("id", flat=True)[:BATCH])
    # Phases, changes and their targets go with them by the foreign keys; what was applied stays as it is.
    return int(DreamRun.objects.filter(project_id=project_id, id__in=ids)._raw_delete("default")) if ids else 0


def _old_answers(project_id: int, rule: RetentionRule, rules: Rules) -> Any:
    rows = ExtractionRun.objects.filter(project_id=project_id, finished_at__lt=cut_off(rule.keep_days))
    return _unheld(rows.exclude(raw_answer=""), project_id, trace="trace_id").order_by("finished_at", "id")


def _empty_answers(project_id: int, rule: RetentionRule, rules: Rules) -> int:
    ids = list(_old_answers(project_id, rule, rules).values_list("id", flat=True)[:BATCH])
    return ExtractionRun.objects.filter(project_id=project_id, id__in=ids).update(raw_answer="") if ids else 0


def _old_proposals(project_id: int, rule: RetentionRule, rules: Rules) -> Any:
    # Older than its decision: what lets the index of the queue find it.
    cut = cut_off(rule.keep_days)
    rows = Proposal.objects.in_project(project_id).filter(by_rule(rule, rules), created_at__lt=cut)
    # What its writer took back, or wrote anew, nobody needs either.
    over = Q(state="rejected") | Q(state="expired", origin="api")
    return rows.filter(over, decided_at__lt=cut).order_by("created_at", "id")


def _delete_proposals(project_id: int, rule: RetentionRule, rules: Rules) -> int:
    ids = list(_old_proposals(project_id, rule, rules).values_list("id", flat=True)[:BATCH])
    if not ids:
        return 0
    conflicts = touching(project_id, [], ids)
    gone = int(Proposal.objects.filter(project_id=project_id, id__in=ids)._raw_delete("default"))
    clear_away(project_id, conflicts, by="system:retention")
    return gone


_OLD_READS = "SELECT at, id FROM recall_readledger WHERE project_id = %s AND at < %s ORDER BY at, id LIMIT %s"


def _count_reads(project_id: int, rule: RetentionRule, rules: Rules) -> int:
    with connection.cursor() as cursor:
        given: list[Any] = [project_id, cut_off(rule.keep_days), MOST + 1]
        cursor.execute(f"SELECT count(*) FROM ({_OLD_READS}) t", given)  # noqa: S608
        return int(cursor.fetchone()[0])


def _delete_reads(project_id: int, rule: RetentionRule, rules: Rules) -> int:
    with connection.cursor() as cursor:
        cursor.execute(
            f"DELETE FROM recall_readledger r USING ({_OLD_READS}) old"  # noqa: S608
            " WHERE r.project_id = %s AND r.at = old.at AND r.id = old.id",
            [project_id, cut_off(rule.keep_days), BATCH * 5, project_id],
        )
        return int(cursor.rowcount)


def _counting(*kinds: Callable[[int, RetentionRule, Rules], Any]) -> Count:
    return lambda project_id, rule, rules: min(
        sum(capped_count(rows(project_id, rule, rules)) for rows in kinds), MOST + 1
    )


def _only(said: str, count: Count, act: Count) -> list[Step]:
    return [Step("delete", "keep_days", said, count, act)]


KINDS = [
    Kind(
        "facts",
        "Facts",
        "Counted from the last time a fact was said. Past that, nobody is told it; later it is deleted with its versions, evidence and proposals. Wording that a person had corrected ended on that day.",
        [
            Step("review", "review_days", "put up for review", _counting(facts_to_review), set_review),
            Step("hide", "keep_days", "no longer told", _counting(facts_over), hide),
            Step("purge", "purge_days", "deleted", _counting(facts_ended, facts_corrected), purge),
        ],
        narrowed=True,
    ),
    Kind(
        "traces",
        "Traces",
        "Conversations with their spans, the runs that read them, and the quotes that facts rest on. Facts stay.",
        _only("deleted", _counting(_old_traces), _delete_traces),
    ),
    Kind(
        "sessions",
        "Sessions",
        "Ids that join conversations, and what they held, once nothing was said in them for that long. Conversations stay.",
        _only("deleted", _counting(_old_sessions), _delete_sessions),
    ),
    Kind(
        "messages",
        "Session messages",
        "What agents’ working memory held, summaries too, counted from when each was said. Sessions stay.",
        _only("deleted", _counting(_old_messages), _delete_messages),
    ),
    Kind(
        "reads",
        "Reads",
        "The ledger of who was told what. How often each fact was told stays counted.",
        _only("deleted", _count_reads, _delete_reads),
    ),
    Kind(
        "answers",
        "Raw model answers",
        "What a model answered when it read a conversation. The run and its counts stay.",
        _only("emptied", _counting(_old_answers), _empty_answers),
    ),
    Kind(
        "rejected",
        "Rejected proposals",
        "With their quotes, counted from the day they were rejected; and what clients wrote and took back before anybody decided.",
        _only("deleted", _counting(_old_proposals), _delete_proposals),
        narrowed=True,
    ),
    Kind(
        "dreams",
        "Dream runs",
        "With the changes they would have made, decided on or not, counted from the day they ended. Facts stay; what was applied can’t be undone any more. A model’s answers are never kept.",
        _only("deleted", _counting(_old_dreams), _delete_dreams),
    ),
]  # fmt: skip
KINDS_BY_NAME = {kind.store: kind for kind in KINDS}
