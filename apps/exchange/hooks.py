"""What webhooks tell, and which recorded acts it follows from. The one table of both.

A verb does not know that somebody is told about it: it records itself in the audit, and a webhook reads on there.
"""

from dataclasses import asdict, dataclass
from typing import Any, Literal

EVENTS = {
    "fact.approved": "A fact is told from now on: new, or a new version",
    "fact.superseded": "A fact gave way to a newer version",
    "fact.forgotten": "A fact was deleted, or a person's were",
    "proposal.waiting": "Something waits for review",
    "conflict.opened": "Statements contradict each other",
    "request.overdue": "A privacy request is past its date",
}
TEST = "webhook.test"
"""What a person sends to see whether it arrives."""

WAITING, DELIVERED, GIVEN_UP = "waiting", "delivered", "given_up"
STATES = [WAITING, DELIVERED, GIVEN_UP]

BACKOFF = (30, 120, 600, 3_600, 6 * 3_600, 24 * 3_600)
"""Seconds from each failed attempt to the next; after as many and one more it is given up."""
ATTEMPTS = len(BACKOFF) + 1
IN_A_ROW, FAILING_FOR = 20, 3_600
"""A webhook is switched off after so many attempts that failed one after another, the first so many seconds ago: a receiver
that is started again for a minute loses nothing."""
KEPT_DAYS = 30
"""For how long the log of what was sent is kept."""
ONCE = ["fact", "import"]
"""Kinds of things of which a webhook tells each event one time."""
DISABLED_FOR = ["person", "gone", "failing", "unreadable"]
"""Why one is off: somebody said so, its receiver answered 410, nothing arrived, or its secret can't be opened any more."""


@dataclass(frozen=True)
class Source:
    """What follows from an act called ``verb``: ``event``, about things of kind ``about``.

    Which things: ``own`` is the one the act was done to if it is of that kind, ``listed`` those in ``key`` of its data (one or
    several), and ``run`` the proposals of the extraction run named there. It follows only where each of ``needs`` says something in the data (is there, and neither empty, nought nor false), none of ``unless`` does, and
    ``kind`` of the data is one of ``kinds`` if these are named.
    """

    verb: str
    event: str
    about: str
    way: Literal["own", "listed", "run"] = "own"
    key: str = ""
    needs: tuple[str, ...] = ()
    unless: tuple[str, ...] = ()
    kinds: tuple[str, ...] = ()


SOURCES = [
    Source("facts.add", "fact.approved", "fact"),
    Source("facts.revise", "fact.approved", "fact"),
    Source("facts.merge", "fact.approved", "fact"),
    # A copy of an older version that is told again; marks that were put back make no new one.
    Source("facts.undo", "fact.approved", "fact", needs=("copies",)),
    Source("proposals.approve", "fact.approved", "fact", "listed", "fact", needs=("created",)),
    Source("conflicts.settle", "fact.approved", "fact", "listed", "made"),
    Source("memories.put", "fact.approved", "fact"),
    Source("imports.batch", "fact.approved", "import", needs=("direct", "new")),
    Source("facts.revise", "fact.superseded", "fact", "listed", "supersedes"),
    Source("facts.merge", "fact.superseded", "fact", "listed", "supersedes"),
    Source("facts.undo", "fact.superseded", "fact", "listed", "supersedes"),
    Source("proposals.approve", "fact.superseded", "fact", "listed", "supersedes"),
    Source("conflicts.settle", "fact.superseded", "fact", "listed", "closed"),
    Source("facts.supersede", "fact.superseded", "fact", "listed", "supersedes"),
    Source("memories.put", "fact.superseded", "fact", "listed", "supersedes"),
    Source("duplicates.merge", "fact.superseded", "fact", "listed", "supersedes"),
    Source("dreams.resolve", "fact.superseded", "fact", "listed", "supersedes"),
    Source("privacy.forget_fact", "fact.forgotten", "fact"),
    Source("facts.clear", "fact.forgotten", "fact", "listed", "facts"),
    # Everything of a person, or of the project: it is gone here, while files are still written over.
    Source("privacy.purging", "fact.forgotten", "privacy_request", kinds=("erasure", "objection", "wipe")),
    Source("traces.extract", "proposal.waiting", "proposal", "run", "run"),
    Source("proposals.propose", "proposal.waiting", "proposal"),
    Source("proposals.propose", "proposal.waiting", "proposal", "listed", "capped"),
    Source("proposals.undo", "proposal.waiting", "proposal"),
    Source("imports.batch", "proposal.waiting", "import", needs=("new",), unless=("direct",)),
    Source("imports.batch", "proposal.waiting", "import", needs=("held", "direct")),
    Source("traces.extract", "conflict.opened", "conflict", "listed", "conflicts"),
    Source("proposals.propose", "conflict.opened", "conflict", "listed", "conflicts"),
    Source("imports.batch", "conflict.opened", "conflict", "listed", "conflicts"),
    # One that was open before has grown.
    Source("conflicts.open", "conflict.opened", "conflict", needs=("opened",)),
    # Taken back is its settlement, unless it names the facts that were taken out of it.
    Source("conflicts.undo", "conflict.opened", "conflict", unless=("facts",)),
    Source("proposals.undo", "conflict.opened", "conflict", "listed", "conflicts"),
    Source("privacy.overdue", "request.overdue", "privacy_request"),
]


def rows() -> list[dict[str, Any]]:
    """The table as the database takes it."""
    return [asdict(source) for source in SOURCES]
