"""Delete one fact everywhere, for good."""

from dataclasses import dataclass

from apps.access.actor import Actor
from apps.access.policies import require
from apps.audit.actions.record import record
from apps.core.errors import Conflict, NotFound
from apps.core.transactions import bind
from apps.privacy.forgetting import delete, gathered
from apps.privacy.queries import ForgetCounts, forget_counts


@dataclass(frozen=True)
class Forgotten:
    """What was there and what is left, store by store; ``after`` is counted, not assumed."""

    before: ForgetCounts
    after: ForgetCounts


def forget_fact(*, actor: Actor, project_id: int, fact_id: int, expected: ForgetCounts | None = None) -> Forgotten:
    """Delete a fact with the versions it replaced, their evidence, vectors, the counts of who was told them, and every
    proposal that made or targets them. A conflict that is left with one side is moot, one that is left with none goes too.

    A tombstone keeps the same words from being learned again from what was observed until now. The conversation they
    came from stays: forgetting a person's whole trace is an erasure. Raises NotFound, and Conflict: ``held`` where one of the
    versions has to be kept, ``preview_outdated`` when more or less would go than ``expected`` showed, as far as a preview counts; nothing is
    deleted then.
    """
    require(actor, "privacy.forget_fact", project_id=project_id)
    with bind(project_id):
        going = gathered(project_id, fact_id)
        if fact_id not in going.facts:
            raise NotFound("not_found", "There is no such fact in this project.")
        if held := sorted(fact.id for fact in going.facts.values() if fact.restricted_reason == "hold"):
            raise Conflict("held", f"#{held[0]} is held and has to be kept; an officer releases it first.")
        before = forget_counts(project_id, going.rows)
        if expected is not None and expected.shown() != before.shown():
            raise Conflict("preview_outdated", "The fact changed since the preview; look at it again.")
        delete(project_id, going, by=actor.name, name=f"forget:{fact_id}")
        after = forget_counts(project_id, going.rows)
        record(
            actor=actor,
            verb="privacy.forget_fact",
            object_type="fact",
            object_id=fact_id,
            data={"before": before.as_dict(), "after": after.as_dict()},
        )
    return Forgotten(before, after)
