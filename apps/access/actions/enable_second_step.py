"""From now on a sign-in needs a code too."""

from allauth.mfa.models import Authenticator
from allauth.mfa.recovery_codes.internal.auth import RecoveryCodes
from allauth.mfa.totp.internal.auth import TOTP
from django.db.models import F

from apps.access.actor import Actor
from apps.access.models import User
from apps.access.second_step import period_of
from apps.audit.actions.record import record
from apps.core.errors import Conflict, Invalid
from apps.core.transactions import unit


def enable_second_step(*, actor: Actor, user_id: int, secret: str, code: str) -> list[str]:
    """Keep ``secret`` (base 32) if ``code`` is made from it, and return ten recovery codes, which are shown this once.
    Every session of before ends. Raises Invalid ``wrong_code``, Conflict where there is one already, and ValueError for
    anybody else's."""
    if actor.kind != "user" or int(actor.id) != user_id:
        raise ValueError("The second step is switched on by whose account it is.")
    with unit():
        user = User.objects.select_for_update(no_key=True).get(id=user_id)
        period = period_of(secret, code)
        if period is None:
            raise Invalid("wrong_code", "This code is not right. Look at the app again.", pointer="/code")
        if Authenticator.objects.filter(user=user, type=Authenticator.Type.TOTP).exists():
            raise Conflict("already_on", "Two-step sign-in is on already.")
        kept = TOTP.activate(user, secret).instance
        kept.data["period"] = period  # a code is good once, this one too
        kept.save(update_fields=["data"])
        Authenticator.objects.filter(user=user, type=Authenticator.Type.RECOVERY_CODES).delete()
        codes: list[str] = RecoveryCodes.activate(user).generate_codes()
        User.objects.filter(id=user_id).update(session_round=F("session_round") + 1)
        record(actor=actor, verb="users.enable_second_step", object_type="user", object_id=user_id)
    return codes
