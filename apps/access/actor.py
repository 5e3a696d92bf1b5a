"""Who acts: one value that every verb takes first, built by the faces, the workers and the commands."""

from dataclasses import dataclass, field
from typing import Literal
from uuid import UUID


@dataclass(frozen=True, kw_only=True)
class Actor:
    """A user with his roles in ``project_id``, a key with its scopes, or the system itself.

    ``id`` is the user's or key's row id as text, or the name of the system's part ("extraction").
    """

    kind: Literal["user", "key", "system", "anonymous"]
    id: str
    project_id: int | None = None
    roles: frozenset[str] = field(default_factory=frozenset)
    scopes: frozenset[str] = field(default_factory=frozenset)
    # The agents a key may name; null allows all.
    agents: frozenset[UUID] | None = None
    # The project was wiped and nobody has opened it since: only what `policies.WHEN_CLOSED` names can be done in it.
    closed: bool = False
    # Of a key: what it writes needs no review.
    direct: bool = False

    @property
    def name(self) -> str:
        """How facts and proposals name who did something: ``user:3``, ``key:7``, ``system:extraction``."""
        return f"{self.kind}:{self.id}"


def system_actor(part: str, project_id: int | None = None) -> Actor:
    """The product acting for itself, in one of its parts."""
    return Actor(kind="system", id=part, project_id=project_id)


NOBODY = Actor(kind="anonymous", id="anonymous")
"""Whoever has not signed in."""
