"""The second step of a sign-in: a code of six digits from an app, or one of the recovery codes that were shown once."""

from allauth.core.internal.cryptokit import compare_user_code
from allauth.mfa.adapter import DefaultMFAAdapter
from allauth.mfa.totp.internal.auth import format_hotp_value, hotp_value
from django.conf import settings

from apps.access.models import Membership, Role
from apps.core.clock import seconds
from apps.core.sealing import SECOND_STEP, seal, unseal

PERIOD = 30
DEMANDED = frozenset({Role.ADMIN, Role.PRIVACY_OFFICER})
"""Roles of which MEMORYPLANE_REQUIRE_TOTP demands it."""


class SealingAdapter(DefaultMFAAdapter):
    """allauth's hooks: what codes are made from lies sealed in the database."""

    def encrypt(self, text: str) -> str:
        return seal(text.encode(), use=SECOND_STEP).decode()

    def decrypt(self, encrypted_text: str) -> str:
        return unseal(encrypted_text.encode(), use=SECOND_STEP).decode()


def period_of(secret: str, code: str, *, after: int = 0) -> int | None:
    """The number of the half minute that ``code`` is of, if it is of this one, the one before or the next, and later than
    ``after``. ``secret`` is base 32."""
    present = int(seconds()) // PERIOD
    found = None
    for number in (present - 1, present, present + 1):
        if compare_user_code(actual=code, expected=format_hotp_value(hotp_value(secret, number))) and number > after:
            found = number
    return found


def is_demanded_of(user_id: int) -> bool:
    """Whether the installation asks it of somebody, for a role he has in any project."""
    held = Membership.objects.filter(user_id=user_id, role__in=DEMANDED)
    return settings.REQUIRE_SECOND_STEP and held.exists()
