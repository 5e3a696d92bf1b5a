"""A number on a page and what it means."""

from dataclasses import dataclass


@dataclass(frozen=True)
class Figure:
    """One number: what it counts, what it means, and where it leads (empty where the reader may not go)."""

    label: str
    value: str
    note: str
    href: str = ""
    warn: bool = False
