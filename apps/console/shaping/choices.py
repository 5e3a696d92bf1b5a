"""What a reviewer has to choose about a proposal that repeats a fact, contradicts one, or would retire one."""

from dataclasses import dataclass
from datetime import datetime

from apps.console.masking import MASKED, hides, said
from apps.console.proposal_reads import ShownProposal
from apps.curation.models import Proposal
from apps.extraction.policy import explain
from apps.facts.models import Fact

TRUST = {
    5: "a person wrote or checked it",
    3: "the user's own words",
    2: "an agent's conclusion",
}


@dataclass(frozen=True)
class Side:
    """One of the statements that can't all hold: a fact, or a proposal (``fact_id`` null)."""

    title: str
    fact_id: int | None
    proposal: Proposal | None
    content: str
    quote: str
    at: datetime
    trust: str


@dataclass(frozen=True)
class Choice:
    """One button that says yes. ``name`` and ``value`` are what it posts besides the token; ``main`` is the one that
    the key for approving presses."""

    label: str
    name: str = ""
    value: str = ""
    main: bool = False


@dataclass(frozen=True)
class Decision:
    """``choices`` are the ways to say yes, none where it can't be approved as it stands. ``same_as`` is the fact it
    repeats, ``retires`` the one that would no longer be told, ``quote`` the words that one rests on; ``sides`` with the
    proposal's own first, or empty."""

    choices: list[Choice]
    sides: list[Side]
    advice: str = ""
    same_as: Fact | None = None
    retires: Fact | None = None
    quote: str = ""


def decision_of(proposal: Proposal, shown: ShownProposal, *, approvable: bool, seen: tuple[str, ...]) -> Decision:
    """What there is to decide. ``seen`` are the labels the reader may see."""
    targets = shown.named
    if proposal.op == "retire":
        retires = targets[0] if targets else None
        label = f"Retire #{retires.id}" if retires else "Retire"
        words = _quoted(retires, shown.quotes) if retires else ""
        return Decision([Choice(label, main=True)] if approvable else [], [], retires=retires, quote=words)
    if proposal.op == "add" and targets:
        return Decision(_of_repeated(targets[0]) if approvable else [], [], same_as=targets[0])
    if "conflict" not in proposal.flags or proposal.decided_at:
        return Decision([Choice("Approve", main=True)] if approvable else [], [])
    against = shown.against(proposal)
    sides = _sides(proposal, [fact for fact in against if fact.sensitivity in seen], shown)
    moved = [fact for fact in targets if not fact.is_current]
    choices = _of_conflict(against, moved=bool(moved)) if approvable else []
    return Decision(choices, sides, advice=_advice(proposal, against, moved))


def _of_repeated(fact: Fact) -> list[Choice]:
    own = Choice("Approve as its own fact", "supersede", "no", main=not fact.is_current)
    if not fact.is_current:
        return [own]
    return [Choice(f"Merge into #{fact.id}", "same_as", str(fact.id), main=True), own]


def _of_conflict(against: list[Fact], *, moved: bool) -> list[Choice]:
    if not against:
        # What it would have replaced is gone, so that it stands alone.
        return [Choice("Approve as its own fact", "supersede", "no", main=True)] if moved else [_plain()]
    # No button of a conflict is the main one: neither side is chosen in advance.
    both = Choice("Keep both", "supersede", "no")
    return [both] if moved else [Choice(f"Replace {numbers(against)}", "supersede", "yes"), both]


def _plain() -> Choice:
    return Choice("Approve", main=True)


def _sides(proposal: Proposal, facts: list[Fact], shown: ShownProposal) -> list[Side]:
    others, quotes = shown.waiting, shown.quotes
    if not facts and not others:
        return []
    sides = [_proposed("Proposed here", proposal, quotes), *(_told(fact, quotes) for fact in facts)]
    return sides + [_proposed("Waits too", other, quotes) for other in others]


def _told(fact: Fact, quotes: dict[str, str]) -> Side:
    at = fact.observed_at
    return Side("Told now", fact.id, None, said(fact), _quoted(fact, quotes), at, trust_in_words(fact.trust))


def _quoted(row: Fact | Proposal, quotes: dict[str, str]) -> str:
    """The words it rests on, masked with it."""
    words = quotes.get(str(row.id), "")
    return MASKED if words and hides(row.sensitivity) else words


def _proposed(title: str, proposal: Proposal, quotes: dict[str, str]) -> Side:
    words, trust = _quoted(proposal, quotes), trust_in_words(proposal.trust)
    return Side(title, None, proposal, said(proposal), words, proposal.observed_at, trust)


def _advice(proposal: Proposal, against: list[Fact], moved: list[Fact]) -> str:
    """Which side looks stronger, and why; the choice stays the reader's."""
    if moved:
        return f"{numbers(moved)} changed since this was proposed, so this can no longer replace it."
    if not against:
        return "No fact that is told now contradicts it, but another proposal that waits does."
    pinned = [fact for fact in against if fact.pinned]
    trusted = [fact for fact in against if fact.trust > proposal.trust]
    later = [fact for fact in against if fact.observed_at > proposal.observed_at]
    if pinned:
        return f"{numbers(pinned)} was pinned by a person."
    if trusted:
        return f"{numbers(trusted)} is trusted more: {trust_in_words(trusted[0].trust)}."
    if later:
        return f"{numbers(later)} was said later than this."
    return "This was said later, and is trusted no less."


def numbers(facts: list[Fact]) -> str:
    """ "#3", "#3 and #5"."""
    names = [f"#{fact.id}" for fact in facts]
    return " and ".join([", ".join(names[:-1]), names[-1]] if len(names) > 1 else names)


def trust_in_words(trust: int) -> str:
    return TRUST.get(trust, f"{trust} of 5")


def why(proposal: Proposal, shown: ShownProposal) -> str:
    """The rule that made it a proposal, as a sentence; empty where none did."""
    if proposal.op == "retire":
        cap, targets = shown.max_learned, shown.named
        number = f"#{targets[0].id}" if targets else "the fact"
        over = f"over the cap of {cap:,}" if cap is not None else "over the cap of that day"
        return (
            f"Would retire {number}: {over} learned facts about one subject. It is the oldest that nobody wrote, edited"
            " or pinned."
        )
    return explain(proposal.policy_rule) if proposal.policy_rule else ""
