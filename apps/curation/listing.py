"""The review queue in pages, under any filter, at a cost that does not grow with the project.

A page walks the index of its order, which knows all that a filter asks of what waits, and looks at so many proposals at
most; a page that is not full by then goes on from where it stopped.
"""

from collections.abc import Sequence
from dataclasses import replace
from functools import partial
from typing import Any

from apps.core.keyset import Page, keyset_page
from apps.curation.models import Proposal
from apps.curation.queries import QueueFilter, condition, queue

WALKED, WALKED_ROWS = 700, 100
"""Entries of an index that a page looks at, and rows where the index can't say what is asked."""
READS, HEADING, ELSEWHERE, FAR, NEAR, SAME = 156, 10, 19, 16, 4, 1
"""What a page may read in all, and what that is for the heading of a conversation, for a proposal in an order that is not that
of time, for one that lies apart from the one before, for one that lies near it, and for one of the same conversation: pages of
the database, at a million facts."""
GAP = 12
"""Entries of the walk between two proposals beyond which they lie apart."""


def queue_page(
    project_id: int,
    wanted: QueueFilter,
    *,
    order: Sequence[str],
    cursor: str | None,
    limit: int,
    context: str,
    headings: bool,
) -> Page[Proposal]:
    """At most ``limit`` proposals of a filter, fewer where they are from many conversations, each with a heading of its own
    or not: what lies apart is read from as many places. The page is `short` where it is not full and there may be more.
    ``context`` says whose cursor it is. Two statements at most. Raises Malformed `invalid_cursor`."""
    walk: dict[str, Any] = {"order": order, "cursor": cursor, "limit": limit, "context": context}
    proposals, rows = Proposal.objects.in_project(project_id), queue(project_id, wanted)
    if wanted.trace_id:
        # Made of one conversation: few.
        return keyset_page(rows, **walk, few=True)
    whole = QueueFilter(state=wanted.state, held=wanted.held, sensitivities=wanted.sensitivities)
    own = [whole, replace(whole, assignee=wanted.assignee)] if wanted.assignee else [whole]
    waits = wanted.state in {"waiting", "snoozed"}
    among = proposals.undecided() if waits else proposals.filter(state=wanted.state, decided_at__isnull=False)
    if waits and wanted.scope_id and len(wanted.scopes) == 1:
        among = among.filter(scope=wanted.scopes[0], scope_id=wanted.scope_id)
        own.append(replace(whole, scopes=wanted.scopes, scope_id=wanted.scope_id))
    if wanted.decided_since:
        own.append(replace(whole, decided_since=wanted.decided_since))
    plain = wanted == QueueFilter(sensitivities=wanted.sensitivities)
    far = ELSEWHERE if waits and order[0] != "-created_at" else NEAR if plain else FAR
    if wanted in own or wanted.state == "snoozed":
        # An index has just these, in this order.
        return keyset_page(rows, **walk, apart="source_trace_id", enough=partial(_enough, headings, far))
    # Positions alone are looked for, so that no row is read that the page does not show.
    return keyset_page(
        rows,
        **walk,
        among=among,
        most=WALKED if waits else WALKED_ROWS,
        hit=condition(wanted),
        apart="source_trace_id",
        enough=partial(_enough, headings, FAR if not waits else NEAR if order[0] == "-created_at" else ELSEWHERE),
    )


def _enough(headings: bool, least: int, rows: Sequence[tuple[int, str | None]]) -> int:
    """How many proposals may be read, of their places in the walk and their traces; each takes ``least`` reads."""
    left, seen, before = READS, set[str](), -GAP
    for number, (place, trace) in enumerate(rows):
        if trace in seen:
            left -= SAME
        else:
            left -= max(least, FAR if place - before > GAP else NEAR)
            left -= HEADING if headings and trace else 0
        if left < 0:
            return number
        before = place
        if trace:
            seen.add(trace)
    return len(rows)
