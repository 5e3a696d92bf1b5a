"""What a project sorts its facts into: one list, which people and extractors are offered.

A category stands in a fact as a word, and a fact never changes; so the list says what new facts are filed under, and which
word took the place of an older one. What holds an older word keeps it until it is moved, as new versions.
"""

import re
from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any

from django.db import connection

from apps.core.errors import Invalid
from apps.core.sqlfiles import load
from apps.core.text import normalise, one_line
from apps.facts.models import Category
from apps.screening.screen import screen

USUAL = ("profile", "preference", "contact", "policy", "procedure", "event", "commitment", "general")
"""What holds until a project says otherwise."""
GENERAL = "general"
"""What fits nowhere else is filed here, so that it is always in the list."""
MOST_OFFERED, MOST_KEPT = 30, 200
LOOKED, FOUND = 300, 24
"""A count looks at so many facts of a category, and the page looks for so many categories among the facts."""

# What stands in a model's prompt as a name must not end the name there.
_NAME = re.compile(r"[\w][\w .&/+-]*")


@dataclass(frozen=True)
class Filing:
    """What new facts are filed under. ``offered`` in the order of the list; ``instead`` has for a retired name the one that
    took its place, or an empty string."""

    offered: tuple[str, ...] = USUAL
    instead: tuple[tuple[str, str], ...] = ()

    def place(self, name: str) -> str:
        """Where a statement goes that names this category: there, unless it was retired."""
        moved = dict(self.instead)
        if name in self.offered or name not in moved:
            return name
        return moved[name] if moved[name] in self.offered else GENERAL


def filing_of(rows: Iterable[dict[str, Any]]) -> Filing:
    """Of rows with name, retired (or not) and now_called, in the order of the list."""
    rows = list(rows)
    if not rows:
        return Filing()
    return Filing(
        tuple(row["name"] for row in rows if not row["retired"]),
        tuple((row["name"], row["now_called"]) for row in rows if row["retired"]),
    )


def categories_of(project_id: int) -> list[str]:
    """What the project offers; the usual ones where it never said. A fact may have another."""
    rows = list(Category.objects.filter(project_id=project_id).order_by("id").values_list("name", "retired_at"))
    return [name for name, retired_at in rows if retired_at is None] if rows else list(USUAL)


@dataclass(frozen=True)
class Use:
    """A category with the current facts that hold it, as far as the reader may see them: ``more`` where only the newest
    `LOOKED` were looked at. Without ``id`` it is in no list, or in the usual one; ``listed`` is false in the first case."""

    id: int | None
    name: str
    retired: bool
    now_called: str
    listed: bool
    facts: int
    more: bool


def uses(project_id: int, sensitivities: tuple[str, ...]) -> list[Use]:
    """The list in its order, then what else is found among the facts. One statement, within bounds."""
    with connection.cursor() as cursor:
        cursor.execute(
            load("apps.facts", "category_uses"),
            {
                "project": project_id,
                "usual": list(USUAL),
                "sensitivities": list(sensitivities),
                "looked": LOOKED,
                "found": FOUND,
            },
        )
        return [Use(*row) for row in cursor.fetchall()]


def clean_name(name: str) -> str:
    """On one line. Raises Invalid ``invalid_category``."""
    name = one_line(name).strip()
    if not normalise(name) or len(name) > 60:
        raise Invalid("invalid_category", "A category has 1 to 60 characters.", pointer="/name")
    if not _NAME.fullmatch(name) or screen(name).secrets:
        raise Invalid(
            "invalid_category",
            "A category has letters, digits, spaces, dots, hyphens and slashes only.",
            pointer="/name",
        )
    return name
