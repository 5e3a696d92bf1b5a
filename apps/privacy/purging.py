"""Writing over the bytes of deleted rows. Only the owner of the tables may; each step says what proves it.

DELETE frees nothing: rows stay in the heap, words in GIN, values in the planner's statistics, all of it in the
write-ahead log. A plain VACUUM empties the vector index and leaves heap and GIN as they are.
"""

import time
from collections.abc import Callable, Iterable
from dataclasses import dataclass, field
from datetime import UTC, datetime
from typing import Any

from django.conf import settings
from django.db import connections
from django.db.utils import Error, OperationalError
from psycopg.errors import LockNotAvailable

from apps.core.sqlfiles import load

TURNS = 3
"""How often a busy table is tried."""
PAUSE = 2
"""Seconds between two turns."""
SEGMENTS = 3
"""How often the write-ahead log is switched: what is older than the last checkpoint is recycled."""
PATIENCE = 10.0
"""Seconds that a purge waits for whoever began before it."""
LOOK = 0.1
"""Seconds between two looks for them."""


@dataclass
class PurgeReport:
    """``steps``: what was done to which table and whether it is proven; ``not_checked`` what this role can't reach."""

    steps: list[dict[str, Any]] = field(default_factory=list)
    not_checked: list[str] = field(default_factory=list)
    blocked_by: list[dict[str, Any]] = field(default_factory=list)
    # Tables whose files have yet to be written anew: because of the hour, or because they were busy.
    pending: list[str] = field(default_factory=list)

    @property
    def failed(self) -> bool:
        return bool(self.blocked_by) or any(not step["proven"] for step in self.steps)

    def as_dict(self) -> dict[str, Any]:
        return {
            "steps": self.steps,
            "not_checked": self.not_checked,
            "blocked_by": self.blocked_by,
            "pending": self.pending,
        }


def in_window(moment: datetime) -> bool:
    """Whether tables may be written anew now: in the hours of `PURGE_WINDOW`, UTC, or always."""
    if settings.PURGE_WINDOW is None:
        return True
    begin, end = settings.PURGE_WINDOW
    hour = moment.astimezone(UTC).hour
    return begin <= hour < end if begin < end else hour >= begin or hour < end


def window_in_words() -> str:
    """ "between 02:00 and 05:00 UTC"."""
    begin, end = settings.PURGE_WINDOW or (0, 0)
    return f"between {begin:02}:00 and {end:02}:00 UTC"


def purge(
    *,
    rewrite: bool,
    using: str = "owner",
    may_go_on: Callable[[], bool] = lambda: True,
    only: Iterable[str] | None = None,
) -> PurgeReport:
    """Vacuum, reindex, analyse and, with ``rewrite``, write each table anew, which locks it as long as that takes; then
    switch the write-ahead log. Needs a connection outside any transaction, of the tables' owner.

    A table that is busy is tried again after the others, then left; so is every one for which ``may_go_on`` says no by then.
    What is left is vacuumed, and ``pending``. ``only`` names the tables that are wanted; all, if None.
    """
    report = PurgeReport()
    with connections[using].cursor() as cursor:
        report.blocked_by = _pinned(cursor)
        if report.blocked_by:
            return report
        tables = [table for table in _tables(cursor) if only is None or table in set(only)]
        report.pending = _rewrite(cursor, report, tables, may_go_on) if rewrite else tables
        for table in report.pending:
            _vacuum(cursor, report, table)
        _statistics(cursor, report)
        if report.pending:
            report.not_checked.append(_left(report.pending, tables, rewrite=rewrite))
        _log(cursor, report)
    report.not_checked.append("blocks that the file system has freed: encrypt the disk")
    return report


def _left(pending: list[str], tables: list[str], *, rewrite: bool) -> str:
    when = f"written anew {window_in_words()}" if settings.PURGE_WINDOW else "until a purge with a rewrite"
    if rewrite and len(pending) < len(tables):
        return f"free space in the files of {', '.join(pending)}, which were in use: {when}"
    return f"free space in table files: {when}" if settings.PURGE_WINDOW else f"free space in table files, {when}"


def _rewrite(cursor: Any, report: PurgeReport, tables: list[str], may_go_on: Callable[[], bool]) -> list[str]:
    """Those that could not be written anew."""
    cursor.execute("SELECT set_config('lock_timeout', %s, false)", [f"{settings.PURGE_LOCK_SECONDS:g}s"])
    try:
        for turn in range(TURNS):
            busy = []
            for table in tables:
                # Whoever works with the table waits behind us for as long as we wait for it: not for long, then.
                if not may_go_on() or not _written_anew(cursor, report, table):
                    busy.append(table)
            tables = busy
            if not tables or not may_go_on():
                break
            if turn < TURNS - 1:
                time.sleep(PAUSE)
    finally:
        cursor.execute("RESET lock_timeout")
    return tables


def _written_anew(cursor: Any, report: PurgeReport, table: str) -> bool:
    """Heap, toast and every index into new files; False when somebody was using the table."""
    before = _state(cursor, table)
    try:
        cursor.execute(f"VACUUM (FULL, ANALYZE) {connections['owner'].ops.quote_name(table)}")
    except OperationalError as error:
        if isinstance(error.__cause__, LockNotAvailable):
            return False
        raise
    after = _state(cursor, table)
    proven = after["files"].isdisjoint(before["files"])
    report.steps.append({"table": table, "step": "rewritten", "proven": proven, "files": len(after["files"])})
    return True


def _pinned(cursor: Any) -> list[dict[str, Any]]:
    """Who may still need what was deleted before now, and so keeps it from being written over; by kind and state, nothing
    of what they do. Those that end within `PATIENCE` are waited for.

    A snapshot of this database keeps dead rows. So does a transaction that has written anything in whichever database: the
    rewrite itself sees it as running, and takes rows that went after it began for ones that somebody may want.
    """
    cursor.execute("SELECT pg_current_xact_id()::xid::text")
    [mark] = cursor.fetchone()
    end = time.monotonic() + PATIENCE
    while True:
        cursor.execute(load(__name__, "pinned"), {"mark": mark})
        found = [{"kind": kind, "name": name, "state": state} for kind, name, state in cursor.fetchall()]
        if not found or time.monotonic() > end:
            return found
        time.sleep(LOOK)


def _tables(cursor: Any) -> list[str]:
    """Every table of the product, partitions apart: which of them held something of a person is nobody's to remember."""
    cursor.execute(
        "SELECT relname::text FROM pg_class WHERE relnamespace = 'public'::regnamespace AND relkind = 'r' ORDER BY 1"
    )
    return [row[0] for row in cursor.fetchall()]


def _vacuum(cursor: Any, report: PurgeReport, table: str) -> None:
    """Dead rows out of heap and indexes, and new indexes; the heap's free space keeps its bytes."""
    quoted = connections["owner"].ops.quote_name(table)
    before, begun = _state(cursor, table), _clock(cursor)
    cursor.execute(f"VACUUM (INDEX_CLEANUP ON, ANALYZE) {quoted}")
    cursor.execute(f"REINDEX TABLE CONCURRENTLY {quoted}")
    after = _state(cursor, table)
    proven = (
        after["vacuumed"] is not None and after["vacuumed"] >= begun and after["indexes"].isdisjoint(before["indexes"])
    )
    report.steps.append({"table": table, "step": "vacuumed and reindexed", "proven": proven})


def _statistics(cursor: Any, report: PurgeReport) -> None:
    """ANALYZE leaves what it knew of a table that is empty now, and the planner's own table keeps its dead rows too: the
    owner of the database may write it anew."""
    cursor.execute("SELECT to_regproc('pg_clear_attribute_stats') IS NOT NULL")
    if cursor.fetchone()[0]:
        cursor.execute(
            "SELECT count(pg_clear_attribute_stats('public', c.relname, a.attname, false)) FROM pg_class c"
            " JOIN pg_attribute a ON a.attrelid = c.oid AND a.attnum > 0 AND NOT a.attisdropped"
            " WHERE c.relnamespace = 'public'::regnamespace AND c.relkind = 'r' AND c.reltuples <= 0"
        )
    else:
        report.not_checked.append("statistics of tables that are empty now: PostgreSQL 18 can clear them")
    before = _state(cursor, "pg_statistic", "pg_catalog")
    cursor.execute("VACUUM (FULL) pg_catalog.pg_statistic")
    # For who may not, it is a warning and no error.
    if _state(cursor, "pg_statistic", "pg_catalog")["files"].isdisjoint(before["files"]):
        report.steps.append({"table": "pg_statistic", "step": "rewritten", "proven": True})
    else:
        report.not_checked.append("the planner's statistics table: only the database's owner may rewrite it")


def _state(cursor: Any, table: str, schema: str = "public") -> dict[str, Any]:
    """The files of a table, its toast and its indexes, and when it was vacuumed last."""
    cursor.execute("SELECT pg_stat_clear_snapshot()")
    cursor.execute(
        "WITH t AS (SELECT oid, relfilenode, reltoastrelid FROM pg_class WHERE oid = %s::regclass)"
        " SELECT array(SELECT relfilenode::bigint FROM t UNION SELECT c.relfilenode FROM pg_class c, t WHERE c.oid = t.reltoastrelid),"
        " array(SELECT c.relfilenode::bigint FROM t, pg_index i JOIN pg_class c ON c.oid = i.indexrelid"
        "       WHERE i.indrelid IN (t.oid, t.reltoastrelid)),"
        " (SELECT s.last_vacuum FROM pg_stat_all_tables s, t WHERE s.relid = t.oid)",
        [f"{schema}.{table}"],
    )
    heap, indexes, vacuumed = cursor.fetchone()
    return {"files": set(heap) | set(indexes), "indexes": set(indexes), "vacuumed": vacuumed}


def _clock(cursor: Any) -> datetime:
    cursor.execute("SELECT clock_timestamp()")
    moment: datetime = cursor.fetchone()[0]
    return moment


def _log(cursor: Any, report: PurgeReport) -> None:
    """New segments and checkpoints, so that old ones are recycled; what this role may not do is named."""
    try:
        for _ in range(SEGMENTS):
            cursor.execute("SELECT pg_switch_wal()")
            cursor.execute("CHECKPOINT")
    except Error as error:
        report.not_checked.append("write-ahead log: this role may not switch it")
        report.steps.append({"table": "", "step": f"write-ahead log: {type(error).__name__}", "proven": True})
        return
    report.steps.append({"table": "", "step": "write-ahead log switched", "proven": True})
    cursor.execute("SELECT current_setting('wal_recycle')::boolean, current_setting('archive_mode') <> 'off'")
    recycled, archived = cursor.fetchone()
    if recycled:
        report.not_checked.append("write-ahead log: wal_recycle is on, so old segments keep their bytes until reused")
    if archived:
        report.not_checked.append("write-ahead log: archived segments, until their archive expires")
