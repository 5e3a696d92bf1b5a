"""Row locks on facts, in one fixed order."""

import hashlib
from collections.abc import Iterable
from uuid import UUID

from django.db import connection

from apps.facts.categories import USUAL
from apps.facts.models import Category, Fact


def locked_facts(project_id: int, ids: Iterable[int]) -> dict[int, Fact]:
    """The rows by id, locked in ascending order so that two verbs never wait for each other."""
    rows = Fact.objects.select_for_update().filter(project_id=project_id, id__in=list(ids)).order_by("id")
    return {fact.id: fact for fact in rows}


def lock_key(project_id: int, agent_id: UUID | None, scope: str, scope_id: str, key: str) -> None:
    """Wait for whoever writes this key, so that each value follows the one before. Held until the transaction ends."""
    parts = [str(project_id), str(agent_id), scope, scope_id, key]
    digest = hashlib.blake2b("\n".join([f"key:{len(part)}:{part}" for part in parts]).encode(), digest_size=8).digest()
    with connection.cursor() as cursor:
        cursor.execute("SELECT pg_advisory_xact_lock(%s)", [int.from_bytes(digest, "big", signed=True)])


def locked_categories(project_id: int) -> dict[str, Category]:
    """The whole list by name, in its order, every row locked: two changes of a list come one after the other. A project
    that never said gets the usual ones as rows of its own."""
    if not Category.objects.filter(project_id=project_id).exists():
        usual = [Category(project_id=project_id, name=name) for name in USUAL]
        Category.objects.bulk_create(usual, ignore_conflicts=True)
    rows = Category.objects.select_for_update().filter(project_id=project_id).order_by("id")
    return {row.name: row for row in rows}
