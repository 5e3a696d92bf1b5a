"""Strict readers for parsed JSON objects and query strings.

Fields are taken by name and type and never converted: `true` is no number and `123` no text. No fault
repeats a value.
"""

import re
from collections.abc import Callable, Collection, Iterator, Mapping
from datetime import datetime
from typing import Any, Protocol

from apps.core import values
from apps.core.errors import FieldError, Invalid
from apps.core.strict_json import MAX_ERRORS, escape
from apps.core.text import storable
from apps.core.values import Unfit

MAX_ID = 2**63 - 1
_INTEGER = re.compile(r"-?[0-9]{1,18}")
_NUMBER = re.compile(r"-?[0-9]{1,18}(\.[0-9]{1,18})?")
_UNSET: Any = object()


class Reader:
    """Reads the object `data`, which stands at the JSON pointer `pointer` of the body.

    Every method takes the name of a field first. A field that is missing or null gives `default` (None
    unless given), which is a fault, `required`, unless `required` is false or a default is given. After a
    fault a method returns None too and reading goes on, so that every fault is found: use nothing before
    `done` has returned. The types returned are those named by each method; they are declared Any, because
    None never gets past `done` where it was not asked for.
    """

    def __init__(self, data: Mapping[str, Any], pointer: str = "") -> None:
        self._data = data
        self._pointer = pointer
        self._faults: list[FieldError] = []
        self._read: set[str] = set()
        self._children: list[Reader] = []

    def text(
        self,
        name: str,
        *,
        max_length: int,
        required: bool = True,
        allow_blank: bool = False,
        one_line: bool = False,
        default: Any = _UNSET,
    ) -> Any:
        """A string as it was sent, of at most `max_length` code points.

        Codes: `wrong_type`, `blank` (nothing in it can be seen), `too_long`, `too_many_marks`,
        `null_character`, `control_character` (with `one_line`: line breaks and the like).
        """
        return self._field(
            name,
            required,
            default,
            lambda value: values.text(value, max_length, allow_blank=allow_blank, one_line=one_line),
        )

    def number(
        self,
        name: str,
        minimum: float | None = None,
        maximum: float | None = None,
        *,
        required: bool = True,
        default: Any = _UNSET,
    ) -> Any:
        """A finite float, bounds included. Codes: `wrong_type`, `non_finite`, `out_of_range`."""
        return self._field(name, required, default, lambda value: values.number(value, minimum, maximum))

    def integer(
        self,
        name: str,
        minimum: int | None = None,
        maximum: int | None = None,
        *,
        required: bool = True,
        default: Any = _UNSET,
    ) -> Any:
        """An int, bounds included; `1.0` is none. Codes: `wrong_type`, `out_of_range`."""
        return self._field(name, required, default, lambda value: values.integer(value, minimum, maximum))

    def boolean(self, name: str, *, required: bool = True, default: Any = _UNSET) -> Any:
        """A bool. Code: `wrong_type`."""
        return self._field(name, required, default, values.boolean)

    def choice(self, name: str, choices: Collection[str], *, required: bool = True, default: Any = _UNSET) -> Any:
        """One of the strings `choices`. Codes: `wrong_type`, `unknown_choice`."""
        return self._field(name, required, default, lambda value: values.choice(value, choices))

    def timestamp(
        self,
        name: str,
        *,
        required: bool = True,
        allow_future: bool = False,
        earliest: datetime | None = None,
        default: Any = _UNSET,
    ) -> Any:
        """An RFC 3339 moment as an aware datetime in UTC, cut to microseconds.

        Codes: `wrong_type`, `invalid_timestamp`, `timezone_required`, `out_of_range` (before the year 2000 or
        `earliest`, or more than 24 hours ahead unless `allow_future`).
        """
        bounds = {"earliest": earliest} if earliest is not None else {}
        return self._field(
            name, required, default, lambda value: values.timestamp(value, allow_future=allow_future, **bounds)
        )

    def uuid(self, name: str, *, required: bool = True, default: Any = _UNSET) -> Any:
        """A uuid.UUID from its form with hyphens. Codes: `wrong_type`, `invalid_uuid`."""
        return self._field(name, required, default, values.uuid_)

    def id_list(
        self,
        name: str,
        *,
        min_items: int = 0,
        max_items: int = 200,
        required: bool = True,
        default: Any = _UNSET,
    ) -> Any:
        """A list of ints from 1 to 2^63 - 1. Codes: `wrong_type`, `too_few`, `too_many`, `out_of_range`."""
        return self._list(name, min_items, max_items, required, default, lambda item: values.integer(item, 1, MAX_ID))

    def uuid_list(
        self,
        name: str,
        *,
        min_items: int = 0,
        max_items: int = 200,
        required: bool = True,
        default: Any = _UNSET,
    ) -> Any:
        """A list of uuid.UUID. Codes: `wrong_type`, `too_few`, `too_many`, `invalid_uuid`."""
        return self._list(name, min_items, max_items, required, default, values.uuid_)

    def text_list(
        self,
        name: str,
        *,
        max_length: int,
        min_items: int = 0,
        max_items: int = 200,
        required: bool = True,
        default: Any = _UNSET,
    ) -> Any:
        """A list of one-line strings that aren't blank. Codes: those of `text`, `too_few`, `too_many`."""
        return self._list(
            name,
            min_items,
            max_items,
            required,
            default,
            lambda item: values.text(item, max_length, one_line=True),
        )

    def object(self, name: str, *, required: bool = True) -> Any:
        """A Reader of the object in this field, covered by this reader's `done`, or None if there is none.

        If it is required and missing, an empty Reader whose faults don't count. Code: `wrong_type`.
        """
        data = self._field(name, required, _UNSET, values.mapping)
        if data is not None:
            return self._child(data, name)
        return Reader({}) if required else None

    def objects(self, name: str, *, min_items: int = 0, max_items: int = 200, required: bool = True) -> Any:
        """A list of Readers, one for each object in this list, or None. Codes: `wrong_type`, `too_few`,
        `too_many`."""
        found = self._list(name, min_items, max_items, required, _UNSET, values.mapping)
        if found is None:
            return [] if required else None
        return [self._child(data, name, str(index)) for index, data in enumerate(found) if data is not None]

    def json(self, name: str, *, required: bool = True, default: Any = _UNSET) -> Any:
        """Any JSON value, as it was parsed."""
        return self._field(name, required, default, lambda value: value)

    def fault(self, name: str, code: str, detail: str) -> None:
        """Add a fault of one's own at the field `name`."""
        self._faults.append(FieldError(code, detail, self._at(name)))

    def done(self) -> None:
        """Raise Invalid for every fault found, fields nobody asked for included (`unknown_field`).

        One fault gives its own code; several give the code `invalid`. At most 20 are listed.
        """
        faults = list(self._all_faults())
        if len(faults) == 1:
            raise Invalid(faults[0].code, faults[0].detail, pointer=faults[0].pointer)
        if faults:
            raise Invalid("invalid", f"{len(faults)} things are not acceptable.", errors=faults[:MAX_ERRORS])

    def _all_faults(self) -> Iterator[FieldError]:
        yield from self._faults
        for name in self._data:
            if name not in self._read:
                # A name is cut, since anything may have been sent as one.
                shown = storable(name)[0][:64]
                yield FieldError("unknown_field", f"There is no field {shown} here.", self._at(shown))
        for child in self._children:
            yield from child._all_faults()

    def _at(self, *steps: str) -> str:
        return "/".join([self._pointer, *map(escape, steps)])

    def _child(self, data: Mapping[str, Any], *steps: str) -> "Reader":
        child = Reader(data, self._at(*steps))
        self._children.append(child)
        return child

    def _field(self, name: str, required: bool, default: Any, check: Callable[[Any], Any]) -> Any:
        self._read.add(name)
        value = self._data.get(name)
        if value is None:
            if required and default is _UNSET:
                self.fault(name, "required", "Is required.")
            return None if default is _UNSET else default
        try:
            return check(value)
        except Unfit as bad:
            self.fault(name, bad.code, bad.detail)
            return None

    def _list(
        self,
        name: str,
        min_items: int,
        max_items: int,
        required: bool,
        default: Any,
        check: Callable[[Any], Any],
    ) -> Any:
        def check_all(value: Any) -> list[Any]:
            checked: list[Any] = []
            for index, item in enumerate(values.items(value, min_items, max_items)):
                try:
                    checked.append(check(item))
                except Unfit as bad:
                    self._faults.append(FieldError(bad.code, bad.detail, self._at(name, str(index))))
                    checked.append(None)
            return checked

        return self._field(name, required, default, check_all)


class Params(Protocol):
    """A parsed query string: a name may stand in it more than once."""

    def getlist(self, key: str) -> list[str]: ...

    def __iter__(self) -> Iterator[str]: ...


def query_int(params: Params, name: str, default: Any, minimum: int, maximum: int) -> Any:
    """The int in the parameter `name`, bounds included, or `default`.

    Raises Invalid with that `parameter`: `repeated_parameter`, `wrong_type` (anything but ASCII digits),
    `out_of_range`.
    """

    def check(value: str) -> int:
        if not _INTEGER.fullmatch(value):
            raise Unfit("wrong_type", f"Has to be a whole number from {minimum} to {maximum}.")
        return values.integer(int(value), minimum, maximum)

    return _query(params, name, default, check)


def query_float(params: Params, name: str, default: Any, minimum: float, maximum: float) -> Any:
    """The float in the parameter `name`, in plain decimal form, bounds included, or `default`; raises as
    `query_int`."""

    def check(value: str) -> float:
        if not _NUMBER.fullmatch(value):
            raise Unfit("wrong_type", f"Has to be a number from {minimum} to {maximum}.")
        return values.number(float(value), minimum, maximum)

    return _query(params, name, default, check)


def query_text(params: Params, name: str, default: Any = "", *, max_length: int = 200, allow_blank: bool = True) -> Any:
    """The text in the parameter `name`, or `default`; raises Invalid `repeated_parameter` or the codes of
    `Reader.text`."""
    return _query(params, name, default, lambda value: values.text(value, max_length, allow_blank=allow_blank))


def query_choice(params: Params, name: str, default: Any, choices: Collection[str]) -> Any:
    """One of `choices`, or `default`; raises Invalid `repeated_parameter` or `unknown_choice`."""
    return _query(params, name, default, lambda value: values.choice(value, choices))


def query_only(params: Params, names: Collection[str]) -> None:
    """Raise Invalid `unknown_parameter` for every parameter in the query string that is not one of
    `names`."""
    # Names are cut, since anything may have been sent as one.
    unknown = [storable(name)[0][:64] for name in params if name not in names]
    if unknown:
        detail = "There is no such parameter here."
        faults = [FieldError("unknown_parameter", detail, parameter=name) for name in unknown[:MAX_ERRORS]]
        raise Invalid("unknown_parameter", detail, parameter=unknown[0], errors=faults)


def _query(params: Params, name: str, default: Any, check: Callable[[str], Any]) -> Any:
    sent = params.getlist(name)
    if not sent:
        return default
    if len(sent) > 1:
        raise Invalid("repeated_parameter", "May be given once only.", parameter=name)
    try:
        return check(sent[0])
    except Unfit as bad:
        raise Invalid(bad.code, bad.detail, parameter=name) from None
