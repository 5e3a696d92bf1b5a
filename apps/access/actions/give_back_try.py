"""A try that was right costs nothing."""

from django.db.models import F

from apps.access.models import SignInCount
from apps.access.queries import known_places
from apps.access.tries import Try
from apps.core.transactions import unit


def give_back_try(*, attempt: Try) -> None:
    """Take one from each window ``attempt`` was counted in. Not more, or whoever has an account of his own could try
    others for ever."""
    with unit():
        windows = attempt.counted(known_places(attempt))
        rows = SignInCount.objects.filter(digest__in=list(windows)).order_by("digest")
        # In the order in which tries are counted.
        locked = list(rows.select_for_update().values_list("digest", flat=True))
        SignInCount.objects.filter(digest__in=locked, tries__gt=0).update(tries=F("tries") - 1)
