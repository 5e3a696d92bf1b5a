"""New recovery codes in place of those that were used or lost."""

from allauth.mfa.models import Authenticator
from allauth.mfa.recovery_codes.internal.auth import RecoveryCodes

from apps.access.actor import Actor
from apps.access.models import User
from apps.audit.actions.record import record
from apps.core.errors import Conflict
from apps.core.transactions import unit


def renew_recovery_codes(*, actor: Actor, user_id: int) -> list[str]:
    """Ten new ones, shown this once; the old ones open nothing any more. Raises Conflict ``not_on``, and ValueError for
    anybody else's."""
    if actor.kind != "user" or int(actor.id) != user_id:
        raise ValueError("Recovery codes are made by whose they are.")
    with unit():
        user = User.objects.select_for_update(no_key=True).get(id=user_id)
        if not Authenticator.objects.filter(user=user, type=Authenticator.Type.TOTP).exists():
            raise Conflict("not_on", "Two-step sign-in is not on.")
        Authenticator.objects.filter(user=user, type=Authenticator.Type.RECOVERY_CODES).delete()
        codes: list[str] = RecoveryCodes.activate(user).generate_codes()
        record(actor=actor, verb="users.renew_recovery_codes", object_type="user", object_id=user_id)
    return codes
