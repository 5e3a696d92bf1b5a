"""Named points at which a test may have the process die; in production nothing happens at them."""

from collections.abc import Callable

watcher: Callable[[str], object] | None = None
"""Called with the name of each point that is reached; only tests set it."""


def reached(name: str) -> None:
    if watcher is not None:
        watcher(name)
