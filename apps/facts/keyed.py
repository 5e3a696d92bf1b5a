"""Values under a key, and the partitions of a client: what a row says beside its line of words."""

import json
from dataclasses import dataclass
from typing import Any

from psycopg.types.json import Jsonb

from apps.core.errors import FieldError, Invalid
from apps.core.text import MAX_CONTENT, longest_mark_run, one_line, storable
from apps.core.values import MAX_MARKS
from apps.facts.models import Fact

MOST_KEY = 512
"""Code points of a key."""
MOST_BYTES = 2_400
"""Of scope id, label and key together, in UTF-8: an entry of an index holds no more."""
_LOOKED_AT = 4 * MAX_CONTENT


@dataclass(frozen=True, kw_only=True)
class Slot:
    """``label``: a client's own partition of a place, which reads that don't name it are not told. A statement has no
    ``key``; of a value ``value`` is any JSON, null too."""

    label: str = ""
    key: str | None = None
    value: Any = None

    def columns(self) -> dict[str, Any]:
        """As a row has them: the database's null for a statement, JSON's for a value that is null."""
        return {"label": self.label, "key": self.key, "value": None if self.key is None else Jsonb(self.value)}


PLAIN = Slot()


def slot_of(fact: Fact, content: str | None = None) -> Slot:
    """Where a new version of ``fact`` stands. Words that somebody wrote in place of a value's line are its value then,
    without the key in front."""
    value = fact.value
    if fact.key is not None and content is not None and content != fact.content:
        value = content.removeprefix(f"{one_line(fact.key)}: ")
    return Slot(label=fact.label, key=fact.key, value=value)


def value_now(project_id: int, scope: str, placed: Any, slot: Slot) -> Fact | None:
    """The current row of a key, locked; whether it may be told is not asked."""
    rows = Fact.objects.select_for_update().filter(
        project_id=project_id,
        agent_id=placed.agent_id,
        scope=scope,
        scope_id=placed.scope_id,
        label=slot.label,
        key=slot.key,
    )
    return rows.current().first()


def line_of(key: str, value: Any) -> str:
    """The line of words by which a value is told, searched and reviewed."""
    said = value if isinstance(value, str) else written(value)
    return one_line(f"{key}: {said}"[:_LOOKED_AT])[:MAX_CONTENT].strip()


def written(value: Any) -> str:
    """JSON in one form: equal for equal values of equal types alone."""
    return json.dumps(value, ensure_ascii=False, sort_keys=True, separators=(",", ":"))


def check_key(key: str) -> None:
    """Any text of at most 512 code points, taken as it is, the empty one too. Raises Invalid."""
    if len(key) > MOST_KEY:
        raise Invalid("too_long", f"A key has at most {MOST_KEY} characters.", pointer="/key")
    if storable(key)[1]:
        raise Invalid("null_character", "A key holds a character that can't be stored.", pointer="/key")
    if longest_mark_run(key) > MAX_MARKS:
        raise Invalid("too_many_marks", f"At most {MAX_MARKS} combining marks in a row.", pointer="/key")


def check_room(scope_id: str, slot: Slot) -> None:
    """Raises Invalid where the names of a row are too long together."""
    if len(f"{scope_id}{slot.label}{slot.key or ''}".encode()) > MOST_BYTES:
        where = "/label" if slot.key is None else "/key"
        detail = f"Scope id, label and key have at most {MOST_BYTES:,} bytes together."
        raise Invalid("too_long", detail, errors=[FieldError("too_long", detail, pointer=where)])
