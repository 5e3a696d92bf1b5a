"""What a project keeps for how long, and which rows are older than that."""

from collections.abc import Callable
from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import Any

from django.db import connection
from django.db.models import CharField, Exists, OuterRef, Q
from django.db.models.functions import Cast

from apps.core.clock import now
from apps.core.counting import MOST, capped_count
from apps.curation.conflicts import clear_away, touching
from apps.curation.models import Proposal
from apps.privacy.models import Hold, RetentionSettings
from apps.traces.models import Trace

BATCH = 1_000
LEAST, LONGEST = 1, 3650
"""Days that may be chosen."""


@dataclass(frozen=True)
class Kind:
    """Rows of one kind: ``column`` of the settings says for how many days they stay; ``count`` is capped at 1,001, and
    ``delete`` takes a batch of them, the oldest first, and returns how many went. The project is bound."""

    column: str
    label: str
    what: str
    count: Callable[[int, datetime], int]
    delete: Callable[[int, datetime], int]


def settings_of(project_id: int) -> RetentionSettings:
    """What the project chose, or an unsaved row that keeps everything."""
    return RetentionSettings.objects.filter(project_id=project_id).first() or RetentionSettings(project_id=project_id)


def cut_off(days: int) -> datetime:
    """What is older than this goes."""
    return now() - timedelta(days=days)


def waiting(project_id: int, chosen: dict[str, int | None]) -> dict[str, int]:
    """How many rows of each kind are older than ``chosen`` says, by the setting's name; 1,001 stands for more."""
    return {
        kind.column: kind.count(project_id, cut_off(days))
        for kind in KINDS
        if (days := chosen.get(kind.column)) is not None
    }


def _old_traces(project_id: int, before: datetime) -> Any:
    """Read or given up, and neither held themselves nor of a person who is. What still waits for a worker stays."""
    held = Hold.objects.filter(project_id=project_id, released_at=None)
    rows = Trace.objects.filter(project_id=project_id, started_at__lt=before)
    return (
        rows.exclude(extracted_at=None, dead_reason="", origin="")
        .annotate(person=Cast("subject_id", CharField()))
        .filter(
            ~Exists(held.filter(object_type="trace", object_id=OuterRef("trace_id"))),
            ~Exists(held.filter(object_type="subject", object_id=OuterRef("person"))),
        )
        .order_by("started_at", "id")
    )


def _delete_traces(project_id: int, before: datetime) -> int:
    ids = list(_old_traces(project_id, before).values_list("id", flat=True)[:BATCH])
    # Spans, messages, runs and quotes go with them by the foreign keys; facts and proposals forget where they came from.
    return int(Trace.objects.filter(project_id=project_id, id__in=ids)._raw_delete("default")) if ids else 0


def _old_proposals(project_id: int, before: datetime) -> Any:
    # Older than its decision: what lets the index of the queue find it.
    rows = Proposal.objects.in_project(project_id).filter(state="rejected", created_at__lt=before)
    return rows.filter(Q(decided_at__lt=before)).order_by("created_at", "id")


def _delete_proposals(project_id: int, before: datetime) -> int:
    ids = list(_old_proposals(project_id, before).values_list("id", flat=True)[:BATCH])
    if not ids:
        return 0
    conflicts = touching(project_id, [], ids)
    gone = int(Proposal.objects.filter(project_id=project_id, id__in=ids)._raw_delete("default"))
    clear_away(project_id, conflicts, by="system:retention")
    return gone


_OLD_READS = "SELECT at, id FROM recall_readledger WHERE project_id = %s AND at < %s ORDER BY at, id LIMIT %s"


def _count_reads(project_id: int, before: datetime) -> int:
    with connection.cursor() as cursor:
        cursor.execute(f"SELECT count(*) FROM ({_OLD_READS}) t", [project_id, before, MOST + 1])  # noqa: S608
        return int(cursor.fetchone()[0])


def _delete_reads(project_id: int, before: datetime) -> int:
    with connection.cursor() as cursor:
        cursor.execute(
            f"DELETE FROM recall_readledger r USING ({_OLD_READS}) old"  # noqa: S608
            " WHERE r.project_id = %s AND r.at = old.at AND r.id = old.id",
            [project_id, before, BATCH * 5, project_id],
        )
        return int(cursor.rowcount)


KINDS = [
    Kind(
        "traces_days",
        "Traces",
        "Conversations with their spans, the runs that read them, and the quotes that facts rest on. Facts stay.",
        lambda project_id, before: capped_count(_old_traces(project_id, before)),
        _delete_traces,
    ),
    Kind(
        "reads_days",
        "Reads",
        "The ledger of who was told what. How often each fact was told stays counted.",
        _count_reads,
        _delete_reads,
    ),
    Kind(
        "rejected_days",
        "Rejected proposals",
        "With their quotes, from the day they were rejected on.",
        lambda project_id, before: capped_count(_old_proposals(project_id, before)),
        _delete_proposals,
    ),
]
