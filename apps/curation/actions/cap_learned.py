"""Keep what was learned about one subject within bounds: the oldest is proposed for retirement."""

from django.db.models import Exists

from apps.access.actor import Actor
from apps.access.policies import require
from apps.core.transactions import bind
from apps.curation.locks import lock_places
from apps.curation.models import OPEN_STATES, Proposal, ProposalTarget
from apps.curation.queries import learned_about, open_to_the_cap, retiring
from apps.facts.models import Fact
from apps.tenancy.models import Subject

MAX_LEARNED = 200
"""Active learned facts of one subject, where the project says nothing else."""


def cap_learned(
    *,
    actor: Actor,
    project_id: int,
    subject_id: int,
    max_learned: int = MAX_LEARNED,
    origin: str = "extraction",
    run_id: int | None = None,
) -> list[Proposal]:
    """Propose to retire as many of the subject's oldest learned facts as there are over ``max_learned``; returns what
    was proposed now. Those that wait already count, so a repeat proposes nothing.

    Never touched are facts a person wrote, edited or pinned, and those a person chose to keep before. Only learned
    facts that are told count towards the cap.
    """
    require(actor, "proposals.propose", project_id=project_id)
    with bind(project_id):
        learned = learned_about(project_id, subject_id)
        if learned.count() <= max_learned:
            return []
        names = Subject.objects.filter(project_id=project_id, id=subject_id).values_list("external_id", flat=True)
        lock_places(project_id, [("user", name) for name in names])
        waiting = learned.filter(Exists(retiring(project_id).filter(proposal__state__in=OPEN_STATES))).count()
        excess = learned.count() - waiting - max_learned
        if excess <= 0:
            return []
        open_to_it = open_to_the_cap(project_id, subject_id)
        oldest = list(open_to_it.order_by("created_at", "id").select_for_update(of=("self",))[:excess])
        proposals = Proposal.objects.bulk_create(_retirement(fact, origin, run_id) for fact in oldest)
        ProposalTarget.objects.bulk_create(
            ProposalTarget(project_id=project_id, proposal=proposal, fact=fact)
            for proposal, fact in zip(proposals, oldest, strict=True)
        )
    return proposals


def _retirement(fact: Fact, origin: str, run_id: int | None) -> Proposal:
    """What the fact says, so that a reviewer reads it."""
    return Proposal(
        project_id=fact.project_id,
        op="retire",
        origin=origin,
        scope=fact.scope,
        scope_id=fact.scope_id,
        agent_id=fact.agent_id,
        subject_id=fact.subject_id,
        attribute=fact.attribute,
        content=fact.content,
        norm_hash=fact.norm_hash,
        category=fact.category,
        memory_type=fact.memory_type,
        confidence=fact.confidence,
        importance=fact.importance,
        trust=fact.trust,
        speaker=fact.speaker,
        sensitivity=fact.sensitivity,
        observed_at=fact.observed_at,
        valid_from=fact.valid_from,
        valid_to=fact.valid_to,
        purposes=fact.purposes,
        task_types=fact.task_types,
        policy_rule="cap_learned",
        source_trace_id=fact.source_trace_id,
        run_id=run_id,
    )
