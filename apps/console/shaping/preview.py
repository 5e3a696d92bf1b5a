"""What would be extracted from a trace now, beside what was stored of it."""

from collections.abc import Iterable
from dataclasses import dataclass

from apps.console.masking import hides
from apps.console.shaping.extraction import MAX_WORDS, OUTCOMES, Decided, decided, sentence
from apps.console.shaping.quotes import shortened
from apps.curation.wishes import Outcome
from apps.extraction.policy import Verdict
from apps.extraction.preview import Previewed
from apps.extraction.queries import decisions_of
from apps.extraction.work import decision


@dataclass(frozen=True)
class Beside:
    """A candidate: what it would say (``hidden`` from this reader, or masked) and become now, and what became of the same words in the
    last run that looked at them. One of the two may be missing."""

    words: str
    statement: str
    told: str
    hidden: bool
    now: Decided | None
    stored: Decided | None

    @property
    def same(self) -> bool:
        return bool(
            self.now and self.stored and self.now.why == self.stored.why and self.now.label == self.stored.label
        )


def beside_stored(previewed: Previewed, project_id: int, trace_id: str, seen: Iterable[str]) -> list[Beside]:
    """What is found now in its order, then what was stored and is found no longer. Two are the same where their words
    overlap in one message. Of a message a model would be asked about nothing is said."""
    seen = tuple(seen)
    stored = decisions_of(project_id, trace_id)
    newest = max((one.run_id for one in stored), default=0)
    left = [one for one in stored if one.run_id == newest]
    older = [one for one in stored if one.run_id != newest]
    rows = []
    for verdict, outcome in previewed.found:
        candidate = verdict.candidate
        place = (verdict.message_id, candidate.start, candidate.end)
        match = next((one for one in [*left, *older] if _overlap(place, (one.message_id, one.start, one.end))), None)
        if match in left:
            left.remove(match)
        rows.append(
            Beside(
                words=shortened(candidate.quote, MAX_WORDS),
                statement=candidate.statement,
                told=candidate.scope,
                hidden=candidate.sensitivity not in seen or hides(candidate.sensitivity),
                now=_now(verdict, outcome, seen),
                stored=decided(match, seen) if match else None,
            )
        )
    for one in left:
        was = decided(one, seen)
        rows.append(Beside(was.words, "", "", False, None, was))
    return rows


def _overlap(one: tuple[int | None, int, int], other: tuple[int | None, int, int]) -> bool:
    return one[0] is not None and one[0] == other[0] and one[1] < other[2] and other[1] < one[2]


def _now(verdict: Verdict, outcome: Outcome | None, seen: tuple[str, ...]) -> Decided:
    columns = decision(verdict, outcome)
    label, level, icon = OUTCOMES[columns["outcome"]]
    # What would be made is not there; what says the same already is.
    there = outcome.proposal if outcome and outcome.kind == "same" else None
    proposal = there if there and there.sensitivity in seen else None
    return Decided(label, level, icon, "", sentence(columns["rule"]), proposal, columns["fact_id"])
