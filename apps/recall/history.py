"""Earlier moments: which facts held then, what became of them since, and what was told."""

from dataclasses import dataclass
from datetime import datetime
from uuid import UUID

from django.db.models import Q
from django.db.models.expressions import RawSQL
from django.db.models.functions import Now

from apps.core.sqlfiles import load
from apps.facts.querysets import FactQuerySet
from apps.recall.models import ReadLedger


def was_in_force(at: datetime) -> Q:
    """What held at a moment, by what is known of it now: the SQL function ``fact_was_in_force`` for lists."""
    later = {
        name: Q(**{name: None}) | Q(**{f"{name}__gt": at})
        for name in ("superseded_at", "retired_at", "restricted_at", "expires_at", "valid_to")
    }
    held = Q(approved_at__lte=at) & (Q(valid_from=None) | Q(valid_from__lte=at))
    for condition in later.values():
        held &= condition
    return held


@dataclass(frozen=True)
class Since:
    """A moment beside now, each a list in no order yet. ``held`` are the facts of then; of these ``replaced`` were
    superseded and ``ended`` are told no longer for another reason. ``added`` are told now, were not then, and are not a
    newer version of one that was."""

    held: FactQuerySet
    added: FactQuerySet
    replaced: FactQuerySet
    ended: FactQuerySet


def since(project_id: int, facts: FactQuerySet, at: datetime) -> Since:
    """The facts among ``facts``, a list of this project's, at a moment and from then on."""
    then = was_in_force(at)
    # The text is a file of ours, and what is put in goes as parameters.
    newer = RawSQL(load(__package__, "newer_versions"), (project_id, at, project_id))  # noqa: S611
    held = facts.filter(then)
    over = Q(expires_at__lte=Now()) | Q(valid_to__lte=Now()) | ~Q(retired_at=None) | ~Q(restricted_at=None)
    return Since(
        held=held,
        added=facts.active().exclude(then).exclude(id__in=newer),
        replaced=held.exclude(superseded_at=None),
        ended=held.filter(over, superseded_at=None),
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
