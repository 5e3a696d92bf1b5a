"""Pieces of what was said by and about a person, taken before it goes and kept in memory only: what a verification looks
for besides her names."""

import re
from collections.abc import Iterable

from django.db.models import Q

from apps.core.text import normalise
from apps.facts.models import Fact
from apps.privacy.reach import Reach
from apps.traces.models import Message

WORDS = 8
"""Words of a shingle: long enough that two people don't say the same by chance."""
MOST = 2_000
"""Shingles that a verification looks for at most, the longest texts' first."""


def shingles_of(texts: Iterable[str]) -> list[str]:
    """Runs of eight words, from both ends and the middle of each text that has so many."""
    found: dict[str, None] = {}
    for text in sorted(set(texts), key=len, reverse=True):
        words = re.findall(r"\S+", normalise(text))
        if len(words) < WORDS:
            continue
        for start in sorted({0, (len(words) - WORDS) // 2, len(words) - WORDS}):
            found[" ".join(words[start : start + WORDS])] = None
        if len(found) >= MOST:
            break
    return list(found)[:MOST]


def shingles_before(project_id: int, reach: Reach) -> list[str]:
    """Of the facts and the user's words that will go, without those that others' facts and words hold as well: a phrase
    that two people used proves nothing. The project is bound."""
    goes = Fact.objects.in_project(project_id).filter(id__in=list(reach.facts))
    said = Message.objects.filter(project_id=project_id, role="user")
    own = said.filter(Q(trace_id__in=reach.traces) | Q(id__in=reach.messages))
    texts = list(goes.values_list("content", flat=True)) + list(own.values_list("content", flat=True))
    shingles = shingles_of(texts)
    if not shingles:
        return []
    common: set[str] = set()
    others = Fact.objects.in_project(project_id).exclude(id__in=list(reach.facts)).values_list("content", flat=True)
    rest = said.exclude(trace_id__in=reach.traces).exclude(id__in=reach.messages).values_list("content", flat=True)
    for rows in (others, rest):
        for text in rows.iterator(chunk_size=2_000):
            plain = normalise(text)
            common |= {shingle for shingle in shingles if shingle in plain}
    return [shingle for shingle in shingles if shingle not in common]
