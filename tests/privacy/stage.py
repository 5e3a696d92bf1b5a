"""Helpers of the erasure tests: somebody with facts, conversations and reads, and two officers."""

from datetime import timedelta

from apps.access.actor import Actor
from apps.access.models import Membership
from apps.core.clock import now
from apps.core.transactions import bind
from apps.curation.actions.approve_proposal import approve_proposal
from apps.curation.models import Proposal
from apps.privacy.actions.approve_request import approve_request, submit_request
from apps.privacy.actions.carry_out import carry_out
from apps.privacy.actions.open_request import open_request
from apps.privacy.actions.preview_request import preview_request
from apps.privacy.claims import claim_requests
from apps.privacy.mentions import Identifier
from apps.privacy.models import PrivacyRequest
from apps.tenancy.models import Project
from tests.extraction.test_extract_trace import mine, push
from tests.factories import user_actor
from tests.spans import run_of


def officer(project: Project) -> Actor:
    """A privacy officer of long standing."""
    actor = user_actor(project, "privacy_officer")
    Membership.objects.filter(user_id=int(actor.id)).update(created_at=now() - timedelta(days=2))
    return actor


def learned(project: Project, trace: str, said: str, user: str | None = None) -> list[int]:
    """What a user said, mined and approved; ids of the facts."""
    push(project, run_of(trace, said, user=user))
    mine(project)
    with bind(project.id):
        waiting = list(Proposal.objects.filter(state__in=["pending", "quarantined"]).order_by("id"))
    curator = user_actor(project, "curator")
    made = [approve_proposal(actor=curator, project_id=project.id, proposal_id=item.id).fact_id for item in waiting]
    return [number for number in made if number is not None]


def approved(
    project: Project,
    user: str,
    *,
    kind: str = "erasure",
    identities: tuple[Identifier, ...] = (),
    exceptions: dict[int, str] | None = None,
    also: tuple[int, ...] = (),
    officers: tuple[Actor, Actor] | None = None,
) -> PrivacyRequest:
    """A request that was opened, previewed, submitted and approved by two officers, for workers to carry out."""
    first, second = officers or (officer(project), officer(project))
    request = open_request(
        actor=first,
        project_id=project.id,
        kind=kind,
        external_id=user,
        identities=identities,
        identity_method="known_to_us",
    )
    request, reach = preview_request(
        actor=first, project_id=project.id, request_id=request.id, exceptions=exceptions, also=also
    )
    digest = reach.digest().hex()
    submit_request(actor=first, project_id=project.id, request_id=request.id, digest=digest, typed_id=user)
    return approve_request(actor=second, project_id=project.id, request_id=request.id, digest=digest, typed_id=user)


def work(project: Project) -> list[str]:
    """Let a worker carry on what it can claim; the states it came to."""
    return [carry_out(claim) for claim in claim_requests(limit=10) if claim.project_id == project.id]


def fresh(request: PrivacyRequest) -> PrivacyRequest:
    with bind(request.project_id):
        return PrivacyRequest.objects.get(id=request.id)
