"""fastaiagent's FactStore over memoryplane.

from fastaiagent import Memory
from memoryplane_client import Client
from memoryplane_client.fastaiagent import FactStore

memory = Memory(location=FactStore(Client("https://plane.example.org", "mp_…")), agent_id="support")
"""

from typing import Any

from fastaiagent.learn import Fact

from memoryplane_client import calls
from memoryplane_client.client import Client
from memoryplane_client.errors import NotFound, WaitsForReview

SCOPES = ("user", "project", "agent")
_TO_SOURCE = {"": "manual", "learned": "learned"}
_FROM_SOURCE = {"manual": ""}
_PROJECT = "project:"


class FactStore:
    """The five methods of the protocol. ``project_id`` of a fact is its label: reads that don't name it are not told.

    Scope ``project`` with another id than the plane's own project is a scope of its own (``project:<id>``). A fact's
    ``created_at`` is when it was said, which orders its list. With ``agent`` a user's facts are told through that agent alone;
    an API key that is kept to agents needs it. Where a person decides first, `add` gives 0, and lists show the writer what
    waits, with no id; with ``raise_waiting`` it raises WaitsForReview instead.
    """

    def __init__(self, client: Client, *, agent: str = "", raise_waiting: bool = False) -> None:
        self.client = client
        self.agent = agent
        self.raise_waiting = raise_waiting
        self._slug: str | None = None

    def add(self, fact: Fact) -> int:
        """The id of the fact, or of the one that says it already. Raises ValueError for a blank one or an unknown scope."""
        if not fact.fact or not fact.fact.strip():
            raise ValueError("A fact needs words.")
        scope, scope_id = self._place(fact.scope, fact.scope_id)
        done = self.client.add_fact(
            fact.fact,
            scope=scope,
            scope_id=scope_id,
            agent=self.agent if scope != "agent" else "",
            label=fact.project_id,
            confidence=fact.confidence,
            source=_TO_SOURCE.get(fact.source, "agent"),
            source_trace_id=fact.source_trace_id,
            said_at=fact.created_at,
        )
        if done.id is None and self.raise_waiting:
            raise WaitsForReview("This waits for a person's review.", code="waits")
        return done.id or 0

    def get(self, fact_id: int) -> Fact | None:
        if fact_id < 1:
            return None
        try:
            return self._fact(self.client.get_fact(fact_id))
        except NotFound:
            return None

    def list_active(self, scope: str, scope_id: str = "", project_id: str = "", limit: int | None = None) -> list[Fact]:
        """Newest first. A blank id is nobody, but of scope ``agent`` every agent; ``*`` is all, which the API key has to be
        allowed for."""
        self._known(scope)
        if (limit is not None and limit < 1) or (scope != "agent" and not scope_id.strip()):
            return []
        found = [one for params in self._lists(scope, scope_id) for one in self._listed(params, project_id, limit)]
        if scope == "project" and scope_id == "*":
            found = [one for one in found if one.scope == "project" or one.scope_id.startswith(_PROJECT)]
        found.sort(key=lambda one: (one.said_at, one.id or float("inf")), reverse=True)
        return [self._fact(one) for one in found[:limit]]

    def supersede(self, old_id: int, new_id: int) -> None:
        """Raises ValueError where one of them is not there, or they belong to two places."""
        try:
            self.client.supersede_fact(old_id, new_id)
        except NotFound as error:
            raise ValueError(f"There is no fact {old_id} or {new_id}.") from error

    def delete(self, scope: str, scope_id: str = "", project_id: str = "", fact: str | None = None) -> int:
        """How many rows went, replaced ones too. Raises ValueError for a blank id, which would be everybody."""
        self._known(scope)
        if scope != "agent" and not scope_id.strip():
            raise ValueError("Name whose facts go; '*' for everybody's.")
        places = [self._place(scope, scope_id)]
        if scope == "agent" and not scope_id.strip():
            places = [("agent", "*")]
        if scope == "project" and scope_id == "*":
            others = self._listed({"scope": "other", "scope_id": "*"}, project_id, None)
            places = [("project", "")] + [
                ("other", one) for one in sorted({row.scope_id for row in others}) if one.startswith(_PROJECT)
            ]
        gone = [self.client.forget_facts(kind, name, label=project_id, content=fact).facts for kind, name in places]
        return sum(gone)

    def _lists(self, scope: str, scope_id: str) -> list[dict[str, str]]:
        if scope == "agent":
            return [{"scope": "agent", **({"scope_id": scope_id} if scope_id.strip() not in {"", "*"} else {})}]
        if scope_id == "*":
            everybody = {"scope": "user" if scope == "user" else "other", "scope_id": "*"}
            return [everybody] if scope == "user" else [{"scope": "project"}, everybody]
        kind, name = self._place(scope, scope_id)
        if kind == "user":
            return [{"scope": "user", "user_id": name}]
        return [{"scope": kind, **({"scope_id": name} if name else {})}]

    def _listed(self, params: dict[str, str], label: str, limit: int | None) -> list[calls.Fact]:
        return self.client.facts(limit=limit, label=label, order="said", keyed="false", waiting="true", **params)

    def _place(self, scope: str, scope_id: str) -> tuple[str, str]:
        self._known(scope)
        if scope != "project" or scope_id == "*":
            return scope, scope_id
        if self._slug is None:
            self._slug = str(self.client.check()["project_id"])
        return ("project", "") if scope_id.strip() == self._slug else ("other", f"{_PROJECT}{scope_id}")

    def _known(self, scope: str) -> None:
        if scope not in SCOPES:
            raise ValueError(f"A scope is one of {', '.join(SCOPES)}.")

    def _fact(self, row: calls.Fact) -> Fact:
        scope: Any = row.scope
        scope_id = row.scope_id
        if scope == "other" and scope_id.startswith(_PROJECT):
            scope, scope_id = "project", scope_id.removeprefix(_PROJECT)
        return Fact(
            scope=scope,
            scope_id=scope_id,
            fact=row.content,
            source_trace_id=row.source_trace_id,
            confidence=row.confidence,
            created_at=row.said_at,
            superseded_by=row.superseded_by,
            project_id=row.label,
            id=row.id,
            source=_FROM_SOURCE.get(row.source, row.source),
        )
