"""What a forget would reach."""

from dataclasses import asdict, dataclass, field
from typing import Any
from uuid import UUID

from django.db import connection
from django.db.models import F, Q

from apps.core.sqlfiles import load
from apps.curation.models import Proposal
from apps.facts.models import Fact, FactDerivation
from apps.facts.queries import older_versions

SHOWN = 1_000
"""So many rows of a kind a preview counts; of more it says "more than 1,000"."""


@dataclass(frozen=True)
class ForgottenRows:
    """Ids of everything that goes: the fact and the versions it replaced, and the proposals about them; and these facts,
    as they were read."""

    fact_ids: list[int]
    proposal_ids: list[UUID]
    facts: list[Fact]


@dataclass(frozen=True)
class ForgetCounts:
    """Rows by store. ``tellings``, the counts of who was told, move by the minute, so that they are shown and recorded
    but make no preview outdated."""

    facts: int
    superseded: int
    evidence: int
    proposals: int
    tellings: int = field(default=0, compare=False)

    def as_dict(self) -> dict[str, int]:
        return asdict(self)

    def shown(self) -> "ForgetCounts":
        """As a preview has them: none goes beyond SHOWN + 1."""
        return ForgetCounts(**{name: min(number, SHOWN + 1) for name, number in self.as_dict().items()})


def forgotten_rows(project_id: int, *fact_ids: int) -> ForgottenRows:
    """The facts' whole older history, merges of it that were taken back, closed rows that one of these is a copy of, and
    each proposal that made, or would change, one of these versions, or says the same words in the same scope. Empty when
    there is no such fact."""
    chain = [*fact_ids, *older_versions(project_id, *fact_ids)]
    lineage = FactDerivation.objects.filter(project_id=project_id)
    # What was made of these words and taken back says them still.
    made_of = lineage.filter(parent_id__in=chain, child__retired_reason="undone")
    copied = lineage.filter(child_id__in=chain, parent__norm_hash=F("child__norm_hash")).exclude(
        parent__superseded_at=None, parent__retired_at=None
    )
    # Each of its own index, which one condition with OR has none of.
    own = Fact.objects.in_project(project_id).filter(id__in=chain).order_by()
    ids = own.values("id").union(made_of.order_by().values("child_id"), copied.order_by().values("parent_id"))
    facts = list(Fact.objects.in_project(project_id).filter(id__in=ids).order_by("id"))
    if not facts:
        return ForgottenRows([], [], [])
    found = [fact.id for fact in facts]
    same = Q()
    for scope, scope_id, digest in {(fact.scope, fact.scope_id, bytes(fact.norm_hash)) for fact in facts}:
        same |= Q(scope=scope, scope_id=scope_id, norm_hash=digest)
    ours = Proposal.objects.in_project(project_id).order_by().values_list("id", flat=True)
    # Each of its own index, which one condition with OR has none of.
    about = ours.filter(fact_id__in=found).union(
        ours.filter(targets__fact_id__in=found),
        ours.filter(id__in=[fact.proposal_id for fact in facts if fact.proposal_id]),
        ours.filter(same),
    )
    return ForgottenRows(found, sorted(about), facts)


def forget_counts(project_id: int, rows: ForgottenRows, *, most: int | None = None) -> ForgetCounts:
    """How many of these rows there are now; asked before and after. ``most`` ends each count there, for who only shows
    them. One statement."""
    given: dict[str, Any] = {
        "project": project_id,
        "facts": rows.fact_ids,
        "proposals": rows.proposal_ids,
        "most": most,
    }
    with connection.cursor() as cursor:
        cursor.execute(load("apps.privacy", "forget_counts"), given)
        facts, superseded, evidence, proposals, tellings = cursor.fetchone()
    return ForgetCounts(facts, superseded, evidence, proposals, tellings)
