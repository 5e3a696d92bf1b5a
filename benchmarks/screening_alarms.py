"""How often the detectors raise an alarm over the small talk of friends: the share of 2,000 turns of recorded chats.

Goal: at most 2 % each for secret, injection and special category. Nobody tells a password or orders an assistant about
in these chats, so every alarm of the first two kinds is false. Health, children and orientation do come up: an alarm of
the third kind may well be right, so 20 of them are printed for a person to judge.

The chats are not part of this project. ``--data`` names a file in the format of LoCoMo (its licence is CC BY-NC 4.0): a
list of conversations, each with ``conversation.session_<n>`` lists of ``{"speaker", "dia_id", "text"}``. Without the
file the run ends with 2. ``--control`` measures a detector that is far too eager, and must then fail.

It also prints which share of the reworded attacks in ``data/injection_paraphrases.jsonl`` is quarantined. Rules may be
tuned on its ``tune`` half; of the ``held`` half only figures are printed.
"""

import argparse
import json
import random
import sys
from collections import Counter
from collections.abc import Callable
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parent.parent))

from apps.screening.findings import RULESET, Finding, Screening
from apps.screening.screen import screen

GOAL = 0.02
TURNS = 2_000
SAMPLES = 20
PARAPHRASES = Path(__file__).parent / "data" / "injection_paraphrases.jsonl"
KINDS = ("secret", "injection", "special")


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--data", type=Path, required=True, help="a file in the format of LoCoMo")
    parser.add_argument("--control", action="store_true", help="measure a detector that is far too eager; must fail")
    options = parser.parse_args()
    if not options.data.is_file():
        print(f"There is no file {options.data}: nothing was measured.", file=sys.stderr)
        return 2
    chosen = random.Random(2_000)
    turns = read_turns(options.data)
    turns = chosen.sample(turns, min(TURNS, len(turns)))
    detector: Callable[[str], Screening] = eager if options.control else screen
    alarms: dict[str, list[tuple[str, Screening]]] = {kind: [] for kind in KINDS}
    for text in turns:
        found = detector(text)
        for kind in KINDS:
            if raised(found, kind):
                alarms[kind].append((text, found))
    print_recall(detector)
    print(f"{len(turns)} turns, ruleset {RULESET}")
    failed = len(turns) < TURNS
    if failed:
        print(f"too few turns: {TURNS} are wanted")
    for kind in KINDS:
        share = len(alarms[kind]) / max(1, len(turns))
        short = share > GOAL
        failed |= short
        names = Counter(f.detector for _, found in alarms[kind] for f in found.findings if f.kind == kind)
        print(
            f"{'SHORT' if short else 'ok':5} {kind:9} {share:6.2%} ({len(alarms[kind])}), goal <= {GOAL:.0%}",
            dict(names),
        )
    for kind in KINDS:
        print(f"\n{kind}: {min(SAMPLES, len(alarms[kind]))} of {len(alarms[kind])} alarms")
        for text, found in chosen.sample(alarms[kind], min(SAMPLES, len(alarms[kind]))):
            said = [f"{f.detector}: {text[f.start : f.end]!r}" for f in found.findings if f.kind == kind]
            print(f"  {'; '.join(said)}\n      in {text!r}")
    return int(failed)


def print_recall(detector: Callable[[str], Screening]) -> None:
    """Of how many reworded attacks it raises an alarm, by split and family; no goal, and no text."""
    attacks = [json.loads(line) for line in PARAPHRASES.read_text(encoding="utf-8").splitlines()]
    for split in ("tune", "held"):
        every = Counter(f"{one['family']} {one['language']}" for one in attacks if one["split"] == split)
        found = Counter(
            f"{one['family']} {one['language']}"
            for one in attacks
            if one["split"] == split and raised(detector(one["text"]), "injection")
        )
        share = found.total() / every.total()
        print(f"reworded attacks, {split}: {found.total()} of {every.total()} found ({share:.0%})")
        print("     ", ", ".join(f"{family} {found[family]}/{count}" for family, count in every.items()))


def read_turns(path: Path) -> list[str]:
    """The text of each turn of both speakers, in the file's order."""
    return [
        turn["text"]
        for sample in json.loads(path.read_text(encoding="utf-8"))
        for name, session in sample["conversation"].items()
        if name.startswith("session_") and isinstance(session, list)
        for turn in session
    ]


def raised(found: Screening, kind: str) -> bool:
    if kind == "special":
        return found.sensitivity == "special"
    return kind in found.flags


def eager(text: str) -> Screening:
    """Takes every "my" for a secret, every "you" for an order and every "I" for special data."""
    found = []
    for kind, word in (("secret", "my"), ("injection", "you"), ("special", "i")):
        start = text.lower().find(word)
        if start >= 0:
            found.append(Finding(kind, "eager", start, start + len(word), 1.0))  # type: ignore[arg-type]
    kinds = {finding.kind for finding in found}
    return Screening(tuple(found), "special" if "special" in kinds else "internal", float("injection" in kinds))


if __name__ == "__main__":
    sys.exit(main())
