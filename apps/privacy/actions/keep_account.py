"""Decide that an account of staff stays though it bears the name of somebody who is erased."""

from uuid import UUID

from apps.access.actor import Actor
from apps.access.policies import require
from apps.audit.actions.record import record
from apps.core.errors import Conflict, Invalid, NotFound
from apps.core.transactions import bind
from apps.privacy.models import PrivacyRequest
from apps.privacy.moves import locked_request
from apps.privacy.preview import identifiers_of
from apps.privacy.staff import accounts_named
from apps.privacy.states import DESTROYS

WHEN = frozenset(["triage", "previewed", "needs_attention"])


def keep_account(*, actor: Actor, project_id: int, request_id: UUID, user_id: int, ground: str) -> PrivacyRequest:
    """Except the account, on a ground that goes on the receipt; an empty ground takes the exception back. Raises NotFound,
    Conflict ``wrong_state``, Invalid ``ground_required``."""
    require(actor, "privacy.handle", project_id=project_id)
    said = ground.strip()
    if len(said) > 300:
        raise Invalid("ground_required", "A ground of at most 300 characters.", pointer="/ground")
    with bind(project_id):
        request = locked_account_request(project_id, request_id, user_id)
        kept = {number: text for number, text in request.accounts.items() if number != str(user_id)}
        if not said and len(kept) == len(request.accounts):
            raise Invalid("ground_required", "What stays needs a ground.", pointer="/ground")
        request.accounts = kept | ({str(user_id): said} if said else {})
        request.save(update_fields=["accounts"])
        record(
            actor=actor,
            verb="privacy.keep_account",
            object_type="privacy_request",
            object_id=request.id,
            data={"number": request.number, "user": user_id, "kept": bool(said)},
        )
    return request


def locked_account_request(project_id: int, request_id: UUID, user_id: int) -> PrivacyRequest:
    """The request, locked, where a decision on this account is open. The project is bound. Raises NotFound and Conflict
    ``wrong_state``."""
    request = locked_request(project_id, request_id)
    if request.kind not in DESTROYS or request.state not in WHEN:
        raise Conflict("wrong_state", "Accounts are decided on before an erasure is approved, or where it stopped.")
    if user_id not in accounts_named(identifiers_of(request)):
        raise NotFound("not_found", "No such account bears the person's name.")
    return request
