"""Turn what was said in a claimed trace into proposals."""

from django.db import connection

from apps.extraction.actions.claim_traces import Claim
from apps.extraction.candidates import Extractor
from apps.extraction.models import ExtractionRun
from apps.extraction.stages import ask, begin, fail, finish, prepare
from apps.extraction.work import Failure


def extract_trace(*, claim: Claim, extractor: Extractor | None = None) -> ExtractionRun | None:
    """Mine the messages of a claimed trace that were not mined yet; returns the run, or None when the lease was lost.

    The extractor is the project's unless one is given. It runs outside any transaction, and one that waits for a model
    while no database connection is held. An error is recorded as a failed run and tried again later, five times at
    most; where the model was not even asked (its circuit is open) there is no run, and the try does not count.
    """
    work = prepare(claim, extractor)
    work = begin(work) if work else None
    if work is None:
        return None
    if work.waits and not connection.in_atomic_block:
        connection.close()
    answer = ask(work)
    if isinstance(answer, Failure):
        return fail(work, answer)
    return finish(work, answer)
