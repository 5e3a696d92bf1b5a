"""JSON Lines as the plane itself writes them: an export of facts, or the facts of a person's own package."""

from collections.abc import Iterator
from typing import Any, BinaryIO

from apps.exchange.incoming import MOST_TRUST, Incoming, Unfit, moment, said_at, share, speaker, text
from apps.exchange.readers.base import Line
from apps.exchange.readers.lines import objects
from apps.facts.statement import Statement

CLOSING = ("superseded_at", "retired_at", "restricted_at")


class Export:
    shape, label = "export", "Export of a memory plane (JSON Lines)"

    def read(self, file: BinaryIO) -> Iterator[Line]:
        return objects(file)

    def said(self, record: dict[str, Any], columns: dict[str, Any]) -> Incoming:
        if any(record.get(name) for name in CLOSING) or record.get("state", "active") != "active":
            raise Unfit("closed")
        scope, key = text(record, "scope"), record.get("key")
        if key is not None and not isinstance(key, str):
            raise Unfit("wrong_type")
        return Incoming(
            statement=Statement(
                content=text(record, "content"),
                scope=scope,
                # The project here has a slug of its own.
                scope_id="" if scope == "project" else text(record, "scope_id"),
                agent_name=text(record, "agent") if scope != "project" else "",
                attribute=text(record, "attribute") or None,
                category=text(record, "category") or "general",
                memory_type=text(record, "memory_type") or "semantic",
                confidence=share(record.get("confidence"), 1.0),
                importance=share(record.get("importance"), 0.5),
                sensitivity=text(record, "sensitivity") or "internal",
                expires_at=moment(record.get("expires_at")),
                valid_from=moment(record.get("valid_from")),
                valid_to=moment(record.get("valid_to")),
                purposes=_names(record.get("purposes")),
                task_types=_names(record.get("task_types")),
            ),
            label=text(record, "label"),
            key=key,
            value=record.get("value"),
            observed_at=said_at(record.get("observed_at") or record.get("created_at")),
            speaker=speaker(record.get("speaker")),
            trust=_trust(record.get("trust")),
            labelled="sensitivity" in record,
            source_trace_id=text(record, "source_trace_id", "trace_id") or None,
        )


def _names(value: Any) -> list[str] | None:
    if value is None:
        return None
    if not isinstance(value, list) or not all(isinstance(name, str) for name in value):
        raise Unfit("wrong_type")
    return value


def _trust(value: Any) -> int:
    if value is None:
        return MOST_TRUST
    if isinstance(value, bool) or not isinstance(value, int) or not 0 <= value <= 5:
        raise Unfit("out_of_range")
    return min(value, MOST_TRUST)
