"""What a proposal's page shows beside what its row in the queue does, read in one statement."""

import json
from dataclasses import dataclass
from typing import Any

from django.db import connection

from apps.console.made import UNREAD, made
from apps.core.sqlfiles import load
from apps.curation.models import OPEN_STATES, Proposal, ProposalEvidence
from apps.curation.queries import WORDS_IN_COMMON
from apps.extraction.models import ExtractionSettings
from apps.facts.categories import filing_of
from apps.facts.models import Fact
from apps.traces.models import Message

QUOTES = 5
TURN = 240
"""Code points of the turns beside a quoted one."""
REACH = 12
"""Messages looked at before and after a quoted one: some are said inside the run, and are left out."""
NUMBERED = 1_000
"""A turn beyond has no number."""
MOST = 20
"""Facts named, and sides of its conflicts of each kind."""
NEIGHBOURS, COMPARED = 3, 80
MOST_AGENTS = 500


@dataclass(frozen=True, kw_only=True)
class ShownProposal:
    """``beside`` are the turns around the quoted ``messages``, shortened; ``turns`` the numbers of the quoted ones, 0
    beyond the last that is numbered. ``named`` are the facts it names, ``contradicted`` those in force on other sides of
    its conflicts and ``waiting`` the proposals there that the reader may see. ``quotes`` are the first words that a fact
    or proposal rests on, by its id. ``run_agent`` and ``run_user`` are of the trace it came from, or empty."""

    evidence: list[ProposalEvidence]
    messages: dict[int, Message]
    beside: dict[int, list[Message]]
    turns: dict[int, int]
    named: list[Fact]
    contradicted: list[Fact]
    waiting: list[Proposal]
    near: list[Fact]
    quotes: dict[str, str]
    max_learned: int | None
    agents: list[str]
    categories: tuple[str, ...]
    run_agent: str
    run_user: str

    def against(self, proposal: Proposal) -> list[Fact]:
        """The current facts that approving it may replace: those it names and those that contradict it."""
        found = {fact.id: fact for fact in self.named if fact.is_current and proposal.op != "add"}
        if "conflict" in proposal.flags:
            found |= {fact.id: fact for fact in self.contradicted}
        return [found[number] for number in sorted(found)]


def shown_proposal(proposal: Proposal, seen: tuple[str, ...]) -> ShownProposal:
    """The caller has bound the project. ``seen`` is what the reader may see: facts of other labels are given all the same,
    since approving concerns them, and are the caller's to leave out."""
    given: dict[str, Any] = {
        "project": proposal.project_id,
        "proposal": proposal.id,
        "seen": list(seen),
        "open": OPEN_STATES,
        "quotes": QUOTES,
        "turn": TURN,
        "reach": REACH,
        "numbered": NUMBERED + 1,
        "most": MOST,
        "least": WORDS_IN_COMMON,
        "compared": COMPARED,
        "neighbours": NEIGHBOURS,
        "agents": MOST_AGENTS,
        "unread": UNREAD,
    }
    with connection.cursor() as cursor:
        cursor.execute(load("apps.console", "proposal_shown"), given)
        (document,) = cursor.fetchone()
    found: dict[str, Any] = json.loads(document) if isinstance(document, str) else document
    beside: dict[int, list[Message]] = {}
    for one in found["beside"]:
        beside.setdefault(one["heard"], []).append(made(Message, one))
    settings = made(ExtractionSettings, found["settings"]) if found["settings"] else ExtractionSettings()
    run = found["run"] or {}
    return ShownProposal(
        evidence=[made(ProposalEvidence, one) for one in found["evidence"]],
        messages={one["id"]: made(Message, one) for one in found["messages"]},
        beside=beside,
        turns={int(one): number if number <= NUMBERED else 0 for one, number in found["turns"].items()},
        named=[made(Fact, one) for one in found["named"]],
        contradicted=[made(Fact, one) for one in found["contradicted"]],
        waiting=[made(Proposal, one) for one in found["waiting"]],
        near=[made(Fact, one) for one in found["near"]],
        quotes=found["fact_quotes"] | found["proposal_quotes"],
        max_learned=settings.max_learned,
        agents=found["agents"],
        categories=filing_of(found["categories"] or []).offered,
        run_agent=run.get("agent") or "",
        run_user=run.get("user") or "",
    )
