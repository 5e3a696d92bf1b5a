"""Groups of facts that may be one, as their page shows them."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from django.urls import reverse

from apps.console.diff import changes
from apps.console.duplicates import Member
from apps.console.masking import MASKED, hides
from apps.console.shaping.links import scope_url
from apps.console.views.facts.shape import Tag, tags
from apps.curation.duplicates import Keeping, lost, to_keep
from apps.curation.models import DuplicateGroup

RULES = {
    "pinned": "a person pinned it",
    "wider": "more readers are told it",
    "trust": "its source has more authority",
    "corroborated": "more conversations say it",
    "complete": "it says most",
    "newest": "it is the newest",
}


@dataclass(frozen=True)
class Row:
    """A fact of a group. ``words`` are its content in pieces, those that the suggested one has not marked."""

    member: Member
    words: list[tuple[str, bool]]
    tags: list[Tag]
    href: str
    scope_href: str
    trace_href: str
    suggested: str
    after: str


@dataclass(frozen=True)
class Group:
    """``ready``: the same text, and nobody is told less when the suggested one is kept. ``masked`` hides the words of all of
    them: what is nearly the same would say it."""

    id: int
    same_text: bool
    alike: float
    rows: list[Row]
    keeping: Keeping
    one_place: bool
    ready: bool
    href: str
    push: str
    masked: bool

    @property
    def ids(self) -> str:
        return " ".join(str(row.member.fact.id) for row in self.rows)

    @property
    def merge(self) -> str:
        """How the form for several groups names what it would do: the kept one first."""
        others = [row.member.fact.id for row in self.rows if row.member.fact.id != self.keeping.keep.id]
        return " ".join(map(str, [self.keeping.keep.id, *others]))


def group_of(group: DuplicateGroup, members: Sequence[Member], slug: str, query: str) -> Group | None:
    """None where fewer than two of its facts are left."""
    if len(members) < 2:
        return None
    keeping = to_keep([member.fact for member in members])
    masked = any(hides(member.fact.sensitivity) for member in members)
    places = {(member.fact.scope, member.fact.scope_id, member.fact.agent_id) for member in members}
    path = reverse("duplicate-group", args=[slug, group.id])
    push = reverse("duplicates", args=[slug])
    joined = f"{query}&" if query else ""
    return Group(
        id=group.id,
        same_text=group.alike == 1,
        alike=group.alike,
        rows=[_row(member, keeping, slug, masked) for member in members],
        keeping=keeping,
        one_place=len(places) == 1,
        ready=group.alike == 1 and not keeping.loses and all(member.alike == 1 for member in members),
        href=f"{path}?{query}" if query else path,
        push=f"{push}?{joined}open={group.id}",
        masked=masked,
    )


def _row(member: Member, keeping: Keeping, slug: str, masked: bool) -> Row:
    fact, suggested = member.fact, member.fact.id == keeping.keep.id
    words = [(fact.content, False)] if suggested else _marked(keeping.keep.content, fact.content)
    return Row(
        member=member,
        words=[(MASKED, False)] if masked else words,
        tags=tags(fact),
        href=reverse("fact", args=[slug, fact.id]),
        scope_href=scope_url(slug, fact.scope, fact.scope_id, fact.subject_id),
        trace_href=reverse("trace", args=[slug, fact.source_trace_id]) if fact.source_trace_id else "",
        suggested=RULES[keeping.rule] if suggested else "",
        after="" if suggested else "would lose readers" if fact.id in keeping.loses else "",
    )


def _marked(kept: str, other: str) -> list[tuple[str, bool]]:
    """The other's words, with what the kept one has not marked."""
    return [(words, tag == "ins") for tag, words in changes(kept, other) if tag != "del"]


@dataclass(frozen=True)
class AgentLines:
    """What an agent is told of a group now (``gone`` stops, ``kept`` stays), and whether it would be told nothing of it."""

    agent: str
    kept: list[Member]
    gone: list[Member]

    @property
    def nothing(self) -> bool:
        return bool(self.gone) and not self.kept


def afterwards(members: Sequence[Member], keep: int, agents: Sequence[str]) -> list[AgentLines]:
    """What each agent would be told if ``keep`` stays alone; agents that read none of them are left out."""
    found = []
    for agent in agents:
        mine = [member for member in members if _reads(agent, member)]
        if mine:
            kept = [member for member in mine if member.fact.id == keep]
            found.append(AgentLines(agent, kept, [member for member in mine if member.fact.id != keep]))
    return found


def _reads(agent: str, member: Member) -> bool:
    return member.agent in ("", agent)


def losses(members: Sequence[Member], keep: int) -> list[Any]:
    """The members told to somebody who would be told none of the group."""
    kept = next(member.fact for member in members if member.fact.id == keep)
    numbers = lost(kept, [member.fact for member in members if member.fact.id != keep])
    return [member for member in members if member.fact.id in numbers]
