"""One wish for many facts: each is changed or left as it was, and every one left says why."""

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any

from apps.access.actor import Actor
from apps.access.policies import require
from apps.core.errors import DomainError, Invalid
from apps.core.transactions import bind
from apps.curation.changes import record_change, state_of
from apps.curation.changing import Refiling, Retirement, Wish, checked
from apps.curation.conflicts import settle, touching
from apps.curation.models import Change
from apps.facts.actions.file_fact import file_fact
from apps.facts.actions.handle_fact import VERBS, handle_fact
from apps.facts.actions.move_fact import move_fact
from apps.facts.actions.retire_fact import retire_fact
from apps.facts.handling import Handling
from apps.facts.locks import locked_facts
from apps.facts.models import Fact

MOST = 1_000
"""Facts changed at once."""


@dataclass
class Changed:
    """``done``: the facts as they are now, a moved or refiled one as its new version; ``left``: (id, reason); ``change`` takes all
    of it back, and is None when nothing was done."""

    done: list[Fact] = field(default_factory=list)
    left: list[tuple[int, str]] = field(default_factory=list)
    change: Change | None = None


def change_facts(*, actor: Actor, project_id: int, fact_ids: Sequence[int], wish: Wish) -> Changed:
    """Do the wish to each fact in ascending order, in one transaction; one that refuses is left alone.

    A retired fact leaves the conflicts it stands in, which are settled where nothing else waits. Raises Invalid
    ``too_many`` for more than `MOST`, and what is wrong with the wish itself, with nothing done.
    """
    policy = "facts.handle" if isinstance(wish, Handling) else f"facts.{_POLICY[wish.kind]}"
    require(actor, policy, project_id=project_id)
    wish = checked(wish)
    ids = sorted(set(fact_ids))
    if len(ids) > MOST:
        raise Invalid("too_many", f"At most {MOST:,} facts are changed at once.", pointer="/ids")
    result, items = Changed(), []
    with bind(project_id):
        before = locked_facts(project_id, ids)
        for fact_id in ids:
            try:
                # A savepoint of its own: what refuses leaves no trace among the others.
                with bind(project_id):
                    fact = _do(actor, project_id, fact_id, wish)
                    settled = _settled(actor, fact, wish)
            except DomainError as error:
                result.left.append((fact_id, error.detail))
                continue
            result.done.append(fact)
            items.append(_item(before[fact_id], fact) | ({"settled": settled} if settled else {}))
        if items:
            verb = VERBS[wish.kind] if isinstance(wish, Handling) else f"facts.{wish.kind}"
            result.change = record_change(actor=actor, verb=verb, items=items)
    return result


_POLICY = {"retire": "retire", "move": "revise", "file": "revise"}


def _do(actor: Actor, project_id: int, fact_id: int, wish: Wish) -> Fact:
    if isinstance(wish, Handling):
        return handle_fact(actor=actor, project_id=project_id, fact_id=fact_id, handling=wish)
    if isinstance(wish, Retirement):
        return retire_fact(actor=actor, project_id=project_id, fact_id=fact_id, reason=wish.reason)
    if isinstance(wish, Refiling):
        return file_fact(actor=actor, project_id=project_id, fact_id=fact_id, category=wish.category)
    return move_fact(actor=actor, project_id=project_id, fact_id=fact_id, to=wish.to)


def _settled(actor: Actor, fact: Fact, wish: Wish) -> list[int]:
    """The conflicts that a retirement ended, which taking it back opens again."""
    if not isinstance(wish, Retirement):
        return []
    return settle(fact.project_id, touching(fact.project_id, [fact.id], []), by=actor.name)


def _item(before: Fact, after: Fact) -> dict[str, Any]:
    if after.id != before.id:
        return {"fact": before.id, "new": after.id, "now": state_of(after)}
    was, now = state_of(before), state_of(after)
    changed = {name for name in was.keys() | now.keys() if was.get(name) != now.get(name)}
    return {"fact": before.id, "was": {name: was.get(name) for name in changed}, "now": now}
