"""What should be told no longer: over by its marks or its words, never confirmed, or more than a place should hold."""

import re
from collections.abc import Iterator

from apps.core.clock import now
from apps.dreaming.operations import MOST, Operation
from apps.dreaming.scene import Scene
from apps.extraction.dates import valid_to

TRUST, CONFIDENCE, IMPORTANCE = 3, 0.7, 0.6
"""Above one of these a fact is not stale for being old."""

_UNTIL = re.compile(
    r"\b(?P<phrase>(?:until|till|up to|through|to)\s+(?:the\s+)?(?:end of\s+)?(?:\d{1,2}(?:st|nd|rd|th)?\s+)?"
    r"(?:[A-Z][a-z]{2,8}\s+)(?:\d{1,2}(?:st|nd|rd|th)?,?\s+)?\d{4})"
    r"|\b(?:expire[sd]?|end(?:s|ed)|stop(?:s|ped)|close[sd]?|ran out|lapse[sd]?|run(?:s)? out)\s+(?:on\s+|in\s+|at\s+)?"
    r"(?:the\s+)?(?P<day>(?:end of\s+)?(?:\d{1,2}(?:st|nd|rd|th)?\s+)?[A-Z][a-z]{2,8}\s+(?:\d{1,2}(?:st|nd|rd|th)?,?\s+)?\d{4})"
)
# Where one of these may stand; the database looks so that nothing else is fetched.
PATTERN = r"\m(until|till|up to|through|to|expire[sd]?|end(s|ed)|stop(s|ped)|close[sd]?|ran out|runs? out|lapse[sd]?)\M.*\m\d{4}\M"


def stale(scene: Scene) -> list[Operation]:
    """Expired ones, those that name the end of their time, and those that nobody confirmed; each once."""
    found: dict[int, Operation] = {}
    for rule, reason, ids in (
        ("expired", "Its time is over.", [row[0] for row in scene.ask("ended", most=MOST)]),
        ("over-by-its-words", "The end it names is past.", list(_over(scene))),
        ("never-confirmed", "Nobody has confirmed it since it was learned.", _unconfirmed(scene)),
    ):
        for fact_id in scene.free(ids):
            found.setdefault(fact_id, _retired("retire", fact_id, rule, reason))
    return list(found.values())[:MOST]


def over_cap(scene: Scene, closing: int, also: set[int]) -> list[Operation]:
    """Enough of what the place could best do without, to be put away by a person: never more than a run may retire."""
    cap = scene.chosen.fact_cap
    excess = 0 if cap is None else scene.run.facts_before - closing - cap
    most = min(excess, scene.may_retire, MOST)
    if most <= 0:
        return []
    rows = scene.ask("least_needed", taken=sorted(scene.taken | scene.kept | also), most=most)
    reason = f"The place holds more than {cap} facts, and this is among those it could best do without."
    return [_retired("archive", row[0], "over-cap", reason) for row in rows]


def _unconfirmed(scene: Scene) -> list[int]:
    given = {"trust": TRUST, "confidence": CONFIDENCE, "importance": IMPORTANCE, "days": scene.chosen.stale_days}
    return [row[0] for row in scene.ask("unconfirmed", most=MOST, **given)]


def _over(scene: Scene) -> Iterator[int]:
    at = now()
    for fact_id, content, said in scene.ask("worded", pattern=PATTERN, most=2 * MOST):
        match = _UNTIL.search(content)
        if match is None:
            continue
        end = valid_to(match["phrase"] or f"until {match['day']}", said)
        if end is not None and said < end <= at:
            yield fact_id


def _retired(op: str, fact_id: int, rule: str, reason: str) -> Operation:
    return Operation(op=op, targets=(fact_id,), rule=rule, reason=reason, evidence=(("fact", fact_id),))
