"""What an engine asks for, and what is left of it when it was looked at."""

from dataclasses import dataclass, field
from datetime import datetime

from apps.facts.models import Fact

Evidence = tuple[str, int]
"""``("fact", id)``, ``("message", id)`` of a trace, or ``("said", id)`` of a session."""
EVIDENCE_KINDS = ("fact", "message", "said")
MOST = 500
"""Changes a phase stages at most; what is over it belongs to the next run."""


@dataclass(frozen=True, kw_only=True)
class Operation:
    """One change as an engine would like it; nothing of it is trusted.

    ``targets`` are the facts it is about, in one place; ``keep`` is the one of them that stays where the others give way
    to it. ``content`` is what it would have said afterwards, empty where nothing is said anew. It has no scope: what it
    makes is told where its targets are.
    """

    op: str
    targets: tuple[int, ...] = ()
    keep: int | None = None
    content: str = ""
    rule: str = ""
    reason: str = ""
    evidence: tuple[Evidence, ...] = ()
    attribute: str | None = None
    category: str = "general"
    memory_type: str = "semantic"


@dataclass(frozen=True)
class Said:
    """A message that the run had before it. ``own``: a user said it, and where the run is about a person, that person."""

    kind: str
    id: int
    text: str
    at: datetime
    own: bool
    trace_id: str | None = None


@dataclass(frozen=True, kw_only=True)
class Checked:
    """An operation that may be put before a person, with what follows from its sources."""

    op: str
    rule: str
    reason: str
    content: str
    closes: tuple[Fact, ...]
    keep: Fact | None
    sides: tuple[Fact, ...]
    evidence: tuple[Evidence, ...]
    trust: int
    confidence: float
    sensitivity: str
    flags: tuple[str, ...]
    safe: bool
    automatic: bool
    attribute: str | None = None
    category: str = ""
    memory_type: str = "semantic"
    observed_at: datetime | None = None
    source_trace_id: str | None = None

    @property
    def targets(self) -> tuple[tuple[Fact, str], ...]:
        """With what each is to it."""
        kept = ((self.keep, "keep"),) if self.keep else ()
        return (*kept, *((fact, "source") for fact in self.closes), *((fact, "side") for fact in self.sides))


@dataclass
class Verdict:
    """What was let through, and how many were not, by name."""

    passed: list[Checked] = field(default_factory=list)
    refused: dict[str, int] = field(default_factory=dict)

    def refuse(self, code: str, count: int = 1) -> None:
        self.refused[code] = self.refused.get(code, 0) + count
