"""Flux's long-term memory: the table ``memory(agent, scope, key, value)`` of SQLite or Postgres."""

import json
from typing import Any

from apps.core.text import storable_json
from apps.exchange.incoming import Incoming, Unfit, text
from apps.exchange.readers.lines import is_deep
from apps.facts.statement import Statement

COLUMNS = ["agent", "scope", "key", "value"]


def said(record: dict[str, Any]) -> Incoming:
    """What a row says: a value under a key, told to reads that name the agent and the scope. Raises Unfit."""
    key, value = record.get("key"), record.get("value")
    if not isinstance(key, str):
        raise Unfit("wrong_type")
    if key.startswith("_"):
        raise Unfit("operational")
    if isinstance(value, str):
        try:
            value = json.loads(value, parse_constant=_refuse)
        except ValueError:
            raise Unfit("not_json") from None
        except RecursionError:
            raise Unfit("too_deep") from None
        if is_deep(value):
            raise Unfit("too_deep")
        if storable_json(value)[1]:
            raise Unfit("unstorable")
    said = value if isinstance(value, str) else json.dumps(value, ensure_ascii=False)
    return Incoming(
        statement=Statement(
            content=f"{key}: {said}"[:2000],
            scope="other",
            scope_id=text(record, "scope").strip(),
            agent_name=text(record, "agent").strip(),
        ),
        key=key,
        value=value,
    )


def _refuse(name: str) -> Any:
    # No other JSON has them, and Postgres could not hold them.
    raise ValueError(name)
