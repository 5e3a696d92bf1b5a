"""Make the link by which somebody fetches her package, once."""

import secrets
from uuid import UUID

from apps.access.actor import Actor
from apps.access.policies import require
from apps.audit.actions.record import record
from apps.core.clock import now
from apps.core.errors import Conflict
from apps.core.transactions import bind
from apps.privacy.links import LINK_FOR, token_hash
from apps.privacy.models import AccessPackage


def make_link(*, actor: Actor, project_id: int, request_id: UUID) -> str:
    """The secret part of a new link to the request's package, good once and for 72 hours; an earlier one is dead. Raises
    Conflict ``no_package`` when there is none any more."""
    require(actor, "privacy.handle", project_id=project_id)
    token = secrets.token_urlsafe(32)
    with bind(project_id):
        package = (
            AccessPackage.objects.select_for_update()
            .filter(project_id=project_id, request_id=request_id, removed_at=None)
            .order_by("-id")
            .first()
        )
        if package is None:
            raise Conflict("no_package", "There is no package; it was fetched or has expired. Have it packed again.")
        package.token_hash, package.link_until = token_hash(token), now() + LINK_FOR
        package.save(update_fields=["token_hash", "link_until"])
        record(
            actor=actor,
            verb="privacy.link",
            object_type="privacy_request",
            object_id=request_id,
            data={"until": package.link_until.isoformat(timespec="seconds")},
        )
    return token
