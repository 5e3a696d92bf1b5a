"""Why a fact is told or is not, in words."""

from dataclasses import dataclass
from datetime import datetime
from typing import Any

from apps.console.forms.agent_view import Asked
from apps.console.shaping.moments import in_words
from apps.facts.models import Fact

HELD = {
    "hold": "held: somebody put it on hold",
    "erasure": "held: it is being erased",
    "correction": "held: it is being corrected",
    "disabled": "held: switched off",
}
RETIRED = {
    "stale": "out of date",
    "wrong": "wrong",
    "duplicate": "said twice",
    "expired": "expired",
    "merged": "merged into another",
    "policy": "against a policy",
    "undone": "its change was undone",
    "removed": "taken out by whoever wrote it",
}


@dataclass(frozen=True)
class Verdict:
    """An icon and words; ``fact_id`` is another fact that they end with. ``level`` colours the icon: ok, violet, or
    nothing."""

    icon: str
    text: str
    fact_id: int | None = None
    level: str = ""


def verdict_on_candidate(found: dict[str, Any], asked: Asked, *, line: int | None, beyond: bool) -> Verdict:
    """``line`` is where it stands in the prompt, null where the SDK left it out as said already."""
    match found["verdict"]:
        case "told" if line is None:
            return Verdict("copy", "told, and left out by the SDK: a line says the same")
        case "told" if beyond:
            return Verdict("alert", f"told, line {line}: over the budget", level="warn")
        case "told":
            return Verdict("check", f"told, line {line}", level="ok")
        case "over-limit":
            return Verdict("chevron-down", f"over the limit of {asked.limit}")
        case "duplicate":
            return Verdict("copy", "duplicate of", found["duplicate_of"])
        case "below-threshold":
            alike = found["parts"]["similarity"]
            said = "has no vector to compare" if alike is None else f"similarity {alike:.2f}"
            return Verdict("chevron-down", f"below the threshold of {asked.threshold:g}: {said}")
    return Verdict("info", str(found["verdict"]))


def verdict_on_left_out(
    found: dict[str, Any], fact: Fact, asked: Asked, *, ceiling: str, key_categories: list[str] | None
) -> Verdict:
    """``ceiling`` is the highest sensitivity of this read, ``key_categories`` what its key may read, null for all."""
    at = asked.at
    match found["reason"]:
        case "superseded":
            return Verdict("history", f"superseded{_on(fact.superseded_at)} by", found["successor"])
        case "retired":
            why = RETIRED.get(fact.retired_reason, fact.retired_reason)
            return Verdict("x", f"retired{_on(fact.retired_at)}: {why}")
        case "held":
            return Verdict("lock", HELD.get(fact.restricted_reason, "held"))
        case "expired":
            return Verdict("clock", f"expired{_on(fact.expires_at)}")
        case "ended":
            return Verdict("clock", f"no longer valid since {_day(fact.valid_to)}")
        case "not-yet-valid" if at is not None and fact.approved_at > at:
            return Verdict("clock", f"not approved before {in_words(fact.approved_at)}")
        case "not-yet-valid":
            return Verdict("clock", f"not valid until {_day(fact.valid_from)}")
        case "other-scope":
            return Verdict("user" if fact.scope == "user" else "other", whose(fact))
        case "sensitivity":
            return Verdict("lock", f"{fact.sensitivity}: above the ceiling {ceiling}", level="violet")
        case "category":
            forbidden = key_categories is not None and fact.category not in key_categories
            why = "the key may not read it" if forbidden else "another was asked for"
            return Verdict("filter", f"category {fact.category}: {why}")
        case "memory-type":
            return Verdict("filter", f"memory type {fact.memory_type}: another was asked for")
        case "purpose":
            return Verdict("shield", f"only for the purpose {_or(fact.purposes)}")
        case "task-type":
            return Verdict("shield", f"only for the task type {_or(fact.task_types)}")
        case "too-old":
            return Verdict("clock", f"last said{_on(fact.last_seen_at or fact.observed_at)}, before what was asked for")
    return Verdict("info", str(found["reason"]))


def whose(fact: Fact) -> str:
    """Of whom a fact is that is not of this read."""
    if fact.scope == "user" and fact.agent_id is not None:
        return f"other scope: of the user {fact.scope_id}, through one agent only"
    name = {"user": "the user", "agent": "the agent", "session": "the session", "project": "the project"}
    return f"other scope: of {name.get(fact.scope, 'the id')} {fact.scope_id}"


def _on(moment: datetime | None) -> str:
    return f" on {_day(moment)}" if moment else ""


def _day(moment: datetime | None) -> str:
    return in_words(moment) if moment else "–"


def _or(names: list[str] | None) -> str:
    return " or ".join(names or [])
