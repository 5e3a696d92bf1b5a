"""Personal text is hidden on lists until its reader asks for it, for a while: what stands on a screen is read by more
people than the one before it."""

from dataclasses import dataclass
from datetime import datetime, timedelta

from apps.access.policies import allowed
from apps.console.hx import ConsoleRequest
from apps.core.clock import now

MINUTES = 15
HIDDEN = ("personal", "special")
_SESSION = "unmasked"


@dataclass(frozen=True)
class MaskState:
    """``may`` says whether there is anything to hide from this reader; ``until`` when what he unmasked is hidden again."""

    may: bool
    until: datetime | None

    @property
    def on(self) -> bool:
        return self.may and self.until is None


def mask_state(request: ConsoleRequest) -> MaskState:
    """Of this project, for this login."""
    until = _until(request)
    return MaskState(allowed(request.actor, "facts.read_personal"), until if until and until > now() else None)


def is_masked(state: MaskState, sensitivity: str) -> bool:
    return state.on and sensitivity in HIDDEN


def unmask(request: ConsoleRequest) -> None:
    """Show personal text of this project for MINUTES, or until it is masked again or the login ends. Whoever calls this
    has it recorded."""
    until = (now() + timedelta(minutes=MINUTES)).isoformat()
    request.session[_SESSION] = request.session.get(_SESSION, {}) | {str(request.project.id): until}


def mask(request: ConsoleRequest) -> None:
    kept = request.session.get(_SESSION, {})
    request.session[_SESSION] = {
        project: until for project, until in kept.items() if project != str(request.project.id)
    }


def _until(request: ConsoleRequest) -> datetime | None:
    text = request.session.get(_SESSION, {}).get(str(request.project.id))
    return datetime.fromisoformat(text) if text else None
