"""A code is good once."""

from allauth.mfa.models import Authenticator
from allauth.mfa.recovery_codes.internal.auth import RecoveryCodes
from allauth.mfa.utils import decrypt
from cryptography.fernet import InvalidToken

from apps.access.actor import Actor
from apps.access.second_step import period_of
from apps.audit.actions.record import record
from apps.core.clock import now
from apps.core.errors import Unavailable
from apps.core.transactions import unit


def use_code(*, actor: Actor, user_id: int, code: str) -> bool:
    """Whether ``code`` is the app's of about now, or a recovery code, and was not used before. Two who send the same one
    at once wait for each other, and one is refused. Raises Unavailable ``unreadable`` where SECRET_KEY has changed since
    the codes were set up."""
    said = code.strip().replace(" ", "")
    try:
        with unit():
            rows = Authenticator.objects.select_for_update().filter(user_id=user_id).order_by("-type")
            return any(_is_good(row, said, actor) for row in rows)
    except InvalidToken as error:
        detail = (
            "Codes can't be checked: the installation's key has changed. Ask whoever runs it to reset two-step sign-in."
        )
        raise Unavailable("unreadable", detail) from error


def _is_good(row: Authenticator, code: str, actor: Actor) -> bool:
    if row.type == Authenticator.Type.TOTP:
        period = period_of(decrypt(row.data["secret"]), code, after=row.data.get("period", 0))
        if period is None:
            return False
        row.data["period"] = period
    elif row.type == Authenticator.Type.RECOVERY_CODES and RecoveryCodes(row).validate_code(code):
        row.refresh_from_db()
        record(actor=actor, verb="users.recovery_code", object_type="user", object_id=row.user_id)
    else:
        return False
    row.last_used_at = now()
    row.save(update_fields=["data", "last_used_at"])
    return True
