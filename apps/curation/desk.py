"""What lies beside a batch of wishes: the same words, nearly the same, and what they contradict. Reads only.

Whoever asks holds the locks of the wishes' places, so that what is found here stays so until he has written. It is
asked for every statement of every trace, so the lookups are plain SQL and rows become objects only when one is found.
"""

from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any
from uuid import UUID

from django.db import connection

from apps.core.sqlfiles import load
from apps.core.text import norm_hash
from apps.curation.likeness import gist, likeness
from apps.curation.models import OPEN_STATES, SAYING, Proposal
from apps.curation.nearest import nearest_facts
from apps.curation.things import same_thing
from apps.curation.wishes import Wish
from apps.facts.models import Fact
from apps.tenancy.tombstones import buried, fact_digest, subject_digest

NEIGHBOURS = 5
"""Facts looked at for saying the same: the nearest one may be a near miss, and the second the one."""
WAITING = 30
"""Waiting proposals looked at, those on the same attribute first."""
ALIKE = 0.3
"""Trigram similarity from which on a waiting proposal is looked at."""

Words = tuple[str, str, bytes]


@dataclass(frozen=True)
class Beside:
    """An undecided proposal near a wish. ``alike`` is their trigram similarity, 0..1."""

    id: UUID
    content: str
    attribute: str | None
    state: str
    alike: float


class Desk:
    """Looks everything that needs the exact words up at once, for all wishes."""

    def __init__(self, project_id: int, wishes: list[Wish]) -> None:
        self.project_id = project_id
        given: dict[str, Any] = {
            "digests": list({norm_hash(wish.statement.content) for wish in wishes}),
            "saying": SAYING,
            "states": [*OPEN_STATES, "rejected"],
        }
        # Facts are locked before the tombstones are read: one that is being forgotten is gone then, its words buried.
        self._facts: dict[Words, int] = {}
        for fact_id, scope, scope_id, digest in self._rows("facts_of_words", given):
            self._facts.setdefault((scope, scope_id, bytes(digest)), fact_id)
        self._waiting: dict[Words, list[tuple[UUID, str | None]]] = {}
        self._refused: set[Words] = set()
        for proposal_id, scope, scope_id, digest, state, trace_id in self._rows("proposals_of_words", given):
            words = (scope, scope_id, bytes(digest))
            if state == "rejected":
                self._refused.add(words)
            else:
                self._waiting.setdefault(words, []).append((proposal_id, trace_id))
        self._buried = buried(
            project_id, [(digest, wish.observed_at) for wish in wishes for digest in self._tombstones(wish)]
        )

    def remember(self, proposal: Proposal) -> None:
        """Let later wishes of the batch find it."""
        words = (proposal.scope, proposal.scope_id, bytes(proposal.norm_hash))
        self._waiting.setdefault(words, []).append((proposal.id, proposal.source_trace_id))

    def is_buried(self, wish: Wish) -> bool:
        """Whether its words, or all about whom they are, were forgotten after they were said."""
        return any((digest, wish.observed_at) in self._buried for digest in self._tombstones(wish))

    def fact(self, wish: Wish) -> Fact | None:
        """The current fact of the same words, locked; one whose time is over does not count."""
        found = self._facts.get(self._words(wish)) if wish.place[1] else None
        return Fact.objects.get(project_id=self.project_id, id=found) if found else None

    def waiting(self, wish: Wish) -> Proposal | None:
        """The undecided proposal of the same words; where nobody knows whom it is about, of the same trace."""
        for proposal_id, trace_id in self._waiting.get(self._words(wish), []):
            if wish.place[1] or trace_id == wish.source_trace_id:
                return self.proposals([proposal_id])[0]
        return None

    def was_refused(self, wish: Wish) -> bool:
        """Whether a person said no to these words in this place."""
        return bool(wish.place[1]) and self._words(wish) in self._refused

    def beside(self, wish: Wish) -> list[Beside]:
        """Undecided proposals of the place that share the attribute or words."""
        scope, scope_id = wish.place
        if not scope_id:
            return []
        given: dict[str, Any] = {
            "scope": scope,
            "scope_id": scope_id,
            "text": wish.statement.content,
            "attribute": wish.statement.attribute,
            "open": OPEN_STATES,
            "saying": SAYING,
            "least": ALIKE,
            "most": WAITING,
        }
        return [Beside(*row) for row in self._rows("beside", given)]

    def said_by(self, wish: Wish, beside: list[Beside]) -> Proposal | None:
        """The one of ``beside`` that says the same in other words. A held one and one that is not are never one."""
        own, held = gist(wish.statement.content), wish.held_by is not None
        for one in beside:
            if (one.state == "quarantined") == held and likeness(own, one.content).says_the_same(
                similarity=None, words=one.alike, same_attribute=_one_slot(wish, one.attribute, one.content)
            ):
                return self.proposals([one.id])[0]
        return None

    def rivals(self, wish: Wish, beside: list[Beside]) -> list[Proposal]:
        """Those of ``beside`` that say something else on an attribute of one value."""
        return self.proposals(one.id for one in beside if _one_slot(wish, one.attribute, one.content))

    def said_by_fact(self, wish: Wish) -> Fact | None:
        """The active fact that seems to say the same; not the one the wish says it changes."""
        scope, scope_id = wish.place
        if not scope_id:
            return None
        near = nearest_facts(
            self.project_id,
            scope=scope,
            scope_id=scope_id,
            agent_id=wish.agent.id if wish.agent and scope == "agent" else None,
            text=wish.statement.content,
            vector=wish.vector,
            limit=NEIGHBOURS,
        )
        own = gist(wish.statement.content)
        for one in near:
            if one.fact.id != wish.changes and likeness(own, one.fact.content).says_the_same(
                similarity=one.similarity,
                words=one.words,
                same_attribute=_one_slot(wish, one.fact.attribute, one.fact.content),
            ):
                return one.fact
        return None

    def against(self, wish: Wish) -> list[Fact]:
        """The active facts that can't hold beside the wish: its attribute's, in its place, and of work about the same
        thing; the one it says it changes in any case."""
        attribute, (scope, scope_id) = wish.statement.attribute, wish.place
        if attribute is None or not (wish.replaces or wish.changes):
            return []
        facts = Fact.objects.in_project(self.project_id).active().of_scope(scope, scope_id).filter(attribute=attribute)
        if not wish.replaces:
            facts = facts.filter(id=wish.changes)
        # Locked, so that none is forgotten before it is named.
        return [
            fact
            for fact in facts.order_by("id").select_for_update()
            if fact.id == wish.changes or _one_slot(wish, attribute, fact.content)
        ]

    def named(self, wish: Wish) -> Fact | None:
        """The active fact of its place that the wish says it changes though it is on another attribute, or on none,
        so that nothing but that word speaks for it."""
        scope, scope_id = wish.place
        if wish.changes is None or not scope_id:
            return None
        facts = Fact.objects.in_project(self.project_id).active().of_scope(scope, scope_id).filter(id=wish.changes)
        fact = facts.select_for_update().first()
        attribute = wish.statement.attribute
        return fact if fact and (attribute is None or fact.attribute != attribute) else None

    def proposals(self, ids: Iterable[UUID]) -> list[Proposal]:
        wanted = list(ids)
        rows = Proposal.objects.in_project(self.project_id).in_bulk(wanted) if wanted else {}
        return [rows[proposal_id] for proposal_id in wanted]

    def _rows(self, name: str, given: dict[str, Any]) -> list[tuple[Any, ...]]:
        with connection.cursor() as cursor:
            cursor.execute(load("apps.curation", name), given | {"project": self.project_id})
            return cursor.fetchall()

    def _words(self, wish: Wish) -> Words:
        return *wish.place, norm_hash(wish.statement.content)

    def _tombstones(self, wish: Wish) -> list[bytes]:
        """By which it would be known as forgotten: by its words, and by whom it is about."""
        scope, scope_id = wish.place
        found = [fact_digest(self.project_id, scope, scope_id, wish.statement.content)]
        if scope == "user" and scope_id:
            found.append(subject_digest(self.project_id, "user", scope_id))
        return found


def _one_slot(wish: Wish, attribute: str | None, content: str) -> bool:
    """Whether the wish and something on ``attribute`` are about one thing that has one value."""
    if not wish.replaces or attribute is None or attribute != wish.statement.attribute:
        return False
    return wish.statement.scope == "user" or same_thing(attribute, wish.statement.content, content)
