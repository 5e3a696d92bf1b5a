"""How an agent registered itself over time: one version beside another."""

from collections.abc import Sequence
from dataclasses import dataclass
from difflib import unified_diff

from apps.console.shaping.traces import as_text
from apps.tenancy.models import AgentVersion

MOST_LINES = 400
MOST_CHARACTERS = 40_000
"""A text longer than this is compared by its beginning: difflib takes long for two large ones."""


@dataclass(frozen=True)
class Difference:
    """One part that differs. ``lines`` are (kind, text), kind one of del, ins, same and gap; ``cut`` where there are more."""

    label: str
    lines: list[tuple[str, str]]
    cut: bool


@dataclass(frozen=True)
class Compared:
    """What is different in ``new``, the part it has in common left out. Nothing differs where ``parts`` is empty."""

    old: AgentVersion
    new: AgentVersion
    parts: list[Difference]


def compared(versions: Sequence[AgentVersion], old: str, new: str) -> Compared | None:
    """Two of them by number; unknown numbers mean the newest and the one before it. None where there are not two."""
    if len(versions) < 2:
        return None
    by_number = {str(one.version): one for one in versions}
    later = by_number.get(new, versions[0])
    before = next((one for one in versions if one.version < later.version), versions[-1])
    earlier = by_number.get(old, before)
    parts = [
        _difference("Kind", earlier.agent_type, later.agent_type),
        _difference("System prompt", earlier.system_prompt, later.system_prompt),
        _difference("Definition", as_text(earlier.definition), as_text(later.definition)),
    ]
    return Compared(earlier, later, [part for part in parts if part.lines])


def _difference(label: str, old: str, new: str) -> Difference:
    before, after = old[:MOST_CHARACTERS].splitlines(), new[:MOST_CHARACTERS].splitlines()
    kinds = {"-": "del", "+": "ins", " ": "same"}
    lines: list[tuple[str, str]] = []
    for number, line in enumerate(unified_diff(before, after, n=2, lineterm="")):
        if number < 2:
            continue
        lines.append(("gap", "") if line.startswith("@@") else (kinds[line[0]], line[1:]))
    lines = lines[1:]  # the first part needs no gap above it
    cut = len(lines) > MOST_LINES or max(len(old), len(new)) > MOST_CHARACTERS
    return Difference(label, lines[:MOST_LINES], cut)
