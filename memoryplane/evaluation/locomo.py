"""LoCoMo: what people said over months, and questions whose evidence is named.

A file of conversations, each with observations (one sentence, the turns it rests on) and questions. Every observation of
a conversation becomes a fact of its speaker that one agent is told; a question is asked of that agent, and is answered
by the observations whose turns it names. Licensed CC BY-NC: to measure with, not to ship.
"""

import json
import re
from collections.abc import Iterator
from dataclasses import dataclass, field
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

from apps.core.errors import Invalid

CATEGORIES = {1: "several facts", 2: "time", 3: "reasoning", 4: "one fact"}
"""Those that can be answered; the fifth asks for what was never said."""
_TURN = re.compile(r"D\d+:\d+")


@dataclass(frozen=True)
class Observation:
    """``turns`` are the ids it rests on, "D1:3"; ``said_at`` is its session's time."""

    text: str
    speaker: str
    session: int
    said_at: datetime
    turns: frozenset[str]


@dataclass(frozen=True)
class Asked:
    """A question and the turns that answer it, at least one."""

    text: str
    category: int
    turns: frozenset[str]


@dataclass
class Talk:
    """One conversation."""

    name: str
    observations: list[Observation] = field(default_factory=list)
    questions: list[Asked] = field(default_factory=list)


def read(path: Path) -> list[Talk]:
    """Raises Invalid, which says where, for a file that is not of this shape or holds no question."""
    try:
        talks = [_talk(n, raw) for n, raw in enumerate(json.loads(path.read_text("utf-8")), 1)]
    except (OSError, UnicodeDecodeError, json.JSONDecodeError) as error:
        raise Invalid("unreadable", f"{path} can't be read as JSON: {type(error).__name__}.") from None
    except (KeyError, TypeError, AttributeError, ValueError, IndexError) as error:
        raise Invalid("wrong_shape", f"{path} is not a LoCoMo file: {type(error).__name__} {error}.") from None
    if not any(talk.questions for talk in talks):
        raise Invalid("no_questions", f"{path} has no question that names its evidence.")
    return talks


def _talk(number: int, raw: dict[str, Any]) -> Talk:
    talk = Talk(str(raw.get("sample_id") or f"talk-{number}"))
    for name, by_speaker in raw["observation"].items():
        session = int(name.split("_")[1])
        said_at = _moment(raw["conversation"].get(f"session_{session}_date_time", ""))
        for speaker, sentences in by_speaker.items():
            for text, turns in sentences:
                talk.observations.append(Observation(text, speaker, session, said_at, frozenset(_turns(turns))))
    for asked in raw["qa"]:
        turns = frozenset(_turns(asked.get("evidence", [])))
        if turns and asked["category"] in CATEGORIES:
            talk.questions.append(Asked(asked["question"], asked["category"], turns))
    return talk


def _turns(value: Any) -> Iterator[str]:
    for one in value if isinstance(value, list) else [value]:
        yield from _TURN.findall(str(one))


def _moment(text: str) -> datetime:
    try:
        return datetime.strptime(text, "%I:%M %p on %d %B, %Y").replace(tzinfo=UTC)
    except ValueError:
        return datetime(2023, 1, 1, tzinfo=UTC)
