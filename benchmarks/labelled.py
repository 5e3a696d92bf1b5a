"""The labelled messages in ``data/``: what they hold, whether they are sound, and their quotes as positions."""

import json
import re
from collections import defaultdict
from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

DATA = Path(__file__).resolve().parent / "data" / "labelled_messages.jsonl"
LANGUAGES = ("en", "de", "fr", "es", "pt")
REASONS = frozenset(
    (
        *("question", "hypothetical", "third-person", "reported", "quotation", "other-firm", "sarcasm", "joke"),
        *("role-play", "test-data", "exam", "one-off-request", "one-off-detail", "plan-of-the-moment"),
        *("operational-state", "uncertain", "past-and-over", "near-negation", "general", "greeting"),
        *("restated-instruction", "instruction-to-assistant", "secret"),
    )
)
LEAST_MESSAGES, LEAST_TRAPS = 460, 0.50


@dataclass(frozen=True)
class Label:
    start: int
    end: int
    about: str


@dataclass(frozen=True)
class Message:
    id: str
    text: str
    lang: str
    split: str
    trap: bool
    labels: tuple[Label, ...]
    why: str


def read_rows(path: Path = DATA) -> list[dict[str, Any]]:
    """The lines as they are. Raises ``json.JSONDecodeError`` on a line that is no JSON."""
    with path.open(encoding="utf-8") as lines:
        return [json.loads(line) for line in lines]


def problems(rows: list[dict[str, Any]]) -> list[str]:
    """What is wrong with the set, in words; empty when nothing is."""
    found = [problem for number, row in enumerate(rows, 1) for problem in _row_problems(number, row)]
    ids_by_text = defaultdict(list)
    for number, row in enumerate(rows, 1):
        ids_by_text[" ".join(str(row.get("text", "")).casefold().split())].append(f"m{number:03d}")
    found += [f"the same text: {', '.join(ids)}" for ids in ids_by_text.values() if len(ids) > 1]
    traps = sum(row.get("trap") is True for row in rows)
    if len(rows) < LEAST_MESSAGES:
        found.append(f"{len(rows)} messages, at least {LEAST_MESSAGES} are needed")
    if traps < LEAST_TRAPS * len(rows):
        found.append(f"{traps} traps of {len(rows)}, at least half are needed")
    for trap in (True, False):
        of_kind = [row for row in rows if row.get("trap") is trap]
        share = sum(row.get("split") == "held" for row in of_kind) / max(len(of_kind), 1)
        if not 0.30 <= share <= 0.37:
            found.append(f"{share:.0%} of {'traps' if trap else 'messages with facts'} are held, a third is needed")
    return found


def _row_problems(number: int, row: dict[str, Any]) -> Iterable[str]:
    name = f"m{number:03d}"
    if set(row) != {"id", "text", "lang", "split", "trap", "facts", "why"}:
        yield f"{name}: wrong fields {sorted(row)}"
        return
    if row["id"] != name:
        yield f"{name}: has the id {row['id']}"
    if not row["text"].strip() or row["lang"] not in LANGUAGES:
        yield f"{name}: no text, or an unknown language {row['lang']}"
    if row["split"] != ("held" if number % 3 == 0 else "tune"):
        yield f"{name}: wrong split {row['split']}; every third line is held"
    if row["trap"] is not (not row["facts"]) or (row["why"] in REASONS) is not row["trap"]:
        yield f"{name}: a trap has no facts and a known reason, anything else has facts and no reason"
    if not row["trap"] and row["why"]:
        yield f"{name}: a reason without a trap"
    spans = []
    for fact in row["facts"]:
        if set(fact) != {"quote", "about", "attribute", "negated"} or fact["about"] not in ("speaker", "work"):
            yield f"{name}: malformed fact {fact}"
            continue
        if fact["attribute"] is not None and not re.fullmatch(r"[a-z0-9]+(-[a-z0-9]+)*", fact["attribute"]):
            yield f"{name}: {fact['attribute']} is no slug"
        if type(fact["negated"]) is not bool:
            yield f"{name}: negated is true or false"
        if not fact["quote"].strip() or row["text"].count(fact["quote"]) != 1:
            yield f"{name}: a quote must be in the text exactly once"
            continue
        start = row["text"].index(fact["quote"])
        spans.append((start, start + len(fact["quote"])))
    if any(later[0] < earlier[1] for earlier, later in zip(sorted(spans), sorted(spans)[1:], strict=False)):
        yield f"{name}: quotes overlap"


def messages(rows: list[dict[str, Any]]) -> list[Message]:
    return [
        Message(
            row["id"], row["text"], row["lang"], row["split"], row["trap"],
            tuple(
                Label(row["text"].index(f["quote"]), row["text"].index(f["quote"]) + len(f["quote"]), f["about"])
                for f in row["facts"]
            ),
            row["why"],
        )
        for row in rows
    ]  # fmt: skip
