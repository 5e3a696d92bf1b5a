"""The job application. A message is a wake-up: what there is to do stands in the database."""

import os
import sys

from celery import Celery, bootsteps

os.environ.setdefault("DJANGO_SETTINGS_MODULE", "memoryplane.settings")

from django.conf import settings  # (the settings module must be named first)

from memoryplane.startup import refusal

url = settings.REDIS_URL
app = Celery("memoryplane", broker=url.replace("unix://", "redis+socket://", 1))
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
    worker_hijack_root_logger=False,
    timezone="UTC",
    beat_schedule={
        "mine settled traces": {"task": "extraction.sweep", "schedule": 2.0, "options": {"expires": 10}},
        "embed new facts": {"task": "recall.embed", "schedule": 3.0, "options": {"expires": 10}},
        # In pieces of fifteen seconds: a worker has other work too.
        "embed what was missed": {"task": "recall.embed_all", "schedule": 20.0, "options": {"expires": 15}},
        "drop old vectors": {"task": "recall.drop_vectors", "schedule": 60.0, "options": {"expires": 50}},
        "look for duplicates": {"task": "curation.compare", "schedule": 10.0, "options": {"expires": 9}},
        "screen sealed spans": {"task": "traces.screen_sealed", "schedule": 5.0, "options": {"expires": 20}},
        # What was approved is hidden within five seconds.
        "carry requests out": {"task": "privacy.sweep", "schedule": 2.0, "options": {"expires": 10}},
        "count what was told": {"task": "recall.roll_up_reads", "schedule": 60.0, "options": {"expires": 50}},
        "walk audit chains": {"task": "audit.check_chains", "schedule": 5.0, "options": {"expires": 10}},
        "count what projects come to": {"task": "insight.count", "schedule": 60.0, "options": {"expires": 50}},
        "make ledger partitions": {"task": "recall.ensure_partitions", "schedule": 6 * 3600.0},
    },
)
app.autodiscover_tasks()


class RightRole(bootsteps.Step):
    """A worker refuses to run as the owner or a superuser, before it takes a task."""

    def __init__(self, parent: object, **options: object) -> None:
        if reason := refusal():
            sys.exit(reason)
        super().__init__(parent, **options)


app.steps["worker"].add(RightRole)
