"""How clients of memories name a place, in one string: ``user:<id>`` and ``session:<id>``, and anything else as it is."""

from apps.core.errors import Invalid
from apps.core.text import normalise, storable

OF_SOMEBODY = ("user", "session")


def place_of_client(text: str) -> tuple[str, str]:
    """Scope and scope id, trimmed once. Raises Invalid ``subject_required`` for one that names nothing, or everything."""
    whole = text.strip()
    kind, colon, name = whole.partition(":")
    scope, scope_id = (kind, name.strip()) if colon and kind in OF_SOMEBODY else ("other", whole)
    if not normalise(scope_id) or scope_id == "*" or len(scope_id) > 255 or storable(scope_id)[1]:
        raise Invalid(
            "subject_required", "A scope names one user, session or thing, in 255 characters.", pointer="/scope"
        )
    return scope, scope_id


def client_of_place(scope: str, scope_id: str) -> str:
    """The string for it."""
    return f"{scope}:{scope_id}" if scope in OF_SOMEBODY else scope_id
