"""How one fact is labelled, in a row and in its details."""

from dataclasses import dataclass

from apps.core.clock import now
from apps.facts.models import Fact

SCOPE_NAMES = {"user": "Users", "project": "Project", "agent": "Agents", "session": "Sessions", "other": "Other"}
STATUS_NAMES = {
    "active": "Active",
    "held": "Held back",
    "expired": "Outside its time",
    "superseded": "Superseded",
    "retired": "Retired",
}
RESTRICTIONS = {
    "hold": "on hold",
    "erasure": "being erased",
    "correction": "being corrected",
    "disabled": "switched off",
}


@dataclass(frozen=True)
class Tag:
    """A label: the class of its colour, its icon, and its words. ``until`` is a moment that the words lead up to."""

    css: str
    icon: str
    text: str
    until: object = None


def status(fact: Fact) -> Tag:
    """What holds for a fact now: Active, or why it is not told."""
    at = now()
    if fact.superseded_at:
        return Tag("", "history", "Superseded")
    if fact.retired_at:
        return Tag("", "x", "Retired")
    if fact.restricted_at:
        return Tag("bad", "lock", "Restricted")
    if fact.expires_at and fact.expires_at <= at:
        return Tag("warn", "clock", "Expired")
    if fact.valid_from and fact.valid_from > at:
        return Tag("warn", "clock", "Not valid yet")
    if fact.valid_to and fact.valid_to <= at:
        return Tag("warn", "clock", "No longer valid")
    return Tag("live", "check", "Active")


def tags(fact: Fact) -> list[Tag]:
    """What a reader of the list has to know about a fact beyond its words; a closed one needs none of it."""
    found = []
    state = status(fact)
    if fact.is_current:
        if state.text == "Restricted":
            found.append(Tag("bad", "lock", f"restricted, {RESTRICTIONS.get(fact.restricted_reason, 'not told')}"))
        elif state.text != "Active":
            found.append(Tag(state.css, state.icon, state.text.lower()))
        elif fact.expires_at:
            found.append(Tag("warn", "clock", "expires", fact.expires_at))
    if fact.sensitivity in {"personal", "special"}:
        found.append(Tag("violet", "lock", fact.sensitivity))
    return found
