"""Addresses of the same list with another filter; its state is the query string and nothing else."""

from urllib.parse import urlencode

from django.http import QueryDict
from django.urls import reverse


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


def scope_url(slug: str, scope: str, scope_id: str, subject_id: int | None) -> str:
    """Where a scope's label leads: a user's to everything remembered about him, any other to its facts."""
    if scope == "user" and subject_id is not None:
        return reverse("subject", args=[slug, subject_id])
    return f"{reverse('facts', args=[slug])}?{urlencode({'scope': scope, 'scope_id': scope_id})}"
