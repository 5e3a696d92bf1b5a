"""Mining with many model calls in flight and few database connections.

A model takes seconds and the database milliseconds. So model calls run in as many threads as there are slots, and all
database work goes through two threads with one connection each. A slot that is free takes the next prepared trace at
once; traces are claimed and read ahead, so that it finds one.
"""

import time
from collections import deque
from collections.abc import Callable, Iterable
from dataclasses import dataclass, field
from functools import partial
from queue import SimpleQueue
from threading import Thread
from typing import Any

from django.conf import settings
from django.db import connections

from apps.core import ending
from apps.extraction.actions.claim_traces import Claim, claim_traces
from apps.extraction.candidates import Extraction
from apps.extraction.models import ExtractionRun
from apps.extraction.stages import ask, begin, begin_all, fail, finish, prepare_all
from apps.extraction.work import Answer, Failure, Work

SUSPECT = 2
"""A trace that was begun so often and came to no end may be what kills the workers that are at it. One of these at a time:
else those that were under way beside it would lose an attempt each time too, until none is left for any of them."""

End = tuple[Any, BaseException | None]
"""A job's result, or the error it ended in."""
Then = Callable[[End], None]

CLAIM_SECONDS = 20.0
"""So long new traces are claimed; then those in flight are finished, and the next sweep goes on."""


@dataclass
class Mined:
    """How many traces were claimed, mined (a run that is done), failed, put off unasked, or lost to another worker."""

    claimed: int = 0
    done: int = 0
    failed: int = 0
    put_off: int = 0
    lost: int = 0
    proposed: int = 0
    errors: dict[str, int] = field(default_factory=dict)


def mine(
    *,
    claim: Callable[[int], list[Claim]] | None = None,
    slots: int | None = None,
    seconds: float = CLAIM_SECONDS,
) -> Mined:
    """Claim and mine until nothing is left or ``seconds`` are over, with so many slots, by default the operator's number.

    ``claim(n)`` gives up to n claims, by default those of settled traces. Returns when everything it claimed is
    written; an error of the database stops the claiming, is raised at the end, and leaves its traces to their leases. A
    worker that is asked to end claims no more either.
    """
    return _Mining(claim or (lambda n: claim_traces(limit=n)), slots or settings.EXTRACT_SLOTS, seconds).run()


class _Mining:
    """One pass. All counters belong to the calling thread; the others only put what they did into ``done``."""

    def __init__(self, claim: Callable[[int], list[Claim]], slots: int, seconds: float) -> None:
        self.claim, self.slots = claim, slots
        self.end = time.monotonic() + seconds
        self.mined = Mined()
        self.claiming = True
        self.error: BaseException | None = None
        self.ready: deque[Work] = deque()
        self.begun: deque[Work] = deque()
        self.suspects: deque[Work] = deque()
        self.suspect: int | None = None
        self.ahead = max(1, slots // 4)
        self.reading = self.beginning = self.asking = self.writing = 0
        self.done: SimpleQueue[tuple[Callable[[Any], None], Any, BaseException | None]] = SimpleQueue()

    def run(self) -> Mined:
        with (
            _Threads(settings.EXTRACT_CONNECTIONS, "database", self.done) as self.database,
            _Threads(self.slots, "model", self.done) as models,
        ):
            while True:
                self.refill(models)
                if not self.reading + self.beginning + self.asking + self.writing:
                    break
                then, result, error = self.done.get()
                then((result, error))
        if self.error is not None:
            raise self.error
        return self.mined

    def refill(self, models: "_Threads") -> None:
        while self.begun and self.asking < self.slots:
            self.asking += 1
            models.submit(partial(_ask_one, self.begun.popleft()), self.asked)
        self.take_suspect()
        # Some are begun ahead, several in one statement, so that a slot that is free waits for none. No more: what was
        # begun and not asked costs its trace an attempt when the process dies.
        wanted = min(self.slots + self.ahead - self.asking - len(self.begun), len(self.ready))
        if not self.beginning and wanted > 0 and (len(self.begun) <= self.ahead // 2 or self.asking < self.slots):
            batch = [self.ready.popleft() for _ in range(wanted)]
            self.beginning = len(batch)
            self.database.submit(partial(begin_all, batch), partial(self.was_begun, batch))
        # Read ahead by half the slots, in few claims: a claim looks through the whole queue.
        missing = self.slots + self.slots // 2 + 1 - self.asking - self.beginning - len(self.begun)
        missing -= len(self.ready) + len(self.suspects)
        if self.claiming and not self.reading and missing > 0 and time.monotonic() < self.end and not ending.is_asked():
            self.reading += 1
            self.database.submit(lambda: self.read(missing), self.was_read)

    def read(self, most: int) -> tuple[int, list[Work]]:
        """In a database thread: claim, and read what was claimed."""
        claims = self.claim(most)
        return len(claims), prepare_all(claims)

    def was_read(self, end: End) -> None:
        self.reading -= 1
        if self.went_wrong(end):
            return
        count, works = end[0]
        self.mined.claimed += count
        self.mined.lost += count - len(works)
        self.claiming = self.claiming and count > 0
        for work in works:
            (self.suspects.append if work.attempts >= SUSPECT else self.take)(work)

    def take(self, work: Work) -> None:
        if work.waits:
            self.ready.append(work)
        else:
            # Nobody to wait for: it is mined where it is written.
            self.keep(work, partial(self.ask_and_write, work))

    def take_suspect(self) -> None:
        if self.suspects and self.suspect is None:
            work = self.suspects.popleft()
            self.suspect = work.claim.trace_pk
            self.take(work)

    def was_begun(self, batch: list[Work], end: End) -> None:
        wanted, self.beginning = self.beginning, 0
        if self.went_wrong(end):
            return
        begun = {work.claim.trace_pk for work in end[0]}
        self.let_go(work for work in batch if work.claim.trace_pk not in begun)
        self.mined.lost += wanted - len(end[0])
        self.begun.extend(end[0])

    def ask_and_write(self, work: Work) -> tuple[Answer | Failure, ExtractionRun | None]:
        begun = begin(work)
        return (Answer(Extraction()), None) if begun is None else self.write(begun, ask(begun))

    def asked(self, end: End) -> None:
        self.asking -= 1
        if self.went_wrong(end):
            return
        work, answer = end[0]
        if isinstance(answer, Failure) and not answer.asked:
            # The model is left alone for a moment; claiming more would only put off more.
            self.claiming = False
        self.keep(work, lambda: self.write(work, answer))

    def keep(self, work: Work, job: Callable[[], Any]) -> None:
        self.writing += 1
        self.database.submit(job, partial(self.was_written, work))

    def let_go(self, works: Iterable[Work]) -> None:
        """They are over; the next suspect may come."""
        if self.suspect in {work.claim.trace_pk for work in works}:
            self.suspect = None

    def was_written(self, work: Work, end: End) -> None:
        self.writing -= 1
        self.let_go([work])
        if not self.went_wrong(end):
            self.count(*end[0])

    def went_wrong(self, end: End) -> bool:
        """The lease runs out and another worker takes the trace: nothing is lost, and nothing was half written."""
        error = end[1]
        if error is not None:
            self.claiming, self.error = False, self.error or error
        return error is not None

    def write(self, work: Work, answer: Answer | Failure) -> tuple[Answer | Failure, ExtractionRun | None]:
        if isinstance(answer, Failure):
            return answer, fail(work, answer)
        return answer, finish(work, answer)

    def count(self, answer: Answer | Failure, run: ExtractionRun | None) -> None:
        if isinstance(answer, Failure) and not answer.asked:
            self.mined.put_off += 1
        elif run is None:
            self.mined.lost += 1
        elif isinstance(answer, Failure):
            self.mined.failed += 1
            self.mined.errors[answer.code] = self.mined.errors.get(answer.code, 0) + 1
        else:
            self.mined.done += 1
            self.mined.proposed += run.proposed


def _ask_one(work: Work) -> tuple[Work, Answer | Failure]:
    return work, ask(work)


class _Threads:
    """Threads that do jobs in the order given and say so in ``done``: what comes then, the result, or the error. Each
    closes its database connections at the end."""

    def __init__(self, count: int, name: str, done: "SimpleQueue[tuple[Then, Any, BaseException | None]]") -> None:
        self._done = done
        self._jobs: SimpleQueue[tuple[Callable[[], Any], Then] | None] = SimpleQueue()
        self._threads = [Thread(target=self._work, name=f"{name}-{n}", daemon=True) for n in range(count)]

    def submit(self, job: Callable[[], Any], then: "Then") -> None:
        self._jobs.put((job, then))

    def _work(self) -> None:
        try:
            while (item := self._jobs.get()) is not None:
                job, then = item
                try:
                    self._done.put((then, job(), None))
                except BaseException as error:
                    self._done.put((then, None, error))
        finally:
            connections.close_all()

    def __enter__(self) -> "_Threads":
        for thread in self._threads:
            thread.start()
        return self

    def __exit__(self, *error: object) -> None:
        for _ in self._threads:
            self._jobs.put(None)
        for thread in self._threads:
            thread.join()
