"""Workers that die on the way of a message, and several that send at once."""

import os
import signal
import subprocess
import sys
from collections import Counter
from concurrent.futures import ThreadPoolExecutor
from threading import Barrier
from typing import Any

import pytest
from django.db import connections

from apps.core.transactions import bind
from apps.exchange.actions.deliver_hooks import deliver_hooks
from apps.exchange.actions.take_events import take_events
from apps.exchange.models import WebhookDelivery
from apps.tenancy.models import Project
from tests.exchange.hooks import added, log_of, receiver, sent
from tests.factories import make_fact, make_project
from tests.servers import ROOT

KILLED = """
import os, signal
import django
django.setup()
from apps.core import failpoints
from apps.exchange.actions.deliver_hooks import deliver_hooks
failpoints.watcher = lambda name: os.kill(os.getpid(), signal.SIGKILL) if name == os.environ["POINT"] else None
deliver_hooks()
"""
# Whether the attempt was counted, and the message posted, when the worker died.
POINTS = [("hook.claimed", 0, 0), ("hook.begun", 1, 0), ("hook.posted", 1, 1)]


@pytest.fixture
def project(fresh_db: str) -> Project:
    return make_project()


@pytest.mark.parametrize(("point", "counted", "posted"), POINTS)
def test_a_worker_that_dies_loses_no_message(
    project: Project, settings: Any, point: str, counted: int, posted: int
) -> None:
    with receiver(settings) as inbox:
        webhook, _ = added(project, inbox.url)
        fact = make_fact(project, "Returns take 45 days.")
        assert take_events() == 1
        environment = os.environ | {"POINT": point, "MEMORYPLANE_WEBHOOK_HOSTS": settings.WEBHOOK_HOSTS[0]}
        died = subprocess.run([sys.executable, "-c", KILLED], cwd=ROOT, env=environment, timeout=120)
        assert died.returncode == -signal.SIGKILL
        (one,) = log_of(webhook)
        assert (one.state, one.attempts, len(inbox.got)) == ("waiting", counted, posted)
        # Nobody else takes it until the lease is over.
        assert deliver_hooks() == 0
        with bind(project.id):
            WebhookDelivery.objects.update(lease_until="2026-01-01T00:00:00Z")
        assert deliver_hooks() == 1
        (one,) = log_of(webhook)
        assert (one.state, one.attempts, len(inbox.got)) == ("delivered", counted + 1, posted + 1)
        assert {said["id"] for said in inbox.said} == {str(one.id)}
        assert set(inbox.things()) == {("fact.approved", "fact", str(fact.id))}


def test_workers_side_by_side_queue_and_send_each_message_once(project: Project, settings: Any) -> None:
    with receiver(settings) as inbox:
        webhook, _ = added(project, inbox.url)
        facts = [make_fact(project, f"Shelf {number} holds lamps.").id for number in range(24)]
        barrier = Barrier(4)

        def work(_: int) -> None:
            try:
                barrier.wait(60)
                while sent():
                    continue
            finally:
                connections.close_all()

        with ThreadPoolExecutor(4) as pool:
            list(pool.map(work, range(4)))
        while sent():
            continue
        assert Counter(inbox.things()) == Counter(("fact.approved", "fact", str(one)) for one in facts)
        assert {(one.state, one.attempts) for one in log_of(webhook)} == {("delivered", 1)}


def test_messages_are_on_their_way_side_by_side(project: Project, settings: Any) -> None:
    with receiver(settings) as one, receiver(settings) as two:
        settings.WEBHOOK_HOSTS = [f"127.0.0.1:{each.port}" for each in (one, two)]
        # Neither is answered before the other has arrived.
        one.meet = two.meet = Barrier(2)
        hooks = [added(project, each.url)[0] for each in (one, two)]
        make_fact(project, "Returns take 45 days.")
        assert sent() == 2
        assert [log_of(hook)[0].state for hook in hooks] == ["delivered", "delivered"]
