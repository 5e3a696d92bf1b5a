"""Work that goes on while nobody waits for it: how far it has come, for a line that can be left and found again."""

from dataclasses import dataclass

from django.urls import reverse

from apps.console.queries import is_dead, open_traces
from apps.core.counting import MOST, capped_count
from apps.tenancy.models import Project

FEW = 5
"""So many traces wait at most times; they are no job."""


@dataclass(frozen=True)
class Job:
    """One line of `_job.html`. ``percent`` is null where nobody knows of how much; ``href`` is where to ask again, empty once
    it is done."""

    name: str
    words: str
    percent: int | None
    href: str


def reading(project: Project, of: int = 0) -> Job | None:
    """Traces that workers still have to read. ``of`` is how many there were when somebody first looked; None where there is
    nothing to tell. One statement."""
    left = capped_count(open_traces(project.id).filter(~is_dead()))
    of = max(of, left)
    if of <= FEW:
        return None
    if not left:
        return Job("reading", "All traces are read.", 100, "")
    more = "more than a thousand" if left > MOST else f"{left:,}"
    href = f"{reverse('jobs', args=[project.slug])}?of={of}"
    return Job("reading", f"Reading traces: {more} left", None if of > MOST else round(100 * (of - left) / of), href)
