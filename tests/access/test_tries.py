"""Tries that come at once are counted together, and what is given back is no more than was taken."""

from concurrent.futures import ThreadPoolExecutor

from django.db import connection

from apps.access.actions.give_back_try import give_back_try
from apps.access.actions.take_try import take_try
from apps.access.actor import NOBODY
from apps.access.models import SignInCount
from apps.access.tries import LIMITS, Try
from apps.audit.models import AuditEvent
from apps.core.errors import RateLimited


def taken(attempt: Try) -> bool:
    try:
        take_try(actor=NOBODY, attempt=attempt)
    except RateLimited:
        return False
    finally:
        connection.close()
    return True


def test_forty_at_once_are_five(fresh_db: str) -> None:
    attempt = Try("password", "olga@example.test", "203.0.113.9")
    with ThreadPoolExecutor(20) as pool:
        assert sum(pool.map(taken, [attempt] * 40)) == LIMITS["password"].place.tries
    assert AuditEvent.objects.filter(verb="users.throttle").count() == 1


def test_an_account_from_everywhere_at_once(fresh_db: str) -> None:
    """A hundred addresses, one account: rows that all of them share, in one order, so that nobody waits in a circle."""
    attempts = [Try("password", "olga@example.test", f"203.0.113.{n % 100}") for n in range(200)]
    with ThreadPoolExecutor(20) as pool:
        assert sum(pool.map(taken, attempts)) == 50


def test_given_back_is_never_less_than_nothing(fresh_db: str) -> None:
    attempt = Try("password", "olga@example.test", "203.0.113.9")
    give_back_try(attempt=attempt)
    assert taken(attempt)
    for _ in range(3):
        give_back_try(attempt=attempt)
    assert set(SignInCount.objects.values_list("tries", flat=True)) == {0}
