"""How many of the facts people state an extractor finds, and how often it fires where there is none.

It reads ``data/labelled_messages.jsonl``, gives each message to the extractor as a conversation of its own, and
compares the quotes. A hit is a candidate that has the same ``about`` as a labelled fact and shares at least 60 % of
the shorter of the two quotes with it; candidates and facts are paired one to one, so a second candidate for one fact
counts against precision, and one candidate that swallows two facts finds one.

Goals, on the held split: precision at least 0.90, recall at least 0.60. With ``--split tune`` the same goals are
shown against the tune split. ``--control`` takes every sentence for a fact, and must then fail.
"""

import argparse
import importlib
import re
import sys
from dataclasses import dataclass, field
from datetime import UTC, datetime
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
if str(ROOT) not in sys.path:
    sys.path.insert(0, str(ROOT))

from apps.extraction.candidates import Candidate, Conversation, Extraction, Extractor, Turn  # noqa: E402
from benchmarks.labelled import LANGUAGES, Label, Message, messages, problems, read_rows  # noqa: E402

GOAL_PRECISION, GOAL_RECALL = 0.90, 0.60
OVERLAP = 0.60
EXTRACTOR = "apps.extraction.rules.RulesExtractor"
SAID_AT = datetime(2026, 6, 3, 10, 30, tzinfo=UTC)


@dataclass
class Score:
    """Counts over some messages; ratios of nothing are 1, as nothing was got wrong."""

    hits: int = 0
    candidates: int = 0
    facts: int = 0
    traps: int = 0
    alarms: int = 0

    def add(self, message: Message, found: int, hits: int) -> None:
        self.hits += hits
        self.candidates += found
        self.facts += len(message.labels)
        self.traps += message.trap
        self.alarms += message.trap and found > 0

    @property
    def precision(self) -> float:
        return self.hits / self.candidates if self.candidates else 1.0

    @property
    def recall(self) -> float:
        return self.hits / self.facts if self.facts else 1.0

    @property
    def f1(self) -> float:
        both = self.precision + self.recall
        return 2 * self.precision * self.recall / both if both else 0.0

    def line(self) -> str:
        share = f"{self.alarms / self.traps:.1%}" if self.traps else "none"
        return (
            f"precision {self.precision:.3f}  recall {self.recall:.3f}  F1 {self.f1:.3f}"
            f"   {self.hits:>3} hits, {self.candidates:>3} candidates, {self.facts:>3} facts"
            f"   trap alarms {self.alarms} of {self.traps} ({share})"
        )


@dataclass
class Result:
    """Scores by name ("held", "en", …), unwitnessed quotes, and what went wrong on which message."""

    scores: dict[str, Score] = field(default_factory=dict)
    unwitnessed: int = 0
    misses: list[tuple[Message, list[Candidate], list[Label]]] = field(default_factory=list)


def pairs(candidates: list[Candidate], labels: tuple[Label, ...]) -> dict[int, int]:
    """The largest one-to-one pairing: index of the label -> index of its candidate."""
    fits = [[n for n, label in enumerate(labels) if _overlaps(candidate, label)] for candidate in candidates]
    taken: dict[int, int] = {}

    def place(candidate: int, seen: set[int]) -> bool:
        for label in fits[candidate]:
            if label not in seen:
                seen.add(label)
                if label not in taken or place(taken[label], seen):
                    taken[label] = candidate
                    return True
        return False

    for candidate in range(len(candidates)):
        place(candidate, set())
    return taken


def _overlaps(candidate: Candidate, label: Label) -> bool:
    shared = min(candidate.end, label.end) - max(candidate.start, label.start)
    shorter = min(candidate.end - candidate.start, label.end - label.start)
    return candidate.about == label.about and shorter > 0 and shared >= OVERLAP * shorter


def measure(extractor: Extractor, chosen: list[Message]) -> Result:
    result = Result()
    for number, message in enumerate(chosen, 1):
        turn = Turn(message_id=number, role="user", text=message.text, at=SAID_AT)
        found = list(extractor.extract(Conversation(f"{number:032x}", "desk", "bench", message.id, (turn,))).candidates)
        witnessed = [c for c in found if c.message_id == number and c.quote == message.text[c.start : c.end] != ""]
        result.unwitnessed += len(found) - len(witnessed)
        taken = pairs(witnessed, message.labels)
        for name in ("overall", message.split, message.lang):
            result.scores.setdefault(name, Score()).add(message, len(found), len(taken))
        wrong = [c for n, c in enumerate(witnessed) if n not in taken.values()]
        missing = [label for n, label in enumerate(message.labels) if n not in taken]
        if wrong or missing:
            result.misses.append((message, wrong, missing))
    return result


class EverySentence:
    """The broken variant: whatever ends in a full stop is a fact about the speaker."""

    name, version = "every-sentence", "1"

    def extract(self, conversation: Conversation) -> Extraction:
        (turn,) = conversation.turns
        spans = [match.span() for match in re.finditer(r"[^.!?\n]+[.!?]*", turn.text) if match.group().strip()]
        return Extraction(
            tuple(
                Candidate(
                    statement=turn.text[start:end], scope="user", about="speaker", message_id=turn.message_id,
                    quote=turn.text[start:end], start=start, end=end, attribute=None, category="general",
                    memory_type="semantic", confidence=0.6, importance=0.5, sensitivity="personal",
                    observed_at=turn.at, rule="every-sentence", changes_known=False,
                )
                for start, end in spans
            )
        )  # fmt: skip


def load(path: str) -> Extractor:
    """An extractor from its dotted path. Raises ``ImportError`` or ``AttributeError`` when there is none."""
    module, _, name = path.rpartition(".")
    made: Extractor = getattr(importlib.import_module(module), name)()
    return made


def show(misses: list[tuple[Message, list[Candidate], list[Label]]]) -> None:
    """Misses of the tune split with their texts; held ones are only counted, for who reads them tunes on them."""
    for message, wrong, missing in misses:
        if message.split == "held":
            continue
        print(f"\n{message.id} {message.lang} {message.why or 'facts'}: {message.text}")
        for candidate in wrong:
            print(f"    should not: [{candidate.rule}, {candidate.about}] {candidate.quote}")
        for label in missing:
            print(f"    missing:    [{label.about}] {message.text[label.start : label.end]}")
    held = sum(message.split == "held" for message, _, _ in misses)
    if held:
        print(f"\n{held} held messages with a miss: not shown")


def main(arguments: list[str] | None = None) -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--extractor", default=EXTRACTOR, help="dotted path of a class, made without arguments")
    parser.add_argument("--split", choices=("tune", "held", "all"), default="all")
    parser.add_argument("--show-misses", action="store_true", help="print texts got wrong; never those of held ones")
    parser.add_argument("--check", action="store_true", help="only check the labelled set itself")
    parser.add_argument("--control", action="store_true", help="take every sentence for a fact; must then fail")
    options = parser.parse_args(arguments)
    if options.show_misses and options.split == "held":
        parser.error("held messages are not shown: rules tuned on them could no longer be judged by them")
    rows = read_rows()
    if found := problems(rows):
        print("\n".join(found))
        return 1
    if options.check:
        print(f"{len(rows)} messages, {sum(row['trap'] for row in rows)} of them traps: sound")
        return 0
    extractor: Extractor = EverySentence() if options.control else load(options.extractor)
    chosen = [message for message in messages(rows) if options.split in ("all", message.split)]
    result = measure(extractor, chosen)
    for name in ("overall", "tune", "held", *LANGUAGES):
        if name in result.scores:
            print(f"{name:<8}{result.scores[name].line()}")
    if options.show_misses:
        show(result.misses)
    judged = "tune" if options.split == "tune" else "held"
    score = result.scores[judged]
    print(f"{extractor.name} {extractor.version}, {judged} split:")
    failed = False
    for what, figure, goal in (("precision", score.precision, GOAL_PRECISION), ("recall", score.recall, GOAL_RECALL)):
        failed |= figure < goal
        print(f"  {what:<12}{figure:.3f} (goal {goal:.2f}): {'short of the goal' if figure < goal else 'ok'}")
    failed |= result.unwitnessed > 0
    print(f"  unwitnessed {result.unwitnessed} quotes that are not in their message (goal 0)")
    print("failed" if failed else "within the goals")
    return int(failed)


if __name__ == "__main__":
    sys.exit(main())
