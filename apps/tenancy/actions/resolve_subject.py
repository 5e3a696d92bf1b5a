"""Find or make the subject that an id means."""

from apps.core.errors import Invalid
from apps.core.text import normalise
from apps.tenancy.models import Subject
from apps.tenancy.queries import find_subject


def resolve_subject(*, project_id: int, external_id: str) -> Subject:
    """The user known by this id or alias; made when nobody is. Any number of callers at once get the one row.

    Raises Invalid for a blank id, for ``*``, and for one over 255 characters. The caller has bound the project.
    """
    name = external_id.strip()
    if not normalise(name) or name == "*" or len(name) > 255:
        raise Invalid("subject_required", "A user id is 1 to 255 characters and not '*'.")
    found = find_subject(project_id=project_id, external_id=name)
    if found:
        return found
    # Concurrent makers wait on the unique constraint here and then read the winner; the database makes none where the
    # name has become an alias meanwhile.
    Subject.objects.bulk_create([Subject(project_id=project_id, kind="user", external_id=name)], ignore_conflicts=True)
    made = find_subject(project_id=project_id, external_id=name)
    if made is None:
        raise RuntimeError("A subject that was just made is not there.")
    return made
