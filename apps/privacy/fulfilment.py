"""What a worker does for a request that erases nothing; each returns what is kept of it: counts, ids and codes."""

import hashlib
from datetime import timedelta
from typing import Any

from apps.access.actor import Actor
from apps.audit.actions.record import record
from apps.core.clock import now
from apps.core.errors import Conflict
from apps.core.sealing import PACKAGES, seal
from apps.facts.append import Origin, Placed, append_fact, next_fact_id, supersede
from apps.facts.keyed import slot_of
from apps.facts.locks import locked_facts
from apps.facts.models import Fact, FactDerivation
from apps.facts.statement import Statement
from apps.privacy.held_names import sealed_names
from apps.privacy.models import EMPTIED, AccessPackage, Hold, PrivacyRequest
from apps.privacy.package import build
from apps.privacy.recipients import told_to
from apps.tenancy.models import Subject

REVIEW = timedelta(days=180)
"""After which somebody has to look whether a restriction still has a ground."""


def pack(request: PrivacyRequest) -> dict[str, Any]:
    """Access and portability: the file, to be fetched by a link that somebody makes. What was packed before goes."""
    content, counts, held = build(request)
    at = now()
    older = AccessPackage.objects.filter(project_id=request.project_id, request_id=request.id, removed_at=None)
    older.update(removed_at=at, **EMPTIED)
    AccessPackage.objects.create(
        project_id=request.project_id,
        request=request,
        content=seal(content, use=PACKAGES),
        held=sealed_names(held),
        sha256=hashlib.sha256(content).digest(),
        size=len(content),
        made_at=at,
    )
    return {"packed": counts}


def correct(request: PrivacyRequest, actor: Actor) -> dict[str, Any]:
    """The right words supersede the wrong ones, which are held from then on, and so is what was derived from them until
    somebody has looked; what rests on nothing else is retired. ``recipients`` are those who were told the wrong ones."""
    project_id, fact_id = request.project_id, int(request.fact_id or 0)
    old = locked_facts(project_id, [fact_id]).get(fact_id)
    if old is None or not old.is_current:
        raise Conflict("fact_moved", "The fact was changed meanwhile; name the version that is told now.")
    statement = Statement(
        content=request.correction,
        scope=old.scope,
        scope_id=old.scope_id,
        category=old.category,
        sensitivity=old.sensitivity,
        attribute=old.attribute,
    ).cleaned()
    new_id = next_fact_id()
    supersede([old], new_id)
    new, created = append_fact(
        project_id=project_id,
        statement=statement,
        placed=Placed(old.scope_id, old.agent_id, old.subject_id),
        origin=Origin(source="manual", speaker="user", trust=4, proposal_id=None),
        approved_by=request.identity_checked_by,
        evidence=[],
        fact_id=new_id,
        slot=slot_of(old, statement.content),
    )
    if not created:
        raise Conflict("fact_exists", f"Fact #{new.id} says this already.")
    Fact.objects.in_project(project_id).filter(id=old.id).update(restricted_at=now(), restricted_reason="correction")
    data = {"supersedes": [old.id], "request": str(request.id)}
    record(actor=actor, verb="facts.revise", object_type="fact", object_id=new.id, data=data)
    retired, held = _derived(project_id, old.id)
    recipients = told_to(project_id, [old.id])
    return {"corrected": {"old": old.id, "new": new.id}, "retired": retired, "held": held, "recipients": recipients}


def restrict(request: PrivacyRequest, actor: Actor) -> dict[str, Any]:
    """Nobody is told anything of the person, and nothing more is learned, until the hold is released."""
    project_id, subject = request.project_id, request.subject
    if subject is None:
        return {"restricted": 0}
    at = now()
    Subject.objects.select_for_update().get(project_id=project_id, id=subject.id)
    Subject.objects.filter(project_id=project_id, id=subject.id).update(suppressed_at=at, epoch=subject.epoch + 1)
    own = Fact.objects.in_project(project_id).filter(subject_id=subject.id, restricted_at=None)
    count = own.order_by("id").update(restricted_at=at, restricted_reason="hold")
    Hold.objects.get_or_create(
        project_id=project_id,
        object_type="subject",
        object_id=str(subject.id),
        released_at=None,
        defaults={
            "ground": f"restriction asked for in request {request.number}",
            "placed_by": actor.name,
            "review_on": (at + REVIEW).date(),
        },
    )
    return {"restricted": count}


def _derived(project_id: int, fact_id: int) -> tuple[list[int], list[int]]:
    """Current facts that were made from it: retired where they rest on nothing else, held where they do."""
    found: set[int] = set()
    layer = {fact_id}
    while layer:
        children = FactDerivation.objects.filter(project_id=project_id, parent_id__in=layer)
        layer = set(children.values_list("child_id", flat=True)) - found
        found |= layer
    wrong = found | {fact_id}
    others = FactDerivation.objects.filter(project_id=project_id, child_id__in=found).exclude(parent_id__in=wrong)
    borne_out = set(others.values_list("child_id", flat=True))
    rows = [fact for fact in locked_facts(project_id, found).values() if fact.is_current]
    at = now()
    ours = Fact.objects.in_project(project_id)
    retired = [fact.id for fact in rows if fact.id not in borne_out]
    held = [fact.id for fact in rows if fact.id in borne_out and fact.restricted_at is None]
    ours.filter(id__in=retired).update(retired_at=at, retired_reason="wrong")
    ours.filter(id__in=held).update(restricted_at=at, restricted_reason="correction")
    return retired, held
