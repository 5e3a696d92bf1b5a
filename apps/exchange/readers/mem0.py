"""A dump of mem0: the answer of its `get_all`, a list of such memories, or one a line."""

from collections.abc import Iterator
from typing import Any, BinaryIO

from apps.exchange.incoming import Incoming, Unfit, moment, said_at, speaker, text
from apps.exchange.readers.base import Line
from apps.exchange.readers.lines import items, objects
from apps.facts.statement import Statement

WRAPPERS = ("results", "memories")


class Mem0:
    shape, label = "mem0", "mem0 export (JSON)"

    def read(self, file: BinaryIO) -> Iterator[Line]:
        return items(file, WRAPPERS)

    def said(self, record: dict[str, Any], columns: dict[str, Any]) -> Incoming:
        user, agent, run = (text(record, name).strip() for name in ("user_id", "agent_id", "run_id"))
        if not (user or agent or run):
            raise Unfit("subject_required")
        # A memory of a user is found by his id, through whichever agent it came.
        scope = "user" if user else "agent" if agent else "session"
        metadata = record.get("metadata") if isinstance(record.get("metadata"), dict) else {}
        assert isinstance(metadata, dict)
        kinds = record.get("categories")
        category = kinds[0] if isinstance(kinds, list) and kinds and isinstance(kinds[0], str) else ""
        sure = metadata.get("confidence")
        return Incoming(
            statement=Statement(
                content=text(record, "memory", "text", "content"),
                scope=scope,
                scope_id=user or agent or run,
                agent_name=agent if scope == "agent" else "",
                category=category.strip()[:60] or "general",
                # The dump's own fields hold no such number; where somebody's metadata do, and it is one of ours, it counts.
                confidence=float(sure)
                if isinstance(sure, int | float) and not isinstance(sure, bool) and 0 <= sure <= 1
                else 1.0,
                expires_at=moment(record.get("expiration_date")),
            ),
            observed_at=said_at(record.get("created_at") or record.get("updated_at")),
            speaker=speaker(record.get("role")),
        )


class Mem0Lines(Mem0):
    shape, label = "mem0-lines", "mem0 memories (JSON Lines)"

    def read(self, file: BinaryIO) -> Iterator[Line]:
        return objects(file)
