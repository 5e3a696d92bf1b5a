"""One proposal with all that helps to decide it."""

from dataclasses import dataclass
from datetime import datetime
from difflib import SequenceMatcher

from apps.access.actor import Actor
from apps.console.hx import visible_sensitivities
from apps.console.queue_reads import Around
from apps.console.shaping.choices import Decision, decision_of, why
from apps.console.shaping.quotes import excerpt, shortened
from apps.console.shaping.rows import STATE_LABELS, Row, rows_of, speaker
from apps.console.templatetags.console import Part
from apps.curation.models import Proposal, ProposalEvidence, ProposalTarget
from apps.curation.queries import Audience, audience, neighbours
from apps.facts.models import Fact
from apps.traces.models import Message
from apps.traces.queries import conversations

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
    """A quote among the turns around it. ``turn`` counts from 1 and is null when the message is gone."""

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
    """Everything about one proposal."""

    row: Row
    label: str
    why: str
    decision: Decision
    contexts: list[Context]
    near: list[Near]
    told: Audience

    @property
    def replaced(self) -> list[Fact]:
        """The facts that approving it as it stands replaces."""
        return [near.fact for near in self.near if near.replaced]


def detail_of(proposal: Proposal, actor: Actor, found: Around) -> Detail:
    """The proposal with its evidence in context, the facts nearest to it, and who would be told."""
    (row,) = rows_of([proposal], actor, found)
    seen = visible_sensitivities(actor)
    named = ProposalTarget.objects.filter(project_id=proposal.project_id, proposal_id=proposal.id)
    targets = [target.fact for target in named.select_related("fact").order_by("id")] if row.named else []
    decision = decision_of(proposal, targets, approvable=row.one_click, seen=seen)
    return Detail(
        row=row,
        label="Later" if row.snoozed else STATE_LABELS[proposal.state],
        why=why(proposal, targets),
        decision=decision,
        contexts=_contexts(proposal),
        near=_near(proposal, targets, decision, seen),
        told=audience(proposal.project_id, proposal.scope, proposal.scope_id),
    )


def _contexts(proposal: Proposal) -> list[Context]:
    rows = ProposalEvidence.objects.filter(project_id=proposal.project_id, proposal_id=proposal.id).order_by("id")
    evidence = list(rows[:5])
    talks = conversations(proposal.project_id, {item.trace_id for item in evidence})
    found = []
    for item in evidence:
        talk = talks.get(item.trace_id, [])
        at = next((index for index, message in enumerate(talk) if message.id == item.message_id), None)
        if at is None:
            words = Said("user", [Part(item.quote, True)], hit=True)
            found.append(Context(item.trace_id, None, None, item.observed_at, [words]))
            continue
        turns = [
            Said(speaker(message), _words(message, item), message.id == item.message_id)
            for message in talk[max(0, at - 1) : at + 2]
        ]
        found.append(Context(item.trace_id, item.message_id, at + 1, item.observed_at, turns))
    return found


def _words(message: Message, item: ProposalEvidence) -> list[Part]:
    if message.id == item.message_id:
        return excerpt(message.content, item.start, item.end, item.quote, around=400)
    return [Part(shortened(message.content, 240), False)]


def _near(proposal: Proposal, targets: list[Fact], decision: Decision, seen: tuple[str, ...]) -> list[Near]:
    replaced = targets if proposal.op in {"supersede", "merge"} else []
    numbers = {fact.id for fact in replaced}
    facts = {fact.id: fact for fact in [*replaced, *neighbours(proposal)]}
    # What it repeats, contradicts or would retire is shown by itself.
    apart = {proposal.fact_id, *(side.fact_id for side in decision.sides)}
    apart |= {fact.id for fact in targets} - numbers
    found = []
    for fact in facts.values():
        if fact.sensitivity in seen and fact.id not in apart:
            alike = SequenceMatcher(None, fact.content.split(), proposal.content.split(), autojunk=False).ratio()
            found.append(Near(fact, alike, alike >= SIMILAR, fact.id in numbers))
    return sorted(found, key=lambda near: (not near.replaced, -near.alike, -near.fact.id))
