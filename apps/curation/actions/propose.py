"""Put statements before the reviewers: one batch from one origin."""

from dataclasses import dataclass, field
from datetime import datetime

from apps.access.actor import Actor
from apps.access.policies import require
from apps.core.text import norm_hash
from apps.core.transactions import bind
from apps.curation.models import OPEN_STATES, Proposal, ProposalEvidence, ProposalTarget
from apps.facts.append import Evidence
from apps.facts.models import Fact
from apps.facts.statement import Statement
from apps.tenancy.models import Agent, Subject
from apps.tenancy.tombstones import buried, fact_digest


@dataclass(frozen=True, kw_only=True)
class Wish:
    """One statement somebody or something would like agents to be told, with the words it rests on.

    ``subject`` is whom it is about (scope user), ``agent`` who would be told (scope agent). A missing one holds the
    proposal instead of losing it. ``replaces`` is false for an attribute that may have several values at once
    (allergies).
    """

    statement: Statement
    agent: Agent | None = None
    subject: Subject | None = None
    speaker: str = "user"
    trust: int = 3
    observed_at: datetime
    policy_rule: str = ""
    flags: tuple[str, ...] = ()
    source_trace_id: str | None = None
    evidence: tuple[Evidence, ...] = ()
    replaces: bool = True


@dataclass
class Proposed:
    """``proposals`` made, and how many wishes were dropped by reason: known, waiting, refused_before, forgotten."""

    proposals: list[Proposal] = field(default_factory=list)
    dropped: dict[str, int] = field(default_factory=dict)


def propose(*, actor: Actor, project_id: int, origin: str, wishes: list[Wish], run_id: int | None = None) -> Proposed:
    """Make a pending proposal of each wish that says something new; a held one where its subject is not known.

    Dropped are statements that are a current fact, wait already, were rejected before with the same words in the same
    scope, or were forgotten. The batch is one audit event, written by the caller whose run it is.
    """
    require(actor, "proposals.propose", project_id=project_id)
    outcome = Proposed()
    with bind(project_id):
        for wish in wishes:
            made = _propose_one(project_id, origin, wish, run_id)
            if isinstance(made, str):
                outcome.dropped[made] = outcome.dropped.get(made, 0) + 1
            else:
                outcome.proposals.append(made)
    return outcome


def _propose_one(project_id: int, origin: str, wish: Wish, run_id: int | None) -> Proposal | str:
    statement = wish.statement
    scope_id = statement.scope_id
    if statement.scope == "user":
        scope_id = wish.subject.external_id if wish.subject else ""
    elif statement.scope == "agent":
        scope_id = wish.agent.name if wish.agent else ""
    digest = norm_hash(statement.content)
    flags = set(wish.flags)
    if statement.scope == "user" and wish.subject is None:
        flags.add("no_subject")
    if statement.scope == "agent" and wish.agent is None:
        flags.add("no_agent")
    if statement.sensitivity in {"personal", "special"}:
        flags.add("personal")
    held = bool(flags & {"no_subject", "no_agent", "secret", "injection"})
    buried_digest = fact_digest(project_id, statement.scope, scope_id, statement.content)
    if buried(project_id, [(buried_digest, wish.observed_at)]):
        return "forgotten"
    same = Proposal.objects.in_project(project_id).filter(scope=statement.scope, scope_id=scope_id, norm_hash=digest)
    if scope_id:
        known = Fact.objects.in_project(project_id).of_scope(statement.scope, scope_id).filter(norm_hash=digest)
        if known.current().exists():
            return "known"
        if same.filter(state__in=OPEN_STATES).exists():
            return "waiting"
        if same.filter(state="rejected").exists():
            return "refused_before"
    elif same.filter(state__in=OPEN_STATES, source_trace_id=wish.source_trace_id).exists():
        return "waiting"
    targets = _targets(project_id, wish, scope_id)
    proposal = Proposal.objects.create(
        project_id=project_id,
        op="supersede" if targets else "add",
        origin=origin,
        state="quarantined" if held else "pending",
        scope=statement.scope,
        scope_id=scope_id,
        agent=wish.agent if statement.scope == "agent" else None,
        subject=wish.subject if statement.scope == "user" else None,
        attribute=statement.attribute,
        content=statement.content,
        norm_hash=digest,
        category=statement.category,
        memory_type=statement.memory_type,
        confidence=statement.confidence,
        importance=statement.importance,
        trust=wish.trust,
        speaker=wish.speaker,
        sensitivity=statement.sensitivity,
        observed_at=wish.observed_at,
        flags=sorted(flags | ({"conflict"} if targets else set())),
        policy_rule=wish.policy_rule,
        source_trace_id=wish.source_trace_id,
        run_id=run_id,
    )
    ProposalTarget.objects.bulk_create(
        [ProposalTarget(project_id=project_id, proposal=proposal, fact=fact) for fact in targets]
    )
    ProposalEvidence.objects.bulk_create(
        [
            ProposalEvidence(
                project_id=project_id,
                proposal=proposal,
                subject=wish.subject,
                trace_id=item.trace_id,
                message_id=item.message_id,
                quote=item.quote,
                start=item.start,
                end=item.end,
                observed_at=item.observed_at,
            )
            for item in wish.evidence
        ]
    )
    return proposal


def _targets(project_id: int, wish: Wish, scope_id: str) -> list[Fact]:
    """The approved facts this statement would replace: the same attribute of the same scope id, said no later."""
    statement = wish.statement
    if statement.attribute is None or not wish.replaces or not scope_id:
        return []
    return list(
        Fact.objects.in_project(project_id)
        .active()
        .of_scope(statement.scope, scope_id)
        .filter(
            attribute=statement.attribute,
            observed_at__lte=wish.observed_at,
            trust__lte=wish.trust,
            pinned=False,
        )
        .order_by("id")
    )
