""" "Yesterday" in a fact means nothing to whoever is told it: the day is worked out from when it was said."""

from collections.abc import Iterator

from apps.dreaming.operations import MOST, Operation
from apps.dreaming.scene import Scene
from apps.extraction.dates import absolute

# What `absolute` may find something in; the database looks so that nothing else is fetched.
PATTERN = r"\m(yesterday|today|tomorrow|ago)\M|\m(last|this|next)\s+\w+|\min\s+\w+(\s+\w+)?\s+(day|week|month)"


def relative_dates(scene: Scene, used: set[int]) -> Iterator[Operation]:
    """Facts that name a day by the day they were said on."""
    for fact_id, content, said in scene.ask("worded", pattern=PATTERN, most=2 * MOST):
        dated = absolute(content, said)
        if fact_id in used or dated == content:
            continue
        yield Operation(
            op="redate",
            targets=(fact_id,),
            content=dated,
            rule="relative-date",
            reason=f"It was said on {said.day} {said:%B %Y}.",
            evidence=(("fact", fact_id),),
        )
