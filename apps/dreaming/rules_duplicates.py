"""Facts that say the same: the curation room's own judgement, put as changes."""

from collections import defaultdict
from collections.abc import Iterator

from apps.curation.duplicates import to_keep
from apps.curation.likeness import gist, likeness
from apps.dreaming.operations import MOST, Operation
from apps.dreaming.scene import Scene
from apps.extraction.attributes import SINGLE
from apps.facts.models import Fact

PAIRS = 5_000
CLOSE, OTHER_WORDS = 0.9, 2
"""Of a rewording: the least likeness of its vectors, and the words that only one of the two has. Chosen on 60 pairs that
say the same and LoCoMo's most alike observations, which mostly don't."""
GROUPS = 100
"""Groups that are read at a time."""
TARGETS = 20


def duplicates(scene: Scene, used: set[int]) -> Iterator[Operation]:
    """The same text first, then what was grouped as saying the same."""
    yield from _same_text(scene, used)
    yield from _near(scene, used)


def _same_text(scene: Scene, used: set[int]) -> Iterator[Operation]:
    groups = [ids[:TARGETS] for (ids,) in scene.ask("same_text", most=MOST)]
    for start in range(0, len(groups), GROUPS):
        part = groups[start : start + GROUPS]
        facts = scene.load([fact_id for ids in part for fact_id in ids])
        for ids in part:
            rows = [facts[fact_id] for fact_id in ids if fact_id in facts and fact_id not in used]
            yield from _merged(rows, "same-text")


def _near(scene: Scene, used: set[int]) -> Iterator[Operation]:
    """Groups are chains: only what says the same as the one that is kept goes with it."""
    near: dict[int, dict[int, str]] = defaultdict(dict)
    for first, second, one, other, same_attribute, similarity, words in scene.ask(
        "near_pairs", single=sorted(SINGLE), most=PAIRS
    ):
        if first in used or second in used:
            continue
        judged = likeness(one, other)
        if judged.degree == "same":
            near[first][second] = near[second][first] = "same-words"
        elif judged.says_the_same(similarity=similarity, words=words, same_attribute=same_attribute) and (
            (same_attribute and judged.values) or _closely(one, other, similarity)
        ):
            near[first][second] = near[second][first] = "says-the-same"
    for facts in scene.batches(list(near)):
        left = set(facts)
        while left:
            middle = max(left, key=lambda fact_id: (len(near[fact_id].keys() & left), -fact_id))
            others = near[middle].keys() & left
            left -= {middle, *others}
            if not others:
                continue
            keep = to_keep([facts[fact_id] for fact_id in (middle, *sorted(others))]).keep
            # The one that is kept has to be near each of them itself.
            with_it = near[keep.id].keys() & {middle, *others}
            left |= {middle, *others} - with_it - {keep.id}
            exact = {fact_id for fact_id in with_it if near[keep.id][fact_id] == "same-words"}
            # Apart, so that a person may take one and leave the other: a fact is kept for both only where it can be.
            ids = exact or with_it
            left |= with_it - ids
            yield from _merged([keep, *(facts[fact_id] for fact_id in sorted(ids))], near[keep.id][min(ids)])
            left -= {keep.id}


def _closely(one: str, other: str, similarity: float | None) -> bool:
    """Nearer than the page of duplicates asks for: a change in a diff reads as advice, a group there is a question."""
    mine, theirs = set(gist(one).bag), set(gist(other).bag)
    return similarity is not None and similarity >= CLOSE and len(mine ^ theirs) <= OTHER_WORDS


def _merged(rows: list[Fact], rule: str) -> Iterator[Operation]:
    # A person's own pin is never closed; two of them stay beside each other.
    rows = [fact for fact in rows if not fact.contested_at]
    if len(rows) < 2:
        return
    keep = to_keep(rows).keep
    rows = [keep, *(fact for fact in rows if fact is not keep and not fact.pinned)]
    if len(rows) < 2:
        return
    yield Operation(
        op="merge",
        targets=tuple(fact.id for fact in rows),
        keep=keep.id,
        rule=rule,
        reason=_REASONS[rule].format(keep=keep.id),
        evidence=tuple(("fact", fact.id) for fact in rows),
    )


_REASONS = {
    "same-text": "The same words as #{keep}.",
    "same-words": "The same words as #{keep} in another order or form.",
    "says-the-same": "It seems to say what #{keep} says.",
}
