"""What an agent still had in mind of a session, as Flux's working memory defines it; no database.

Messages that a summary stands for give way to it; of the rest a window keeps the last ones; then the newest are kept while
their tokens fit, up to the first that does not. What triggers the next compaction is measured on what is left.
"""

import json
from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any

THRESHOLD = 0.7
"""Share of the most tokens above which a memory is compacted."""
PRESERVE = 4
"""Of the newest messages, those that a compaction leaves as they are."""
LONG_OUTPUT = 200
"""Characters of a tool's output beyond which a compaction cuts it."""


@dataclass(frozen=True)
class Remembered:
    """A message by what matters here. ``output`` is the length of a tool result's output, or one that it can't exceed."""

    id: int
    role: str
    letters: int
    stands_for: tuple[int, ...] = ()
    output: int = 0

    @property
    def tokens(self) -> int:
        """An estimate: one for four characters, one at least."""
        return max(1, self.letters // 4)


@dataclass(frozen=True)
class InMind:
    """``fate`` of each message by its id: ``kept``, ``summarised``, ``window`` or ``tokens`` (it was trimmed off).
    ``compacts``: the memory is over its threshold; ``cut`` tool results would be cut first, and if that is not enough
    ``summed`` messages would become a summary."""

    fate: dict[int, str]
    tokens: int
    summarised_by: dict[int, int] = field(default_factory=dict)
    compacts: bool = False
    cut: tuple[int, ...] = ()
    summed: tuple[int, ...] = ()


def in_mind(
    messages: Sequence[Remembered], *, window: int | None = None, max_tokens: int | None = None, compacts: bool = True
) -> InMind:
    """Of ``messages``, oldest first, as it stood after the last of them. A window of 0 keeps all, as Flux's does."""
    by = {gone: one.id for one in messages for gone in one.stands_for}
    standing = [one for one in messages if one.id not in by]
    fate = dict.fromkeys(by, "summarised")
    kept = standing
    if window is not None and len(standing) > window:
        kept = standing[-window:] if window else standing
        fate |= dict.fromkeys((one.id for one in standing[: len(standing) - len(kept)]), "window")
    if max_tokens is not None:
        fitting, total = len(kept), 0
        while fitting and total + kept[fitting - 1].tokens <= max_tokens:
            fitting -= 1
            total += kept[fitting].tokens
        fate |= dict.fromkeys((one.id for one in kept[:fitting]), "tokens")
        kept = kept[fitting:]
    fate |= dict.fromkeys((one.id for one in kept), "kept")
    tokens = sum(one.tokens for one in kept)
    over = compacts and max_tokens is not None and tokens > max_tokens * THRESHOLD and len(kept) > PRESERVE
    old = kept[:-PRESERVE] if over else []
    return InMind(
        fate=fate,
        tokens=tokens,
        summarised_by=by,
        compacts=over,
        cut=tuple(one.id for one in old if one.role == "tool_result" and one.output > LONG_OUTPUT),
        summed=tuple(one.id for one in old),
    )


def output_of(content: str) -> int:
    """The length of the output in a tool result's content; 0 where it is no JSON object with one."""
    try:
        said: Any = json.loads(content)
    except ValueError:
        return 0
    output = said.get("output") if isinstance(said, dict) else None
    return len(output) if isinstance(output, str) else 0
