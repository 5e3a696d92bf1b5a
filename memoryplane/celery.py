"""The job application. A message is a wake-up: what there is to do stands in the database."""

import logging
import os
import sys
from typing import Any

from celery import bootsteps, signals

os.environ.setdefault("DJANGO_SETTINGS_MODULE", "memoryplane.settings")

from django.conf import settings  # (the settings module must be named first)

from apps.core import ending
from memoryplane.hearing import hear_clock
from memoryplane.messages import Plane
from memoryplane.startup import refusal

logger = logging.getLogger(__name__)
url = settings.REDIS_URL
app = Plane("memoryplane", broker=url.replace("unix://", "redis+socket://", 1))
app.conf.update(
    task_serializer="json",
    accept_content=["json"],
    task_ignore_result=True,
    task_acks_late=True,
    task_reject_on_worker_lost=True,
    worker_prefetch_multiplier=1,
    task_time_limit=300,
    # A redelivered message finds its row claimed or done, so a long time-out costs nothing.
    broker_transport_options={"visibility_timeout": 3600},
    broker_connection_retry_on_startup=True,
    broker_connection_max_retries=None,  # however long Redis is away: after a hundred tries a worker would end
    worker_hijack_root_logger=False,
    timezone="UTC",
    beat_scheduler="memoryplane.messages:Scheduler",
    beat_schedule={
        "mine settled traces": {"task": "extraction.sweep", "schedule": 2.0, "options": {"expires": 10}},
        "embed new facts": {"task": "recall.embed", "schedule": 3.0, "options": {"expires": 10}},
        # In pieces of fifteen seconds: a worker has other work too.
        "embed what was missed": {"task": "recall.embed_all", "schedule": 20.0, "options": {"expires": 15}},
        "drop old vectors": {"task": "recall.drop_vectors", "schedule": 60.0, "options": {"expires": 50}},
        "look for duplicates": {"task": "curation.compare", "schedule": 10.0, "options": {"expires": 9}},
        # The net under runs, and what starts by itself; their phases wake each other.
        "carry dreams on": {"task": "dreaming.sweep", "schedule": 10.0, "options": {"expires": 9}},
        "look for lost facts": {"task": "dreaming.check_lost", "schedule": 24 * 3600.0},
        # What a person began; then they wake themselves.
        "carry imports on": {"task": "exchange.sweep", "schedule": 3.0, "options": {"expires": 9}},
        "empty old imports": {"task": "exchange.empty", "schedule": 3600.0, "options": {"expires": 3000}},
        # What webhooks tell, within a few seconds of what happened.
        "send webhooks": {"task": "exchange.send_hooks", "schedule": 3.0, "options": {"expires": 10}},
        "empty the log of webhooks": {"task": "exchange.empty_hooks", "schedule": 3600.0, "options": {"expires": 3000}},
        "note overdue requests": {"task": "privacy.note_overdue", "schedule": 60.0, "options": {"expires": 50}},
        "screen sealed spans": {"task": "traces.screen_sealed", "schedule": 5.0, "options": {"expires": 20}},
        # What was approved is hidden within five seconds.
        "carry requests out": {"task": "privacy.sweep", "schedule": 2.0, "options": {"expires": 10}},
        "count what was told": {"task": "recall.roll_up_reads", "schedule": 60.0, "options": {"expires": 50}},
        "delete what is too old": {"task": "privacy.purge_old", "schedule": 3600.0, "options": {"expires": 3000}},
        "count the days": {"task": "extraction.roll_up_days", "schedule": 300.0, "options": {"expires": 280}},
        "walk audit chains": {"task": "audit.check_chains", "schedule": 5.0, "options": {"expires": 10}},
        # What was cut off or written anew since is found by comparing.
        "write audit heads down": {"task": "audit.sign_heads", "schedule": 600.0, "options": {"expires": 500}},
        "count what projects come to": {"task": "insight.count", "schedule": 60.0, "options": {"expires": 50}},
        "make ledger partitions": {"task": "recall.ensure_partitions", "schedule": 6 * 3600.0},
    },
)
app.autodiscover_tasks()


@signals.worker_shutting_down.connect
def _end_soon(**details: object) -> None:
    """What its tasks are at they end, and take up nothing new."""
    ending.ask()


@signals.worker_process_init.connect
def _begin(**details: object) -> None:
    hear_clock()


class RightRole(bootsteps.Step):
    """A worker refuses to run as the owner or a superuser, before it takes a task."""

    def __init__(self, parent: object, **options: object) -> None:
        if reason := refusal():
            sys.exit(reason)
        super().__init__(parent, **options)


class Alive(bootsteps.StartStopStep):
    """A worker says every fifteen seconds that it is there, whatever its tasks are at."""

    requires = {"celery.worker.components:Timer"}

    def start(self, worker: Any) -> None:
        self.timer = worker.timer.call_repeatedly(15, _note, (worker.hostname,))
        _note(worker.hostname)

    def stop(self, worker: Any) -> None:
        self.timer.cancel()


def _note(name: str) -> None:
    from django.db import Error, connection

    from apps.extraction.actions.note_worker import note_worker

    try:
        note_worker(name)
    except Error as error:
        # The database is away: that the worker is not seen then is the truth.
        logger.warning("worker could not be noted: %s", type(error).__name__)
    finally:
        # Not left to a child that is forked later.
        connection.close()


app.steps["worker"].add(RightRole)
app.steps["worker"].add(Alive)
