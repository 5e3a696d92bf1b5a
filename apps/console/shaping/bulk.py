"""How a change of several facts is asked for and reported, in words."""

from dataclasses import dataclass

from apps.curation.changing import Move, Refiling, Retirement, Wish
from apps.facts.handling import Handling
from apps.facts.models import Fact


@dataclass(frozen=True)
class Act:
    """A button of the bulk bar. ``danger``: agents are no longer told, so it is always asked before it is done."""

    verb: str
    danger: bool = False


ACTS = {
    "sensitivity": Act("Set the sensitivity of"),
    "expiry": Act("Set the expiry of"),
    "pin": Act("Pin"),
    "unpin": Act("Unpin"),
    "move": Act("Move"),
    "file": Act("File anew"),
    "merge": Act("Merge"),
    "enable": Act("Switch on"),
    "disable": Act("Switch off", danger=True),
    "retire": Act("Retire", danger=True),
}


def facts(number: int) -> str:
    return "1 fact" if number == 1 else f"{number:,} facts"


def done_in_words(done: list[Fact], left: int, wish: Wish, ids: list[int]) -> str:
    """``41 facts marked personal, 2 failed.``; one fact is named by its number."""
    subject = f"#{ids[0]}" if len(done) == 1 and len(ids) == 1 else facts(len(done))
    said = f"{subject} {_became(wish, one=len(done) == 1, new=done[0] if done else None)}"
    return f"{said}, {left:,} failed." if left else f"{said}."


def _became(wish: Wish, *, one: bool, new: Fact | None) -> str:
    if isinstance(wish, Retirement):
        return f"retired as {wish.reason}"
    if isinstance(wish, Move):
        to = f"{new.scope} {new.scope_id}" if new else wish.to.scope
        return f"moved to {to}" + (f" as #{new.id}" if one and new else "")
    if isinstance(wish, Refiling):
        return f"filed under {wish.category}" + (f" as #{new.id}" if one and new else "")
    assert isinstance(wish, Handling)
    expires = "expires" if one else "expire"
    match wish.kind:
        case "sensitivity":
            return f"marked {wish.sensitivity}"
        case "expiry":
            return f"{expires} on {wish.expires_at:%-d %b %Y}" if wish.expires_at else f"never {expires}"
        case "disable":
            return "switched off"
        case "enable":
            return "switched on"
    return f"{wish.kind}ned"
