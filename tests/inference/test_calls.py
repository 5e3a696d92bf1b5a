"""Retries are bounded in number and time; the breaker is one for all processes."""

import subprocess
import sys
import uuid
from collections.abc import Callable, Iterator
from types import SimpleNamespace

import pytest
from django.core.cache import caches
from django.core.cache.backends.redis import RedisCache

from apps.core.errors import Invalid
from apps.inference.adapters.openai_chat import OpenAIChat
from apps.inference.calls import CircuitBreaker, call_with_retries
from apps.inference.errors import CircuitOpen, ModelAnswerInvalid, ModelRateLimited, ModelTimeout, ModelUnavailable
from tests import model_server as script
from tests.inference.asking import ask
from tests.model_server import ModelServer
from tests.servers import ROOT


class Time:
    """A clock that moves when somebody sleeps or calls."""

    def __init__(self) -> None:
        self.now, self.waits = 1000.0, list[float]()

    def __call__(self) -> float:
        return self.now

    def sleep(self, seconds: float) -> None:
        self.waits.append(seconds)
        self.now += seconds


def failing(*faults: Exception) -> Callable[[float], str]:
    left = iter(faults)

    def fn(seconds: float) -> str:
        fault = next(left, None)
        if fault:
            raise fault
        return "answer"

    return fn


def test_full_jitter_between_nothing_and_twice_as_much_each_time() -> None:
    for jitter, waits in ((0.0, [0.0, 0.0]), (0.5, [0.25, 0.5]), (1.0, [0.5, 1.0])):
        time = Time()
        fn = failing(ModelUnavailable(500), ModelTimeout(1))
        assert call_with_retries(fn, sleep=time.sleep, clock=time, jitter=lambda j=jitter: j) == "answer"
        assert time.waits == waits


def test_a_wait_is_capped() -> None:
    time = Time()
    fn = failing(*[ModelUnavailable(503)] * 9)
    call_with_retries(fn, attempts=10, base=4, cap=6, sleep=time.sleep, clock=time, jitter=lambda: 1.0)
    assert time.waits == [4, *[6] * 8]


@pytest.mark.parametrize("header", ["3", "2.2", "Wed, 21 Oct 2076 07:28:00 GMT"])
def test_retry_after_is_honoured(header: str, chat: Callable[..., OpenAIChat], models: ModelServer) -> None:
    time = Time()
    models.script([script.http(429, {"Retry-After": header}), script.ok({"facts": []})])
    if header.startswith("Wed"):
        with pytest.raises(ModelRateLimited) as caught:
            call_with_retries(lambda left: ask(chat()), sleep=time.sleep, clock=time)
        # Further off than a worker should sleep: the row is put off instead.
        assert caught.value.retry_after is not None and caught.value.retry_after > 86_400
        assert (time.waits, len(models.requests)) == ([], 1)
    else:
        call_with_retries(lambda left: ask(chat()), sleep=time.sleep, clock=time)
        assert (time.waits, len(models.requests)) == ([3], 2)


@pytest.mark.parametrize("header", ["-1", "nan", "inf", "soon", ""])
def test_a_retry_after_of_nothing_is_none(header: str, chat: Callable[..., OpenAIChat], models: ModelServer) -> None:
    models.script([script.http(503, {"Retry-After": header})])
    with pytest.raises(ModelUnavailable) as caught:
        ask(chat())
    assert caught.value.retry_after is None


def test_nothing_goes_on_after_the_deadline() -> None:
    time, given = Time(), list[float]()

    def slow(left: float) -> str:
        given.append(left)
        time.now += min(left, 4)
        raise ModelTimeout(4)

    with pytest.raises(ModelTimeout):
        call_with_retries(slow, attempts=10, deadline=10, base=2, sleep=time.sleep, clock=time, jitter=lambda: 1.0)
    # 4 s of work, 2 s of waiting, 4 s of work: no wait fits any more.
    assert (given, time.waits, time.now) == ([10, 4], [2], 1010)


@pytest.mark.parametrize(
    "fault",
    [ModelAnswerInvalid("truncated"), ModelAnswerInvalid("too_large"), ModelUnavailable(401), Invalid("a", "b")],
)
def test_what_would_fail_again_is_not_tried_again(fault: Exception) -> None:
    calls = []
    with pytest.raises(type(fault)):
        call_with_retries(lambda left: calls.append(left) or failing(fault)(left))
    assert len(calls) == 1


@pytest.fixture
def breakers() -> Iterator[SimpleNamespace]:
    """Two breakers of one name on cache connections of their own, with clocks that can be moved."""
    name, time = uuid.uuid4().hex, Time()
    one, two = (CircuitBreaker(name, store=caches.create_connection("default"), clock=time) for _ in range(2))
    yield SimpleNamespace(name=name, time=time, one=one, two=two)


def trip(breaker: CircuitBreaker) -> None:
    for _ in range(5):
        breaker.allow()
        breaker.failed()


def is_open(breaker: CircuitBreaker) -> bool:
    try:
        breaker.allow()
    except CircuitOpen as error:
        assert error.retry_after and 1 <= error.retry_after <= 60
        assert error.code == "model_circuit_open"
        return True
    return False


def test_it_opens_after_five_failures_in_a_row_of_whoever_calls(breakers: SimpleNamespace) -> None:
    for turn in (breakers.one, breakers.two, breakers.one, breakers.two):
        turn.failed()
    assert not is_open(breakers.one)
    breakers.one.succeeded()
    for _ in range(4):
        breakers.two.failed()
    assert not is_open(breakers.one)
    breakers.one.failed()
    assert is_open(breakers.one) and is_open(breakers.two)
    breakers.time.now += 59.9
    assert is_open(breakers.two)


def test_after_a_minute_one_probe_passes_and_closes_it(breakers: SimpleNamespace) -> None:
    trip(breakers.one)
    breakers.time.now += 60
    assert not is_open(breakers.two)
    assert is_open(breakers.one) and is_open(breakers.two)
    breakers.two.succeeded()
    assert not any(is_open(breaker) for breaker in [breakers.one, breakers.two] * 3)
    # And the count begins anew.
    for _ in range(4):
        breakers.one.failed()
    assert not is_open(breakers.two)


def test_a_failed_probe_opens_it_again(breakers: SimpleNamespace) -> None:
    trip(breakers.one)
    breakers.time.now += 60
    assert not is_open(breakers.two)
    breakers.two.failed()
    assert is_open(breakers.one)
    breakers.time.now += 59
    assert is_open(breakers.one)
    breakers.time.now += 1
    assert not is_open(breakers.one)


def test_a_probe_that_says_nothing_makes_room_for_another(breakers: SimpleNamespace) -> None:
    trip(breakers.one)
    breakers.time.now += 60
    with pytest.raises(Invalid):
        call_with_retries(failing(Invalid("a", "b")), breaker=breakers.one)
    assert not is_open(breakers.two)


def test_a_clock_set_back_does_not_keep_it_open(breakers: SimpleNamespace) -> None:
    trip(breakers.one)
    breakers.time.now -= 7200
    assert not is_open(breakers.one)


def test_models_do_not_share_it(breakers: SimpleNamespace) -> None:
    trip(breakers.one)
    assert not is_open(CircuitBreaker(f"{breakers.name}-other", clock=breakers.time))


def test_another_process_sees_it_probes_and_closes_it(breakers: SimpleNamespace) -> None:
    program = """
import sys, time, django
django.setup()
from apps.inference.calls import CircuitBreaker
from apps.inference.errors import CircuitOpen
breaker = CircuitBreaker(sys.argv[1], clock=lambda: now)
for line in sys.stdin:
    verb, now = line.split()[0], float(line.split()[1])
    try:
        getattr(breaker, verb)()
        print("done", flush=True)
    except CircuitOpen:
        print("open", flush=True)
"""
    command = [sys.executable, "-c", program, breakers.name]
    with subprocess.Popen(command, cwd=ROOT, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True) as other:
        assert other.stdin and other.stdout

        def there(verb: str) -> str:
            print(verb, breakers.time.now, file=other.stdin, flush=True)
            return other.stdout.readline().strip()

        for _ in range(4):
            breakers.one.failed()
        assert there("allow") == "done"
        assert there("failed") == "done"  # the fifth, in the other process
        assert is_open(breakers.one) and there("allow") == "open"
        breakers.time.now += 61
        assert there("allow") == "done"  # its probe
        assert is_open(breakers.one) and there("allow") == "open"
        assert there("succeeded") == "done"
        assert not is_open(breakers.one)
        other.stdin.close()
        assert other.wait(10) == 0


def test_an_open_breaker_means_no_request(
    breakers: SimpleNamespace, chat: Callable[..., OpenAIChat], models: ModelServer
) -> None:
    models.script([script.http(500)])
    time = Time()

    def call() -> object:
        return call_with_retries(lambda left: ask(chat()), breaker=breakers.one, sleep=time.sleep)

    with pytest.raises(ModelUnavailable) as caught:
        call()
    assert caught.value.upstream_status == 500
    for _ in range(3):  # the fifth failure opens it in the middle of the second call
        with pytest.raises(CircuitOpen):
            call()
    assert len(models.requests) == 5
    models.script([script.ok({"facts": []})])
    breakers.time.now += 60
    call()
    call()
    assert len(models.requests) == 2


def test_bad_answers_do_not_open_it(
    breakers: SimpleNamespace, chat: Callable[..., OpenAIChat], models: ModelServer
) -> None:
    """What one conversation makes a model say must not stop the others'."""
    models.script([script.prose()])
    for _ in range(3):
        with pytest.raises(ModelAnswerInvalid):
            call_with_retries(lambda left: ask(chat()), breaker=breakers.one, sleep=lambda seconds: None)
    assert len(models.requests) == 9
    assert not is_open(breakers.two)


def test_with_the_cache_away_it_counts_as_closed(caplog: pytest.LogCaptureFixture) -> None:
    breaker = CircuitBreaker("small", store=RedisCache("unix:///nowhere/redis.sock", {}))
    trip(breaker)
    breaker.allow()
    breaker.succeeded()
    breaker.let_go()
    assert caplog.text.count("model_circuit_unknown") == 13
