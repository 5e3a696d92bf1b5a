"""Proposals as the queue and the drawer show them."""

from collections.abc import Sequence
from dataclasses import dataclass, field
from datetime import datetime
from difflib import SequenceMatcher
from itertools import groupby

from apps.access.actor import Actor
from apps.console.hx import visible_sensitivities
from apps.console.names import actor_names
from apps.console.queries import decided_of_traces
from apps.console.shaping.choices import Decision, decision_of, why
from apps.console.shaping.flags import REASON_LABELS, Remark, remarks
from apps.console.shaping.quotes import excerpt, shortened
from apps.console.templatetags.console import Part
from apps.curation.models import Proposal, ProposalEvidence, ProposalTarget
from apps.curation.queries import Audience, audience, neighbours
from apps.facts.models import Fact
from apps.traces.models import Message, Trace
from apps.traces.queries import conversation

# Word for word alike enough that the difference says more than the two texts.
SIMILAR = 0.6
STATE_LABELS = {
    "pending": "Waiting",
    "quarantined": "Held",
    "accepted": "Accepted",
    "applied": "Approved",
    "rejected": "Rejected",
    "conflicted": "Overtaken",
    "expired": "Expired",
    "reverted": "Reverted",
}


@dataclass(frozen=True)
class Row:
    """One line of the queue."""

    proposal: Proposal
    remarks: list[Remark]
    quote: list[Part]
    verdict: str
    by: str
    good: bool
    targets: list[Fact] = field(default_factory=list)

    @property
    def replaced(self) -> list[Fact]:
        """The facts that approving it as it stands replaces."""
        return self.targets if self.proposal.op in {"supersede", "merge"} else []

    @property
    def waits(self) -> bool:
        return self.proposal.state in {"pending", "quarantined"}

    @property
    def one_click(self) -> bool:
        """Whether it can be approved as it stands."""
        return self.waits and not {"secret", "no_subject", "no_agent"} & set(self.proposal.flags)


@dataclass(frozen=True)
class Group:
    """The proposals of one trace on this page."""

    trace: Trace | None
    trace_id: str
    decided: int
    total: int
    rows: list[Row]


def rows_of(proposals: Sequence[Proposal], actor: Actor) -> list[Row]:
    """Rows in the order given, with a fixed number of queries."""
    if not proposals:
        return []
    project_id, ids = proposals[0].project_id, [proposal.id for proposal in proposals]
    targets: dict[object, list[Fact]] = {}
    for target in (
        ProposalTarget.objects.filter(project_id=project_id, proposal_id__in=ids).select_related("fact").order_by("id")
    ):
        targets.setdefault(target.proposal_id, []).append(target.fact)
    evidence: dict[object, ProposalEvidence] = {}
    for item in ProposalEvidence.objects.filter(project_id=project_id, proposal_id__in=ids).order_by("id"):
        evidence.setdefault(item.proposal_id, item)
    messages = Message.objects.filter(project_id=project_id).in_bulk(
        [item.message_id for item in evidence.values() if item.message_id]
    )
    names = actor_names((proposal.reviewer for proposal in proposals), actor)
    rows = []
    for proposal in proposals:
        first, named = evidence.get(proposal.id), targets.get(proposal.id, [])
        message = messages.get(first.message_id) if first and first.message_id else None
        quote = excerpt(message.content if message else "", first.start, first.end, first.quote) if first else []
        rows.append(
            Row(
                proposal=proposal,
                remarks=remarks(proposal, named),
                quote=quote,
                verdict=STATE_LABELS[proposal.state],
                by=_by(proposal, names.get(proposal.reviewer, ""), named),
                good=proposal.state in {"applied", "accepted"},
                targets=named,
            )
        )
    return rows


def _by(proposal: Proposal, who: str, targets: list[Fact]) -> str:
    """Who decided and what came of it, to follow the verdict; empty while it waits."""
    if proposal.state == "applied" and proposal.fact_id and proposal.op == "retire":
        return f"by {who}: #{proposal.fact_id} is no longer told"
    if proposal.state == "applied" and proposal.op == "add" and proposal.fact_id in {fact.id for fact in targets}:
        return f"by {who}, merged into #{proposal.fact_id}"
    if proposal.state == "rejected" and proposal.op == "retire":
        return f"by {who}: the fact is kept"
    if proposal.state == "applied":
        return f"by {who} as #{proposal.fact_id}" if proposal.fact_id else f"by {who}; the fact was forgotten"
    if proposal.state == "rejected":
        return f"by {who}: {REASON_LABELS.get(proposal.reason, proposal.reason).lower()}"
    if proposal.state == "conflicted":
        return f"when {who} approved it: the fact it would replace had changed"
    return "" if proposal.decided_at is None else f"by {who}"


def grouped(rows: list[Row], project_id: int) -> list[Group]:
    """The rows by trace, each trace at its newest row's place."""
    order: dict[str, int] = {}
    for row in rows:
        order.setdefault(row.proposal.source_trace_id or "", len(order))
    ids = [trace_id for trace_id in order if trace_id]
    traces = {
        trace.trace_id: trace
        for trace in Trace.objects.filter(project_id=project_id, trace_id__in=ids).select_related("subject")
    }
    counts = decided_of_traces(project_id, ids)
    by_trace = groupby(
        sorted(rows, key=lambda row: order[row.proposal.source_trace_id or ""]),
        key=lambda row: row.proposal.source_trace_id or "",
    )
    return [
        Group(traces.get(trace_id), trace_id, *counts.get(trace_id, (0, 0)), rows=list(members))
        for trace_id, members in by_trace
    ]


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


def detail_of(proposal: Proposal, actor: Actor) -> Detail:
    """The proposal with its evidence in context, the facts nearest to it, and who would be told."""
    (row,) = rows_of([proposal], actor)
    seen = visible_sensitivities(actor)
    decision = decision_of(proposal, row.targets, approvable=row.one_click, seen=seen)
    return Detail(
        row=row,
        label=STATE_LABELS[proposal.state],
        why=why(proposal, row.targets),
        decision=decision,
        contexts=_contexts(proposal),
        near=_near(proposal, row, decision, seen),
        told=audience(proposal.project_id, proposal.scope, proposal.scope_id),
    )


def _contexts(proposal: Proposal) -> list[Context]:
    found = []
    talks: dict[str, tuple[Trace | None, list[Message]]] = {}
    rows = ProposalEvidence.objects.filter(project_id=proposal.project_id, proposal_id=proposal.id).order_by("id")
    for item in rows[:5]:
        if item.trace_id not in talks:
            trace = (
                Trace.objects.filter(project_id=proposal.project_id, trace_id=item.trace_id)
                .select_related("subject")
                .first()
            )
            talks[item.trace_id] = (trace, conversation(trace) if trace else [])
        trace, talk = talks[item.trace_id]
        at = next((index for index, message in enumerate(talk) if message.id == item.message_id), None)
        if trace is None or at is None:
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


def speaker(message: Message) -> str:
    """The part played. Ids and names can be long, and stand above the conversation."""
    return "user" if message.role == "user" else "agent"


def _near(proposal: Proposal, row: Row, decision: Decision, seen: tuple[str, ...]) -> list[Near]:
    facts = {fact.id: fact for fact in [*row.replaced, *neighbours(proposal)]}
    numbers = {fact.id for fact in row.replaced}
    # What it repeats, contradicts or would retire is shown by itself.
    apart = {proposal.fact_id, *(side.fact_id for side in decision.sides)}
    apart |= {fact.id for fact in row.targets} - numbers
    found = []
    for fact in facts.values():
        if fact.sensitivity in seen and fact.id not in apart:
            alike = SequenceMatcher(None, fact.content.split(), proposal.content.split(), autojunk=False).ratio()
            found.append(Near(fact, alike, alike >= SIMILAR, fact.id in numbers))
    return sorted(found, key=lambda near: (not near.replaced, -near.alike, -near.fact.id))
