"""What an engine is: something that looks at a place in four steps and says what it would change. Two of them, one gate."""

from dataclasses import dataclass, field
from decimal import Decimal
from typing import Any, Protocol

from apps.dreaming.operations import Operation
from apps.dreaming.scene import Scene
from apps.inference.errors import CODES


@dataclass
class Spent:
    """What a phase took: calls of tools, tokens, and their cost in the operator's currency, None without prices."""

    tool_calls: int = 0
    prompt_tokens: int = 0
    completion_tokens: int = 0
    cost: Decimal | None = None

    @property
    def tokens(self) -> int:
        return self.prompt_tokens + self.completion_tokens


@dataclass
class Report:
    """What a phase found. ``output`` holds counts, codes and bare ids, never a word of what was read or answered;
    ``stop`` is why the run has to end here with what it has, or empty."""

    output: dict[str, Any] = field(default_factory=dict)
    operations: list[Operation] = field(default_factory=list)
    spent: Spent = field(default_factory=Spent)
    stop: str = ""


FAULTS = frozenset([*CODES, "attempts"])
"""Every code with which a run may fail: those of asking a model, and that its phases were begun too often."""


class EngineFailed(Exception):
    """The phase came to nothing. ``counts``: it speaks against going on, so the gate hears of it; ``retry``: the same may
    go well in a while."""

    def __init__(self, code: str, *, counts: bool = True, retry: bool = False, spent: Spent | None = None) -> None:
        super().__init__(code)
        self.code, self.counts, self.retry = code, counts, retry
        self.spent = spent or Spent()


class Engine(Protocol):
    """Each step is given the scene and the reports of the steps before it, by name, as they were stored.

    ``waits``: it waits for somebody else, so that neither a transaction nor a connection may be held meanwhile; then it
    opens its own short ones. Steps raise EngineFailed.
    """

    name: str
    version: str
    waits: bool

    def orient(self, scene: Scene, before: dict[str, Any]) -> Report: ...

    def gather(self, scene: Scene, before: dict[str, Any]) -> Report: ...

    def consolidate(self, scene: Scene, before: dict[str, Any]) -> Report: ...

    def prune(self, scene: Scene, before: dict[str, Any]) -> Report: ...
