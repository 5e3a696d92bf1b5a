"""What clients wrote that waits for a person: made, replaced and taken back by its writer."""

from typing import Any

from django.db.models import JSONField, QuerySet, Value

from apps.access.actor import Actor
from apps.audit.actions.record import record
from apps.core.clock import now
from apps.core.errors import Conflict
from apps.core.text import norm_hash
from apps.curation.locks import lock_places
from apps.curation.models import UNDECIDED, Proposal, ProposalTarget, WaitingWrite
from apps.curation.writing import TRUST, Word, columns_of
from apps.facts.append import Placed
from apps.facts.handling import require_current
from apps.facts.keyed import Slot, written
from apps.facts.models import Fact
from apps.facts.statement import statement_of


def own_writes(actor: Actor, project_id: int) -> "QuerySet[WaitingWrite]":
    """What this actor wrote and nobody has decided about, with its proposals."""
    return WaitingWrite.objects.filter(
        project_id=project_id, writer=actor.name, proposal__state__in=UNDECIDED
    ).select_related("proposal")


def own_statements(
    actor: Actor, project_id: int, *, scope: str, scope_id: str, label: str, most: int = 200
) -> list[dict[str, Any]]:
    """The statements that this actor has waiting in one partition, the newest said first, as he reads them back; an empty
    ``scope`` or ``scope_id`` is any."""
    there = Proposal.objects.in_project(project_id).exclude(op="retire")
    if scope:
        there = there.filter(scope=scope)
    if scope_id:
        there = there.filter(scope_id=scope_id)
    rows = own_writes(actor, project_id).filter(key=None, label=label, proposal__in=there)
    return [shown(one) for one in rows.order_by("-proposal__observed_at", "-id")[:most]]


def own_of_slot(
    actor: Actor, project_id: int, scope: str, placed: Placed, slot: Slot, content: str | None = None
) -> list[WaitingWrite]:
    """Those of one key, or of one statement's words, newest first."""
    there = Proposal.objects.in_project(project_id).filter(
        scope=scope, scope_id=placed.scope_id, agent_id=placed.agent_id
    )
    rows = own_writes(actor, project_id).filter(proposal__in=there, label=slot.label)
    rows = rows.filter(key=slot.key)
    if content is not None:
        rows = rows.filter(proposal__norm_hash=norm_hash(content))
    return list(rows.order_by("-id"))


def draft(
    actor: Actor, project_id: int, word: Word, placed: Placed, *, op: str, flags: set[str], target: Fact | None
) -> tuple[Proposal, bool]:
    """A proposal of ``word``, to which ``target`` would give way, and whether it is new. The writer's older ones of the same
    key end: his last word counts. Raises Conflict ``refused_before`` for words a person said no to."""
    statement, slot = word.statement, word.slot
    lock_places(project_id, [(statement.scope, placed.scope_id)])
    digest = norm_hash(statement.content)
    if op != "retire":
        same = Proposal.objects.in_project(project_id).filter(
            scope=statement.scope,
            scope_id=placed.scope_id,
            agent_id=placed.agent_id,
            norm_hash=digest,
            state="rejected",
        )
        refused = WaitingWrite.objects.filter(
            project_id=project_id, proposal__in=same.exclude(op="retire"), key=slot.key, label=slot.label
        )
        # Two long values may begin alike, and have one line.
        if any(slot.key is None or written(one.value) == written(slot.value) for one in refused):
            raise Conflict("refused_before", "A person looked at this and said no.")
    older = own_of_slot(
        actor, project_id, statement.scope, placed, slot, None if slot.key is not None else statement.content
    )
    if slot.key is None and older:
        return older[0].proposal, False
    for one in older:
        withdraw(actor, one.proposal)
    if statement.sensitivity in {"personal", "special"}:
        flags = flags | {"personal"}
    proposal = Proposal.objects.create(
        project_id=project_id,
        op=op,
        origin="api",
        state="quarantined" if "injection" in flags else "pending",
        scope=statement.scope,
        scope_id=placed.scope_id,
        agent_id=placed.agent_id,
        subject_id=placed.subject_id,
        norm_hash=digest,
        trust=TRUST,
        speaker="agent",
        observed_at=word.observed_at,
        flags=sorted(flags),
        policy_rule="injection" if "injection" in flags else "",
        source_trace_id=word.source_trace_id,
        **columns_of(statement),
    )
    if target is not None:
        ProposalTarget.objects.create(project_id=project_id, proposal=proposal, fact=target)
    note_writer(actor, proposal, word, removal=op == "retire")
    record(
        actor=actor,
        verb="proposals.propose",
        object_type="proposal",
        object_id=proposal.id,
        data={"op": op, "origin": "api"},
    )
    return proposal, True


def ask_to_retire(actor: Actor, project_id: int, fact: Fact) -> Proposal:
    """Put the end of a current fact before a person. Raises Conflict ``fact_moved`` for a closed one."""
    require_current(fact)
    slot = Slot(label=fact.label, key=fact.key, value=fact.value)
    word = Word(statement=statement_of(fact), slot=slot, observed_at=now())
    placed = Placed(fact.scope_id, fact.agent_id, fact.subject_id)
    return draft(actor, project_id, word, placed, op="retire", flags=set(), target=fact)[0]


def note_writer(actor: Actor, proposal: Proposal, word: Word, *, removal: bool = False) -> None:
    """Whose word the proposal is, and in which slot."""
    slot = word.slot
    write = WaitingWrite(
        project_id=proposal.project_id,
        proposal=proposal,
        writer=actor.name,
        label=slot.label,
        key=slot.key,
        # A value that is null is JSON's, not the database's.
        value=None if removal or slot.key is None else Value(slot.value, JSONField()),
        source=word.source,
    )
    WaitingWrite.objects.bulk_create([write], ignore_conflicts=True)


def withdraw(actor: Actor, proposal: Proposal) -> None:
    """Its writer takes it back, or said something else since."""
    proposal.state, proposal.decided_at, proposal.reviewer = "expired", now(), actor.name
    proposal.save(update_fields=["state", "decided_at", "reviewer"])
    record(actor=actor, verb="proposals.withdraw", object_type="proposal", object_id=proposal.id)


def slot_of_write(proposal: Proposal) -> tuple[Slot, str] | None:
    """The slot a client's proposal would stand in, and where its words come from; None for any other proposal."""
    row = WaitingWrite.objects.filter(project_id=proposal.project_id, proposal_id=proposal.id).first()
    return None if row is None else (Slot(label=row.label, key=row.key, value=row.value), row.source)


def shown(write: WaitingWrite) -> dict[str, Any]:
    """A waiting statement as its writer reads it back."""
    proposal = write.proposal
    names = (
        "content",
        "scope",
        "scope_id",
        "agent_id",
        "attribute",
        "category",
        "memory_type",
        "confidence",
        "importance",
    )
    return {name: getattr(proposal, name) for name in names} | {
        "proposal_id": proposal.id,
        "label": write.label,
        "source": write.source,
        "sensitivity": proposal.sensitivity,
        "observed_at": proposal.observed_at,
        "state": "held" if proposal.state == "quarantined" else "waiting",
    }
