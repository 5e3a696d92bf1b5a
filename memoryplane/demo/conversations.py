"""The demo's conversations: three agents, people who come back, and the mess real talk is made of.

Written by hand, no sentence twice. People, firms, numbers, keys and passwords in them are invented.
"""

import json
from dataclasses import dataclass
from datetime import datetime, time, timedelta
from pathlib import Path
from typing import Literal

DOMAINS = ("shop", "clinic", "team")
SYSTEM_PROMPTS = {
    "trail-shop": "You are the assistant of a shop for outdoor gear. Be brief, friendly and exact.",
    "clinic-desk": "You are the appointment desk of a clinic. Never give medical advice.",
    "build-helper": "You help a software team with builds, releases and house rules.",
}


@dataclass(frozen=True)
class DemoTurn:
    role: Literal["user", "assistant"]
    text: str


@dataclass(frozen=True)
class DemoConversation:
    """``user_id`` is null when the caller is unknown; ``note`` says what the conversation is there to show."""

    id: str
    domain: str
    agent: str
    user_id: str | None
    days_ago: int
    time: time
    note: str
    turns: tuple[DemoTurn, ...]

    def started_at(self, now: datetime) -> datetime:
        """The UTC start, ``days_ago`` days before the day of ``now``. ``now`` must be in UTC."""
        return datetime.combine(now.date() - timedelta(days=self.days_ago), self.time, tzinfo=now.tzinfo)

    def exchanges(self) -> tuple[tuple[str, str], ...]:
        """Pairs of what was asked and what was answered."""
        texts = [turn.text for turn in self.turns]
        return tuple(zip(texts[::2], texts[1::2], strict=True))


def load() -> tuple[DemoConversation, ...]:
    """All conversations, oldest first."""
    found = [
        DemoConversation(
            id=row["id"],
            domain=row["domain"],
            agent=row["agent"],
            user_id=row["user_id"],
            days_ago=row["days_ago"],
            time=time.fromisoformat(row["time"]),
            note=row["note"],
            turns=tuple(DemoTurn(turn["role"], turn["text"]) for turn in row["turns"]),
        )
        for domain in DOMAINS
        for row in json.loads(Path(__file__).with_name(f"{domain}.json").read_text(encoding="utf-8"))
    ]
    return tuple(sorted(found, key=lambda one: (-one.days_ago, one.time, one.id)))
