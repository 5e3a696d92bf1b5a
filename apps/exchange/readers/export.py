"""JSON Lines as the plane itself writes them: an export of facts, or the facts of a person's own package."""

from collections.abc import Iterator
from typing import Any, BinaryIO

from apps.exchange.incoming import MOST_TRUST, Incoming, Unfit, moment, said_at, share, speaker, text
from apps.exchange.readers.base import Line
from apps.exchange.readers.lines import objects
from apps.facts.statement import Statement

FORMAT = 2
"""Of the lines that are written. 1 had no ``format`` and no ``derived_from``."""
CLOSING = ("superseded_at", "retired_at")
KEPT_REASONS = ("stale", "wrong", "duplicate", "merged", "policy")
"""Why a fact was closed there, as it is closed here; a version that gave way to another counts as merged into it."""
MOST_PARENTS = 200


class Export:
    shape, label = "export", "Export of a memory plane (JSON Lines)"

    def read(self, file: BinaryIO) -> Iterator[Line]:
        return objects(file)

    def said(self, record: dict[str, Any], columns: dict[str, Any]) -> Incoming:
        version = record.get("format", 1)
        if isinstance(version, bool) or not isinstance(version, int) or version > FORMAT:
            raise Unfit("newer_format")
        if record.get("restricted_at") or record.get("state", "active") != "active":
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
            derived_from=parents_in(record),
            closed=_closed(record),
        )


def id_in(record: dict[str, Any]) -> int | None:
    """By what the file calls the fact; None for nothing that an id can be."""
    return record.get("id") if _is_id(record.get("id")) else None


def parents_in(record: dict[str, Any]) -> tuple[int, ...]:
    """From what it was derived, by the file's ids. Raises Unfit."""
    found = record.get("derived_from")
    if found is None:
        return ()
    if not isinstance(found, list) or not all(_is_id(one) for one in found):
        raise Unfit("wrong_type")
    if len(found) > MOST_PARENTS:
        raise Unfit("too_many_parents")
    return tuple(dict.fromkeys(found))


def _is_id(value: Any) -> bool:
    return isinstance(value, int) and not isinstance(value, bool) and 0 < value < 2**63


def _closed(record: dict[str, Any]) -> str:
    if not any(record.get(name) for name in CLOSING):
        return ""
    reason = record.get("retired_reason")
    return reason if reason in KEPT_REASONS else "merged"


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
