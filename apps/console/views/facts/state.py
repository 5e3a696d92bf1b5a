"""What the Facts page shows, kept in the query string and nowhere else."""

from dataclasses import dataclass, replace
from urllib.parse import urlencode

from django.http import QueryDict
from django.urls import reverse

from apps.access.models import SENSITIVITIES
from apps.core.errors import Malformed
from apps.core.text import storable
from apps.facts.models import SCOPES, SOURCES
from apps.facts.queries import FactFilter
from apps.recall.queries import never_served

CHOICES = {"scope": SCOPES, "source": SOURCES, "sensitivity": SENSITIVITIES, "served": ["never"]}


@dataclass(frozen=True, kw_only=True)
class ListState:
    """The filter, the page and the open fact. An empty value is left out of the address."""

    q: str = ""
    scope: str = ""
    scope_id: str = ""
    source: str = ""
    category: str = ""
    sensitivity: str = ""
    served: str = ""
    superseded: str = ""
    cursor: str = ""
    open: str = ""

    @property
    def is_filtered(self) -> bool:
        """Whether anything but the switch for superseded facts narrows the list."""
        return any((self.q, self.scope, self.scope_id, self.source, self.category, self.sensitivity, self.served))

    def wanted(self, project_id: int, sensitivities: tuple[str, ...]) -> FactFilter:
        return FactFilter(
            query=self.q,
            scope=self.scope,
            scope_id=self.scope_id,
            source=self.source,
            category=self.category,
            sensitivity=self.sensitivity,
            superseded=bool(self.superseded),
            sensitivities=sensitivities,
            further=never_served(project_id) if self.served else None,
        )

    def but(self, **changes: str) -> "ListState":
        """Another filter, from its first page on; what is open stays open only if it is named."""
        return replace(self, **({"cursor": "", "open": ""} | changes))

    def query(self) -> str:
        """``?…``, or nothing when nothing is chosen."""
        chosen = {name: value for name, value in vars(self).items() if value}
        return f"?{urlencode(chosen)}" if chosen else ""

    def url(self, slug: str) -> str:
        return reverse("facts", args=[slug]) + self.query()


def list_state(given: QueryDict) -> ListState:
    """The state in a query string; unknown parameters are left alone. Raises Malformed for what is no choice."""
    values = {name: storable(given.get(name, ""))[0].strip() for name in vars(ListState())}
    for name, choices in CHOICES.items():
        if values[name] and values[name] not in choices:
            raise Malformed("unknown_choice", f"There is no such {name}.", parameter=name)
    if values["open"] and not (values["open"].isascii() and values["open"].isdecimal() and len(values["open"]) <= 100):
        raise Malformed("invalid_number", "The open fact is named by its number.", parameter="open")
    return ListState(**values | {"superseded": "1" if values["superseded"] else ""})
