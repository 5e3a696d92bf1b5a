"""Edges of a Graphiti (Zep) graph as JSON: `EntityEdge` as graphiti-core serialises it, a list of them, under ``edges``, or
one a line."""

from collections.abc import Iterator
from typing import Any, BinaryIO

from apps.exchange.incoming import Incoming, Unfit, moment, said_at, text
from apps.exchange.readers.base import Line
from apps.exchange.readers.lines import items, objects
from apps.facts.statement import Statement

WRAPPERS = ("edges",)


class Graphiti:
    shape, label = "graphiti", "Graphiti or Zep edges (JSON)"

    def read(self, file: BinaryIO) -> Iterator[Line]:
        return items(file, WRAPPERS)

    def said(self, record: dict[str, Any], columns: dict[str, Any]) -> Incoming:
        # An edge that was contradicted stays in the graph, closed.
        if record.get("expired_at"):
            raise Unfit("closed")
        group = text(record, "group_id").strip()
        if not group:
            raise Unfit("subject_required")
        return Incoming(
            statement=Statement(
                content=text(record, "fact"),
                # A group is a partition of the graph: the user's where Zep writes it, whatever the operator chose elsewhere.
                scope="user" if columns.get("groups") == "users" else "other",
                scope_id=group,
                valid_from=moment(record.get("valid_at")),
                valid_to=moment(record.get("invalid_at")),
            ),
            observed_at=said_at(record.get("reference_time") or record.get("created_at")),
        )


class GraphitiLines(Graphiti):
    shape, label = "graphiti-lines", "Graphiti or Zep edges (JSON Lines)"

    def read(self, file: BinaryIO) -> Iterator[Line]:
        return objects(file)
