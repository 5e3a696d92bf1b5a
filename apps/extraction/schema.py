"""The shape a model is asked to answer in, and how much of an answer is of use.

One bad entry costs itself and never the answer: it is dropped and counted. What is missing or odd and does not matter
for the witness falls back to what the house takes for granted.
"""

import json
import math
import re
from collections import Counter
from dataclasses import dataclass
from typing import Any

from apps.core.text import MAX_CONTENT, normalise, one_line
from apps.screening.screen import screen

MAX_ITEMS = 500
"""Entries of one answer that are looked at; a model that says more has lost its way."""

SCOPES = ("user", "agent", "project")
MEMORY_TYPES = ("semantic", "episodic", "procedural", "preference")
SENSITIVITIES = ("public", "internal", "personal", "special")


def _object(properties: dict[str, Any]) -> dict[str, Any]:
    return {
        "type": "object",
        "properties": properties,
        "required": list(properties),
        "additionalProperties": False,
    }


_TEXT_OR_NULL = {"type": ["string", "null"]}
_NUMBER_OR_NULL = {"type": ["number", "null"]}

SCHEMA: dict[str, Any] = _object(
    {
        "facts": {
            "type": "array",
            "items": _object(
                {
                    "message": {"type": "integer"},
                    "quote": {"type": "string"},
                    "statement": {"type": "string"},
                    "speaker": {"type": "string", "enum": ["user", "assistant"]},
                    "subject": _TEXT_OR_NULL,
                    "scope": {"type": "string", "enum": list(SCOPES)},
                    "attribute": _TEXT_OR_NULL,
                    "category": {"type": "string"},
                    "memory_type": {"type": "string", "enum": list(MEMORY_TYPES)},
                    "confidence": _NUMBER_OR_NULL,
                    "importance": _NUMBER_OR_NULL,
                    "sensitivity": {"type": "string", "enum": list(SENSITIVITIES)},
                    "valid_from": _TEXT_OR_NULL,
                    "valid_until": _TEXT_OR_NULL,
                    "changes": {"type": ["integer", "null"]},
                }
            ),
        }
    }
)


@dataclass(frozen=True)
class Draft:
    """One entry as the model gave it, of the right types. ``message`` is the number it was shown; ``confidence`` and
    ``importance`` lie in 0..1 or are null; ``valid_from`` and ``valid_until`` are phrases, not dates yet."""

    message: int
    quote: str
    statement: str
    subject: str | None = None
    scope: str = "user"
    attribute: str | None = None
    category: str = "general"
    memory_type: str = "semantic"
    confidence: float | None = None
    importance: float | None = None
    sensitivity: str = "internal"
    valid_from: str | None = None
    valid_until: str | None = None
    changes: int | None = None


def read_drafts(text: str) -> tuple[list[Draft], Counter[str]]:
    """The usable entries of an answer (a JSON object with ``facts``, a list), and how many were left out: malformed,
    too-long, cap."""
    items = json.loads(text)["facts"]
    dropped: Counter[str] = Counter()
    if len(items) > MAX_ITEMS:
        dropped["cap"] = len(items) - MAX_ITEMS
    drafts = []
    for item in items[:MAX_ITEMS]:
        draft = _draft(item)
        if isinstance(draft, Draft):
            drafts.append(draft)
        else:
            dropped[draft] += 1
    return drafts, dropped


def _harmless(text: str | None) -> str | None:
    """A model may put a secret in any field; one that goes unread into a column must not hold it."""
    return None if text is None or screen(text).secrets else text


def _draft(item: Any) -> Draft | str:
    if not isinstance(item, dict):
        return "malformed"
    message, quote, statement = _integer(item.get("message")), item.get("quote"), item.get("statement")
    if message is None or not isinstance(quote, str) or not isinstance(statement, str):
        return "malformed"
    statement = one_line(statement)
    if not normalise(statement) or not normalise(quote):
        return "malformed"
    if len(statement) > MAX_CONTENT:
        return "too-long"
    return Draft(
        message=message,
        quote=quote,
        statement=statement,
        subject=_text(item.get("subject"), 200),
        scope=_choice(item.get("scope"), SCOPES, "user"),
        attribute=slug(_harmless(_text(item.get("attribute"), 200))),
        category=_harmless(_text(item.get("category"), 60)) or "general",
        memory_type=_choice(item.get("memory_type"), MEMORY_TYPES, "semantic"),
        confidence=_share(item.get("confidence")),
        importance=_share(item.get("importance")),
        sensitivity=_choice(item.get("sensitivity"), SENSITIVITIES, "internal"),
        valid_from=_text(item.get("valid_from"), 200),
        valid_until=_text(item.get("valid_until"), 200),
        changes=_integer(item.get("changes")),
    )


def slug(text: str | None) -> str | None:
    """An attribute as facts have it (``contact-channel``), or null when nothing of it is left."""
    made = re.sub(r"[^a-z0-9]+", "-", (text or "").lower()).strip("-")[:60].strip("-")
    return made or None


def _text(value: Any, most: int) -> str | None:
    if not isinstance(value, str):
        return None
    line = one_line(value)
    # Models write the word where they mean the value.
    return None if line.lower() in {"", "null", "none", "n/a", "unknown"} or len(line) > most else line


def _integer(value: Any) -> int | None:
    if isinstance(value, str) and re.fullmatch(r"\d{1,18}", value):
        return int(value)
    return value if type(value) is int and 0 < value < 2**63 else None


def _share(value: Any) -> float | None:
    if isinstance(value, bool) or not isinstance(value, int | float) or not math.isfinite(value):
        return None
    return float(value) if 0 <= value <= 1 else None


def _choice(value: Any, choices: tuple[str, ...], otherwise: str) -> str:
    return value if isinstance(value, str) and value in choices else otherwise
