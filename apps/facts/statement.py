"""What a fact says, before it is one: checked and normalised, no database."""

from collections.abc import Iterable
from dataclasses import dataclass, replace
from datetime import datetime
from typing import Any

from apps.access.models import SENSITIVITIES
from apps.core.clock import now
from apps.core.errors import FieldError, Invalid
from apps.core.text import MAX_CONTENT, normalise, one_line
from apps.facts.models import MEMORY_TYPES, SCOPES, Fact
from apps.screening.findings import Screening
from apps.screening.screen import screen

MAX_AUDIENCE = 20


@dataclass(frozen=True, kw_only=True)
class Statement:
    """One line of content with its scope and its marks. ``scope_id`` of an agent's or project's statement may be
    left empty; the verb fills in the agent's name or the project's slug. ``purposes`` and ``task_types``: None for
    any."""

    content: str
    scope: str
    scope_id: str = ""
    agent_name: str = ""
    attribute: str | None = None
    category: str = "general"
    memory_type: str = "semantic"
    confidence: float = 1.0
    importance: float = 0.5
    sensitivity: str = "internal"
    expires_at: datetime | None = None
    valid_from: datetime | None = None
    valid_to: datetime | None = None
    purposes: list[str] | None = None
    task_types: list[str] | None = None

    def cleaned(self, seen: Screening | None = None) -> "Statement":
        """The same statement on one line, ids trimmed once. ``seen`` is what `screen` found in that line, for who looked
        already. Raises Invalid with one error for each bad field."""
        content, scope_id, category = one_line(self.content), self.scope_id.strip(), self.category.strip()
        errors = []

        def wrong(field: str, code: str, detail: str) -> None:
            errors.append(FieldError(code, detail, pointer=f"/{field}"))

        if not normalise(content):
            wrong("content", "blank", "A fact needs words.")
        elif len(content) > MAX_CONTENT:
            wrong("content", "too_long", f"A fact has at most {MAX_CONTENT:,} characters.")
        if self.scope not in SCOPES:
            wrong("scope", "unknown_choice", "Not a scope.")
        if scope_id == "*":
            wrong("scope_id", "subject_required", "'*' names nobody.")
        elif self.scope in {"user", "session", "other"} and not normalise(scope_id):
            wrong("scope_id", "subject_required", f"A fact of scope {self.scope} needs an id.")
        elif len(scope_id) > 255:
            wrong("scope_id", "too_long", "An id has at most 255 characters.")
        if (seen or screen(content)).secrets:
            wrong("content", "secret", "This holds a password or a key. Agents must not be told one.")
        if self.expires_at and self.expires_at <= now():
            wrong("expires_at", "out_of_range", "This is over already.")
        if not normalise(category) or len(category) > 60 or one_line(category) != category:
            wrong("category", "invalid_category", "A category is one line of 1 to 60 characters.")
        if self.memory_type not in MEMORY_TYPES:
            wrong("memory_type", "unknown_choice", "Not a memory type.")
        if self.sensitivity not in SENSITIVITIES:
            wrong("sensitivity", "unknown_choice", "Not a sensitivity.")
        for field in ("confidence", "importance"):
            # Written this way round, not-a-number fails too.
            if not 0 <= getattr(self, field) <= 1:
                wrong(field, "out_of_range", f"The {field} lies between 0 and 1.")
        if self.valid_from and self.valid_to and self.valid_to <= self.valid_from:
            wrong("valid_to", "out_of_range", "It ends before it begins.")
        for field in ("purposes", "task_types"):
            names = _names(getattr(self, field))
            if names is not None and not 1 <= len(names) <= MAX_AUDIENCE:
                wrong(field, "out_of_range", f"Name 1 to {MAX_AUDIENCE}, or none at all for any.")
            elif names is not None and not all(normalise(name) and len(name) <= 60 for name in names):
                wrong(field, "invalid_name", "Each is one line of 1 to 60 characters.")
        if errors:
            raise Invalid("invalid_fact", "The fact can't be stored as it is.", errors=errors)
        return replace(
            self,
            content=content,
            scope_id=scope_id,
            category=category,
            purposes=_names(self.purposes),
            task_types=_names(self.task_types),
        )

    def marks(self) -> dict[str, Any]:
        """The columns a fact takes over unchanged."""
        names = (
            "content",
            "scope",
            "attribute",
            "category",
            "memory_type",
            "confidence",
            "importance",
            "sensitivity",
            "expires_at",
            "valid_from",
            "valid_to",
            "purposes",
            "task_types",
        )
        return {name: getattr(self, name) for name in names}


@dataclass(frozen=True, kw_only=True)
class Destination:
    """A scope with its id, and the agent through which alone it is told; the last two may be empty as in a Statement."""

    scope: str
    scope_id: str = ""
    agent_name: str = ""


def statement_of(fact: Fact, to: Destination | None = None) -> Statement:
    """What a fact says, in its own scope or in another one. Reads the agent's name."""
    agent = fact.agent.name if fact.agent else ""
    there = to or Destination(scope=fact.scope, scope_id=fact.scope_id, agent_name=agent)
    names = Statement(content="", scope="").marks()
    return Statement(
        **{name: getattr(fact, name) for name in names} | {"scope": there.scope},
        scope_id="" if there.scope in {"agent", "project"} and there.agent_name else there.scope_id,
        agent_name=there.agent_name,
    )


def _names(given: list[str] | None) -> list[str] | None:
    return None if given is None else list(dict.fromkeys(one_line(name).strip() for name in given))


def narrowest(lists: Iterable[list[str] | None]) -> list[str] | None:
    """What all of these allow, where None allows all: what replaces several facts is told no wider than each was. An
    empty list means that nothing is left."""
    found: list[str] | None = None
    for allowed in lists:
        if allowed is not None:
            found = [name for name in (allowed if found is None else found) if name in allowed]
    return found
