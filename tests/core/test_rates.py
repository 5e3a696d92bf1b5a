"""So many a minute and no more, whoever counts; and a Redis that is away stops nobody."""

from concurrent.futures import ThreadPoolExecutor
from typing import Any

import pytest
import redis
from django.core.cache import cache, caches

from apps.core import rates
from apps.core.rates import spend
from tests.logged import told


@pytest.fixture(autouse=True)
def fresh(monkeypatch: pytest.MonkeyPatch) -> None:
    cache.clear()
    monkeypatch.setattr(rates, "_away_until", 0.0)


def client() -> Any:
    return caches["default"]._cache.get_client(None, write=True)  # type: ignore[attr-defined]


def age(name: str, seconds: int) -> None:
    """As if all that was counted had happened so much earlier."""
    for at, count in client().hgetall(f"rate:{name}").items():
        client().hdel(f"rate:{name}", at)
        client().hset(f"rate:{name}", int(at) - seconds, count)


def test_no_more_than_the_limit_and_when_there_is_room_again() -> None:
    assert [spend("one", 3) for _ in range(3)] == [0, 0, 0]
    assert all(58 <= spend("one", 3) <= 60 for _ in range(5))
    assert spend("other", 3) == 0
    # What was refused was not counted.
    assert sum(int(count) for count in client().hvals("rate:one")) == 3
    age("one", 40)
    assert 18 <= spend("one", 3) <= 20
    age("one", 20)
    assert [spend("one", 3) for _ in range(3)] == [0, 0, 0]
    assert len(client().hkeys("rate:one")) <= 2
    assert 0 < client().ttl("rate:one") <= 61


def test_room_comes_as_the_oldest_go() -> None:
    assert [spend("one", 4) for _ in range(2)] == [0, 0]
    age("one", 50)
    assert [spend("one", 4) for _ in range(2)] == [0, 0]
    assert 8 <= spend("one", 4) <= 10
    # With a lower limit, all four have to go first but one.
    assert 58 <= spend("one", 1) <= 60


def test_many_at_once_share_the_limit() -> None:
    with ThreadPoolExecutor(8) as pool:
        through = sum(not wait for wait in pool.map(lambda _: spend("one", 50), range(400)))
    assert through == 50


def test_with_redis_away_everything_passes_and_it_is_said_once(
    monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    asked, good = [], rates._client

    class Away:
        def eval(self, *_: object) -> int:
            asked.append(1)
            raise redis.ConnectionError

    clock = [1000.0]
    monkeypatch.setattr(rates, "_client", Away)
    monkeypatch.setattr("apps.core.rates.time.monotonic", lambda: clock[0])
    assert [spend("one", 1) for _ in range(20)] == [0] * 20
    assert len(asked) == 1  # one that hangs is not asked by each request
    clock[0] += rates.AWAY_SECONDS
    assert [spend("one", 1) for _ in range(20)] == [0] * 20 and len(asked) == 2
    clock[0] += rates.AWAY_SECONDS
    monkeypatch.setattr(rates, "_client", good)
    assert [spend("one", 1) > 0 for _ in range(2)] == [False, True]
    assert [line["event"] for line in told(caplog)] == ["rates_not_counted", "rates_counted_again"]
