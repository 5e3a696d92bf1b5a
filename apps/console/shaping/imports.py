"""What an import's state and counts are in words."""

from typing import Any

from apps.exchange.models import Import

STATES = {
    "uploaded": ("Waits for you", "warn", "clock"),
    "checking": ("Being checked", "info", "search"),
    "checked": ("Checked", "warn", "flask"),
    "running": ("Running", "info", "undo"),
    "done": ("Done", "live", "check"),
    "failed": ("Failed", "bad", "alert"),
    "cancelled": ("Ended", "", "x"),
}
"""Label, tag class and icon."""


def counts_of(upload: Import) -> dict[str, int]:
    """Of the run where there is one, else of the dry run."""
    found: dict[str, int] = upload.counts or upload.forecast
    return found


def counts_in_words(upload: Import) -> str:
    """ "120 new, 3 known"; empty while nobody knows."""
    found = counts_of(upload)
    parts = [f"{found[name]:,} {name}" for name in ("new", "known", "suppressed", "refused") if found.get(name)]
    return ", ".join(parts)


def stats_of(upload: Import) -> list[dict[str, Any]]:
    """The four numbers of its page; none while nobody knows."""
    found = counts_of(upload)
    if not found:
        return []
    held = found.get("held", 0)
    ran = bool(upload.counts)
    new = "Taken in" if ran and upload.direct else "Proposed" if ran else "New"
    return [
        {"label": new, "value": f"{found.get('new', 0):,}", "note": f"{held:,} held for a closer look" if held else ""},
        {"label": "Known", "value": f"{found.get('known', 0):,}", "note": "said, waiting or decided here already"},
        {"label": "Suppressed", "value": f"{found.get('suppressed', 0):,}", "note": "forgotten here"},
        {
            "label": "Refused",
            "value": f"{found.get('refused', 0):,}",
            "note": "see below" if found.get("refused") else "",
            "warn": bool(found.get("refused")),
        },
    ]


def progress_of(upload: Import) -> str:
    """A sentence while a worker is at it."""
    what = {"checking": "Checking", "running": "Bringing in"}.get(upload.state)
    return f"{what} line {upload.position:,} of {upload.last_line:,}" if what else ""
