"""What of Celery goes by a clock or waits too long: when a message is too old, when a schedule is due, and how soon a
worker looks for a broker that was away.

Beat and workers run on several machines. A message that says "not after ten o'clock" by a clock an hour behind would be
thrown away by every worker with the right time, and nothing were ever woken.
"""

from datetime import datetime
from typing import Any

from celery import Celery, Task
from celery.app.amqp import AMQP
from celery.beat import PersistentScheduler
from celery.worker.request import Request
from celery.worker.state import revoked
from kombu.connection import Connection

from apps.core.clock import now, steady
from memoryplane.hearing import hear_clock

HEAR_EVERY = 60.0
LOOK_EVERY = 3.0
"""Seconds. By itself a worker waits longer each time, half a minute in the end, while the rows pile up."""


class Message(Request):
    """A task that was asked for, too old by the database's clock."""

    def maybe_expire(self) -> bool | None:
        if not self.expires or now() <= self.expires:
            return None
        revoked.add(self.id)
        return True


class Work(Task):
    Request = f"{__name__}:Message"


class Broker(Connection):
    def ensure_connection(self, *given: Any, **named: Any) -> Any:
        return super().ensure_connection(*given, **{"interval_max": LOOK_EVERY, **named})


class Wires(AMQP):
    Connection = Broker


class Plane(Celery):
    """The job application, whose moments are the database's."""

    task_cls = f"{__name__}:Work"
    amqp_cls = f"{__name__}:Wires"

    def now(self) -> datetime:
        return now().astimezone(self.timezone)


class Scheduler(PersistentScheduler):
    """Celery's, which hears the database's clock once a minute; it has no other business there."""

    heard = float("-inf")

    def tick(self, *given: Any, **named: Any) -> Any:
        if steady() - self.heard > HEAR_EVERY:
            self.heard = steady()
            hear_clock()
            self.forget_the_future()
        return super().tick(*given, **named)

    def forget_the_future(self) -> None:
        """What ran last at a moment that is still to come, by a clock of before this one was heard (or before the
        schedule was kept), counts as run now: nothing would be due until that moment is reached."""
        moment = self.app.now()
        early = [entry for entry in self.schedule.values() if entry.last_run_at > moment]
        for entry in early:
            entry.last_run_at = moment
        if early:
            self._heap = None  # made anew from the entries
