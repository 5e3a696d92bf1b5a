"""What a person may do to several facts at once, and whether a fact allows it."""

from dataclasses import dataclass
from typing import Literal

from apps.core.errors import DomainError, Invalid
from apps.facts.categories import clean_name
from apps.facts.handling import Handling, require_current
from apps.facts.models import Fact
from apps.facts.statement import Destination

PEOPLE_RETIRE = ("stale", "wrong", "duplicate")
"""The reasons a person gives; the others are the product's own."""


@dataclass(frozen=True, kw_only=True)
class Retirement:
    """No longer told, for one of `PEOPLE_RETIRE`."""

    reason: str
    kind: Literal["retire"] = "retire"


@dataclass(frozen=True, kw_only=True)
class Move:
    """A new version in another scope."""

    to: Destination
    kind: Literal["move"] = "move"


@dataclass(frozen=True, kw_only=True)
class Refiling:
    """A new version in another category."""

    category: str
    kind: Literal["file"] = "file"


Wish = Handling | Retirement | Move | Refiling


def checked(wish: Wish) -> Wish:
    """The same. Raises Invalid for what could be done to no fact."""
    if isinstance(wish, Handling):
        return wish.checked()
    if isinstance(wish, Retirement) and wish.reason not in PEOPLE_RETIRE:
        raise Invalid("unknown_choice", "Not a reason to retire a fact.", pointer="/reason")
    if isinstance(wish, Refiling):
        return Refiling(category=clean_name(wish.category))
    return wish


def objection(fact: Fact, wish: Wish) -> str:
    """Why this can't be done to a fact as it is now, or nothing. The verb asks again with the row locked."""
    try:
        if isinstance(wish, Handling):
            wish.columns(fact)
        require_current(fact)
        if isinstance(wish, Move) and _is_there(fact, wish.to):
            raise Invalid("unchanged", "It is so already.")
        if isinstance(wish, Refiling) and fact.category == wish.category:
            raise Invalid("unchanged", "It is filed there already.")
    except DomainError as error:
        return error.detail
    return ""


def _is_there(fact: Fact, to: Destination) -> bool:
    if fact.scope != to.scope:
        return False
    name = fact.agent.name if fact.agent else ""
    if to.scope == "agent":
        return name == (to.agent_name or to.scope_id)
    return to.scope == "project" or (fact.scope_id, name) == (to.scope_id.strip(), to.agent_name)
