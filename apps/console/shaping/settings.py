"""The pages of a project's settings, as links to each other."""

from typing import Any

from django.urls import reverse

PAGES = {"settings-extraction": "Extraction", "settings-recall": "Recall"}


def sections(slug: str, current: str) -> list[dict[str, Any]]:
    """For _segment.html. All of them are for the same role."""
    return [
        {"href": reverse(name, args=[slug]), "label": label, "current": name == current}
        for name, label in PAGES.items()
    ]
