"""What a flag of a proposal means, in words."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Protocol

from apps.curation.models import Proposal

REASON_LABELS = {
    "not_said": "Not said",
    "vague": "Too vague",
    "outdated": "Out of date",
    "private": "Private",
    "duplicate": "Duplicate",
    "instruction": "Instruction",
    "other": "Other",
}
FLAG_LABELS = {
    "no_subject": "No subject",
    "no_agent": "No agent",
    "conflict": "Conflict",
    "personal": "Personal",
    "duplicate": "Duplicate",
    "low_evidence": "Low evidence",
    "injection": "Injection",
    "secret": "Secret",
}


@dataclass(frozen=True)
class Remark:
    """One flag: colour level and icon, its name, a short line for the list and a sentence for the page."""

    level: str
    icon: str
    title: str
    short: str
    full: str


class Named(Protocol):
    """A fact that a proposal names."""

    @property
    def id(self) -> int: ...
    @property
    def content(self) -> str: ...


def remarks(proposal: Proposal, targets: Sequence[Named]) -> list[Remark]:
    """The proposal's flags, what stops it first. ``targets`` are the facts it names."""
    special = proposal.sensitivity == "special"
    numbers = ", ".join(f"#{fact.id}" for fact in targets)
    quoted = f"“{targets[0].content}”" if len(targets) == 1 and targets[0].content else ""
    known = {
        "secret": Remark(
            "bad",
            "key",
            "Secret",
            "looks like a password or a key; can only be rejected.",
            "It seems to hold a password or a key. It can't be approved, only rejected.",
        ),
        "injection": Remark(
            "bad",
            "shield",
            "Injection",
            "reads like an order to the agent.",
            "It reads like an order to the agent rather than something it should know.",
        ),
        "no_subject": Remark(
            "warn",
            "user",
            "No subject",
            "nobody knows yet whom this is about.",
            "Nobody knows yet whom this is about: the trace names no user. Say who it is, or make it a fact about the"
            " work, before it can be approved.",
        ),
        "no_agent": Remark(
            "warn",
            "agent",
            "No agent",
            "the run names no agent of this project.",
            "The run names no agent of this project, so nobody would be told. Choose the agent, or the whole project.",
        ),
        "conflict": _conflict(proposal, numbers, quoted),
        "personal": Remark(
            "violet",
            "lock",
            "Special category" if special else "Personal",
            "health, belief or the like." if special else "says something about a person.",
            "Health, belief or another special category. Only keys with the ceiling “special” are ever told it."
            if special
            else "It is about a person. Keys with the ceiling “public” or “internal” are never told it.",
        ),
        "duplicate": Remark(
            "warn",
            "copy",
            "Duplicate",
            f"says the same as {numbers} {quoted}".rstrip() if numbers else "a fact says nearly the same.",
            f"It seems to say the same as {numbers}. Merging adds the words it rests on to that fact."
            if numbers
            else "The fact that said the same is no longer there.",
        ),
        "low_evidence": Remark(
            "warn",
            "alert",
            "Low evidence",
            "one remark, nothing else speaks for it.",
            "It rests on a single remark; nothing else speaks for it.",
        ),
    }
    found = [remark for flag, remark in known.items() if flag in proposal.flags]
    if proposal.op == "retire":
        short = f"would no longer tell {numbers or 'this fact'}: over the cap on learned facts."
        found.insert(0, Remark("warn", "clock", "Retire", short, "Approving stops telling it. It stays on record."))
    return found


def _conflict(proposal: Proposal, numbers: str, quoted: str) -> Remark:
    short = "says otherwise than what is told or waits; open it to choose."
    full = "It says something else about the same thing than what is told or waits. Choose below which holds."
    if proposal.op == "supersede" and numbers:
        short = f"approving replaces {numbers} {quoted}".rstrip()
        full = f"It says something else about the same thing than {numbers}. Choose whether it replaces that."
    elif proposal.op == "supersede":
        short = "the fact it spoke against is gone."
        full = "It spoke against a fact that is no longer there."
    return Remark("warn", "conflict", "Conflict", short, full)
