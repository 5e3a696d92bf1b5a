"""The cache keeps one client a server, in every thread, and behaves as Django's does."""

from concurrent.futures import ThreadPoolExecutor
from typing import Any

from django.core.cache import caches


def test_one_client_for_all_calls_and_threads() -> None:
    cache: Any = caches["default"]

    def client(_: int) -> int:
        return id(cache._cache.get_client(write=True))

    with ThreadPoolExecutor(4) as threads:
        # `caches` has an object a thread; its clients are what is kept.
        assert len(set(threads.map(client, range(40)))) == 1
    assert cache._cache.get_client() is cache._cache.get_client(write=True)


def test_values_come_back_as_they_were() -> None:
    cache = caches["default"]
    cache.set("redis-cache:a", {"n": [1, "ü"]}, 60)
    assert cache.add("redis-cache:a", 2) is False
    assert cache.get("redis-cache:a") == {"n": [1, "ü"]}
    assert cache.get_many(["redis-cache:a", "redis-cache:b"]) == {"redis-cache:a": {"n": [1, "ü"]}}
    assert cache.delete("redis-cache:a") is True
    assert cache.get("redis-cache:a") is None
