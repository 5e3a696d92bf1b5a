"""What the Facts page shows, kept in the query string and nowhere else."""

import re
from collections.abc import Mapping
from dataclasses import dataclass, replace
from functools import partial
from typing import Any
from urllib.parse import urlencode

from django.db.models import Q
from django.http import QueryDict
from django.urls import reverse

from apps.access.models import SENSITIVITIES
from apps.core.errors import Malformed
from apps.core.text import storable
from apps.facts.listing import ORDERS
from apps.facts.models import MEMORY_TYPES, SCOPES, SOURCES
from apps.facts.queries import STATUSES, FactFilter
from apps.recall.queries import never_served, told_within

MOST_VALUES = 20
"""So many values of one parameter are taken, the last ones."""
CHOICES = {
    "mode": ["meaning"],
    "scope": SCOPES,
    "source": SOURCES,
    "type": MEMORY_TYPES,
    "sensitivity": SENSITIVITIES,
    "status": STATUSES,
    "served": ["never", "7", "30", "90"],
    "expiring": ["30"],
    "sort": [*ORDERS, "served"],
}
SORTS = {
    "newest": "newest first",
    "oldest": "oldest first",
    "unsure": "least sure first",
    "sure": "surest first",
    "ending": "ending soon first",
    "scope": "by scope",
    "served": "most served first",
}
SEVERAL = ("source", "category", "type", "sensitivity")
NO_VIEW = "none"


@dataclass(frozen=True, kw_only=True)
class ListState:
    """The filter, the order, the saved view it began with, the page and the open fact. An empty value is left out of the
    address. ``view`` is a number, or NO_VIEW where the reader has a view that opens by itself and left it."""

    q: str = ""
    mode: str = ""
    scope: str = ""
    scope_id: str = ""
    source: tuple[str, ...] = ()
    category: tuple[str, ...] = ()
    type: tuple[str, ...] = ()
    sensitivity: tuple[str, ...] = ()
    status: str = ""
    conf_min: str = ""
    conf_max: str = ""
    served: str = ""
    expiring: str = ""
    superseded: str = ""
    sort: str = ""
    view: str = ""
    cursor: str = ""
    open: str = ""

    @property
    def is_filtered(self) -> bool:
        """Whether anything but the switch for superseded facts narrows the list."""
        return self.but(superseded="", sort="", mode="", view="") != ListState()

    @property
    def kept(self) -> dict[str, str | tuple[str, ...]]:
        """What a saved view keeps: the filter and the order."""
        return {name: value for name, value in vars(self.but(view="")).items() if value}

    @property
    def order(self) -> str:
        """One of SORTS. What ends soon is found in the order of its ends."""
        return self.sort or ("ending" if self.expiring else "newest")

    @property
    def by_meaning(self) -> bool:
        return bool(self.q and self.mode)

    def wanted(self, project_id: int, sensitivities: tuple[str, ...]) -> FactFilter:
        return FactFilter(
            query=self.q,
            scope=self.scope,
            scope_id=self.scope_id,
            source=self.source,
            category=self.category,
            memory_type=self.type,
            sensitivity=self.sensitivity,
            status=self.status,
            confidence=(_share(self.conf_min), _share(self.conf_max)),
            expiring=int(self.expiring or 0),
            superseded=bool(self.superseded),
            sensitivities=sensitivities,
            further=self._told(project_id) if self.served else None,
            further_within=partial(self._told, project_id) if self.served else None,
        )

    def _told(self, project_id: int, *within: int) -> Q:
        told = (within[0], within[1]) if within else None
        if self.served == "never":
            return never_served(project_id, told)
        return told_within(project_id, int(self.served), told)

    @property
    def served_in_words(self) -> str:
        return "never served" if self.served == "never" else f"told in {self.served} days"

    def but(self, **changes: str | tuple[str, ...]) -> "ListState":
        """Another filter, from its first page on; what is open stays open only if it is named."""
        return replace(self, **({"cursor": "", "open": ""} | changes))  # type: ignore[arg-type]

    def cleared(self, q: str = "") -> "ListState":
        """No filter but these words, and no view either where one would open by itself."""
        return ListState(q=q, superseded=self.superseded, view=NO_VIEW if self.view else "")

    def without(self, name: str, value: str) -> "ListState":
        """The filter without one of the values it has for ``name``."""
        kept = getattr(self, name)
        return self.but(**{name: tuple(one for one in kept if one != value) if name in SEVERAL else ""})

    def query(self) -> str:
        """``?…``, or nothing when nothing is chosen."""
        chosen = {name: value for name, value in vars(self).items() if value}
        return f"?{urlencode(chosen, doseq=True)}" if chosen else ""

    def url(self, slug: str, name: str = "facts") -> str:
        return reverse(name, args=[slug]) + self.query()


def list_state(given: QueryDict) -> ListState:
    """The state in a query string; unknown parameters are left alone. Raises Malformed for what is no choice."""
    values: dict[str, Any] = {}
    for name in vars(ListState()):
        found = [storable(value)[0].strip() for value in given.getlist(name)][-MOST_VALUES:]
        found = list(dict.fromkeys(value for value in found if value))
        if name in CHOICES and not set(found) <= set(CHOICES[name]):
            raise Malformed("unknown_choice", f"There is no such {name}.", parameter=name)
        values[name] = tuple(found) if name in SEVERAL else (found[-1] if found else "")
    for name in ("conf_min", "conf_max"):
        if not re.fullmatch(r"|0|1|[01]?[.][0-9]{1,6}|1[.]0+", values[name]):
            raise Malformed("invalid_number", "A confidence is between 0 and 1.", parameter=name)
    if not re.fullmatch("[0-9]{0,100}", values["open"]):
        raise Malformed("invalid_number", "The open fact is named by its number.", parameter="open")
    if not re.fullmatch(f"{NO_VIEW}|[0-9]{{0,18}}", values["view"]):
        raise Malformed("invalid_number", "A view is named by its number.", parameter="view")
    return ListState(**values | {"superseded": "1" if values["superseded"] else ""})


def kept_state(kept: Mapping[str, Any], view_id: int) -> ListState:
    """The state that a saved view leads to. Raises Malformed for what is no choice any more."""
    given = QueryDict(mutable=True)
    for name, value in kept.items():
        given.setlist(name, [value] if isinstance(value, str) else list(value))
    given["view"] = str(view_id)
    return list_state(given)


def _share(text: str) -> float | None:
    return float(text) if text else None
