"""Where somebody has signed in from belongs to his account for a while."""

from django.db.models.functions import Greatest

from apps.access.models import SignInCount
from apps.access.tries import PLACE_KNOWN_FOR, Try
from apps.core.clock import now
from apps.core.transactions import unit


def remember_place(*, attempt: Try) -> None:
    """The address and the browser of ``attempt``, which led to a whole sign-in, are known for ninety days: what strangers
    try elsewhere does not keep the account out of there."""
    at = now()
    until = at + PLACE_KNOWN_FOR
    places = sorted(attempt.places)
    with unit():
        SignInCount.objects.bulk_create(
            [SignInCount(digest=one, window_ends_at=at, known_until=until, ends_at=until) for one in places],
            ignore_conflicts=True,
        )
        list(SignInCount.objects.filter(digest__in=places).order_by("digest").select_for_update())
        SignInCount.objects.filter(digest__in=places).update(
            known_until=until, ends_at=Greatest("window_ends_at", until)
        )
