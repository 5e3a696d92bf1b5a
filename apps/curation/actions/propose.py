"""Put statements before the reviewers: one batch from one origin."""

from apps.access.actor import Actor
from apps.access.policies import require
from apps.audit.actions.record import record
from apps.core.text import norm_hash
from apps.core.transactions import bind
from apps.curation.actions.cap_learned import MAX_LEARNED, cap_learned
from apps.curation.conflicts import change_of, open_conflict
from apps.curation.desk import Desk
from apps.curation.evidence import add_evidence
from apps.curation.locks import lock_places
from apps.curation.models import Proposal, ProposalTarget
from apps.curation.wishes import Outcome as Outcome  # what this verb takes and gives
from apps.curation.wishes import Proposed as Proposed
from apps.curation.wishes import Wish as Wish
from apps.facts.corroborate import corroborate
from apps.facts.locks import locked_facts
from apps.facts.models import Fact


def propose(
    *,
    actor: Actor,
    project_id: int,
    origin: str,
    wishes: list[Wish],
    run_id: int | None = None,
    max_learned: int | None = MAX_LEARNED,
) -> Proposed:
    """Make a pending proposal of each wish that says something new; a held one where somebody has to look first.

    Said again, a fact or a waiting proposal gets the evidence, once for each span; a fact's ``corroborations`` grow
    by one for each further trace. What nearly says a current fact becomes an ``add`` flagged ``duplicate`` with that
    fact as its target. What says otherwise on one attribute is flagged ``conflict`` and stands in an open Conflict:
    as a ``supersede`` if it is trusted no less and said no earlier than every fact it contradicts, else as an ``add``
    without a target. So does, always as such an ``add``, what names a fact of its place that it ``changes`` on another
    attribute or on none. Nothing is approved here, and what was approved goes on being told. Subjects of new proposals
    with more than ``max_learned`` active learned facts (None: any number) get their oldest proposed for retirement.
    The batch is one audit event, written by the caller whose run it is, and one for each fact it corroborated.
    """
    require(actor, "proposals.propose", project_id=project_id)
    done, heard = Proposed(), set[int]()
    if not wishes:
        return done
    with bind(project_id):
        lock_places(project_id, [wish.place for wish in wishes])
        desk = Desk(project_id, wishes)
        for wish in wishes:
            done.outcomes.append(_said_already(desk, wish, heard) or _new(desk, wish, origin, run_id))
        for fact_id in sorted(heard):
            record(actor=actor, verb="facts.corroborate", object_type="fact", object_id=fact_id, data={"run": run_id})
        if max_learned is not None:
            for subject_id in sorted({made.subject_id for made in done.proposals if made.subject_id}):
                done.capped += cap_learned(
                    actor=actor,
                    project_id=project_id,
                    subject_id=subject_id,
                    max_learned=max_learned,
                    origin=origin,
                    run_id=run_id,
                )
    return done


def _said_already(desk: Desk, wish: Wish, heard: set[int]) -> Outcome | None:
    """Where the same words stand, and None for something new."""
    if desk.is_buried(wish):
        return Outcome("dropped", "forgotten")
    fact = desk.fact(wish)
    if fact is not None:
        if fact.restricted_at:
            return Outcome("dropped", "restricted")
        # What reads like an order, or hides something, speaks for nothing.
        if not wish.all_flags & {"secret", "injection"} and corroborate(fact, list(wish.evidence)):
            heard.add(fact.id)
        return Outcome("same", "known", fact_id=fact.id)
    waiting = desk.waiting(wish)
    if waiting is not None:
        add_evidence(waiting, wish.evidence, wish.subject)
        return Outcome("same", "waiting", waiting)
    return Outcome("dropped", "refused_before") if desk.was_refused(wish) else None


def _new(desk: Desk, wish: Wish, origin: str, run_id: int | None) -> Outcome:
    beside = desk.beside(wish)
    waiting = desk.said_by(wish, beside)
    if waiting is not None:
        add_evidence(waiting, wish.evidence, wish.subject)
        return Outcome("same", "waiting", waiting)
    again = _still_there(desk.said_by_fact(wish))
    against = [] if again else desk.against(wish)
    others = [] if again else desk.rivals(wish, beside)
    named = None if again else desk.named(wish)
    flags = wish.all_flags
    if again:
        flags.add("duplicate")
    elif against or others or named:
        flags.add("conflict")
    # Nothing lower in trust, or older, supersedes anything by itself; a pinned fact was set by a person.
    # A model that names a fact on something else may well be wrong about it.
    outdoes = named is None and all(
        fact.trust <= wish.trust and fact.observed_at <= wish.observed_at and not fact.pinned for fact in against
    )
    replaced = against if outdoes else []
    proposal = _written(desk, wish, origin, run_id, "supersede" if replaced else "add", flags)
    targets = [again] if again else replaced
    ProposalTarget.objects.bulk_create(
        [ProposalTarget(project_id=desk.project_id, proposal=proposal, fact=fact) for fact in targets]
    )
    add_evidence(proposal, wish.evidence, wish.subject, first=True)
    opened = []
    if against or others:
        opened.append(open_conflict(proposal, against, others, attribute=wish.statement.attribute))
    if named:
        opened.append(open_conflict(proposal, [named], [], attribute=change_of(named)))
    desk.remember(proposal)
    return Outcome(
        "held" if wish.held_by else "proposed",
        wish.held_by or wish.policy_rule,
        proposal,
        opened=tuple(conflict_id for conflict_id in opened if conflict_id is not None),
    )


def _still_there(fact: Fact | None) -> Fact | None:
    """The fact, locked, unless it was closed or forgotten since it was found."""
    found = locked_facts(fact.project_id, [fact.id]).get(fact.id) if fact else None
    return found if found and found.is_current else None


def _written(desk: Desk, wish: Wish, origin: str, run_id: int | None, op: str, flags: set[str]) -> Proposal:
    statement, (scope, scope_id) = wish.statement, wish.place
    begins, ends = statement.valid_from, statement.valid_to
    if begins and ends and ends <= begins:
        begins = ends = None
    return Proposal.objects.create(
        project_id=desk.project_id,
        op=op,
        origin=origin,
        state="quarantined" if wish.held_by else "pending",
        scope=scope,
        scope_id=scope_id,
        agent=wish.agent if scope == "agent" else None,
        subject=wish.subject if scope == "user" else None,
        attribute=statement.attribute,
        content=statement.content,
        norm_hash=norm_hash(statement.content),
        category=statement.category,
        memory_type=statement.memory_type,
        confidence=statement.confidence,
        importance=statement.importance,
        trust=wish.trust,
        speaker=wish.speaker,
        sensitivity=statement.sensitivity,
        observed_at=wish.observed_at,
        valid_from=begins,
        valid_to=ends,
        purposes=statement.purposes,
        task_types=statement.task_types,
        flags=sorted(flags),
        policy_rule=wish.policy_rule,
        source_trace_id=wish.source_trace_id,
        run_id=run_id,
    )
