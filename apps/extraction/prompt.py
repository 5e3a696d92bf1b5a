"""What a model is shown: the versioned instructions, and the conversation as one quoted JSON document.

A prompt is a file and its name is its version. A changed prompt is a new file, so that each run can say what it ran by.
"""

import json
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path
from string import Template

from apps.extraction.candidates import Conversation, Turn
from apps.facts.categories import USUAL

VERSION = "facts-v1"

MAX_WINDOW = 24_000
"""Code points of messages in one question; a longer conversation is asked about in several."""
MAX_WINDOWS = 4
MAX_EARLIER = 2_000
_OVERLAP = 200


@dataclass(frozen=True)
class Window:
    """One question: the user message, and which turn each number stands for."""

    content: str
    turns: dict[int, Turn]


def instructions(*, categories: Sequence[str], addition: str, version: str = VERSION) -> str:
    """The system message. The project's addition comes last and under a heading of its own."""
    extra = f"\n# What this project asks for besides\n\n{addition.strip()}\n" if addition.strip() else ""
    names = ", ".join(f"`{name}`" for name in categories or USUAL)
    return Template(text_of(version)).substitute(categories=names, addition=extra)


def windows(conversation: Conversation) -> tuple[list[Window], int]:
    """The questions to ask, at most `MAX_WINDOWS`, and how many turns no question has room for.

    Turns are numbered from 1 over the whole conversation. One that is longer than a window is shown in pieces that
    overlap, under one number.
    """
    groups: list[list[tuple[int, Turn, str]]] = [[]]
    room = MAX_WINDOW
    for number, turn in enumerate(conversation.turns, 1):
        for piece in _pieces(turn.text):
            if len(piece) > room and groups[-1]:
                groups.append([])
                room = MAX_WINDOW
            groups[-1].append((number, turn, piece))
            room -= len(piece)
    asked = [group for group in groups if group][:MAX_WINDOWS]
    shown = {number for group in asked for number, _, _ in group}
    return [_window(conversation, group) for group in asked], len(conversation.turns) - len(shown)


def _window(conversation: Conversation, group: list[tuple[int, Turn, str]]) -> Window:
    document = {
        "agent": conversation.agent_name,
        "known": [{"id": fact.id, "fact": fact.content} for fact in conversation.known],
        "earlier": [{"role": turn.role, "text": turn.text[:MAX_EARLIER]} for turn in conversation.earlier[-6:]],
        "messages": [
            {
                "number": number,
                "role": turn.role,
                "at": f"{turn.at:%A} {turn.at.isoformat(timespec='minutes')}",
                "text": text,
            }
            for number, turn, text in group
        ],
    }
    return Window(json.dumps(document, ensure_ascii=False), {number: turn for number, turn, _ in group})


def _pieces(text: str) -> Iterator[str]:
    for start in range(0, max(len(text), 1), MAX_WINDOW - _OVERLAP):
        yield text[start : start + MAX_WINDOW]


@lru_cache(maxsize=4)
def text_of(version: str) -> str:
    """The file of a prompt, as it stands."""
    return (Path(__file__).parent / "prompts" / f"{version}.md").read_text("utf-8")
