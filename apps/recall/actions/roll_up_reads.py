"""Count what the ledger says was told: how often each fact, to whom, first and last."""

import time

from django.db import connection

BATCH = 20_000


def roll_up_reads(*, seconds: float = 45) -> int:
    """Count the reads that are a minute old and not counted yet; returns how many were taken.

    Goes on until none is left or ``seconds`` are over, 20,000 reads a transaction. Any number of callers at once: each
    read is counted once, by whoever has the mark; the others return at once.
    """
    end, taken = time.monotonic() + seconds, 0
    while True:
        with connection.cursor() as cursor:
            cursor.execute("SELECT roll_up_reads(%s)", [BATCH])
            (some,) = cursor.fetchone()
        taken += some
        if some < BATCH or time.monotonic() >= end:
            return taken
