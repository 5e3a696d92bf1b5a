"""What the SDK's memory summed up, read out of its spans; no database.

A summary block asks its model inside the span ``memory.write`` and says afterwards, in ``memory.write.summary`` beside that
call, how long the summary is. Its text is the model's answer, cut there; what it stands for is in the model's question, a line
a message, with the summary before it.
"""

import json
from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any

SPAN, CALL = "memory.write.summary", "llm."
SUMMARIZED = "summarized"


@dataclass(frozen=True)
class Summed:
    """``asked`` is the whole question that the model was put."""

    text: str
    asked: str

    def among(self, messages: Iterable[tuple[int, str, str]]) -> list[int]:
        """Ids of the messages (id, role, content), given oldest first, that were summed up: what was said twice and summed up
        once is the older one."""
        lines, left = f"\n{self.asked}\n", dict[str, int]()
        found = []
        for number, role, content in messages:
            line = f"{role}: {content}"
            # Of two lines that follow each other the break between them is one.
            left.setdefault(line, lines.replace("\n", "\n\n").count("\n" + line.replace("\n", "\n\n") + "\n"))
            if content.strip() and left[line] > 0:
                left[line] -= 1
                found.append(number)
        return found

    def goes_on_from(self, earlier: str) -> bool:
        """Whether it was made out of an earlier summary too."""
        return f"\nPrevious summary:\n{earlier}\n" in self.asked


def is_summary(name: str, attributes: dict[str, Any]) -> bool:
    """Whether a span says that a conversation was summed up, rather than that a message was stored for later."""
    return name == SPAN and attributes.get("memory.action") == SUMMARIZED


def summed_up(attributes: dict[str, Any], calls: Iterable[dict[str, Any]]) -> Summed | None:
    """The summary that a span tells of; ``calls`` are the attributes of the model calls beside it. Null where the client sends
    no texts, or no call answered with so many characters."""
    length = _object(attributes.get("memory.detail")).get("summary_chars")
    if not isinstance(length, int) or isinstance(length, bool) or length < 1:
        return None
    for call in calls:
        answer = call.get("gen_ai.response.content")
        asked = "\n".join(_contents(call.get("gen_ai.request.messages")))
        # Other blocks ask a model here too, for facts; the summary is the one that has its length.
        if isinstance(answer, str) and asked.rstrip().endswith("Summary:"):
            text = answer.strip()[:length]
            if len(text) == length:
                return Summed(text, asked)
    return None


def _contents(value: Any) -> list[str]:
    found = _json(value)
    rows = [one for one in found if isinstance(one, dict)] if isinstance(found, list) else []
    return [one["content"] for one in rows if isinstance(one.get("content"), str)]


def _object(value: Any) -> dict[str, Any]:
    found = _json(value)
    return found if isinstance(found, dict) else {}


def _json(value: Any) -> Any:
    """Rich values are JSON in a string; what is none says nothing."""
    if not isinstance(value, str):
        return value
    try:
        return json.loads(value)
    except (ValueError, RecursionError):
        return None
