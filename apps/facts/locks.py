"""Row locks on facts, in one fixed order."""

from collections.abc import Iterable

from apps.facts.models import Fact


def locked_facts(project_id: int, ids: Iterable[int]) -> dict[int, Fact]:
    """The rows by id, locked in ascending order so that two verbs never wait for each other."""
    rows = Fact.objects.select_for_update().filter(project_id=project_id, id__in=list(ids)).order_by("id")
    return {fact.id: fact for fact in rows}
