"""The pages of a project's settings, as links to each other."""

from typing import Any

from django.urls import reverse

from apps.access.actor import Actor
from apps.access.policies import allowed

PAGES = {
    "settings-keys": ("Keys", "keys.read"),
    "settings-members": ("Members", "members.read"),
    "settings-categories": ("Categories", "categories.read"),
    "settings-extraction": ("Extraction", "extraction.settings"),
    "settings-dreaming": ("Dreaming", "dreams.settings"),
    "settings-recall": ("Recall", "recall.settings"),
    "imports": ("Import", "imports.read"),
    "settings-webhooks": ("Webhooks", "webhooks.read"),
    "settings-retention": ("Retention", "retention.read"),
    "settings-wipe": ("Wipe", "project.read_wipe"),
}
"""Name of the page, its label and the verb that opens it, in order."""


def sections(slug: str, current: str, actor: Actor) -> list[dict[str, Any]]:
    """For _segment.html: those that ``actor`` may open."""
    return [
        {"href": reverse(name, args=[slug]), "label": label, "current": name == current}
        for name, (label, verb) in PAGES.items()
        if allowed(actor, verb)
    ]
