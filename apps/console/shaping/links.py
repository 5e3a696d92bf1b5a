"""Addresses of the same list with another filter; its state is the query string and nothing else."""

from django.http import QueryDict


def with_query(path: str, query: QueryDict, **changes: str | list[str] | None) -> str:
    """``path`` with ``query`` changed: a value replaces, None or "" takes away. The page and the open row belong to
    the old filter, so they go unless they are given."""
    wanted = query.copy()
    for name, value in {"cursor": None, "open": None, **changes}.items():
        wanted.setlist(name, value if isinstance(value, list) else [value or ""])
    for name in list(wanted):
        kept = [value for value in wanted.getlist(name) if value]
        if kept:
            wanted.setlist(name, kept)
        else:
            del wanted[name]
    return f"{path}?{wanted.urlencode()}" if wanted else path
