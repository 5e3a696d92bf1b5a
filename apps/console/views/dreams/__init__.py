"""Dream runs: the list, one of them with what it would change, and starting one."""

from apps.console.views.dreams.listing import listing
from apps.console.views.dreams.run import run
from apps.console.views.dreams.start import new

__all__ = ["listing", "new", "run"]
