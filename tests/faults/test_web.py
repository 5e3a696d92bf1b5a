"""Web processes that die while a batch comes in, and clients that send it again."""

import random
import threading
import time
from pathlib import Path
from typing import Any

import httpx

from apps.audit.models import AuditEvent
from apps.audit.queries import verify_chain
from apps.core.transactions import bind
from apps.traces.models import Span, Trace
from tests.extraction.traces import make_desk
from tests.factories import make_key
from tests.faults.plane import kill_group
from tests.faults.scale import SEED, report, scaled
from tests.live import Live, run_server
from tests.spans import run_of, span, trace_id

SPANS = 400


def batch(name: str) -> dict[str, Any]:
    steps = [span(name, f"step-{number}", parent="agent.support") for number in range(SPANS - 2)]
    return {"project": "acme", "spans": [*steps, *run_of(name, "I live in Porto.", user=name)]}


def send(web: Live, key: str, body: dict[str, Any]) -> httpx.Response | None:
    try:
        return httpx.post(f"{web.url}/public/v1/traces/ingest", json=body, headers={"X-API-Key": key}, timeout=30)
    except httpx.HTTPError:
        return None


def test_killed_while_a_batch_comes_in_and_sent_again_it_is_there_once(fresh_db: str, tmp_path: Path) -> None:
    kills, chance = scaled("KILLS", 3, 40), random.Random(SEED)
    project = make_desk()
    key, numbers = make_key(project)[1], iter(range(1_000))

    def started() -> Live:
        folder = tmp_path / f"web-{next(numbers)}"
        folder.mkdir()
        return run_server(fresh_db, folder)

    web = started()
    begun = time.monotonic()
    first = send(web, key, batch("first"))
    takes = time.monotonic() - begun
    assert first is not None and first.json()["ingested"] == SPANS
    answered = stored = 0
    for number in range(kills):
        body, got = batch(f"batch-{number}"), []
        sending = threading.Thread(target=lambda web=web, body=body, got=got: got.append(send(web, key, body)))
        sending.start()
        time.sleep(takes * chance.uniform(0.1, 1.1))
        kill_group(web)
        sending.join()
        web = started()
        with bind(project.id):
            there = Span.objects.filter(trace_id=trace_id(f"batch-{number}")).count()
        assert there in {0, SPANS}, "half a batch"
        stored += there > 0
        answered += got[0] is not None
        assert got[0] is None or there, "promised and not there"
        again = send(web, key, body)
        assert again is not None and again.json()["ingested"] == SPANS - there
        with bind(project.id):
            assert Span.objects.filter(trace_id=trace_id(f"batch-{number}")).count() == SPANS
    web.stop()
    with bind(project.id):
        assert Trace.objects.count() == AuditEvent.objects.filter(verb="traces.ingest").count() == kills + 1
        assert verify_chain(project.id).broken_at is None
    report(
        "F2 web killed while a batch comes in", kills=kills, stored_before_death=stored, answered_before_death=answered,
        stored_once_after_a_second_try=kills, halves=0,
    )  # fmt: skip
