"""What agents write by themselves, before it is a fact: where it stands, what is in it, and what it may not touch."""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from datetime import datetime
from typing import Any

from apps.access.actions.meet_agent import meet_agent
from apps.access.actor import Actor
from apps.access.models import SENSITIVITIES
from apps.access.policies import Refused
from apps.core.errors import Conflict, Invalid
from apps.core.text import normalise
from apps.curation.models import Proposal
from apps.facts.append import Placed, place
from apps.facts.keyed import PLAIN, Slot, written
from apps.facts.models import Fact
from apps.facts.statement import Statement
from apps.screening.findings import QUARANTINE, REJECT
from apps.screening.screen import mask_json, screen
from apps.tenancy.models import Project, Subject
from apps.tenancy.tombstones import buried, fact_digest, subject_digest

TRUST = 2
"""How far an agent's own word is believed: as a model's, less than what its user said himself."""
SOURCES = ["agent", "manual", "learned"]
"""What a client may say its words come from; ``manual`` is what the operator's own code wrote."""


@dataclass(frozen=True, kw_only=True)
class Word:
    """Something a client would have told: a statement in a slot, and when it was said. ``source_trace_id`` counts where
    that trace is here."""

    statement: Statement
    slot: Slot = PLAIN
    source: str = "agent"
    observed_at: datetime
    source_trace_id: str | None = None


def place_of(actor: Actor, project_id: int, statement: Statement) -> Placed:
    """Where it stands. An agent that nobody knows yet is registered, where the key may do that.

    A key that is kept to some agents writes what is told through them alone. Raises Refused and Invalid.
    """
    scope, name = statement.scope, statement.agent_name.strip()
    if scope == "agent":
        name = name or statement.scope_id.strip()
        if not normalise(name):
            raise Invalid("subject_required", "Name the agent that is told.", pointer="/scope_id")
    if scope == "project":
        slug = Project.objects.values_list("slug", flat=True).get(id=project_id)
        if statement.scope_id.strip() not in {"", slug}:
            raise Invalid(
                "other_project", "A fact of scope project has the slug of the key's project.", pointer="/scope_id"
            )
    if actor.agents is not None and (scope == "project" or not name):
        detail = "This key is kept to some agents: it writes what is told through one of them."
        raise Refused(actor, "facts.add", detail, project_id)
    if name and scope != "project":
        name = meet_agent(actor=actor, project_id=project_id, name=name).name
    placed = place(project_id, scope, name if scope == "agent" else statement.scope_id.strip(), name)
    whom = (
        Subject.objects.filter(project_id=project_id, id=placed.subject_id)
        if placed.subject_id
        else Subject.objects.none()
    )
    if whom.exclude(suppressed_at=None).exists():
        raise Conflict("suppressed", "Nothing about this person may be kept now.")
    return placed


def screened(word: Word) -> tuple[Word, float]:
    """The word with the sensitivity of what is in it, at least, and how much it reads like an order to an agent (0..1).
    Raises Invalid: ``secret``, and ``injection`` for an order plain enough to be refused."""
    slot, text, pointer = word.slot, word.statement.content, "/content"
    hidden = False
    if slot.key is not None:
        # The line of a value holds its beginning alone; and what stands under a name such as "password" is known by that.
        pointer = "/value"
        text = f"{slot.key}: {slot.value if isinstance(slot.value, str) else written(slot.value)}"
        _, secrets, unseen = mask_json({slot.key: slot.value})
        hidden = bool(secrets) or unseen
    seen = screen(text)
    if hidden or seen.secrets:
        raise Invalid("secret", "This holds a password or a key. Agents must not be told one.", pointer=pointer)
    statement = word.statement.cleaned()
    if seen.injection_score >= REJECT:
        raise Invalid("injection", "This reads like an order to an agent, and is not kept.", pointer=pointer)
    found: str = seen.sensitivity
    if statement.scope == "user" and found == "internal":
        found = "personal"
    label = max(statement.sensitivity, found, key=SENSITIVITIES.index)
    return replace(word, statement=replace(statement, sensitivity=label)), seen.injection_score


def writes_directly(actor: Actor) -> bool:
    """Whether what it writes is told without a review."""
    return actor.direct and "facts:write" in actor.scopes


def looks_like_an_order(score: float) -> bool:
    """Whether a person has to look first, whatever the key's setting is."""
    return score >= QUARANTINE


def refuse_forgotten(project_id: int, word: Word, placed: Placed) -> None:
    """Raises Conflict ``forgotten`` for what was said before its words, its person or the whole project were forgotten."""
    statement = word.statement
    digests = [fact_digest(project_id, statement.scope, placed.scope_id, statement.content)]
    if statement.scope == "user":
        digests.append(subject_digest(project_id, "user", placed.scope_id))
    if buried(project_id, [(digest, word.observed_at) for digest in digests]):
        raise Conflict("forgotten", "This was forgotten after it was said; it is not kept again.")


def refuse_guarded(fact: Fact) -> None:
    """Raises Conflict: ``protected`` for what a person pinned or wrote, or an agent is trusted less on, and ``restricted``
    for what is held."""
    if fact.restricted_at is not None:
        raise Conflict("restricted", f"#{fact.id} is held for now; nothing was changed.")
    if is_a_persons(fact):
        raise Conflict("protected", f"A person answers for #{fact.id}. Propose the change, or ask for it.")


def is_a_persons(fact: Fact) -> bool:
    """Whether a person pinned it, wrote it or changed it, or it is trusted more than an agent is. What a person merely
    approved stays the agent's."""
    return bool(of_persons([fact]))


def of_persons(facts: Sequence[Fact]) -> set[int]:
    """Ids of those of a project's facts that are a person's. One statement at most."""
    found = {fact.id for fact in facts if fact.pinned or fact.trust > TRUST}
    theirs = [fact for fact in facts if fact.id not in found and fact.approved_by.startswith("user:")]
    rows = Proposal.objects.filter(
        project_id__in={fact.project_id for fact in theirs},
        id__in={fact.proposal_id for fact in theirs if fact.proposal_id},
    )
    proposed = {row.id: row for row in rows} if theirs else {}
    for fact in theirs:
        proposal = proposed.get(fact.proposal_id) if fact.proposal_id else None
        # A version that came after the approved one, and one that was edited while it was approved, are no longer the agent's.
        if fact.source == "manual" or proposal is None or proposal.fact_id != fact.id or _edited(proposal, fact):
            found.add(fact.id)
    return found


def _edited(proposal: Proposal, fact: Fact) -> bool:
    names = ("content", "scope", "scope_id", "category", "confidence", "importance", "sensitivity")
    return any(getattr(proposal, name) != getattr(fact, name) for name in (*names, "valid_from", "valid_to"))


def columns_of(statement: Statement) -> dict[str, Any]:
    """What a proposal takes over from a statement."""
    names = ("attribute", "content", "category", "memory_type", "confidence", "importance", "sensitivity")
    return {name: getattr(statement, name) for name in (*names, "valid_from", "valid_to", "purposes", "task_types")}
