"""Tables and hashes that are read where they are, by their address: from the command line alone, whose user may reach them."""

from collections.abc import Iterator
from typing import Any, BinaryIO

import psycopg
import redis
from psycopg.rows import dict_row

from apps.core.errors import Invalid
from apps.exchange.incoming import Incoming
from apps.exchange.readers import keyed, learned
from apps.exchange.readers.base import Line
from apps.exchange.readers.lines import checked, unknown

PIECE = 500
POSTGRES = ("postgres://", "postgresql://", "postgresql+psycopg://", "postgresql+psycopg2://")
REDIS = ("redis://", "rediss://", "unix://")


class _NoFile:
    def read(self, file: BinaryIO) -> Iterator[Line]:
        raise unknown()


class LearnedTable(_NoFile):
    shape, label = "fastaiagent-pg", "fastaiagent's table in Postgres"

    def said(self, record: dict[str, Any], columns: dict[str, Any]) -> Incoming:
        return learned.said(record)


class LearnedRedis(LearnedTable):
    shape, label = "fastaiagent-redis", "fastaiagent's facts in Redis"


class FluxTable(_NoFile):
    shape, label = "flux-pg", "Flux long-term memory in Postgres"

    def said(self, record: dict[str, Any], columns: dict[str, Any]) -> Incoming:
        return keyed.said(record)


def read_url(url: str) -> tuple[str, Iterator[Line]]:
    """The shape of what lies there and its records. Raises Invalid: ``unknown_shape``, ``unreachable``; its text holds
    nothing of the address, which may hold a password."""
    if url.startswith(POSTGRES):
        shape = _shape_in_postgres(_plain(url))
        table, columns, order = (
            ("learned_memory", learned.COLUMNS, "id")
            if shape == LearnedTable.shape
            else ("memory", keyed.COLUMNS, "agent, scope, key")
        )
        return shape, _rows(_plain(url), table, columns, order)
    if url.startswith(REDIS):
        return LearnedRedis.shape, _hashes(url)
    raise Invalid("unknown_shape", "An address begins with postgresql:// or redis://.", pointer="/url")


def _plain(url: str) -> str:
    return "postgresql://" + url.split("://", 1)[1]


def _away() -> Invalid:
    return Invalid("unreachable", "Nothing answers at this address, or it refused.", pointer="/url")


def _shape_in_postgres(url: str) -> str:
    try:
        with psycopg.connect(url, connect_timeout=10) as connection:
            rows = connection.execute(
                "SELECT table_name::text, array_agg(column_name::text) FROM information_schema.columns"
                " WHERE table_name IN ('learned_memory', 'memory') AND table_schema = ANY (current_schemas(false)) GROUP BY 1"
            ).fetchall()
    except psycopg.Error:
        raise _away() from None
    there = {name: set(columns) for name, columns in rows}
    if set(learned.COLUMNS) <= there.get("learned_memory", set()):
        return LearnedTable.shape
    if set(keyed.COLUMNS) <= there.get("memory", set()):
        return FluxTable.shape
    raise unknown()


def _rows(url: str, table: str, columns: list[str], order: str) -> Iterator[Line]:
    try:
        with psycopg.connect(url, connect_timeout=10, row_factory=dict_row) as connection:
            connection.read_only = True
            # On the server's side, a piece at a time.
            with connection.cursor("import") as cursor:
                cursor.itersize = PIECE
                cursor.execute(f"SELECT {', '.join(columns)} FROM {table} ORDER BY {order}")  # noqa: S608
                for number, row in enumerate(cursor, start=1):
                    yield checked(number, row)
    except psycopg.Error:
        raise _away() from None


def _hashes(url: str, namespace: str = "fa") -> Iterator[Line]:
    """In the order of their ids. The ids alone are held."""
    client: Any = redis.Redis.from_url(url, decode_responses=True, encoding_errors="surrogateescape", socket_timeout=10)
    try:
        prefix = f"{namespace}:fact:"
        ids = sorted(
            int(end)
            for key in client.scan_iter(match=f"{prefix}*", count=1000)
            if (end := key.removeprefix(prefix)).isdecimal()
        )
        for begin in range(0, len(ids), PIECE):
            pipe = client.pipeline(transaction=False)
            for number in ids[begin : begin + PIECE]:
                pipe.hgetall(f"{prefix}{number}")
            for number, row in enumerate(pipe.execute(), start=begin + 1):
                if row:
                    yield checked(number, {name: row.get(name) for name in learned.COLUMNS})
    except redis.RedisError:
        raise _away() from None
    finally:
        client.close()
