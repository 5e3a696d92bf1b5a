"""Which facts may be one: what lies beside a fact, and the groups that are made of it."""

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from typing import Any

from django.db import connection
from django.db.models import Q

from apps.core.sqlfiles import load
from apps.core.text import norm_hash, normalise
from apps.curation.likeness import SAME_MEANING, gist, likeness
from apps.curation.models import DuplicateGroup, DuplicateMember, NotDuplicates
from apps.facts.models import Fact
from apps.facts.queries import newest_versions, older_versions

LEAST = 0.8
"""From this likeness on two facts are kept together; the page shows those of SAME_MEANING unless asked for more."""
WORDS_LEAST = 0.2
"""Trigram similarity from which on a fact is looked at where there are no vectors."""
SAME_TEXT = 1.0
NOT_QUITE = 0.999
REACH = 1_000
"""Facts of the place looked at on either side, in the order they were appended. A place of more is rare, and one
fact among a million can't be compared with each of them."""
MOST = 20
"""The nearest so many are judged."""
_MARKS = " .!;…。"


@dataclass(frozen=True)
class Alike:
    """A fact that seems to say what another one says. ``alike`` is 1 for the same text, else below it."""

    fact_id: int
    alike: float


def same_texts(content: str) -> list[bytes]:
    """The digests of a text and of what differs from it in its last mark alone."""
    bare = normalise(content).rstrip(_MARKS)
    return [norm_hash(content), *(norm_hash(bare + mark) for mark in ("", *_MARKS.strip()))]


def alike_to(fact: Fact) -> list[Alike]:
    """Current facts that seem to say what ``fact`` says, without those a person said are not the same. Numbers, names,
    negation and limits that differ keep two apart however near they are (`likeness`)."""
    given: dict[str, Any] = {
        "project": fact.project_id,
        "fact": fact.id,
        "digests": same_texts(fact.content),
        "reach": REACH,
        "most": MOST,
        "least": WORDS_LEAST,
    }
    with connection.cursor() as cursor:
        cursor.execute(load("apps.curation", "alike"), given)
        rows = cursor.fetchall()
    own, found = gist(fact.content), []
    for fact_id, content, attribute, similarity, words, same_text in rows:
        if same_text:
            found.append(Alike(fact_id, SAME_TEXT))
            continue
        judged = likeness(own, content)
        said = judged.says_the_same(
            similarity=similarity,
            words=words,
            same_attribute=fact.attribute is not None and attribute == fact.attribute,
        )
        near = similarity if similarity is not None else words
        if said or (judged.degree != "other" and similarity is not None and similarity >= LEAST):
            found.append(Alike(fact_id, min(NOT_QUITE, max(near, SAME_MEANING) if said else near)))
    told_apart = _told_apart(fact.project_id, fact.id, [one.fact_id for one in found])
    return [one for one in found if one.fact_id not in told_apart]


def put_together(fact: Fact, found: Iterable[Alike]) -> None:
    """Put the fact into one group with these; groups that meet in it become one. The caller has locked the facts and
    is alone in the project."""
    near = {one.fact_id: one.alike for one in found}
    if not near:
        return
    project_id = fact.project_id
    members = {
        one.fact_id: one
        for one in DuplicateMember.objects.filter(project_id=project_id, fact_id__in=[fact.id, *near]).order_by("id")
    }
    groups = sorted({one.group_id for one in members.values()})
    best = max(near.values())
    if groups:
        group = DuplicateGroup.objects.get(project_id=project_id, id=groups[0])
        others = DuplicateGroup.objects.filter(project_id=project_id, id__in=groups[1:])
        group.alike = max([group.alike, best, *others.values_list("alike", flat=True)])
        group.save(update_fields=["alike"])
        DuplicateMember.objects.filter(project_id=project_id, group_id__in=groups[1:]).update(group_id=group.id)
        others.delete()
    else:
        group = DuplicateGroup.objects.create(project_id=project_id, alike=best)
    for fact_id, alike in {fact.id: best, **near}.items():
        member = members.get(fact_id)
        if member is None:
            DuplicateMember.objects.create(project_id=project_id, group=group, fact_id=fact_id, alike=alike)
        elif alike > member.alike:
            DuplicateMember.objects.filter(id=member.id).update(alike=alike)


def _told_apart(project_id: int, fact_id: int, others: list[int]) -> set[int]:
    """Those of ``others`` that a person said are another fact: of these rows, or of versions that they replaced."""
    if not others:
        return set()
    own = {fact_id, *older_versions(project_id, fact_id)}
    pairs = NotDuplicates.objects.filter(project_id=project_id).filter(Q(first_id__in=own) | Q(second_id__in=own))
    apart = {number for pair in pairs.values_list("first_id", "second_id") for number in pair} - own
    return set(newest_versions(project_id, apart)) & set(others)


@dataclass(frozen=True)
class Keeping:
    """Which of several facts that say the same should be kept, and the rule that set it apart: pinned, wider, trust,
    corroborated, complete or newest. ``loses`` are those told to somebody who is not told the kept one."""

    keep: Fact
    rule: str
    loses: tuple[int, ...]


def to_keep(facts: Sequence[Fact]) -> Keeping:
    """By the first rule on which they differ: a person pinned it, more readers are told it, its source has more authority,
    more conversations say it, it says most, it is the newest."""
    rules: dict[str, Callable[[Fact], float]] = {
        "pinned": lambda fact: fact.pinned,
        "wider": lambda fact: 2 * (fact.scope == "project") + (fact.agent_id is None),
        "trust": lambda fact: fact.trust,
        "corroborated": lambda fact: fact.corroborations,
        "complete": lambda fact: len(fact.content),
        "newest": lambda fact: fact.id,
    }
    keep = max(facts, key=lambda fact: tuple(rule(fact) for rule in rules.values()))
    others = [fact for fact in facts if fact is not keep]
    rule = next(name for name, value in rules.items() if any(value(fact) < value(keep) for fact in others))
    return Keeping(keep, rule, lost(keep, others))


def lost(keep: Fact, others: Iterable[Fact]) -> tuple[int, ...]:
    """Numbers of those that are told to somebody who is not told ``keep``."""

    def covered(fact: Fact) -> bool:
        same_place = (fact.scope, fact.scope_id) == (keep.scope, keep.scope_id)
        return keep.scope == "project" or (same_place and keep.agent_id in (None, fact.agent_id))

    return tuple(sorted(fact.id for fact in others if not covered(fact)))
