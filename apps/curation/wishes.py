"""What is put before the gate, and what the gate answers."""

from collections import Counter
from dataclasses import dataclass, field
from datetime import datetime
from typing import Literal

from apps.curation.models import Proposal
from apps.facts.evidence import Evidence
from apps.facts.statement import Statement
from apps.tenancy.models import Agent, Subject

# Nobody approves these as they are; the gravest first.
HOLDING = ("secret", "injection", "no_subject", "no_agent")


@dataclass(frozen=True, kw_only=True)
class Wish:
    """One statement somebody or something would like agents to be told, with the words it rests on.

    ``subject`` is whom it is about (scope user), ``agent`` who would be told (scope agent). A missing one holds the
    proposal instead of losing it, and so does ``held``. ``replaces`` is false for an attribute that may have several
    values at once (allergies). ``changes`` is the fact it changes by its own words or a model's: of several values
    that one, if it has the same attribute; on another or none a person decides; in another place it means nothing.
    ``vector`` is the statement's, of length 1, by the embedder in use.
    """

    statement: Statement
    agent: Agent | None = None
    subject: Subject | None = None
    speaker: str = "user"
    trust: int = 3
    observed_at: datetime
    policy_rule: str = ""
    flags: tuple[str, ...] = ()
    held: bool = False
    source_trace_id: str | None = None
    evidence: tuple[Evidence, ...] = ()
    replaces: bool = True
    changes: int | None = None
    vector: list[float] | None = field(default=None, repr=False)

    @property
    def place(self) -> tuple[str, str]:
        """Scope and scope id; the id is empty where nobody knows it."""
        if self.statement.scope == "user":
            return "user", self.subject.external_id if self.subject else ""
        if self.statement.scope == "agent":
            return "agent", self.agent.name if self.agent else ""
        return self.statement.scope, self.statement.scope_id

    @property
    def all_flags(self) -> set[str]:
        """Its own, and those that follow from what it says of whom."""
        flags = set(self.flags)
        if self.place == ("user", ""):
            flags.add("no_subject")
        if self.place == ("agent", ""):
            flags.add("no_agent")
        if self.statement.sensitivity in {"personal", "special"}:
            flags.add("personal")
        return flags

    @property
    def held_by(self) -> str | None:
        """The flag or rule that holds it back, and None for a wish that may be approved as it stands."""
        flag = next((flag for flag in HOLDING if flag in self.all_flags), None)
        return flag or ((self.policy_rule or "held") if self.held else None)


@dataclass(frozen=True)
class Outcome:
    """What became of one wish.

    ``proposed`` and ``held`` made ``proposal``; ``rule`` is the wish's own, or the flag that holds it. ``same`` says
    what ``fact_id`` (``known``) or the waiting ``proposal`` (``waiting``) says already; its evidence went there.
    ``dropped`` left nothing: ``forgotten``, ``refused_before``, or ``restricted`` where the fact may not be touched.
    ``opened`` are ids of conflicts that were not open before.
    """

    kind: Literal["proposed", "held", "same", "dropped"]
    rule: str
    proposal: Proposal | None = None
    fact_id: int | None = None
    opened: tuple[int, ...] = ()


@dataclass
class Proposed:
    """``outcomes`` in the order of the wishes; ``capped`` would retire what is too much about somebody by now."""

    outcomes: list[Outcome] = field(default_factory=list)
    capped: list[Proposal] = field(default_factory=list)

    @property
    def conflicts(self) -> list[int]:
        """Ids of those that were opened."""
        return [conflict_id for one in self.outcomes for conflict_id in one.opened]

    @property
    def proposals(self) -> list[Proposal]:
        """Those that were made."""
        return [one.proposal for one in self.outcomes if one.kind in {"proposed", "held"} and one.proposal]

    @property
    def dropped(self) -> dict[str, int]:
        """How many wishes made no proposal, by rule."""
        return dict(Counter(one.rule for one in self.outcomes if one.kind in {"same", "dropped"}))
