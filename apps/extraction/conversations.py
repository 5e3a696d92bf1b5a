"""A trace as an extractor sees it: what was said, and all that tells news from what was known, told or instructed."""

import json
import re
from collections.abc import Iterable
from dataclasses import replace
from datetime import datetime
from typing import Any

from django.db import connection

from apps.core.sqlfiles import load
from apps.core.text import norm_hash, normalise
from apps.extraction.candidates import Conversation, KnownFact, Role, Turn
from apps.traces.queries import outermost

MAX_KNOWN = 20
MAX_PROMPTS = 8
MAX_MODEL_CALL = 400_000
"""Characters of one model call that are looked through for its system messages."""
READ_SECONDS = 600
"""How far a read of facts may lie before the run that used it."""
_TOLD = re.compile(
    r"^\s*(?:Curated facts \(|Learned facts \(|Known facts:)[^\n]*\n(?P<lines>(?:\s*[-*•][^\n]*(?:\n|\Z))*)",
    re.MULTILINE,
)
_WORD = re.compile(r"[^\W\d_]{4,}|\d{2,}")


def conversation_of(papers: dict[str, Any]) -> Conversation:
    """What may be mined of a trace, from the row of ``take_work.sql``. Everything else of a trace is machinery."""
    messages = papers["messages"] or []
    outer = outermost({message["span"] for message in messages}, papers["parents"] or {})
    said = sorted(
        (message for message in messages if message["span"] in outer),
        key=lambda message: (message["at"], message["role"] != "user", message["id"]),
    )
    turns = tuple(_turn(message) for message in said if not message["mined"])
    agent, subject = papers["agent"], papers["subject"]
    prompts = _prompts(agent, papers["prompts"] or []) if turns else ()
    served = {norm_hash(content) for content in papers["served"] or []} if turns else set()
    return Conversation(
        trace_id=papers["trace_id"],
        agent_name=agent["name"] if agent else None,
        project_slug=papers["slug"],
        user_id=subject["external_id"] if subject else None,
        # An assistant's turn is mined with little, but the new user turns are read beside it.
        turns=turns,
        served=frozenset(served | _told(prompts)),
        earlier=tuple(_turn(message) for message in said if message["mined"]),
        prompts=prompts,
    )


def bounded(conversation: Conversation, most: int) -> Conversation:
    """The conversation with at most so many code points in its turns: the first ones whole, the one that goes over cut,
    those after it empty."""
    turns: list[Turn] = []
    for turn in conversation.turns:
        turns.append(turn if len(turn.text) <= most else replace(turn, text=turn.text[:most]))
        most = max(0, most - len(turn.text))
    return replace(conversation, turns=tuple(turns))


def with_known(conversation: Conversation, papers: dict[str, Any], project_id: int) -> Conversation:
    """The conversation with the active facts nearest to what the user said, at most 20: his, the agent's and the
    project's. The caller has bound the project."""
    words = _words(turn.text for turn in conversation.turns if turn.role == "user")
    if not words:
        return conversation
    agent, subject = papers["agent"], papers["subject"]
    with connection.cursor() as cursor:
        cursor.execute(
            load(__package__, "known_facts"),
            {
                "project": project_id,
                # A prefix of a word finds its other endings: the index keeps words of every language as they are.
                "words": " | ".join(f"{word}:*" for word in words),
                "agent": agent["id"] if agent else None,
                "subject": subject["id"] if subject else None,
                "most": MAX_KNOWN,
            },
        )
        return replace(conversation, known=tuple(KnownFact(*row) for row in cursor.fetchall()))


def _turn(message: dict[str, Any]) -> Turn:
    role: Role = "user" if message["role"] == "user" else "assistant"
    return Turn(message["id"], role, message["text"], datetime.fromisoformat(message["at"]))


def _words(texts: Iterable[str]) -> list[str]:
    found = dict.fromkeys(word.lower()[:6] for text in texts for word in _WORD.findall(text[:4_000]))
    return list(found)[:40]


def _prompts(agent: dict[str, Any] | None, calls: list[list[str | None]]) -> tuple[str, ...]:
    """The agent's registered instructions and the system messages of the run, each once."""
    texts = [agent["system_prompt"]] if agent else []
    for prompt, asked in calls:
        texts += [prompt or "", *_system_messages(asked or "")]
    return tuple(dict.fromkeys(text for text in texts if normalise(text)))


def _told(prompts: tuple[str, ...]) -> set[bytes]:
    """Digests of the lines an SDK put under its headings of remembered facts."""
    return {
        norm_hash(line.lstrip(" -*•\t"))
        for text in prompts
        for block in _TOLD.finditer(text)
        for line in block["lines"].splitlines()
    }


def _system_messages(asked: str) -> list[str]:
    """The system messages of one model call, which the SDK keeps as JSON text."""
    if '"system"' not in asked:
        return []
    try:
        messages = json.loads(asked)
    except (ValueError, RecursionError):
        return []
    if not isinstance(messages, list):
        return []
    return [
        message["content"]
        for message in messages
        if isinstance(message, dict) and message.get("role") == "system" and isinstance(message.get("content"), str)
    ]
