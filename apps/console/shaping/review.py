"""One proposal with all that helps to decide it."""

from dataclasses import dataclass
from datetime import datetime
from difflib import SequenceMatcher

from apps.access.actor import Actor
from apps.console.hx import visible_sensitivities
from apps.console.masking import MASKED, hides
from apps.console.proposal_reads import TURN, ShownProposal
from apps.console.queue_reads import Around
from apps.console.shaping.choices import Decision, decision_of, why
from apps.console.shaping.quotes import excerpt, shortened
from apps.console.shaping.rows import STATE_LABELS, Row, rows_of, speaker
from apps.console.templatetags.console import Part
from apps.curation.models import Proposal, ProposalEvidence
from apps.curation.queries import told_for, told_to
from apps.facts.models import Fact
from apps.traces.models import Message

# Word for word alike enough that the difference says more than the two texts.
SIMILAR = 0.6


@dataclass(frozen=True)
class Said:
    """One turn of the conversation, as much of it as fits; ``hit`` holds the quoted words."""

    who: str
    parts: list[Part]
    hit: bool


@dataclass(frozen=True)
class Context:
    """A quote among the turns around it. ``message_id`` is null when the message is gone; ``turn`` counts from 1
    and is null far down a long conversation."""

    trace_id: str
    message_id: int | None
    turn: int | None
    at: datetime
    turns: list[Said]


@dataclass(frozen=True)
class Near:
    """An existing fact beside the proposal. ``alike`` is the share of words in common and in order, 0 to 1."""

    fact: Fact
    alike: float
    similar: bool
    replaced: bool


@dataclass(frozen=True)
class Detail:
    """Everything about one proposal. ``beside`` are the numbers of all facts that stand beside it."""

    row: Row
    label: str
    why: str
    decision: Decision
    contexts: list[Context]
    near: list[Near]
    beside: list[int]
    told: str

    @property
    def replaced(self) -> list[Fact]:
        """The facts that approving it as it stands replaces."""
        return [near.fact for near in self.near if near.replaced]


def detail_of(proposal: Proposal, actor: Actor, found: Around, shown: ShownProposal) -> Detail:
    """The proposal with its evidence in context, the facts nearest to it, and who would be told."""
    (row,) = rows_of([proposal], actor, found)
    seen = visible_sensitivities(actor)
    decision = decision_of(proposal, shown, approvable=row.one_click, seen=seen)
    near = _near(proposal, shown, decision, seen)
    beside = {proposal.fact_id, *(fact.id for fact in shown.named), *(side.fact_id for side in decision.sides)}
    return Detail(
        row=row,
        label="Later" if row.snoozed else STATE_LABELS[proposal.state],
        why=why(proposal, shown),
        decision=decision,
        contexts=[_context(item, shown, masked=hides(proposal.sensitivity)) for item in shown.evidence],
        near=near,
        beside=sorted({*(number for number in beside if number), *(one.fact.id for one in near)}),
        told=f"{told_to(proposal.scope, proposal.scope_id)} {told_for(proposal)}".strip(),
    )


def _context(item: ProposalEvidence, shown: ShownProposal, *, masked: bool) -> Context:
    """``masked``: of the conversation nothing is shown."""
    message = shown.messages.get(item.message_id) if item.message_id is not None else None
    if message is None:
        words = Said("user", [Part(MASKED, False) if masked else Part(item.quote, True)], hit=True)
        return Context(item.trace_id, None, None, item.observed_at, [words])
    if masked:
        words = Said(speaker(message), [Part(MASKED, False)], hit=True)
        turn = shown.turns.get(message.id) or None
        return Context(item.trace_id, item.message_id, turn, item.observed_at, [words])
    talk = sorted([message, *shown.beside.get(message.id, [])], key=lambda one: (one.at, one.role != "user", one.id))
    at = talk.index(message)
    turns = [Said(speaker(one), _words(one, item), one.id == item.message_id) for one in talk[max(0, at - 1) : at + 2]]
    return Context(item.trace_id, item.message_id, shown.turns.get(message.id) or None, item.observed_at, turns)


def _words(message: Message, item: ProposalEvidence) -> list[Part]:
    if message.id == item.message_id:
        return excerpt(message.content, item.start, item.end, item.quote, around=400)
    return [Part(shortened(message.content, TURN), False)]


def _near(proposal: Proposal, shown: ShownProposal, decision: Decision, seen: tuple[str, ...]) -> list[Near]:
    targets = shown.named
    replaced = targets if proposal.op in {"supersede", "merge"} else []
    numbers = {fact.id for fact in replaced}
    facts = {fact.id: fact for fact in [*replaced, *shown.near]}
    # What it repeats, contradicts or would retire is shown by itself.
    apart = {proposal.fact_id, *(side.fact_id for side in decision.sides)}
    apart |= {fact.id for fact in targets} - numbers
    found = []
    for fact in facts.values():
        if fact.sensitivity in seen and fact.id not in apart:
            alike = SequenceMatcher(None, fact.content.split(), proposal.content.split(), autojunk=False).ratio()
            found.append(Near(fact, alike, alike >= SIMILAR, fact.id in numbers))
    return sorted(found, key=lambda near: (not near.replaced, -near.alike, -near.fact.id))
