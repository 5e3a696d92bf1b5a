"""What the detectors report."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Literal

Kind = Literal["secret", "pii", "special", "injection", "hidden"]
Sensitivity = Literal["public", "internal", "personal", "special"]
Flag = Literal["secret", "injection", "personal"]

RULESET = "2026-11.2"
"""Goes up with every change of a rule, so that what an older one scored can be found and scored again."""

QUARANTINE = 0.5
"""From this injection score on, a person must look at the text before anything is done with it."""
REJECT = 0.9
"""From this injection score on, the text is refused."""


@dataclass(frozen=True)
class Finding:
    """`text[start:end]`, in code points, is what `detector` recognised; `score` in 0..1 is how sure it is."""

    kind: Kind
    detector: str
    start: int
    end: int
    score: float


@dataclass(frozen=True)
class Screening:
    """The findings of one text, in order of `start`.

    `sensitivity` is special (special categories and payment cards), personal, or else internal: no detector can tell
    that a text is public. `injection_score` in 0..1 weighs the rules that met near each other.
    """

    findings: tuple[Finding, ...]
    sensitivity: Sensitivity
    injection_score: float
    ruleset: str = RULESET

    @property
    def secrets(self) -> tuple[Finding, ...]:
        return tuple(finding for finding in self.findings if finding.kind == "secret")

    @property
    def flags(self) -> frozenset[Flag]:
        flags: set[Flag] = set()
        if self.secrets:
            flags.add("secret")
        if self.injection_score >= QUARANTINE:
            flags.add("injection")
        if self.sensitivity in ("personal", "special"):
            flags.add("personal")
        return frozenset(flags)


def merged(findings: Iterable[Finding]) -> Sequence[Finding]:
    """Findings of one kind without overlaps: the union of those that do, named after the surest of them."""
    result: list[Finding] = []
    for finding in sorted(findings, key=lambda f: (f.start, -f.end, -f.score, f.detector)):
        last = result[-1] if result else None
        if last is None or finding.start >= last.end:
            result.append(finding)
            continue
        name = last if last.score >= finding.score else finding
        result[-1] = Finding(last.kind, name.detector, last.start, max(last.end, finding.end), name.score)
    return result
