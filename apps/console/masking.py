"""Personal text is hidden on every page until its reader asks for it, for a while: what stands on a screen is read by more
people than the one before it.

Whoever shows the words of a fact or a proposal takes them from `said`, in a template from the filter of that name.
"""

from collections.abc import Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import TYPE_CHECKING, Protocol

from django.utils.html import format_html
from django.utils.safestring import SafeString

from apps.access.policies import allowed
from apps.core.clock import now

if TYPE_CHECKING:
    from apps.console.hx import ConsoleRequest

MINUTES = 15
HIDDEN = ("personal", "special")
_SESSION = "unmasked"
DOTS = "•••••• •••• ••••••••• •••••"


class Masked(str):
    """In place of words that are hidden: dots to see, words to hear; filters and plain text have the words."""

    __slots__ = ()
    is_masked = True

    def __html__(self) -> SafeString:
        return format_html(
            '<span class="vh">{}</span><span class="masked" aria-hidden="true">{}</span>', str.__str__(self), DOTS
        )


MASKED = Masked("Masked personal fact")


class Statement(Protocol):
    """A fact or a proposal."""

    content: str
    sensitivity: str


@dataclass(frozen=True)
class MaskState:
    """``may`` says whether there is anything to hide from this reader; ``until`` when what he unmasked is hidden again."""

    may: bool
    until: datetime | None

    @property
    def on(self) -> bool:
        return self.may and self.until is None


_state: ContextVar[MaskState | None] = ContextVar("mask", default=None)
"""Of the request that is answered; outside of one everything is hidden."""


@contextmanager
def masking(request: "ConsoleRequest") -> Iterator[None]:
    """Hide from the reader of this answer what he did not unmask."""
    token = _state.set(mask_state(request))
    try:
        yield
    finally:
        _state.reset(token)


def hides(sensitivity: str) -> bool:
    """Whether words of this sensitivity are hidden in the answer that is being made; from who may not read them, always."""
    state = _state.get()
    return sensitivity in HIDDEN and not (state and state.may and state.until)


def said(row: Statement) -> str:
    """What a fact or a proposal says, or MASKED."""
    return MASKED if hides(row.sensitivity) else row.content


def mask_state(request: "ConsoleRequest") -> MaskState:
    """Of this project, for this login."""
    until = _until(request)
    return MaskState(allowed(request.actor, "facts.read_personal"), until if until and until > now() else None)


def unmask(request: "ConsoleRequest") -> None:
    """Show personal text of this project for MINUTES, or until it is masked again or the login ends. Whoever calls this
    has it recorded."""
    until = (now() + timedelta(minutes=MINUTES)).isoformat()
    request.session[_SESSION] = request.session.get(_SESSION, {}) | {str(request.project.id): until}


def mask(request: "ConsoleRequest") -> None:
    kept = request.session.get(_SESSION, {})
    request.session[_SESSION] = {
        project: until for project, until in kept.items() if project != str(request.project.id)
    }


def _until(request: "ConsoleRequest") -> datetime | None:
    text = request.session.get(_SESSION, {}).get(str(request.project.id))
    return datetime.fromisoformat(text) if text else None
