"""Row locks on facts, in one fixed order."""

from collections.abc import Iterable

from apps.facts.categories import USUAL
from apps.facts.models import Category, Fact


def locked_facts(project_id: int, ids: Iterable[int]) -> dict[int, Fact]:
    """The rows by id, locked in ascending order so that two verbs never wait for each other."""
    rows = Fact.objects.select_for_update().filter(project_id=project_id, id__in=list(ids)).order_by("id")
    return {fact.id: fact for fact in rows}


def locked_categories(project_id: int) -> dict[str, Category]:
    """The whole list by name, in its order, every row locked: two changes of a list come one after the other. A project
    that never said gets the usual ones as rows of its own."""
    if not Category.objects.filter(project_id=project_id).exists():
        usual = [Category(project_id=project_id, name=name) for name in USUAL]
        Category.objects.bulk_create(usual, ignore_conflicts=True)
    rows = Category.objects.select_for_update().filter(project_id=project_id).order_by("id")
    return {row.name: row for row in rows}
