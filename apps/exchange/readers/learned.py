"""fastaiagent's learned memory (1.94): the table of a local.db, of Postgres, or the hashes of Redis, which hold the same."""

from typing import Any

from apps.exchange.incoming import Incoming, Unfit, said_at, share, text
from apps.facts.statement import Statement

COLUMNS = [
    "scope", "scope_id", "fact", "source_trace_id", "confidence", "created_at", "superseded_by", "project_id", "source",
]  # fmt: skip
SCOPES = ("user", "agent", "project")


def said(record: dict[str, Any]) -> Incoming:
    """What a row says. Raises Unfit."""
    if record.get("superseded_by") not in (None, ""):
        raise Unfit("closed")
    scope, scope_id = text(record, "scope"), text(record, "scope_id").strip()
    if scope not in SCOPES:
        raise Unfit("unknown_choice")
    if not scope_id:
        # Such a row is told to nobody there.
        raise Unfit("subject_required")
    if scope == "project":
        # Its projects are its users' own names for things, and none of them is ours.
        scope, scope_id = "other", f"project:{scope_id}"
    learned = text(record, "source") == "learned" or bool(record.get("source_trace_id"))
    return Incoming(
        statement=Statement(
            content=text(record, "fact"),
            scope=scope,
            scope_id=scope_id,
            agent_name=scope_id if scope == "agent" else "",
            confidence=share(record.get("confidence"), 1.0),
        ),
        label=text(record, "project_id"),
        observed_at=said_at(record.get("created_at")),
        # What a model made of a conversation, or what somebody's own code wrote.
        trust=2 if learned else 3,
        source_trace_id=text(record, "source_trace_id") or None,
    )
