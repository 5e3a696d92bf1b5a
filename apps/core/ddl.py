"""DDL of tenant tables that Django's migrations can't say: policies, composite keys and append-only triggers.

Every function returns one `RunSQL` with its reverse, to be listed in a migration after the table's
`CreateModel`. Names of tables and columns are trusted: they come from migrations, never from input.
"""

from collections.abc import Sequence

from django.db.migrations import RunSQL

_PROJECT = "nullif(current_setting('app.project_id', true), '')::bigint"


def row_security(table: str, column: str = "project_id") -> RunSQL:
    """Row-level security, forced, with two policies.

    `project` lets any role see and write only the rows of the bound project (none while unbound); `owner`
    lets the role that runs the migration see all, without which its data migrations change nothing and
    pg_dump fails.
    """
    t, c = _quote(table), _quote(column)
    return RunSQL(
        [
            f"ALTER TABLE {t} ENABLE ROW LEVEL SECURITY",
            f"ALTER TABLE {t} FORCE ROW LEVEL SECURITY",
            f"CREATE POLICY project ON {t} USING ({c} = {_PROJECT}) WITH CHECK ({c} = {_PROJECT})",
            f"CREATE POLICY owner ON {t} TO CURRENT_USER USING (true) WITH CHECK (true)",
        ],
        [
            f"DROP POLICY owner ON {t}",
            f"DROP POLICY project ON {t}",
            f"ALTER TABLE {t} NO FORCE ROW LEVEL SECURITY",
            f"ALTER TABLE {t} DISABLE ROW LEVEL SECURITY",
        ],
    )


def composite_unique(table: str, columns: str | Sequence[str] = "id") -> RunSQL:
    """UNIQUE (project_id, columns), the target of composite foreign keys, named
    `<table>_project_id_<columns>_key`."""
    cols = _columns(columns)
    t, name = _quote(table), _name(table, "project_id", *cols, "key")
    return RunSQL(
        [f"ALTER TABLE {t} ADD CONSTRAINT {name} UNIQUE ({_list('project_id', *cols)})"],
        [f"ALTER TABLE {t} DROP CONSTRAINT {name}"],
    )


def composite_fk(
    table: str,
    columns: str | Sequence[str],
    to_table: str,
    to_columns: str | Sequence[str] = "id",
    on_delete: str = "RESTRICT",
    *,
    index: bool = True,
) -> RunSQL:
    """FOREIGN KEY (project_id, columns) that can't point into another project, and the index it needs.

    Row-level security does not guard foreign keys, so the project is part of the key. `on_delete` is
    "CASCADE", "RESTRICT" or "SET NULL"; the last empties `columns` and never `project_id`. The constraint
    is named `<table>_<columns>_fk`, the index `<table>_<columns>_fk_idx`; `index=False` leaves the index
    out where another one already begins with the same columns. Raises ValueError for an unknown `on_delete`
    or a name over 63 bytes.
    """
    cols, to_cols = _columns(columns), _columns(to_columns)
    if len(cols) != len(to_cols):
        raise ValueError(f"{table}: {len(cols)} columns can't refer to {len(to_cols)}.")
    if on_delete not in {"CASCADE", "RESTRICT", "SET NULL"}:
        raise ValueError(f"{table}: unknown on_delete {on_delete!r}.")
    action = f"SET NULL ({_list(*cols)})" if on_delete == "SET NULL" else on_delete
    t, name, index_name = _quote(table), _name(table, *cols, "fk"), _name(table, *cols, "fk_idx")
    forward = [
        f"ALTER TABLE {t} ADD CONSTRAINT {name} FOREIGN KEY ({_list('project_id', *cols)})"
        f" REFERENCES {_quote(to_table)} ({_list('project_id', *to_cols)}) ON DELETE {action}"
    ]
    backward = [f"ALTER TABLE {t} DROP CONSTRAINT {name}"]
    if index:
        forward.append(f"CREATE INDEX {index_name} ON {t} ({_list('project_id', *cols)})")
        backward.append(f"DROP INDEX {index_name}")
    return RunSQL(tuple(forward), tuple(backward))


def refuse_writes(
    table: str,
    ops: Sequence[str] = ("UPDATE", "DELETE", "TRUNCATE"),
    message: str = "This table is append-only.",
) -> RunSQL:
    """Triggers that refuse `ops` on an append-only table with `message` (SQLSTATE 23001, Django's
    IntegrityError).

    UPDATE and DELETE are refused row by row, because only row triggers of a partitioned table also hold on
    its partitions, those made later included. TRUNCATE has statement triggers only: name each partition to
    guard it too.
    """
    unknown = set(ops) - {"UPDATE", "DELETE", "TRUNCATE"}
    if unknown or not ops:
        raise ValueError(f"{table}: can't refuse {sorted(unknown) or 'nothing'}.")
    t, function = _quote(table), _name(table, "refuse_write")
    literal = "'" + message.replace("'", "''") + "'"
    forward = [
        f"CREATE FUNCTION {function}() RETURNS trigger LANGUAGE plpgsql AS"
        " $$ BEGIN RAISE EXCEPTION USING ERRCODE = 'restrict_violation', MESSAGE = TG_ARGV[0]; END $$"
    ]
    backward = []
    row_ops = " OR ".join(op for op in ("UPDATE", "DELETE") if op in ops)
    if row_ops:
        trigger = _name(table, "refuse_change")
        forward.append(
            f"CREATE TRIGGER {trigger} BEFORE {row_ops} ON {t} FOR EACH ROW EXECUTE FUNCTION {function}({literal})"
        )
        backward.append(f"DROP TRIGGER {trigger} ON {t}")
    if "TRUNCATE" in ops:
        trigger = _name(table, "refuse_truncate")
        forward.append(
            f"CREATE TRIGGER {trigger} BEFORE TRUNCATE ON {t} FOR EACH STATEMENT EXECUTE FUNCTION {function}({literal})"
        )
        backward.append(f"DROP TRIGGER {trigger} ON {t}")
    backward.append(f"DROP FUNCTION {function}()")
    return RunSQL(tuple(forward), tuple(backward))


def _columns(columns: str | Sequence[str]) -> tuple[str, ...]:
    return (columns,) if isinstance(columns, str) else tuple(columns)


def _quote(name: str) -> str:
    return '"' + name.replace('"', '""') + '"'


def _list(*columns: str) -> str:
    return ", ".join(_quote(column) for column in columns)


def _name(*parts: str) -> str:
    name = "_".join(parts)
    if len(name.encode()) > 63:
        # Postgres would cut it silently, and two constraints could then meet under one name.
        raise ValueError(f"The name {name} is over 63 bytes.")
    return _quote(name)
