"""A conflict as it stands now: what is left on its sides, and which of them looks stronger."""

from collections.abc import Collection, Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta
from functools import cached_property
from uuid import UUID

from apps.curation.models import OPEN_STATES, ConflictSide, Proposal
from apps.facts.models import Fact
from apps.facts.queries import newest_versions

RULES = ("pinned", "trust", "newer", "corroborated", "approved")
"""What speaks for a side, what weighs most first."""
CLEARLY_LATER = timedelta(days=1)


@dataclass(frozen=True)
class Side:
    """One statement that still stands: a current fact, or a proposal nobody has decided."""

    row: Fact | Proposal

    @cached_property
    def ref(self) -> str:
        """How forms name it: ``f1842`` or ``p`` and the proposal's hexadecimal digits. A fact's number is its version."""
        return f"f{self.row.id}" if isinstance(self.row, Fact) else f"p{self.row.id.hex}"

    @property
    def fact(self) -> Fact | None:
        return self.row if isinstance(self.row, Fact) else None

    @property
    def proposal(self) -> Proposal | None:
        return self.row if isinstance(self.row, Proposal) else None

    @property
    def said_at(self) -> datetime:
        return self.row.observed_at

    @property
    def name(self) -> str:
        """What people call it: ``#1842`` or ``P-1f09ab``."""
        return f"#{self.row.id}" if isinstance(self.row, Fact) else self.row.number


def seen_as(sides: Sequence[Side]) -> str:
    """What a form carries so that nobody decides about sides he did not see."""
    return " ".join(side.ref for side in sides)


def standing(project_id: int, conflict_id: int) -> list[Side]:
    """The sides of a conflict that still stand, facts first: an edited fact as its newest version, an approved proposal
    as its fact."""
    rows = ConflictSide.objects.filter(project_id=project_id, conflict_id=conflict_id)
    found = list(rows.values_list("fact_id", "proposal_id", "proposal__fact_id", "proposal__state"))
    facts = {fact for fact, _, approved, _ in found for fact in (fact, approved) if fact is not None}
    waiting = [proposal for _, proposal, _, state in found if state in OPEN_STATES]
    return sides_of(project_id, newest_versions(project_id, facts), waiting)


def sides_of(project_id: int, fact_ids: Collection[int], proposal_ids: Collection[UUID]) -> list[Side]:
    """Those of these facts that are current, then those of these proposals that wait."""
    facts = Fact.objects.in_project(project_id).current().filter(id__in=fact_ids).select_related("agent").order_by("id")
    proposals = Proposal.objects.in_project(project_id).filter(id__in=proposal_ids, state__in=OPEN_STATES)
    waiting = proposals.select_related("agent").order_by("created_at", "id") if proposal_ids else []
    return [*map(Side, facts), *map(Side, waiting)]


@dataclass(frozen=True)
class Suggestion:
    """The side that looks stronger and why; ``rule`` decided it: pinned, trust, newer, corroborated or approved.
    ``days`` is by how many it was said later than every other one, ``against`` the rules that speak for another."""

    ref: str
    rule: str
    days: int = 0
    against: tuple[str, ...] = ()


def suggestion(sides: Sequence[Side]) -> Suggestion | None:
    """Which side a person should look at first, by the first of these that sets one apart from every other: a person
    pinned it, its source has more authority, it was said clearly later, more conversations say it, a person approved
    it. None where nothing does."""
    if len(sides) < 2:
        return None
    leaders = {rule: _ahead(rule, sides) for rule in RULES}
    rule, leader = next(((rule, side) for rule, side in leaders.items() if side is not None), ("", None))
    if leader is None:
        return None
    earlier = leader.said_at - max(side.said_at for side in sides if side is not leader)
    against = tuple(name for name, other in leaders.items() if other is not None and other is not leader)
    return Suggestion(leader.ref, rule, max(0, earlier.days), against)


def _ahead(rule: str, sides: Sequence[Side]) -> Side | None:
    """The one side that this rule sets above every other."""
    ranked = sorted(sides, key=lambda side: _weight(rule, side), reverse=True)
    first, second = ranked[0], ranked[1]
    if rule == "newer":
        return first if first.said_at - second.said_at >= CLEARLY_LATER else None
    return first if _weight(rule, first) > _weight(rule, second) else None


def _weight(rule: str, side: Side) -> float:
    fact = side.fact
    if rule == "newer":
        return side.said_at.timestamp()
    if rule == "trust":
        return side.row.trust
    if fact is None:
        return 0
    if rule == "corroborated":
        return fact.corroborations
    return float(fact.pinned if rule == "pinned" else fact.approved_by.startswith("user:"))
