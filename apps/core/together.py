"""Several small reads as one statement: what a page asks beside its list costs one way to the server, not one each."""

import json
from typing import Any

from django.core.exceptions import EmptyResultSet
from django.db import connection
from django.db.models import QuerySet


def together(*asked: "QuerySet[Any, Any] | None") -> list[list[dict[str, Any]]]:
    """The rows of each queryset of ``values()``, in its order, as JSON has them: moments and uuids are text. None, and one
    that can find nothing, has no rows. One statement, or none."""
    parts: list[str] = []
    given: list[Any] = []
    places: list[int] = []
    for place, rows in enumerate(asked):
        if rows is None:
            continue
        try:
            sql, params = rows.query.sql_with_params()
        except EmptyResultSet:
            continue
        parts.append(f"(SELECT jsonb_agg(t) FROM ({sql}) t)")  # noqa: S608
        given += params
        places.append(place)
    found: list[list[dict[str, Any]]] = [[] for _ in asked]
    if parts:
        with connection.cursor() as cursor:
            cursor.execute("SELECT " + ", ".join(parts), given)
            for place, said in zip(places, cursor.fetchone(), strict=True):
                found[place] = (json.loads(said) if isinstance(said, str) else said) or []
    return found
