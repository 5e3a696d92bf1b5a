"""What is said of one attribute of one thing and can't all hold: settled by date and authority, or put before a person."""

from collections.abc import Iterator
from dataclasses import dataclass
from datetime import datetime
from itertools import groupby
from uuid import UUID

from apps.curation.likeness import likeness
from apps.curation.things import same_thing
from apps.dreaming.operations import Operation
from apps.dreaming.scene import Scene
from apps.extraction.attributes import SINGLE

CROWD = 40
"""With more facts on one attribute, it is no attribute of one value."""
ROWS = 4_000


@dataclass(frozen=True)
class _Value:
    id: int
    agent_id: UUID | None
    attribute: str
    content: str
    observed_at: datetime
    trust: int
    pinned: bool
    valid_from: datetime | None
    valid_to: datetime | None

    def apart_in_time(self, other: "_Value") -> bool:
        """Whether one ends before the other begins, so that both hold."""
        return bool(
            (self.valid_to and other.valid_from and self.valid_to <= other.valid_from)
            or (other.valid_to and self.valid_from and other.valid_to <= self.valid_from)
        )


def contradictions(scene: Scene, used: set[int]) -> Iterator[Operation]:
    """Of a person only attributes that have one value at a time; of work any, where it is about one thing."""
    personal = scene.run.scope == "user"
    rows = scene.ask("on_one_attribute", single=sorted(SINGLE) if personal else None, crowd=CROWD, most=ROWS)
    for _, group in groupby(map(_row, rows), key=lambda value: (value.agent_id, value.attribute)):
        left = [value for value in group if value.id not in used]
        while len(left) > 1:
            first = left.pop(0)
            slot = [first]
            for value in list(left):
                if personal or same_thing(value.attribute, first.content, value.content):
                    left.remove(value)
                    slot.append(value)
            yield from _settled(slot)


def _row(row: tuple[object, ...]) -> _Value:
    return _Value(*row)  # type: ignore[arg-type]


def _settled(slot: list[_Value]) -> Iterator[Operation]:
    """``slot`` has the latest first."""
    latest = slot[0]
    against = [
        value
        for value in slot[1:]
        if not latest.apart_in_time(value) and likeness(latest.content, value.content).degree != "same"
    ]
    if not against:
        return
    ids = (latest.id, *(value.id for value in against))
    stands = all(
        value.observed_at < latest.observed_at and value.trust <= latest.trust and not value.pinned for value in against
    )
    evidence = tuple(("fact", fact_id) for fact_id in ids)
    if stands:
        said, before = (f"{at.day} {at:%B %Y}" for at in (latest.observed_at, against[0].observed_at))
        reason = f"#{latest.id} was said on {said}, after the other on {before}, by a source trusted no less."
        yield Operation(op="resolve", targets=ids, keep=latest.id, rule="said-later", reason=reason, evidence=evidence)
        return
    reason = "They say different things of one attribute, and neither date nor source decides."
    yield Operation(op="conflict", targets=ids, rule="undecided", reason=reason, evidence=evidence)
