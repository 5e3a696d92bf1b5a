"""What holders of keys may know of facts that they name themselves: by number, or by a key of their own."""

from collections.abc import Sequence
from typing import Any
from uuid import UUID

from django.db import connection
from django.db.models import Q
from django.db.models.functions import Now

from apps.core.errors import NotFound
from apps.core.transactions import bind
from apps.facts.models import Fact
from apps.facts.querysets import FactQuerySet, OfRow
from apps.recall.listing import FIELDS, OPEN_SCOPES, Reading
from apps.recall.queries import Reader


def within_reach(reader: Reader, writer: str) -> FactQuerySet:
    """Every version of facts that the reader's grants cover, and of those that ``writer`` wrote itself: what somebody said
    is no secret to him. None that is just being erased."""
    agents = Q() if reader.agents is None else Q(agent_id__in=reader.agents) | Q(agent_id=None)
    permitted = Q(OfRow("fact_permitted", Reading(reader)))
    facts = Fact.objects.in_project(reader.project_id).filter(agents)
    return facts.filter(Q(approved_by=writer) | permitted).exclude(restricted_reason="erasure")


def within_hand(reader: Reader, writer: str) -> FactQuerySet:
    """Of these what the reader may change: a key that is kept to some agents touches nothing that all agents are told."""
    facts = within_reach(reader, writer)
    return facts if reader.agents is None else facts.filter(agent_id__in=reader.agents)


def one_fact(reader: Reader, writer: str, fact_id: int, *, users: bool, history: bool) -> dict[str, Any]:
    """The version of this number, with FIELDS and its ``value``, as a read of the ledger. ``users``: facts that are not every
    reader's too; ``history``: what is held, over or closed too, which else only its writer sees. Raises NotFound."""
    with bind(reader.project_id):
        facts = within_reach(reader, writer).filter(id=fact_id)
        if not users:
            facts = facts.filter(scope__in=OPEN_SCOPES)
        if not history:
            facts = facts.filter(Q(OfRow("fact_in_force", Now())) | Q(approved_by=writer, restricted_at=None))
        row = facts.values(*FIELDS, "value", "subject_id").first()
        if row is None:
            raise NotFound("not_found", "There is no such fact.")
        subject_id, newer = row.pop("subject_id"), row["superseded_by"]
        if newer is not None and not within_reach(reader, writer).filter(id=newer).exists():
            row["superseded_by"] = None
        record_told(reader, [row["id"]], subject_id=subject_id)
    return row


def record_told(
    reader: Reader, ids: Sequence[int], *, agent_id: UUID | None = None, subject_id: int | None = None
) -> None:
    """Write a read to the ledger. The project is bound."""
    with connection.cursor() as db:
        db.execute(
            "SELECT record_read(ROW(%s, %s, %s, NULL, NULL, %s, NULL, NULL, NULL, NULL, NULL, %s, NULL, NULL, now(), false)"
            "::recall_reader, %s::bigint[], array_fill(NULL::float8, ARRAY[%s]))",
            [reader.project_id, reader.key_id, agent_id, subject_id, reader.purpose, list(ids), len(ids)],
        )
