"""PostgreSQL that ends at once under load, is away, takes no more connections, or holds a lock."""

import time
from concurrent.futures import ThreadPoolExecutor

import httpx
import psycopg
import pytest

from tests.browserless import Person
from tests.factories import PASSWORD, make_fact
from tests.faults.load import Desk, Load, let_go, mined, verify
from tests.faults.plane import Plane, waited
from tests.faults.scale import WHOLE, report, scaled
from tests.live import Live

READ = "/public/v1/memory/facts?agent_id=support"
RECOVERS = 5.0 if WHOLE else 30.0
"""Seconds after which an answered database is felt by every web process; beside other tests they say nothing."""


@pytest.fixture
def desk(plane: Plane) -> Desk:
    return Desk.make()


def read(web: Live, desk: Desk, path: str = READ) -> httpx.Response:
    return httpx.get(f"{web.url}{path}", headers={"X-API-Key": desk.key}, timeout=30)


def test_ended_at_once_again_and_again_under_mixed_load(plane: Plane, desk: Desk) -> None:
    times, pause, rate = scaled("RESTARTS", 2, 20), 6.0 if WHOLE else 2.0, 25.0 if WHOLE else 15.0
    web, _ = plane.web(), plane.worker()
    pid, slowest = web.process.pid, 0.0
    with Load(desk, web, rate=rate) as load:
        time.sleep(pause)
        for _ in range(times):
            plane.stop_postgres()
            time.sleep(1.0)
            plane.start_postgres()
            slowest = max(slowest, waited("a read", RECOVERS, lambda: read(web, desk).is_success))
            time.sleep(pause)
    assert load.unforeseen() == []
    assert web.process.poll() is None and web.process.pid == pid
    assert all(read(web, desk).is_success for _ in range(20))
    if not WHOLE:
        let_go(desk.project)
    seconds = waited("every trace is mined", 120 + 120, lambda: mined(desk.project))
    assert verify(desk.project, load.asked) == []
    report(
        "F7 PostgreSQL ended at once under mixed load",
        restarts=times,
        requests=len(load.asked),
        promised=sum(one.ok for one in load.asked),
        lost=0,
        doubled=0,
        answers=load.statuses(),
        a_read_after=f"{slowest:.1f} s at most",
        all_mined_after=f"{seconds:.0f} s",
    )


def test_a_write_that_went_missing_would_be_seen(plane: Plane, desk: Desk) -> None:
    """The control: of what was promised one is deleted, one told twice, and one batch is not recorded."""
    web = plane.web()
    with Load(desk, web, rate=20, mix={"trace": 1, "fact": 1}) as load:
        time.sleep(2)
    assert verify(desk.project, load.asked) == []
    trace, fact = load.of("trace")[0], load.of("fact")[0]
    with psycopg.connect(plane.environment()["DATABASE_URL"], autocommit=True) as owner:
        owner.execute("DELETE FROM traces_span WHERE id = (SELECT min(id) FROM traces_span)")
    found = verify(desk.project, load.asked)
    assert len(found) == 2 and trace.ok and fact.ok, found
    fewer = [one for one in load.asked if one is not fact]
    assert f"nobody said: Parcel {fact.name} goes by rail." in verify(desk.project, fewer)


def test_away_everything_says_so_and_liveness_stays(plane: Plane, desk: Desk) -> None:
    web = plane.web()
    person = Person(web.url, desk.email, PASSWORD)
    make_fact(desk.project, "Refunds take five days.")
    plane.stop_postgres()
    slowest = 0.0
    for _ in range(20 if WHOLE else 3):
        for path in (READ, "/v1/facts", "/v1/dreams", "/v1/memories?scope=agent"):
            begun = time.monotonic()
            answer = read(web, desk, path)
            assert (answer.status_code, answer.headers["Retry-After"]) == (503, "5"), path
            assert answer.headers["Content-Type"] == "application/problem+json"
            slowest = max(slowest, time.monotonic() - begun)
        for path in ("/", "/p/acme/facts", "/p/acme/review", "/account/login/"):
            begun = time.monotonic()
            page = person.http.get(path)
            assert (page.status_code, page.headers.get("Retry-After")) == (503, "5"), path
            slowest = max(slowest, time.monotonic() - begun)
        assert httpx.get(f"{web.url}/healthz").status_code == 200
        ready = httpx.get(f"{web.url}/readyz")
        assert (ready.status_code, ready.headers["Retry-After"]) == (503, "5")
        assert ready.json()["checks"]["database"] == "OperationalError"
        if WHOLE:
            time.sleep(6)
    plane.start_postgres()
    back = waited("ready", RECOVERS, lambda: httpx.get(f"{web.url}/readyz").status_code == 200)
    assert [fact["content"] for fact in read(web, desk).json()["facts"]] == ["Refunds take five days."]
    assert person.get("/p/acme/facts").status_code == 200
    assert "Traceback" not in web.said()
    report("F8 PostgreSQL away", slowest_answer=f"{slowest:.2f} s", ready_again_after=f"{back:.1f} s")


def test_without_a_connection_left_it_is_a_503_and_not_a_wait(plane: Plane, desk: Desk) -> None:
    web = plane.web()
    person = Person(web.url, desk.email, PASSWORD)
    with plane.postgres.connect("postgres") as superuser:
        superuser.execute("ALTER ROLE memoryplane_app CONNECTION LIMIT 0")
        superuser.execute("SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE usename = 'memoryplane_app'")
        with ThreadPoolExecutor(16) as pool:
            timed = list(pool.map(lambda _: once(web, desk), range(200 if WHOLE else 40)))
        page = person.http.get("/p/acme/facts")
        superuser.execute("ALTER ROLE memoryplane_app CONNECTION LIMIT -1")
    assert {status for status, _ in timed} == {503} and page.status_code == 503
    slowest = sorted(seconds for _, seconds in timed)[int(0.99 * len(timed)) - 1]
    assert slowest <= (3 if WHOLE else 30)
    waited("a read", RECOVERS, lambda: read(web, desk).is_success)
    report("F9 no connection left", requests=len(timed), answers_503=len(timed), p99=f"{slowest:.2f} s")


def once(web: Live, desk: Desk) -> tuple[int, float]:
    begun = time.monotonic()
    status = read(web, desk).status_code
    return status, time.monotonic() - begun
