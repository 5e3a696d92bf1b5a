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
CHUNK = 5_000


class Shingles:
    """Runs of eight words to be found again in other texts, whatever stands between the words."""

    def __init__(self, runs: Iterable[str]) -> None:
        self.runs = frozenset(runs)
        self._anchors = frozenset(max(run.split(), key=len) for run in self.runs)

    def __bool__(self) -> bool:
        return bool(self.runs)

    def within(self, text: str) -> set[str]:
        """Those that the text holds; a text of n words costs n, however many there are."""
        words = words_of(text)
        # Most texts have none of the longest words in them and are done with here.
        if len(words) < WORDS or self._anchors.isdisjoint(words):
            return set()
        return {" ".join(words[at : at + WORDS]) for at in range(len(words) - WORDS + 1)} & self.runs


def words_of(text: str) -> list[str]:
    """The words of a text, or of one that is quoted in JSON, as they are compared."""
    return re.findall(r"\w+", normalise(re.sub(r"\\[bfnrt]", " ", text)))


def shingles_of(texts: Iterable[str]) -> list[str]:
    """Runs of eight words, from both ends and the middle of each text that has so many."""
    found: dict[str, None] = {}
    for text in sorted(set(texts), key=len, reverse=True):
        words = words_of(text)
        if len(words) < WORDS:
            continue
        for start in sorted({0, (len(words) - WORDS) // 2, len(words) - WORDS}):
            found[" ".join(words[start : start + WORDS])] = None
        if len(found) >= MOST:
            break
    return list(found)[:MOST]


def shingles_before(project_id: int, reach: Reach) -> list[str]:
    """Of the facts and the user's words that will go, without those that others' facts and words hold as well: a phrase
    that two people used proves nothing. Reads what others said once, row by row. The project is bound."""
    facts = Fact.objects.in_project(project_id)
    said = Message.objects.filter(project_id=project_id, role="user")
    own = said.filter(Q(trace_id__in=reach.traces) | Q(id__in=reach.messages))
    texts = list(facts.filter(id__in=list(reach.facts)).values_list("content", flat=True))
    found = Shingles(shingles_of([*texts, *own.values_list("content", flat=True)]))
    if not found:
        return []
    goes, traces, messages = set(reach.facts), set(reach.traces), set(reach.messages)
    common: set[str] = set()
    for number, text in facts.values_list("id", "content").iterator(chunk_size=CHUNK):
        if number not in goes:
            common |= found.within(text)
    for number, trace, text in said.values_list("id", "trace_id", "content").iterator(chunk_size=CHUNK):
        if trace not in traces and number not in messages:
            common |= found.within(text)
    return sorted(found.runs - common)
