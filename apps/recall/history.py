"""Earlier moments: which facts held then, what became of them since, and what was told."""

from dataclasses import dataclass
from datetime import datetime
from uuid import UUID

from django.db.models import Count, DateTimeField, Q, Value
from django.db.models.expressions import RawSQL
from django.db.models.functions import Now

from apps.core.sqlfiles import load
from apps.facts.querysets import FactQuerySet, OfRow
from apps.recall.models import ReadLedger


@dataclass(frozen=True)
class Since:
    """A moment beside now, as conditions on facts. ``held`` is what held then; of that ``replaced`` was superseded and
    ``ended`` is told no longer for another reason. ``added`` is told now, was not then, and is no newer version of what
    was."""

    held: Q
    added: Q
    replaced: Q
    ended: Q

    def counts(self, facts: FactQuerySet) -> dict[str, int]:
        """How many of ``facts`` each condition takes, by its name, in one pass over them."""
        return facts.aggregate(**{name: Count("id", filter=condition) for name, condition in vars(self).items()})


def since(project_id: int, at: datetime) -> Since:
    """What became of a project's facts from a moment on. What held then, SQL says: by what is known of it now."""
    held = Q(OfRow("fact_was_in_force", Value(at, DateTimeField())))
    told = Q(OfRow("fact_in_force", Now()))
    # The text is a file of ours, and what is put in goes as parameters.
    newer = RawSQL(load(__package__, "newer_versions"), (project_id, at, project_id))  # noqa: S611
    return Since(
        held=held,
        added=told & ~held & ~Q(id__in=newer),
        replaced=held & ~Q(superseded_at=None),
        ended=held & ~told & Q(superseded_at=None),
    )


def reads_until(
    project_id: int, at: datetime, *, agent_id: UUID | None = None, subject_id: int | None = None, limit: int
) -> list[ReadLedger]:
    """The last reads at or before a moment, newest first, of an agent or for a subject, or both; one must be given."""
    if agent_id is None and subject_id is None:
        raise ValueError("Reads are looked up by an agent or a subject.")
    reads = ReadLedger.objects.filter(project_id=project_id, at__lte=at)
    if agent_id is not None:
        reads = reads.filter(agent_id=agent_id)
    if subject_id is not None:
        reads = reads.filter(subject_id=subject_id)
    return list(reads.order_by("-at", "-id")[:limit])
