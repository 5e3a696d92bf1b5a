"""The reusable filters of facts. `active` asks the SQL function that the hot read asks, so that it is said once."""

from functools import reduce
from operator import and_
from typing import Any

from django.db import models
from django.db.models import BooleanField, F, Func, Q
from django.db.models.functions import Now


class OfRow(Func):
    """A condition that SQL says of a whole row of facts (apps/recall/sql): its first argument is the row, which the
    field ``id`` leads to, whatever the table is called in the query."""

    output_field = BooleanField()

    def __init__(self, name: str, *arguments: Any) -> None:
        super().__init__(F("id"), *arguments, function=name)

    def as_sql(self, compiler: Any, connection: Any, **extra: Any) -> Any:  # type: ignore[override]
        first, *arguments = self.source_expressions
        column: Any = first
        parts = [compiler.compile(argument) for argument in arguments]
        sql = ", ".join([compiler.quote_name_unless_alias(column.alias), *(part for part, _ in parts)])
        return f"{self.extra['function']}({sql})", [value for _, values in parts for value in values]


def that_say(words: str) -> Q:
    """Of a fact: that it contains every one of ``words``."""
    return reduce(and_, (Q(content__icontains=part) for part in words.split()[:20]), Q())


class FactQuerySet(models.QuerySet["Fact"]):  # type: ignore[name-defined]
    """Facts of the bound project, narrowed."""

    def in_project(self, project_id: int) -> "FactQuerySet":
        return self.filter(project_id=project_id)

    def current(self) -> "FactQuerySet":
        """Neither superseded nor retired."""
        return self.filter(superseded_at=None, retired_at=None)

    def active(self) -> "FactQuerySet":
        """What may be told: current, not restricted, not expired, within its validity. The database's clock decides."""
        return self.filter(OfRow("fact_in_force", Now()))

    def of_scope(self, scope: str, scope_id: str) -> "FactQuerySet":
        """One scope id, literally; an empty one matches nothing."""
        return self.filter(scope=scope, scope_id=scope_id) if scope_id else self.none()

    def saying(self, words: str) -> "FactQuerySet":
        """Facts that contain every one of ``words`` somewhere, in any case; no word matches all."""
        return self.filter(that_say(words))
