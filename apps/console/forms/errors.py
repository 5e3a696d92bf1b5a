"""A verb's refusal, put at the fields of the form it came from."""

from django.forms import Form

from apps.core.errors import DomainError


def show_errors(form: Form, error: DomainError, places: dict[str, str] | None = None) -> None:
    """Add each fault of ``error`` to its field. ``places`` names the field for a pointer where the two differ; what
    has no field stands above the form."""
    for fault in error.errors or ():
        pointer = fault.pointer.strip("/").split("/")[0]
        name = (places or {}).get(pointer, pointer)
        form.add_error(name if name in form.fields else None, fault.detail)
    if not error.errors:
        form.add_error(None, error.detail)
