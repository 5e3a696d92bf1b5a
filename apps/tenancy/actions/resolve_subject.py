"""Find or make the subject that an id means."""

from collections.abc import Collection

from apps.core.errors import Invalid
from apps.core.text import normalise
from apps.tenancy.models import Subject
from apps.tenancy.queries import find_subjects


def resolve_subject(*, project_id: int, external_id: str) -> Subject:
    """The user known by this id or alias; made when nobody is. Any number of callers at once get the one row.

    Raises Invalid for a blank id, for ``*``, and for one over 255 characters. The caller has bound the project.
    """
    return resolve_subjects(project_id=project_id, external_ids=[external_id])[external_id]


def resolve_subjects(*, project_id: int, external_ids: Collection[str]) -> dict[str, Subject]:
    """The same of many, by what was given, in at most five statements. Raises Invalid if one of them is no id; none is made
    then."""
    names = {given: given.strip() for given in external_ids}
    if any(not normalise(name) or name == "*" or len(name) > 255 for name in names.values()):
        raise Invalid("subject_required", "A user id is 1 to 255 characters and not '*'.")
    found = find_subjects(project_id=project_id, external_ids=set(names.values()))
    # In one order, or two that make the same would wait for each other.
    missing = sorted(set(names.values()) - found.keys())
    if missing:
        # Concurrent makers wait on the unique constraint here and then read the winner; the database makes none where the
        # name has become an alias meanwhile.
        Subject.objects.bulk_create(
            [Subject(project_id=project_id, kind="user", external_id=name) for name in missing], ignore_conflicts=True
        )
        found |= find_subjects(project_id=project_id, external_ids=missing)
        if not found.keys() >= set(missing):
            raise RuntimeError("A subject that was just made is not there.")
    return {given: found[name] for given, name in names.items()}
