"""Runs of an extractor and what became of each candidate, in words."""

from collections.abc import Iterable
from dataclasses import dataclass, field

from apps.console.shaping.model_words import MODEL_ERRORS, as_sentence, unforeseen
from apps.console.shaping.quotes import shortened
from apps.curation.models import Proposal
from apps.extraction.models import CandidateDecision, ExtractionRun
from apps.extraction.policy import explain

RUNS = 20
RUNS_WITH_DECISIONS = 5
MOST_DECISIONS = 200
"""As many of a run have a row of their own; it counts the others."""
MAX_RAW = 20_000
MAX_WORDS = 600

ERRORS = {code: as_sentence(words) for code, words in MODEL_ERRORS.items()} | {
    "bad_scores": "The model’s scores are not one number from 0 to 1 for each candidate.",
    "workers lost": "The workers that had it went away before they were done.",
}
OUTCOMES = {
    "kept": ("Kept", "live", "check"),
    "held": ("Held", "warn", "clock"),
    "same": ("Known", "info", "copy"),
    "dropped": ("Left out", "", "x"),
}


def sentence(rule: str) -> str:
    """Why, without the verdict in front of it: "A question."."""
    said = explain(rule)
    verdict, colon, reason = said.partition(": ")
    reason = reason if colon and verdict in {"Kept", "Held", "Left out"} else said
    return reason[:1].upper() + reason[1:]


def reason_in_words(rule: str) -> str:
    """The same inside a sentence: "a question"."""
    said = sentence(rule).removesuffix(".")
    return said[:1].lower() + said[1:]


def dropped_in_words(dropped: dict[str, int]) -> list[str]:
    """ "3 × a question", the most frequent first."""
    ordered = sorted(dropped.items(), key=lambda item: (-item[1], item[0]))
    return [f"{count:,} × {reason_in_words(reason)}" for reason, count in ordered]


def error_in_words(code: str) -> str:
    """What a failed run's code means, with the code, by which the log is searched."""
    return ERRORS.get(code) or as_sentence(unforeseen(code))


def reader_in_words(extractor: str, version: str, model: str = "") -> str:
    """Who reads or read: "the rules, version 2", "the model fast with prompt facts-v1"."""
    if model:
        return f"the model {model} with prompt {version}"
    return f"the rules, version {version}" if extractor == "rules" else f"{extractor}, version {version}"


@dataclass(frozen=True)
class Decided:
    """What became of one candidate: a label with its level and icon, the words it rests on (empty where none are
    kept), why, and the proposal or fact it led to."""

    label: str
    level: str
    icon: str
    words: str
    why: str
    proposal: Proposal | None
    fact_id: int | None


@dataclass(frozen=True)
class RunShown:
    """A run. ``decided`` is empty for older runs; ``more`` counts the candidates beyond those shown."""

    run: ExtractionRun
    dropped: list[str]
    error: str
    raw: str
    raw_cut: int
    decided: list[Decided] = field(default_factory=list)

    @property
    def failed(self) -> bool:
        return self.run.outcome == "failed"

    @property
    def asked_a_model(self) -> bool:
        return bool(self.run.model)

    @property
    def reader(self) -> str:
        return reader_in_words(self.run.extractor, self.run.version, self.run.model)

    @property
    def found_nothing(self) -> bool:
        """Whether it read everything and had nothing to decide, not even to leave something out."""
        return not (self.failed or self.run.proposed or self.dropped or self.decided)

    @property
    def judged(self) -> str:
        """What the injection judge was asked and what came of it; empty when it was not asked."""
        judge = self.run.judge
        if not judge:
            return ""
        asked = f"{judge['model']}, prompt {judge['version']}, was asked about {judge['asked']:,}"
        if judge["fault"]:
            return f"{asked} and gave no score, so the rules' scores stand. {error_in_words(judge['fault'])}"
        return f"{asked}; {judge['raised']:,} held or refused on its score."


def runs_of(project_id: int, trace_id: str, *, seen: tuple[str, ...], with_raw: bool) -> list[RunShown]:
    """The last runs over a trace, newest first. ``seen`` are the labels of proposals the reader may see; what a model
    answered is read ``with_raw`` only."""
    runs = ExtractionRun.objects.filter(project_id=project_id, trace_id=trace_id).order_by("-started_at", "-id")
    newest = list((runs if with_raw else runs.defer("raw_answer"))[:RUNS])
    found = _decided(project_id, [run.id for run in newest[:RUNS_WITH_DECISIONS]], seen)
    shown = []
    for run in newest:
        raw = run.raw_answer if with_raw else ""
        shown.append(
            RunShown(
                run=run,
                dropped=dropped_in_words(run.dropped),
                error=error_in_words(run.error_code) if run.error_code else "",
                raw=raw[:MAX_RAW],
                raw_cut=max(0, len(raw) - MAX_RAW),
                decided=found.get(run.id, []),
            )
        )
    return shown


def _decided(project_id: int, run_ids: list[int], seen: tuple[str, ...]) -> dict[int, list[Decided]]:
    rows = (
        CandidateDecision.objects.filter(project_id=project_id, run_id__in=run_ids)
        .select_related("message", "proposal")
        .order_by("run_id", "id")
    )
    found: dict[int, list[Decided]] = {}
    for row in rows:
        mine = found.setdefault(row.run_id, [])
        if len(mine) < MOST_DECISIONS:
            mine.append(decided(row, seen))
    return found


def decided(row: CandidateDecision, seen: Iterable[str]) -> Decided:
    """One of the rows of a run, with message and proposal read."""
    label, level, icon = OUTCOMES[row.outcome]
    proposal = row.proposal if row.proposal and row.proposal.sensitivity in seen else None
    words = row.message.content[row.start : row.end] if row.message else ""
    why = sentence(row.rule)
    return Decided(label, level, icon, shortened(words, MAX_WORDS), why, proposal, row.fact_id)
