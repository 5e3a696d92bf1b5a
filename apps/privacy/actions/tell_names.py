"""Say which of the names that a package holds back may be told in it."""

from collections.abc import Iterable
from uuid import UUID

from apps.access.actor import Actor
from apps.access.policies import require
from apps.audit.actions.record import record
from apps.core.errors import Conflict, Invalid
from apps.core.transactions import bind
from apps.privacy.held_names import names_held, tell
from apps.privacy.models import AccessPackage


def tell_names(*, actor: Actor, project_id: int, request_id: UUID, numbers: Iterable[int]) -> int:
    """Put the names with these numbers into their places in the request's package, for good; a link that was made leads to
    nothing then, since somebody may be fetching. Returns how many were not there before.

    Raises Conflict ``no_package`` when there is none any more, and Invalid for a number that none of them has, or for none.
    """
    require(actor, "privacy.handle", project_id=project_id)
    wanted = set(numbers)
    with bind(project_id):
        package = (
            AccessPackage.objects.select_for_update()
            .filter(project_id=project_id, request_id=request_id, removed_at=None)
            .order_by("-id")
            .first()
        )
        if package is None:
            raise Conflict("no_package", "There is no package; it was fetched or has expired.")
        names = names_held(package)
        if not wanted or not wanted <= {one.number for one in names}:
            raise Invalid("unknown_choice", "Tick at least one of the names that are held back.", pointer="/tell")
        told = tell(package, wanted)
        package.token_hash = package.link_until = None
        package.save(update_fields=["content", "sha256", "size", "held", "token_hash", "link_until"])
        record(
            actor=actor,
            verb="privacy.tell_names",
            object_type="privacy_request",
            object_id=request_id,
            data={"told": len(told), "of": len(names)},
        )
    return len(told)
