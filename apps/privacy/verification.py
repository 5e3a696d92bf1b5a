"""Whether anything of an erased person is left: asks every store, and looks through every column that can hold words."""

import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from typing import Any

from django.db import connection
from redis.exceptions import RedisError

from apps.audit.queries import verify_chain
from apps.core.sqlfiles import load
from apps.privacy.adapters.broker import everything
from apps.privacy.mentions import Identifier, Names, needles_of
from apps.privacy.reach import Reach
from apps.privacy.snapshot import Shingles
from apps.privacy.stores import counts
from apps.traces.models import Span

# What a request needs to be carried out names the person until it has ended; it is emptied then.
_ENDED = "state IN ('completed', 'rejected', 'cancelled')"
OPEN = {
    "privacy_privacyrequest": _ENDED,
    "privacy_requestidentity": f"request_id IN (SELECT id FROM privacy_privacyrequest WHERE {_ENDED})",  # noqa: S608
}
# What is left out where an account of staff stays on a ground.
OF_ACCOUNT = {
    "access_user": "id <> ALL (%s)",
    "access_invitation": "lower(email) NOT IN (SELECT lower(email) FROM access_user WHERE id = ANY (%s))",
}
# What the operator named himself: nobody is forgotten there by an erasure, so that it is said on the receipt and is no residue.
OPERATORS = (
    "access_apikey",
    "tenancy_agent",
    "exchange_webhook",
    "tenancy_clientinstance",
    "tenancy_project",
    "extraction_extractionsettings",
)
# Of staff's accounts, their sessions and addresses.
OTHERS = ("access_", "account_", "auth_", "django_", "mfa_", "socialaccount_")
# Ids are literal: one that begins like hers is another user's. Those of agents and projects are the operator's names.
IDS = {"tenancy_subject": "external_id", "tenancy_subjectalias": "external_id"}
PLACE = (
    "CASE WHEN scope IN ('agent', 'project')"
    " AND scope_id IN (SELECT name FROM tenancy_agent UNION SELECT slug FROM tenancy_project) THEN NULL ELSE scope_id END"
)
CLIENT = "CASE WHEN agent_name NOT IN (SELECT name FROM tenancy_agent) THEN agent_name END"
# What is told is kept as JSON beside the facts, their scope id in it, which has a column of its own.
BRIEF = """regexp_replace(brief, '"scope_id": ?"([^"\\\\]|\\\\.)*"', '')"""
# Secrets and digests of staff and keys, in which nobody is named.
NO_WORDS = {("access_user", "password"), ("access_apikey", "secret_hash"), ("access_signincount", "digest")}


@dataclass
class Report:
    """``checks``: one line each, with what was looked through and what was found; ``hits`` is the sum.
    ``operators`` counts rows of the operator's own that name the person, by table: they are not the person's to erase."""

    checks: list[dict[str, Any]] = field(default_factory=list)
    not_checked: list[str] = field(default_factory=list)
    operators: dict[str, int] = field(default_factory=dict)

    @property
    def hits(self) -> int:
        return sum(int(check["hits"]) for check in self.checks)

    def add(self, what: str, scanned: int, hits: int) -> None:
        self.checks.append({"check": what, "scanned": scanned, "hits": hits})

    def as_dict(self) -> dict[str, Any]:
        return {
            "checks": self.checks,
            "not_checked": self.not_checked,
            "operators": self.operators,
            "hits": self.hits,
        }


def verify(
    project_id: int,
    reach: Reach,
    identifiers: Iterable[Identifier],
    shingles: list[str],
    *,
    accounts: Sequence[int] = (),
) -> Report:
    """Reads only. ``reach`` is what there would be to erase now, ``shingles`` pieces of the erased texts, ``accounts`` those
    of staff that stay on a ground. The project is bound."""
    report = Report()
    for store, left in counts(project_id, reach).items():
        report.add(f"store:{store}", left, left)
    wanted = Wanted(list(identifiers), shingles)
    _scan(report, project_id, wanted, kept=bool(reach.held or reach.excepted or reach.held_traces), accounts=accounts)
    _sealed(report, project_id)
    _statistics(report, wanted)
    _queue(report, wanted)
    verify_links(report, project_id)
    return report


def verify_links(report: Report, project_id: int) -> None:
    """That nothing leads nowhere: vectors, lineage, and the audit chain. The project is bound."""
    _vectors(report, project_id)
    _lineage(report, project_id)
    chain = verify_chain(project_id)
    report.add("audit chain", chain.events, 0 if chain.broken_at is None else 1)


class Wanted:
    """What a text must not hold: the person's names, and pieces of what she said."""

    def __init__(self, identifiers: list[Identifier], shingles: list[str]) -> None:
        self.needles, self.shingles = needles_of(identifiers), Shingles(shingles)
        # Too short to be looked for in sentences, but a column that is just this id names the person.
        self.exact = [re.escape(item.value) for item in identifiers if not item.is_searchable]
        self.ids = [item.value for item in identifiers]
        self._names, self._all = Names(identifiers), Names(identifiers, short_too=True)
        self._lines = re.compile(f"(?m)^(?:{'|'.join(self.exact)})$") if self.exact else None

    def within(self, text: str, own: str = "") -> bool:
        """Whether the text names her, or the id that a row is filed under is one of hers."""
        return bool(
            self._names.within(text)
            or self._all.are(own)
            or (self._lines is not None and self._lines.search(text))
            or self.shingles.within(text)
        )


def _scan(report: Report, project_id: int, wanted: Wanted, *, kept: bool, accounts: Sequence[int]) -> None:
    """Two statements a table: how many rows of this project it has, and those of them that are worth a closer look."""
    if wanted.exact:
        report.not_checked.append("ids under four characters inside sentences")
    tables: dict[str, list[tuple[str, str]]] = {}
    with connection.cursor() as cursor:
        cursor.execute(load("apps.privacy", "text_columns"))
        for table, column, kind, has_project in cursor.fetchall():
            if (table, column) in NO_WORDS:
                continue
            if has_project or table.startswith(("access_", "tenancy_project")):
                tables.setdefault(table, []).append((column, kind))
    for table, columns in tables.items():
        scanned, hits = look(project_id, table, columns, wanted, accounts)
        if hits and table.startswith(OPERATORS):
            report.operators[table] = hits
            hits = 0
        report.add(f"text:{table}", scanned, 0 if kept and table.startswith(_HELD) else hits)


_HELD = ("facts_", "traces_", "tenancy_subject", "recall_")


def look(
    project_id: int, table: str, columns: list[tuple[str, str]], wanted: Wanted, accounts: Sequence[int] = ()
) -> tuple[int, int]:
    """How many rows of the project a table has, and in how many of them one of its columns holds what is wanted."""
    said, own = _columns(table, columns)
    where = "true" if table.startswith("access_user") or table == "tenancy_project" else "project_id = %s"
    where += f" AND {OPEN[table]}" if table in OPEN else ""
    given: list[Any] = [project_id] if "%s" in where else []
    if accounts and table in OF_ACCOUNT:
        where += f" AND {OF_ACCOUNT[table]}"
        given.append(list(accounts))
    with connection.cursor() as cursor:
        # Everything that the project holds is read.
        cursor.execute("SELECT set_config('statement_timeout', '600000', true)")
        cursor.execute(f"SELECT count(*) FROM {connection.ops.quote_name(table)} WHERE {where}", given)  # noqa: S608
        scanned = int(cursor.fetchone()[0])
    if not scanned:
        return 0, 0
    asked = f"SELECT {said} AS said, {own} AS own FROM {connection.ops.quote_name(table)} WHERE {where}"  # noqa: S608
    if not wanted.shingles:
        # Names alone are found by the database; pieces of texts are quicker looked up here than by a thousand patterns.
        asked = (
            f"SELECT said, own FROM ({asked}) t WHERE privacy_folded(said) LIKE ANY (privacy_needles(%s))"  # noqa: S608
            " OR said ~ ANY (%s) OR own = ANY (%s) OR own LIKE '%%@%%'"
        )
        given += [wanted.needles, [f"(^|\n){value}(\n|$)" for value in wanted.exact], wanted.ids]
    with connection.chunked_cursor() as rows:
        rows.execute(asked, given)
        return scanned, sum(wanted.within(text, own or "") for text, own in rows)


def _columns(table: str, columns: list[tuple[str, str]]) -> tuple[str, str]:
    """What a row says, as one text, and the id that it is filed under."""
    quote = connection.ops.quote_name
    texts, own, names = [], "NULL::text", {column for column, _ in columns}
    for column, kind in columns:
        if IDS.get(table) == column:
            own = quote(column)
        elif column == "scope_id" and "scope" in names:
            texts.append(f"CASE WHEN scope NOT IN ('user', 'agent', 'project') THEN {PLACE} END")
            own = f"CASE WHEN scope IN ('user', 'agent', 'project') THEN {PLACE} END"
        elif (table, column) == ("traces_trace", "agent_name"):
            texts.append(CLIENT)
        elif (table, column) == ("facts_hot", "brief"):
            texts.append(BRIEF)
        else:
            texts.append(_as_text(quote(column), kind))
    return f"concat_ws(E'\\n', {', '.join(texts or ['NULL'])})", own


def _queue(report: Report, wanted: Wanted) -> None:
    """The broker's messages, the results and the cache: by rule they hold ids and counts only."""
    try:
        scanned = hits = 0
        for text in everything():
            scanned, hits = scanned + 1, hits + wanted.within(text)
        report.add("queue and cache", scanned, hits)
    except RedisError:
        report.not_checked.append("queue and cache: Redis did not answer")


def _as_text(column: str, kind: str) -> str:
    if kind == "bytea":
        return f"encode({column}, 'escape')"
    return f"{column}::text"


def _statistics(report: Report, wanted: Wanted) -> None:
    """What the planner keeps of columns' commonest values, as far as this role sees it."""
    with connection.cursor() as cursor:
        cursor.execute(
            "SELECT tablename::text, concat_ws(E'\\n', most_common_vals::text, histogram_bounds::text, most_common_elems::text)"
            " FROM pg_stats WHERE schemaname = 'public'"
        )
        seen = [(table, said) for table, said in cursor.fetchall() if not table.startswith((*OPERATORS, *OTHERS))]
        cursor.execute(
            "SELECT count(*) FROM pg_class WHERE relnamespace = 'public'::regnamespace AND relkind = 'r'"
            " AND row_security_active(oid)"
        )
        (hidden,) = cursor.fetchone()
    report.add("planner's statistics", len(seen), sum(wanted.within(said) for _, said in seen))
    if hidden:
        report.not_checked.append(
            f"planner's statistics (pg_stats) of {hidden} tables under row-level security: only a superuser sees them"
        )


def _sealed(report: Report, project_id: int) -> None:
    """Spans that nobody could look into yet; what they hold of an erased person goes when they are opened."""
    waiting = Span.objects.filter(project_id=project_id, sealed__isnull=False).count()
    if waiting:
        report.not_checked.append(f"spans that are not screened yet: {waiting}")


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
