"""Keyset pages: "newer" and "older" by the position of the last row seen, never by an offset.

A cursor is signed, holds only that position, and is good for a day, in the list and with the filters it was
made for.
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from datetime import date
from decimal import Decimal
from typing import Any, Generic, TypeVar
from uuid import UUID

from django.conf import settings
from django.core import signing
from django.core.exceptions import FieldDoesNotExist, ValidationError
from django.db.models import BooleanField, F, Field, Func, Q, QuerySet, Value
from django.db.models.expressions import OrderBy
from django.db.models.functions import Greatest

from apps.core.errors import Malformed

MAX_AGE = 24 * 60 * 60
"""Seconds for which a cursor is good."""
MAX_CURSOR = 2_000

T = TypeVar("T")

# Which side of the position a page lies on. The forms with "=" lead back from a page that turned out empty.
_OLDER, _NEWER = ("o", "O"), ("n", "N")


@dataclass(frozen=True)
class Page(Generic[T]):
    """Some rows in their order, and the cursors of the pages before (`newer`) and after (`older`), None at
    an end. `short`: the search stopped before the page was full, and goes on from the cursor."""

    rows: tuple[T, ...]
    newer: str | None
    older: str | None
    short: bool = False


def encode_cursor(position: list[Any], *, context: str) -> str:
    """A signed cursor for a position of JSON values, dates, UUIDs and Decimals, which come back as strings.

    `context` says what the position belongs to: project, list and filters. It is not in the cursor, but
    signed with it.
    """
    plain = [_plain(value) for value in position]
    return signing.dumps(plain, key=settings.SECRET_KEY, salt=_salt(context))


def decode_cursor(text: str, *, context: str, most: int = MAX_CURSOR) -> list[Any]:
    """The position in a cursor made with the same `context`.

    Raises Malformed `invalid_cursor` if it is longer than `most`, was cut, edited, made for another context, or more than 24 hours
    ago.
    """
    if not text.isascii() or len(text) > most:
        raise _invalid()
    try:
        position = signing.loads(text, key=settings.SECRET_KEY, salt=_salt(context), max_age=MAX_AGE)
    except signing.BadSignature:
        raise _invalid() from None
    if not isinstance(position, list):
        raise _invalid()
    return position


def keyset_page(
    queryset: QuerySet[Any, T],
    *,
    order: Sequence[str],
    cursor: str | None,
    limit: int,
    context: str,
    among: QuerySet[Any, Any] | None = None,
    most: int = 0,
    edge: Sequence[Any] | None = None,
    hit: Q | None = None,
    rather: Callable[[], QuerySet[Any, T] | None] | None = None,
    few: bool = False,
    any_of: Sequence[QuerySet[Any, Any]] = (),
    scattered: bool = False,
    between: tuple[Any, Any] = (None, None),
    apart: str = "",
    enough: Callable[[Sequence[tuple[int, Any]]], int] | None = None,
) -> Page[T]:
    """At most `limit` rows of `queryset` in `order`, from `cursor` on; the first ones if it is None.

    `order` names fields or annotations that are never null, all with "-" or all without, the last one
    unique, as in ("-created_at", "-id"); an index with these columns answers it, as the position is
    compared as one row value. Rows may be instances or, from `values()`, dictionaries with these fields.
    Raises Malformed `invalid_cursor`.

    A filter that few rows pass would walk the index for long: with `among`, the rows in this order without
    that filter, at most `most` of them are looked at, and a page that is not full by then is `short`; `edge` is
    the position of the last of them where that is known, empty where it is known that there are fewer. `hit` is a
    condition of the filter that is put to each of them, so that rows are read of those alone that pass it; where
    they don't fill the page and there are more rows to look at, `rather` may name others to take instead. `few`
    has the rows sorted and not walked, for a filter that an index of its own answers with few.

    `between` bounds the first field of the order, from and below: what the position says already is not asked
    again, since an index is walked from one bound alone. `enough` says how many of the rows found make a page
    already, by the place of each in what was looked at, as they follow the cursor, and its value of the field
    `apart`.

    `any_of` are several querysets of the same model, of which a row of `queryset` is in at least one (of this
    agent or of that one): the first of each are looked for along its own index, in a statement of its own, and
    `queryset` is read as far as the last of them. `scattered`: they lie far apart in it, so that each is fetched
    by its key, in the same statement, and `queryset` need not be narrowed.
    """
    names, own = [name.removeprefix("-") for name in order], context
    context, descending = f"{context} by {','.join(order)}", order[0].startswith("-")
    if limit < 1 or any(name.startswith("-") != descending for name in order):
        raise ValueError("A page needs a limit and an order in one direction.")
    side, position = _read(cursor, names, context)

    def narrowed(rows: "QuerySet[Any, Any]") -> "QuerySet[Any, Any]":
        rows = _within(rows, names[0], between, side, descending)
        return rows.filter(_beyond(rows, names, position, side, descending)) if side is not None else rows

    if not scattered:
        queryset = narrowed(queryset)
    backwards = side in _NEWER
    last: list[Any] | None = list(edge) if edge else None
    if among is not None and edge is None:
        walked = narrowed(among).order_by(*(_reverse(order) if backwards else order)).values_list(*names)
        if hit is None:
            # Asked for by itself: where the value is not known when the page is planned, Postgres reads the table.
            last = next((list(row) for row in walked[most - 1 : most]), None)
        else:
            asked = [*names, "hit", *([apart] if apart else [])]
            looked_at = list(walked.annotate(hit=hit).values_list(*asked)[:most])
            last = list(looked_at[-1][: len(names)]) if len(looked_at) == most else None
            hits = [(place, row) for place, row in enumerate(looked_at) if row[len(names)]]
            if enough is not None:
                limit = min(limit, enough([(place, row[-1]) for place, row in hits]) if hits else limit)
                # The next one too, of which it is enough to know that it is there.
                hits, enough = hits[: limit + 1], None
            passed = [row[len(names) - 1] for _, row in hits]
            if rather is not None and last is not None and len(passed) <= limit and (others := rather()) is not None:
                return keyset_page(others, order=order, cursor=cursor, limit=limit, context=own)
            queryset = queryset.filter(**{f"{names[-1]}__in": passed}) if passed else queryset.none()
    if last is not None:
        queryset = queryset.filter(_beyond(queryset, names, last, "O" if backwards else "N", descending))
    along = [_along(name, few) for name in (_reverse(order) if backwards else order)]
    if any_of and scattered:
        queryset = queryset.filter(pk__in=_first_of(any_of, narrowed, along, ["pk"], limit))
    elif any_of:
        places = list(_first_of(any_of, narrowed, along, names, limit).order_by(*along)[: limit + 1])
        end = [places[-1][name] for name in names] if places else None
        queryset = (
            queryset.filter(_beyond(queryset, names, end, "O" if backwards else "N", descending))
            if end
            else queryset.none()
        )
    found = list(queryset.order_by(*along)[: limit + 1])
    kept = limit
    if enough is not None and found:
        kept = min(limit, enough([(place, getattr(row, apart)) for place, row in enumerate(found[:limit])]))
    more, rows = len(found) > kept, found[:kept]
    short = not more and last is not None
    if backwards:
        rows.reverse()

    def at(side: str, row: Any) -> str:
        values = [row[name] if isinstance(row, dict) else getattr(row, name) for name in names]
        if None in values:
            raise ValueError("A row has no place in the order: one of its fields is null.")
        return encode_cursor([side, *values], context=context)

    newer = older = None
    if rows:
        if more if backwards else cursor is not None:
            newer = at("n", rows[0])
        if more or backwards:
            older = at("o", rows[-1])
    elif backwards:
        older = encode_cursor(["O", *position], context=context)
    elif cursor is not None:
        newer = encode_cursor(["N", *position], context=context)
    if short and last is not None:
        onward = encode_cursor(["n" if backwards else "o", *last], context=context)
        newer, older = (onward, older) if backwards else (newer, onward)
    return Page(tuple(rows), newer, older, short)


def _first_of(
    any_of: Sequence[QuerySet[Any, Any]], narrowed: Any, along: Sequence[Any], names: Sequence[str], limit: int
) -> QuerySet[Any, Any]:
    """``names`` of the first rows of each, each row once, in no order."""
    first, *others = (narrowed(rows).order_by(*along).values(*names)[: limit + 1] for rows in any_of)
    return first.union(*others) if others else first


def _within(
    rows: QuerySet[Any, Any], name: str, between: tuple[Any, Any], side: str | None, descending: bool
) -> QuerySet[Any, Any]:
    """The bounds that a position does not imply: from it on down it is below the upper one, and the other way round."""
    least, below = between
    down = None if side is None else (side in _OLDER) == descending
    if least is not None and down is not False:
        rows = rows.filter(**{f"{name}__gte": least})
    if below is not None and down is not True:
        rows = rows.filter(**{f"{name}__lt": below})
    return rows


def positions(
    queryset: QuerySet[Any, Any], *, order: Sequence[str], cursor: str | None, context: str
) -> QuerySet[Any, Any]:
    """Where the rows stand that a page walks from its cursor on, in that direction; the arguments are the page's. Raises
    Malformed `invalid_cursor`."""
    descending, names = order[0].startswith("-"), [name.removeprefix("-") for name in order]
    side, position = _read(cursor, names, f"{context} by {','.join(order)}")
    if side is not None:
        queryset = queryset.filter(_beyond(queryset, names, position, side, descending))
    return queryset.order_by(*(_reverse(order) if side in _NEWER else order)).values_list(*names)


def _read(cursor: str | None, names: Sequence[str], context: str) -> tuple[str | None, list[Any]]:
    """The side and the position that a cursor names; none without one."""
    if cursor is None:
        return None, []
    side, *position = decode_cursor(cursor, context=context) or [None]
    if side not in _OLDER + _NEWER or len(position) != len(names):
        raise _invalid()
    return side, position


def _along(name: str, few: bool) -> "str | OrderBy":
    """What to order by. The greater of a value and itself is no column, so that no index is walked for it."""
    if not few:
        return name
    bare = name.removeprefix("-")
    return OrderBy(Greatest(F(bare), F(bare)), descending=name != bare)


def _beyond(queryset: QuerySet[Any, Any], names: list[str], position: list[Any], side: str, descending: bool) -> Func:
    """(a, b) < (x, y): Postgres walks an index from there, where the same said with OR reads all before
    it."""
    fields = [_field(queryset, name) for name in names]
    try:
        values = [Value(field.to_python(value), field) for field, value in zip(fields, position, strict=True)]
    except (ValidationError, TypeError, ValueError):
        raise _invalid() from None
    operator = "<" if (side in _OLDER) == descending else ">"
    if side.isupper():
        operator += "="
    left, right = Func(*(F(name) for name in names), function=""), Func(*values, function="")
    return Func(left, right, template="%(expressions)s", arg_joiner=f" {operator} ", output_field=BooleanField())


def _field(queryset: QuerySet[Any, Any], name: str) -> "Field[Any, Any]":
    try:
        field = queryset.model._meta.get_field(name)
    except FieldDoesNotExist:
        field = queryset.query.annotations[name].output_field
    if not isinstance(field, Field):
        raise ValueError(f"Rows can't be ordered by {name}.")
    return field


def _reverse(order: Sequence[str]) -> list[str]:
    return [name.removeprefix("-") if name.startswith("-") else f"-{name}" for name in order]


def _plain(value: Any) -> Any:
    if isinstance(value, date):
        return value.isoformat()
    return str(value) if isinstance(value, UUID | Decimal) else value


def _salt(context: str) -> str:
    return f"memoryplane.cursor:{context}"


def _invalid() -> Malformed:
    detail = "The cursor is not one of this list, or is too old. Start again without it."
    return Malformed("invalid_cursor", detail, parameter="cursor")
