"""Facts on their way into a file: what a row of it holds, and its two forms."""

import csv
import json
from collections.abc import Callable, Iterator
from datetime import datetime
from typing import Any

from apps.core.transactions import bind
from apps.exchange.readers.export import FORMAT
from apps.exchange.readers.table import FORMULA
from apps.facts.models import Fact, FactDerivation

CHUNK = 500
FIELDS = [
    "id", "content", "scope", "scope_id", "agent__name", "attribute", "label", "key", "value", "category", "memory_type",
    "confidence", "importance", "trust", "speaker", "sensitivity", "purposes", "task_types", "source", "source_trace_id",
    "observed_at", "valid_from", "valid_to", "expires_at", "approved_at", "restricted_at", "superseded_by_id",
    "superseded_at", "retired_at", "retired_reason",
]  # fmt: skip

Rows = Iterator[dict[str, Any]]


def rows_of(project_id: int, ids: list[int], sensitivities: tuple[str, ...]) -> Rows:
    """The facts of these ids, in their order but for what an erasure took meanwhile; each chunk in a transaction of its own.
    ``derived_from`` are ids of facts that the reader may see."""
    for begin in range(0, len(ids), CHUNK):
        with bind(project_id):
            facts = Fact.objects.in_project(project_id).filter(sensitivity__in=sensitivities)
            facts = facts.exclude(restricted_reason="erasure")
            chunk = ids[begin : begin + CHUNK]
            rows = {row["id"]: row for row in facts.filter(id__in=chunk).values(*FIELDS)}
            parents = _parents(project_id, list(rows), sensitivities)
        for row in (rows[fact_id] for fact_id in chunk if fact_id in rows):
            shown = {name.removesuffix("__name"): _plain(value) for name, value in row.items()}
            yield shown | {"derived_from": parents.get(row["id"], [])}


def _parents(project_id: int, ids: list[int], sensitivities: tuple[str, ...]) -> dict[int, list[int]]:
    pairs = FactDerivation.objects.filter(
        project_id=project_id, child_id__in=ids, parent__sensitivity__in=sensitivities
    ).exclude(parent__restricted_reason="erasure")
    found: dict[int, list[int]] = {}
    for child, parent in pairs.order_by("child_id", "parent_id").values_list("child_id", "parent_id"):
        found.setdefault(child, []).append(parent)
    return found


def _plain(value: Any) -> Any:
    return value.isoformat() if isinstance(value, datetime) else value


class _Line:
    """A file that gives back what is written into it."""

    def write(self, text: str) -> str:
        return text


def as_csv(rows: Rows) -> Iterator[str]:
    """For people and their spreadsheets."""
    writer = csv.writer(_Line())
    # A byte order mark tells spreadsheets that it is UTF-8.
    yield "\ufeff"
    yield writer.writerow([name.removesuffix("__name") for name in FIELDS])
    for row in rows:
        yield writer.writerow([_safe(_cell(row[name.removesuffix("__name")])) for name in FIELDS])


def _cell(value: Any) -> Any:
    return json.dumps(value, ensure_ascii=False) if isinstance(value, list | dict | bool) else value


def _safe(value: Any) -> Any:
    """What begins like a formula gets an apostrophe, so that a spreadsheet shows it and does not run it."""
    return f"'{value}" if isinstance(value, str) and value.lstrip().startswith(FORMULA) else value


def as_lines(rows: Rows) -> Iterator[str]:
    """An object a line, which can be brought in again: best oldest first, so that each stands after what it was derived from."""
    for row in rows:
        yield json.dumps({"format": FORMAT} | row, ensure_ascii=False) + "\n"


FORMS: dict[str, tuple[str, Callable[[Rows], Iterator[str]]]] = {
    "csv": ("text/csv; charset=utf-8", as_csv),
    "jsonl": ("application/x-ndjson; charset=utf-8", as_lines),
}
