"""Look once more whether an erased person is anywhere."""

from uuid import UUID

from apps.access.actor import Actor
from apps.access.policies import require
from apps.audit.actions.record import record
from apps.core.errors import Conflict, Invalid
from apps.core.transactions import bind
from apps.privacy.mentions import Identifier
from apps.privacy.models import Receipt
from apps.privacy.moves import locked_request
from apps.privacy.preview import reach_for
from apps.privacy.receipts import issue_check
from apps.privacy.states import DESTROYS
from apps.privacy.verification import verify
from apps.tenancy.tombstones import subject_digest


def check_again(*, actor: Actor, project_id: int, request_id: UUID, typed_id: str) -> Receipt:
    """Verify a finished erasure anew and issue a receipt of that, whatever it finds.

    The installation does not know the person any more, so her id is typed, and compared with the digest that was kept.
    What is told of her since, because she came back, is found too. Raises NotFound, Conflict ``wrong_state``, Invalid
    ``typed_id``.
    """
    require(actor, "privacy.handle", project_id=project_id)
    name = typed_id.strip()
    with bind(project_id):
        request = locked_request(project_id, request_id)
        if request.kind not in DESTROYS or not request.state.startswith("completed"):
            raise Conflict("wrong_state", "Only an erasure that was completed can be checked again.")
        if subject_digest(project_id, "user", name) != bytes(request.subject_digest):
            raise Invalid("typed_id", "This is not the id that the request was about.", pointer="/typed_id")
        named = [Identifier("user_id", name)]
        report = verify(project_id, reach_for(request, [], named), named, [], accounts=[*map(int, request.accounts)])
        report.not_checked.append("pieces of the erased texts: they are kept nowhere")
        receipt = issue_check(request, report, actor.name)
        record(
            actor=actor,
            verb="privacy.check",
            object_type="privacy_request",
            object_id=request.id,
            data={"number": request.number, "hits": report.hits, "checks": len(report.checks)},
        )
    return receipt
