"""The Review area: the queue, one proposal, the verdicts, and many at once."""

from apps.console.views.proposals.batch import batch
from apps.console.views.proposals.later import assign, snooze
from apps.console.views.proposals.listing import detail, queue
from apps.console.views.proposals.meaning import meaning
from apps.console.views.proposals.verdicts import approve, reject

__all__ = ["approve", "assign", "batch", "detail", "meaning", "queue", "reject", "snooze"]
