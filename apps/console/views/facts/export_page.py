"""The facts of the current filter as a file."""

import csv
import json
from collections.abc import Callable, Iterator
from datetime import datetime
from typing import Any

from django.http import HttpResponse, StreamingHttpResponse
from django.views.decorators.http import require_POST

from apps.console.hx import ConsoleRequest, project_page, visible_sensitivities
from apps.console.views.facts.asked import shown_state
from apps.core.clock import now
from apps.core.errors import Malformed
from apps.core.transactions import bind
from apps.facts.actions.export_facts import export_facts
from apps.facts.models import Fact

CHUNK = 500
FIELDS = [
    "id", "content", "scope", "scope_id", "agent__name", "attribute", "key", "category", "memory_type", "confidence",
    "importance", "sensitivity", "source", "source_trace_id", "observed_at", "valid_from", "valid_to", "expires_at",
    "approved_at", "restricted_at", "superseded_by_id", "superseded_at", "retired_at", "retired_reason",
]  # fmt: skip
FORMULA = ("=", "+", "-", "@", "\t", "\r", "\n")
"""What a spreadsheet takes for the beginning of a formula."""


@require_POST
@project_page("facts.export")
def export(request: ConsoleRequest) -> HttpResponse:
    """`/p/<slug>/facts/export`: ``as`` is csv or jsonl, ``list`` the list's query string. Facts above the reader's
    sensitivity are not in the file; what his screen masks is."""
    form = request.POST.get("as", "")
    if form not in FORMS:
        raise Malformed("unknown_choice", "There is no such format.", parameter="as")
    state = shown_state(request)
    wanted = state.wanted(request.project.id, visible_sensitivities(request.actor))
    ids = export_facts(actor=request.actor, project_id=request.project.id, wanted=wanted, form=form)
    mime, write = FORMS[form]
    name = f"{request.project.slug}-facts-{now():%Y%m%d-%H%M}.{form}"
    # The rows are read when the view is over, each chunk in a transaction of its own.
    return StreamingHttpResponse(
        write(_rows(request.project.id, ids, wanted.sensitivities)),
        content_type=mime,
        headers={"Content-Disposition": f'attachment; filename="{name}"'},
    )  # type: ignore[return-value]


def _rows(project_id: int, ids: list[int], sensitivities: tuple[str, ...]) -> Iterator[dict[str, Any]]:
    for begin in range(0, len(ids), CHUNK):
        with bind(project_id):
            facts = Fact.objects.in_project(project_id).filter(sensitivity__in=sensitivities)
            facts = facts.exclude(restricted_reason="erasure")
            rows = list(facts.filter(id__in=ids[begin : begin + CHUNK]).order_by("-id").values(*FIELDS))
        for row in rows:
            yield {name.removesuffix("__name"): _plain(value) for name, value in row.items()}


def _plain(value: Any) -> Any:
    return value.isoformat() if isinstance(value, datetime) else value


class _Line:
    """A file that gives back what is written into it."""

    def write(self, text: str) -> str:
        return text


def _csv(rows: Iterator[dict[str, Any]]) -> Iterator[str]:
    writer = csv.writer(_Line())
    # A byte order mark tells spreadsheets that it is UTF-8.
    yield "\ufeff"
    yield writer.writerow([name.removesuffix("__name") for name in FIELDS])
    for row in rows:
        yield writer.writerow([_safe(value) for value in row.values()])


def _safe(value: Any) -> Any:
    """What begins like a formula gets an apostrophe, so that a spreadsheet shows it and does not run it."""
    return f"'{value}" if isinstance(value, str) and value.lstrip().startswith(FORMULA) else value


def _jsonl(rows: Iterator[dict[str, Any]]) -> Iterator[str]:
    for row in rows:
        yield json.dumps(row, ensure_ascii=False) + "\n"


FORMS: dict[str, tuple[str, Callable[[Iterator[dict[str, Any]]], Iterator[str]]]] = {
    "csv": ("text/csv; charset=utf-8", _csv),
    "jsonl": ("application/x-ndjson; charset=utf-8", _jsonl),
}
