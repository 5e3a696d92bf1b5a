"""How a current fact is handled without a new version: its marks, and what each of them may become."""

from dataclasses import dataclass
from datetime import datetime
from typing import Any, Literal

from apps.access.models import SENSITIVITIES
from apps.core.clock import now
from apps.core.errors import Conflict, Invalid
from apps.facts.models import Fact

Kind = Literal["sensitivity", "expiry", "pin", "unpin", "disable", "enable"]


@dataclass(frozen=True, kw_only=True)
class Handling:
    """One mark to be set. ``sensitivity`` is for that kind; ``expires_at`` for ``expiry``, None: it never expires."""

    kind: Kind
    sensitivity: str = ""
    expires_at: datetime | None = None

    def checked(self) -> "Handling":
        """The same. Raises Invalid for what no fact could become."""
        if self.kind == "sensitivity" and self.sensitivity not in SENSITIVITIES:
            raise Invalid("unknown_choice", "Not a sensitivity.", pointer="/sensitivity")
        if self.kind == "expiry" and self.expires_at is not None and self.expires_at <= now():
            raise Invalid("out_of_range", "This is over already. Retire the fact instead.", pointer="/expires_at")
        return self

    def columns(self, fact: Fact) -> dict[str, Any]:
        """What is written on ``fact``. Raises Conflict: ``fact_moved`` for a closed one, ``restricted`` for one that only
        the privacy officer's verbs set free, and Invalid ``unchanged``."""
        require_current(fact)
        found: dict[str, Any]
        match self.kind:
            case "sensitivity":
                found = {"sensitivity": self.sensitivity}
            case "expiry":
                found = {"expires_at": self.expires_at}
            case "pin" | "unpin":
                found = {"pinned": self.kind == "pin"}
            case _:
                return self._switch(fact)
        if all(getattr(fact, name) == value for name, value in found.items()):
            raise Invalid("unchanged", "It is so already.")
        return found

    def _switch(self, fact: Fact) -> dict[str, Any]:
        if fact.restricted_reason not in {"", "disabled"}:
            raise Conflict("restricted", "It is restricted for another reason, which decides when it is told again.")
        if (fact.restricted_at is not None) == (self.kind == "disable"):
            raise Invalid("unchanged", "It is so already.")
        if self.kind == "disable":
            return {"restricted_at": now(), "restricted_reason": "disabled"}
        return {"restricted_at": None, "restricted_reason": ""}


def require_current(fact: Fact) -> None:
    """Raises Conflict ``fact_moved`` for a closed row."""
    if not fact.is_current:
        raise Conflict("fact_moved", "The fact was changed by somebody else; nothing was saved.")
