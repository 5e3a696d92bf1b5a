"""An earlier moment in words: what held, what became of it, and what was told to whom."""

from collections.abc import Iterable
from dataclasses import dataclass
from datetime import datetime
from uuid import UUID

from django.urls import reverse

from apps.access.actor import Actor
from apps.access.models import ApiKey
from apps.console.masking import said
from apps.console.names import with_unknown
from apps.console.shaping.moments import in_words
from apps.console.shaping.verdicts import HELD, RETIRED
from apps.core.clock import now
from apps.core.together import together
from apps.facts.models import Fact
from apps.recall.models import ReadLedger
from apps.tenancy.models import Agent, Project, Subject

NAMED = 10
"""Of one read's facts so many are shown with their words; the others by number."""
FOLLOWED = 20
"""Newer versions are followed so far."""


@dataclass(frozen=True)
class Became:
    """What a fact of then is now. ``fact_id`` is its newest version, with ``newer`` its words and ``href`` where it is,
    as far as the reader may see it."""

    icon: str
    text: str
    level: str = ""
    fact_id: int | None = None
    newer: str = ""
    href: str = ""


@dataclass(frozen=True)
class Then:
    """One fact of the list."""

    fact: Fact
    href: str
    became: Became


@dataclass(frozen=True)
class Told:
    """One fact of a read. ``words`` are empty where there are none to show, and ``gone`` says why."""

    rank: int
    fact_id: int
    words: str
    gone: str
    href: str


@dataclass(frozen=True)
class Read:
    """One read of the ledger. ``agent`` is empty where a key listed facts; ``rest`` came after the first ten."""

    at: datetime
    agent: str
    key: str
    user: str
    purpose: str
    asked: bool
    told: list[Told]
    rest: list[Told]

    @property
    def count(self) -> int:
        return len(self.told) + len(self.rest)


def rows_of(project: Project, facts: Iterable[Fact], visible: tuple[str, ...]) -> list[Then]:
    """The facts with what became of each, in their order."""
    facts = list(facts)
    newest = _newest(project.id, facts)
    seen = {one.id: one for one in newest.values() if one is not None and one.sensitivity in visible}
    rows = []
    for fact in facts:
        became = _became(fact)
        if fact.superseded_at is not None:
            last = newest.get(fact.id)
            known = seen.get(last.id) if last else None
            became = Became(
                "history",
                f"replaced on {in_words(fact.superseded_at)}",
                fact_id=last.id if last else None,
                newer=said(known) if known else "",
                href=reverse("fact", args=[project.slug, known.id]) if known else "",
            )
        rows.append(Then(fact, reverse("fact", args=[project.slug, fact.id]), became))
    return rows


def _became(fact: Fact) -> Became:
    at = now()
    if fact.retired_at is not None:
        why = RETIRED.get(fact.retired_reason, fact.retired_reason)
        return Became("x", f"retired on {in_words(fact.retired_at)}: {why}")
    if fact.restricted_at is not None:
        return Became("lock", HELD.get(fact.restricted_reason, "held"))
    if fact.expires_at is not None and fact.expires_at <= at:
        return Became("clock", f"expired on {in_words(fact.expires_at)}")
    if fact.valid_to is not None and fact.valid_to <= at:
        return Became("clock", f"no longer valid since {in_words(fact.valid_to)}")
    return Became("check", "still told", level="ok")


def _newest(project_id: int, facts: list[Fact]) -> dict[int, Fact | None]:
    """For each superseded fact the last of its versions; None where that was erased."""
    at = {fact.id: fact.superseded_by_id for fact in facts if fact.superseded_at is not None}
    known: dict[int, Fact] = {fact.superseded_by.id: fact.superseded_by for fact in facts if fact.superseded_by}
    for _ in range(FOLLOWED):
        wanted = {number for number in at.values() if number is not None} - set(known)
        known |= Fact.objects.in_project(project_id).in_bulk(wanted) if wanted else {}
        later = {
            first: known[number].superseded_by_id
            for first, number in at.items()
            if number in known and known[number].superseded_by_id is not None
        }
        if not later:
            break
        at |= later
    return {first: known.get(number) if number is not None else None for first, number in at.items()}


def reads_in_words(project: Project, reads: list[ReadLedger], actor: Actor, visible: tuple[str, ...]) -> list[Read]:
    """Reads with names for their ids and words for their facts. A fact that is gone and one that the reader may not
    see stay as numbers, each with its reason."""
    ids = {fact_id for read in reads for fact_id in read.fact_ids}
    there = Fact.objects.in_project(project.id).in_bulk(ids)
    first = {fact_id for read in reads for fact_id in read.fact_ids[:NAMED]}
    facts = {fact_id: fact for fact_id, fact in there.items() if fact.sensitivity in visible}
    subjects = {read.subject_id for read in reads if read.subject_id}
    named, called, held_by = together(
        Agent.objects.filter(project_id=project.id, id__in={read.agent_id for read in reads if read.agent_id}).values(
            "id", "name"
        ),
        Subject.objects.filter(project_id=project.id, id__in=subjects, suppressed_at=None).values("id", "external_id"),
        ApiKey.objects.filter(project_id=project.id, id__in={read.key_id for read in reads if read.key_id}).values(
            "id", "name"
        ),
    )
    refs = [f"key:{read.key_id}" for read in reads if read.key_id]
    keys = with_unknown(refs, {f"key:{row['id']}": f"key {row['name']}" for row in held_by}, actor)
    agents = {UUID(row["id"]): row["name"] for row in named}
    users = {row["id"]: row["external_id"] for row in called}

    def told(rank: int, fact_id: int) -> Told:
        fact = facts.get(fact_id)
        gone = "" if fact else "not for your role" if fact_id in there else "forgotten"
        words = said(fact) if fact and fact_id in first else ""
        return Told(rank, fact_id, words, gone, reverse("fact", args=[project.slug, fact_id]) if fact else "")

    found = []
    for read in reads:
        facts_told = [told(rank, fact_id) for rank, fact_id in zip(read.ranks, read.fact_ids, strict=True)]
        found.append(
            Read(
                at=read.at,
                agent=agents.get(read.agent_id, "a deleted agent") if read.agent_id else "",
                key=keys.get(f"key:{read.key_id}", "no key"),
                user=users.get(read.subject_id, "(erased)") if read.subject_id else "",
                purpose=read.purpose,
                asked=read.query_hash is not None,
                told=facts_told[:NAMED],
                rest=facts_told[NAMED:],
            )
        )
    return found
