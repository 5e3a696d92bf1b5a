"""Several small reads as one statement: what a page asks beside its list costs one way to the server, not one each."""

import json
from dataclasses import dataclass
from typing import Any

from django.core.exceptions import EmptyResultSet
from django.db import connection
from django.db.models import QuerySet

TALLIED = "jsonb_build_array(jsonb_build_object('n', count(*) FILTER (WHERE t.hit), 'of', count(*)))"


@dataclass(frozen=True)
class Tally:
    """Of ``rows``, which have nothing but a flag ``hit``, how many have it, ``n``, and how many there are, ``of``."""

    rows: "QuerySet[Any, Any]"


def together(*asked: "QuerySet[Any, Any] | Tally | None") -> list[list[dict[str, Any]]]:
    """The rows of each queryset of ``values()``, in its order, as JSON has them: moments and uuids are text; the one row of
    a tally. None, and one that can find nothing, has no rows. One statement, or none."""
    parts: list[str] = []
    given: list[Any] = []
    places: list[int] = []
    for place, rows in enumerate(asked):
        if rows is None:
            continue
        said, queryset = (TALLIED, rows.rows) if isinstance(rows, Tally) else ("jsonb_agg(t)", rows)
        try:
            sql, params = queryset.query.sql_with_params()
        except EmptyResultSet:
            continue
        parts.append(f"(SELECT {said} FROM ({sql}) t)")  # noqa: S608
        given += params
        places.append(place)
    found: list[list[dict[str, Any]]] = [[] for _ in asked]
    if parts:
        with connection.cursor() as cursor:
            cursor.execute("SELECT " + ", ".join(parts), given)
            for place, answer in zip(places, cursor.fetchone(), strict=True):
                found[place] = (json.loads(answer) if isinstance(answer, str) else answer) or []
    return found
