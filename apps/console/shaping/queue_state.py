"""The review queue's query string: which proposals, in which order, and how a link changes that."""

import re
from collections.abc import Callable
from dataclasses import dataclass
from datetime import UTC, datetime, time, timedelta
from uuid import UUID

from django.http import QueryDict

from apps.access.actor import Actor
from apps.console.shaping.flags import FLAG_LABELS
from apps.console.shaping.links import with_query
from apps.core.clock import now
from apps.curation.models import ORIGINS
from apps.curation.queries import QueueFilter
from apps.facts.models import SCOPES
from apps.insight.queries import PERIODS
from apps.traces.models import HEX_TRACE

SHOWN = {"": "All", "mine": "Mine", "held": "Held", "snoozed": "Later"}
DECIDED = {
    "applied": "Approved",
    "rejected": "Rejected",
    "conflicted": "Overtaken",
    "expired": "Expired",
    "reverted": "Reverted",
}
GROUPS = {"": "Trace", "subject": "Subject", "kind": "Kind", "none": "Nothing"}
ORDERS = {
    "": ("-created_at", "-id"),
    "subject": ("scope", "scope_id", "created_at", "id"),
    "kind": ("op", "created_at", "id"),
    "none": ("-created_at", "-id"),
}
NEWEST_DECIDED = ("-decided_at", "-id")
FLAGS = {"none": "No flags"} | FLAG_LABELS


@dataclass(frozen=True)
class QueueState:
    """What the query string says about the list. Unknown values are as good as none; ``query`` holds the others."""

    query: QueryDict
    flags: tuple[str, ...]
    origins: tuple[str, ...]
    scopes: tuple[str, ...]

    @classmethod
    def read(cls, query: QueryDict) -> "QueueState":
        several = {
            "flag": [name for name in FLAGS if name in query.getlist("flag")],
            "origin": [name for name in ORIGINS if name in query.getlist("origin")],
            "scope": [name for name in SCOPES if name in query.getlist("scope")],
        }
        tests: dict[str, Callable[[str], object]] = {
            "show": SHOWN.__contains__,
            "state": DECIDED.__contains__,
            "group": GROUPS.__contains__,
            "trace": re.compile(HEX_TRACE).fullmatch,
            "id": lambda text: len(text) <= 255 and "\x00" not in text,
            "agent": _is_uuid,
            "from": _is_share,
            "to": _is_share,
            "assignee": re.compile(r"[0-9]{1,18}").fullmatch,
            "days": {str(days) for days in PERIODS}.__contains__,
        }
        clean = QueryDict(mutable=True)
        for name, test in tests.items():
            value = query.get(name, "").strip()
            if value and test(value):
                clean[name] = value
        for name, values in several.items():
            if values:
                clean.setlist(name, values)
        if cursor := query.get("cursor", ""):
            clean["cursor"] = cursor
        flags, origins, scopes = (tuple(several[name]) for name in ("flag", "origin", "scope"))
        return cls(clean, flags, origins, scopes)

    def get(self, name: str) -> str:
        return str(self.query.get(name, ""))

    @property
    def shown(self) -> str:
        return self.get("show")

    @property
    def decided(self) -> str:
        """The state of which the list is, empty for what waits."""
        return self.get("state")

    @property
    def decided_since(self) -> datetime | None:
        """Where the days begin that a list of what is decided goes back, counted as the overview counts them; None for all."""
        days = self.get("days")
        if not days or not self.decided:
            return None
        first = now().astimezone(UTC).date() - timedelta(days=int(days) - 1)
        return datetime.combine(first, time(), UTC)

    @property
    def later(self) -> bool:
        """Whether the list is of what is put off."""
        return self.shown == "snoozed" and not self.decided

    @property
    def group(self) -> str:
        """What the rows are grouped by. What is decided stands in the order of the decisions."""
        return "none" if self.decided else self.get("group")

    @property
    def order(self) -> tuple[str, ...]:
        return NEWEST_DECIDED if self.decided else ORDERS[self.group]

    @property
    def narrowed(self) -> bool:
        """Whether anything but the segment and the grouping is chosen."""
        return any(name not in {"show", "group", "cursor"} for name in self.query)

    @property
    def identity(self) -> str:
        """What a cursor of this list is good for."""
        kept = self.query.copy()
        kept.pop("cursor", None)
        return kept.urlencode()

    def wanted(self, actor: Actor, sensitivities: tuple[str, ...]) -> QueueFilter:
        given, agent = self.get("assignee"), self.get("agent")
        mine = int(actor.id) if self.shown == "mine" else None
        return QueueFilter(
            state=self.decided or ("snoozed" if self.shown == "snoozed" else "waiting"),
            held=self.shown == "held",
            assignee=mine if mine is not None else int(given) if given else None,
            flags=self.flags,
            origins=self.origins,
            scopes=self.scopes,
            scope_id=self.get("id"),
            agent_id=UUID(agent) if agent else None,
            conf_min=float(self.get("from")) if self.get("from") else None,
            conf_max=float(self.get("to")) if self.get("to") else None,
            trace_id=self.get("trace"),
            decided_since=self.decided_since,
            sensitivities=sensitivities,
        )

    def carried(self, **changes: str) -> str:
        """The query string of the list without its open row, for links and forms that lead back."""
        kept = {"cursor": self.query.get("cursor", "")} | changes
        return with_query("", self.query, **kept).removeprefix("?")


def _is_uuid(text: str) -> bool:
    return re.fullmatch(r"[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}", text) is not None


def _is_share(text: str) -> bool:
    return re.fullmatch(r"[01]|0?\.[0-9]{1,6}|1\.0{1,6}", text) is not None
