"""The text an agent's prompt gets, line by line, against a budget of tokens."""

from collections.abc import Collection, Sequence
from dataclasses import dataclass, replace

from apps.console.masking import MASKED
from apps.recall.rendering import block_text, token_estimate

TICK = 0.3
"""Between two segments of the meter, in percent of its width."""


@dataclass(frozen=True)
class Line:
    """One line of the message. ``fact_id`` is null for its heading; ``tokens`` are its share of the estimate; ``beyond``
    says that the budget ends before or in it."""

    text: str
    fact_id: int | None
    tokens: int
    beyond: bool


@dataclass(frozen=True)
class Segment:
    """A stretch of the meter, in percent of its width."""

    start: float
    width: float
    css: str


@dataclass(frozen=True)
class Prompt:
    """The literal message, "" where the SDK adds none. ``left`` is negative when the budget is not enough; ``within`` is
    how many facts it is enough for. ``same`` are facts the SDK leaves out because they say the same."""

    text: str
    lines: list[Line]
    tokens: int
    budget: int
    segments: list[Segment]
    same: list[int]

    @property
    def left(self) -> int:
        return self.budget - self.tokens

    @property
    def over(self) -> int:
        return max(0, -self.left)

    @property
    def cut(self) -> int:
        """The number of the first line that the budget is not enough for; 0 for none."""
        return next((number for number, line in enumerate(self.lines, 1) if line.beyond), 0)

    @property
    def within(self) -> int:
        return sum(line.fact_id is not None and not line.beyond for line in self.lines)

    @property
    def facts(self) -> int:
        return sum(line.fact_id is not None for line in self.lines)


def prompt_of(agent_name: str, told: Sequence[tuple[int, str]], budget: int) -> Prompt:
    """``told`` are (id, content) in the order they are told; tokens are an estimate."""
    text = block_text(agent_name, [content for _, content in told])
    lines: list[Line] = []
    same: list[int] = []
    waiting = list(told)
    so_far, before = "", 0
    for number, words in enumerate(text.split("\n") if text else []):
        so_far += f"\n{words}" if number else words
        total = token_estimate(so_far)
        fact_id = None
        while number and waiting:
            fact_id, content = waiting.pop(0)
            if words == f"- {content}":
                break
            same.append(fact_id)
        lines.append(Line(words, fact_id, total - before, total > budget))
        before = total
    same += [fact_id for fact_id, _ in waiting]
    whole = max(budget, before)
    return Prompt(text, lines, before, budget, _segments(lines, whole), same)


def veiled(prompt: Prompt, hidden: Collection[int]) -> Prompt:
    """The same with the words of these facts masked; what it takes of the budget stays."""
    lines = [replace(one, text=f"- {MASKED}") if one.fact_id in hidden else one for one in prompt.lines]
    return replace(prompt, text="\n".join(one.text for one in lines), lines=lines)


def _segments(lines: list[Line], whole: int) -> list[Segment]:
    segments, start = [], 0.0
    for line in lines:
        width = 100 * line.tokens / whole
        css = "over" if line.beyond else "told" if line.fact_id else "heading"
        # A very thin one has no room for the gap after it.
        segments.append(Segment(round(start, 2), round(max(width - TICK, width / 2), 2), css))
        start += width
    return segments
