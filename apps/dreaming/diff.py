"""What a run would change, as both faces show it: a run with its phases and counts, and its changes with their facts and
evidence, each in one statement."""

from collections.abc import Collection
from dataclasses import dataclass
from datetime import datetime
from typing import Any

from django.db.models import Case, Exists, F, IntegerField, JSONField, OuterRef, Q, QuerySet, Value, When
from django.db.models import Count as Counted
from django.db.models.expressions import RawSQL

from apps.core.sqlfiles import load
from apps.dreaming.models import DreamChange, DreamRun, DreamTarget
from apps.dreaming.states import UNDECIDED
from apps.facts.models import Fact
from apps.recall.listing import permitted
from apps.recall.queries import Reader

GROUPS: dict[str, tuple[str, ...]] = {
    "conflicts": ("conflict", "resolve"),
    "merged": ("merge",),
    "rewritten": ("supersede", "shorten"),
    "dated": ("redate",),
    "retired": ("retire", "archive"),
    "added": ("add",),
}
"""Operations by what they do to what agents are told, in the order in which they are shown."""
GROUP_OF = {op: name for name, ops in GROUPS.items() for op in ops}


@dataclass(frozen=True)
class Count:
    """Changes of one operation in one state."""

    op: str
    state: str
    safe: bool
    n: int


def runs_shown(project_id: int, sensitivities: Collection[str]) -> "QuerySet[DreamRun]":
    """Runs with ``shown``, what sql/run_shown.sql says of each. The project is bound."""
    return _with(project_id, "run_shown", sensitivities)


def runs_listed(project_id: int, sensitivities: Collection[str]) -> "QuerySet[DreamRun]":
    """Runs with as much of ``shown`` as a line of the list says (sql/run_tally.sql). The project is bound."""
    return _with(project_id, "run_tally", sensitivities)


def _with(project_id: int, name: str, sensitivities: Collection[str]) -> "QuerySet[DreamRun]":
    beside = RawSQL(load("apps.dreaming", name), [list(sensitivities)], output_field=JSONField())  # noqa: S611
    return DreamRun.objects.filter(project_id=project_id).annotate(shown=beside)


def counts_of(run: DreamRun) -> list[Count]:
    """Of a run of `runs_shown`."""
    return [Count(**row) for row in run.shown["tally"]]  # type: ignore[attr-defined]


def how_many(counts: Collection[Count], *states: str, group: str = "", safe: bool = False) -> int:
    """Changes in one of ``states`` (any without), of one group or all, safe ones alone or all."""
    return sum(
        one.n
        for one in counts
        if (not states or one.state in states) and (not group or GROUP_OF[one.op] == group) and (one.safe or not safe)
    )


def undecided(counts: Collection[Count]) -> int:
    return how_many(counts, *UNDECIDED)


def changes_shown(project_id: int, run_id: int, sensitivities: Collection[str]) -> "QuerySet[DreamChange]":
    """Changes that the reader may see, with ``place``, their group's, and ``shown``, what sql/change_shown.sql says."""
    ranks = [When(op__in=ops, then=Value(place)) for place, ops in enumerate(GROUPS.values())]
    return (
        DreamChange.objects.filter(project_id=project_id, run_id=run_id, sensitivity__in=list(sensitivities))
        .annotate(place=Case(*ranks, output_field=IntegerField()))
        .annotate(shown=RawSQL(load("apps.dreaming", "change_shown"), [], output_field=JSONField()))  # noqa: S611
        .order_by("place", F("id"))
    )


def known_to(reader: Reader) -> "QuerySet[DreamChange]":
    """Changes that the holder of a key may know of: up to its ceiling, of its categories, and about no fact that it may not
    be told."""
    told = permitted(Fact.objects.in_project(reader.project_id).filter(id=OuterRef("fact_id")), reader)
    about = DreamTarget.objects.filter(project_id=reader.project_id, change_id=OuterRef("id"))
    found = DreamChange.objects.filter(
        ~Exists(about.filter(~Exists(told))), project_id=reader.project_id, sensitivity__in=reader.sensitivities
    )
    # One that says nothing anew has no category of its own.
    return found if reader.categories is None else found.filter(Q(category="") | Q(category__in=reader.categories))


def counts_known_to(reader: Reader, run_ids: Collection[int]) -> dict[int, dict[str, int]]:
    """How many of these changes are in which state, by run. One statement."""
    rows = known_to(reader).filter(run_id__in=list(run_ids)).order_by().values_list("run_id", "state")
    found: dict[int, dict[str, int]] = {run_id: {} for run_id in run_ids}
    for run_id, state, n in rows.annotate(n=Counted("id")):
        found[run_id][state] = n
    return found


def moment(text: str | None) -> datetime | None:
    """A moment as JSON has it."""
    return datetime.fromisoformat(text) if text else None


def facts_of(change: DreamChange, *roles: str) -> list[dict[str, Any]]:
    """The facts of a change of `changes_shown` that are one of ``roles`` to it, or all."""
    return [one for one in change.shown["targets"] if not roles or one["role"] in roles]  # type: ignore[attr-defined]
