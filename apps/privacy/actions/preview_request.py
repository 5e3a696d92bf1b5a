"""Show what an erasure would reach, before anybody decides; nothing but the request is written."""

from collections.abc import Iterable, Mapping
from uuid import UUID

from apps.access.actor import Actor
from apps.access.policies import require
from apps.core.clock import now
from apps.core.errors import Conflict, Invalid
from apps.core.transactions import bind
from apps.privacy.models import PrivacyRequest
from apps.privacy.moves import locked_request, move
from apps.privacy.preview import nameless, reach_for, summary
from apps.privacy.reach import Reach
from apps.privacy.states import DESTROYS


def preview_request(
    *,
    actor: Actor,
    project_id: int,
    request_id: UUID,
    exceptions: Mapping[int, str] | None = None,
    also: Iterable[int] | None = None,
) -> tuple[PrivacyRequest, Reach]:
    """What would go, counted by store and reason, with a digest over every id; the decisions of the last preview stand
    unless others are given.

    ``exceptions``: facts that stay, each with its ground; ``also``: shared facts that go as well. Raises NotFound,
    Conflict ``identity_unchecked`` and ``wrong_state``, Invalid.
    """
    require(actor, "privacy.handle", project_id=project_id)
    if any(not ground.strip() or len(ground) > 300 for ground in (exceptions or {}).values()):
        raise Invalid("ground_required", "What stays needs a ground of at most 300 characters.", pointer="/exceptions")
    with bind(project_id):
        request = locked_request(project_id, request_id)
        if request.kind not in DESTROYS:
            raise Conflict("nothing_to_preview", "Only an erasure or an objection has a preview.")
        if request.identity_checked_at is None:
            raise Conflict("identity_unchecked", "Check first that the person is who she says.")
        if exceptions is not None:
            nameless(request, "\n".join(exceptions.values()), "/exceptions")
            request.exceptions = {str(number): ground.strip() for number, ground in exceptions.items()}
        chosen = sorted(also) if also is not None else request.preview.get("also", [])
        reach = reach_for(request, chosen)
        move(
            request,
            "previewed",
            actor=actor,
            exceptions=request.exceptions,
            preview=summary(request, reach, chosen),
            preview_digest=reach.digest(),
            previewed_at=now(),
            approved_by="",
            approved_at=None,
            approved_digest=None,
            error_code="",
            data={"digest": reach.digest().hex(), "facts": len(reach.facts)},
        )
    return request, reach
