"""Proposals as lines of a list, and the groups they stand in."""

from collections.abc import Sequence
from dataclasses import dataclass, field
from datetime import datetime
from itertools import groupby
from uuid import UUID

from django.utils import timezone

from apps.access.actor import Actor
from apps.console.hx import visible_sensitivities
from apps.console.masking import MASKED, hides
from apps.console.names import reviewer_name
from apps.console.queue_reads import Around, FromTrace, Named, Quoted, around
from apps.console.shaping.flags import REASON_LABELS, Remark, remarks
from apps.console.shaping.quotes import excerpt
from apps.console.templatetags.console import Part
from apps.curation.models import Proposal
from apps.traces.models import Message

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
KIND_LABELS = {
    "add": "New facts",
    "supersede": "Replacements",
    "merge": "Merges",
    "retire": "Retirements",
    "rescope": "Moves to another scope",
    "redate": "New dates",
}


@dataclass(frozen=True)
class Row:
    """One line of the queue. ``problem`` says why a batch left it as it was; ``assignee`` is a name."""

    proposal: Proposal
    remarks: list[Remark]
    quote: list[Part]
    said_by: str
    verdict: str
    by: str
    good: bool
    assignee: str
    snoozed: bool
    named: list[Named] = field(default_factory=list)
    problem: str = ""

    @property
    def waits(self) -> bool:
        return self.proposal.state in {"pending", "quarantined"}

    @property
    def one_click(self) -> bool:
        """Whether it can be approved as it stands."""
        return self.waits and not {"secret", "no_subject", "no_agent"} & set(self.proposal.flags)

    @property
    def clean(self) -> bool:
        """Nothing about it asks for a second look."""
        return self.proposal.state == "pending" and not self.remarks


@dataclass(frozen=True)
class Group:
    """Rows of this page that belong together. ``kind`` is "trace", "subject", "kind" or "none", ``key`` the trace's id or
    the operation; ``trace`` is null where it is gone."""

    kind: str
    key: str
    rows: list[Row]
    trace: FromTrace | None = None
    title: str = ""

    @property
    def first(self) -> Proposal:
        return self.rows[0].proposal

    @property
    def waiting(self) -> int:
        return sum(row.waits for row in self.rows)


def midnight() -> datetime:
    return timezone.localtime().replace(hour=0, minute=0, second=0, microsecond=0)


def rows_of(
    proposals: Sequence[Proposal],
    actor: Actor,
    found: Around | None = None,
    problems: dict[UUID, str] | None = None,
) -> list[Row]:
    """Rows in the order given; without ``found``, with one query. ``problems`` are words by a proposal's id."""
    if not proposals:
        return []
    if found is None:
        seen = visible_sensitivities(actor)
        found = around(proposals[0].project_id, proposals, seen=seen, midnight=midnight())
    return [_row(proposal, actor, found, (problems or {}).get(proposal.id, "")) for proposal in proposals]


def _row(proposal: Proposal, actor: Actor, found: Around, problem: str) -> Row:
    named, quoted = found.named.get(str(proposal.id), []), found.quotes.get(str(proposal.id))
    owner = proposal.assignee
    return Row(
        proposal=proposal,
        remarks=remarks(proposal, named),
        quote=_quote(proposal, quoted) if quoted else [],
        said_by=f"the {spoken_by(quoted.role)} said" if quoted and quoted.role else "",
        verdict=STATE_LABELS[proposal.state],
        by=decided_by(proposal, reviewer_name(proposal.reviewer, found.users, actor), named),
        good=proposal.state in {"applied", "accepted"},
        assignee=reviewer_name(f"user:{owner}", found.users, actor) if owner is not None else "",
        snoozed=proposal.snoozed_until is not None and proposal.snoozed_until > timezone.now(),
        named=named,
        problem=problem,
    )


def _quote(proposal: Proposal, quoted: Quoted) -> list[Part]:
    """The words it rests on, which are masked with it."""
    if hides(proposal.sensitivity):
        return [Part(MASKED, False)]
    return excerpt(quoted.text or "", quoted.start, quoted.end, quoted.quote)


def decided_by(proposal: Proposal, who: str, named: list[Named]) -> str:
    """Who decided and what came of it, to follow the verdict; empty while it waits."""
    if proposal.state == "applied" and proposal.fact_id and proposal.op == "retire":
        return f"by {who}: #{proposal.fact_id} is no longer told"
    if proposal.state == "applied" and proposal.op == "add" and proposal.fact_id in {fact.id for fact in named}:
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


def grouped(rows: list[Row], found: Around, by: str) -> list[Group]:
    """The rows in groups, each at its first row's place. ``by`` is as in `QueueState.group`."""
    if by == "none":
        return [Group("none", "", rows)] if rows else []
    keys = {"": _trace_key, "subject": _subject_key, "kind": _kind_key}[by]
    order: dict[str, int] = {}
    for row in rows:
        order.setdefault(keys(row), len(order))
    groups = []
    for key, members in groupby(sorted(rows, key=lambda row: order[keys(row)]), key=keys):
        if by == "":
            groups.append(Group("trace", key, list(members), trace=found.traces.get(key)))
        else:
            title = KIND_LABELS[key] if by == "kind" else ""
            groups.append(Group(by, key, list(members), title=title))
    return groups


def _trace_key(row: Row) -> str:
    return row.proposal.source_trace_id or ""


def _subject_key(row: Row) -> str:
    return f"{row.proposal.scope} {row.proposal.scope_id}"


def _kind_key(row: Row) -> str:
    return row.proposal.op


def speaker(message: Message) -> str:
    """The part played. Ids and names can be long, and stand above the conversation."""
    return spoken_by(message.role)


def spoken_by(role: str) -> str:
    return "user" if role == "user" else "agent"
