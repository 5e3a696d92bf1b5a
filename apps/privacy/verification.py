"""Whether anything of an erased person is left: asks every store, and looks through every column that can hold words."""

import re
from collections.abc import Iterable
from dataclasses import dataclass, field
from typing import Any

from django.db import connection

from apps.audit.queries import verify_chain
from apps.core.sqlfiles import load
from apps.core.text import normalise
from apps.privacy.mentions import Identifier, needles_of, pattern_of
from apps.privacy.reach import Reach
from apps.privacy.stores import counts

# What a request needs to be carried out names the person until it has ended; it is emptied after this.
OWN = {"privacy_requestidentity": ("value",), "privacy_privacyrequest": ("wish", "correction")}
# Secrets and digests of staff and keys, in which nobody is named.
NO_WORDS = {("access_user", "password"), ("access_apikey", "secret_hash")}


@dataclass
class Report:
    """``checks``: one line each, with what was looked through and what was found; ``hits`` is the sum."""

    checks: list[dict[str, Any]] = field(default_factory=list)
    not_checked: list[str] = field(default_factory=list)

    @property
    def hits(self) -> int:
        return sum(int(check["hits"]) for check in self.checks)

    def add(self, what: str, scanned: int, hits: int) -> None:
        self.checks.append({"check": what, "scanned": scanned, "hits": hits})

    def as_dict(self) -> dict[str, Any]:
        return {"checks": self.checks, "not_checked": self.not_checked, "hits": self.hits}


def verify(project_id: int, reach: Reach, identifiers: Iterable[Identifier], shingles: list[str]) -> Report:
    """Reads only. ``reach`` is what there would be to erase now, ``shingles`` pieces of the erased texts. The project is
    bound."""
    report = Report()
    for store, left in counts(project_id, reach).items():
        report.add(f"store:{store}", left, left)
    _scan(report, project_id, list(identifiers), shingles, kept=bool(reach.held or reach.excepted or reach.held_traces))
    _vectors(report, project_id)
    _lineage(report, project_id)
    chain = verify_chain(project_id)
    report.add("audit chain", chain.events, 0 if chain.broken_at is None else 1)
    return report


def _scan(report: Report, project_id: int, identifiers: list[Identifier], shingles: list[str], *, kept: bool) -> None:
    """One statement a table: the rows of this project that hold one of the patterns in any of their columns, which are then
    looked at closely."""
    pattern, needles = pattern_of(identifiers), needles_of(identifiers)
    exact = [re.escape(i.value) for i in identifiers if not i.is_searchable]
    if exact:
        # Too short to be looked for in sentences, but a column that is just this id names the person.
        report.not_checked.append("ids under four characters inside sentences")
    tables: dict[str, list[tuple[str, str]]] = {}
    with connection.cursor() as cursor:
        cursor.execute(load("apps.privacy", "text_columns"))
        for table, column, kind, has_project in cursor.fetchall():
            if (table, column) in NO_WORDS or column in OWN.get(table, ()):
                continue
            if has_project or table.startswith(("access_", "tenancy_project")):
                tables.setdefault(table, []).append((column, kind))
        for table, columns in tables.items():
            scanned, hits = _look(cursor, project_id, table, columns, pattern, needles, exact, shingles)
            report.add(f"text:{table}", scanned, 0 if kept and table.startswith(_HELD) else hits)


_HELD = ("facts_", "traces_", "tenancy_subject", "recall_")


def _look(
    cursor: Any,
    project_id: int,
    table: str,
    columns: list[tuple[str, str]],
    pattern: re.Pattern[str] | None,
    needles: list[str],
    exact: list[str],
    shingles: list[str],
) -> tuple[int, int]:
    quote = connection.ops.quote_name
    said = ", ".join(_as_text(quote(column), kind) for column, kind in columns)
    own = "" if table.startswith("access_user") or table == "tenancy_project" else "project_id = %s AND "
    given: list[Any] = [project_id] if own else []
    cursor.execute(f"SELECT count(*) FROM {quote(table)}" + (" WHERE project_id = %s" if own else ""), given)  # noqa: S608
    scanned = int(cursor.fetchone()[0])
    some = [f"%{_like(max(shingle.split(), key=len).upper())}%" for shingle in shingles]
    asked = sorted({*needles, *some})
    hits = 0
    if asked or exact:
        cursor.execute(
            f"SELECT said FROM (SELECT concat_ws(E'\\n', {said}) AS said FROM {quote(table)} WHERE {own}true) t"  # noqa: S608
            " WHERE upper(said) LIKE ANY (%s) OR said ~ ANY (%s)",
            [*given, asked, [f"(^|\\n){value}(\\n|$)" for value in exact]],
        )
        for (text,) in cursor:
            hits += bool(
                (pattern is not None and pattern.search(text))
                or any(shingle in normalise(text) for shingle in shingles)
                or any(re.search(f"(?m)^{value}$", text) for value in exact)
            )
    return scanned, hits


def _as_text(column: str, kind: str) -> str:
    if kind == "bytea":
        return f"encode({column}, 'escape')"
    return f"{column}::text"


def _like(text: str) -> str:
    for special in ("\\", "%", "_"):
        text = text.replace(special, "\\" + special)
    return text


def _vectors(report: Report, project_id: int) -> None:
    with connection.cursor() as cursor:
        cursor.execute(
            "SELECT count(*), count(*) FILTER (WHERE f.id IS NULL) FROM recall_factembedding e"
            " LEFT JOIN facts_fact f ON f.project_id = e.project_id AND f.id = e.fact_id WHERE e.project_id = %s",
            [project_id],
        )
        report.add("vectors without a fact", *cursor.fetchone())


def _lineage(report: Report, project_id: int) -> None:
    with connection.cursor() as cursor:
        cursor.execute(
            "SELECT count(*), count(*) FILTER (WHERE p.id IS NULL) FROM facts_factderivation d"
            " LEFT JOIN facts_fact p ON p.project_id = d.project_id AND p.id = d.parent_id WHERE d.project_id = %s",
            [project_id],
        )
        report.add("lineage without a parent", *cursor.fetchone())
