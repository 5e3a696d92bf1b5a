"""What was said since the last run that bears on facts: ids of it, by kind."""

import re
from typing import Any

from apps.dreaming.scene import Scene
from apps.extraction.corrections import misgives, retracts

_DECISION = re.compile(
    r"\b(?:we(?:'ve| have)? decided|decided (?:to|that|on)|let's go with|going forward|from now on|the decision is|we will use"
    r"|entschieden|ab jetzt|ab sofort|decidimos|a partir de ahora|décidé|désormais)\b",
    re.IGNORECASE,
)
_CHANGE = re.compile(
    r"\b(?:actually|not any ?more|no longer|instead|correction|i meant|nicht mehr|ya no|já não|ne .{1,20} plus)\b", re.I
)
REPEATED = 3
"""Messages in which something has to be said to count as repeated."""
MOST_LISTED = 100


def signals(scene: Scene) -> list[dict[str, Any]]:
    """``{"type": correction | decision | repeated | error, "messages" | "facts" | "traces": ids}``."""
    said = [one for one in scene.said.values() if one.own]
    corrections = [one for one in said if retracts(one.text) or misgives(one.text) or _CHANGE.search(one.text)]
    decisions = [one for one in said if _DECISION.search(one.text)]
    found: list[dict[str, Any]] = []
    for name, rows in (("correction", corrections), ("decision", decisions)):
        if rows:
            found.append({"type": name, "messages": [[one.kind, one.id] for one in rows[:MOST_LISTED]]})
    repeated = [row[0] for row in scene.ask("repeated", least=REPEATED, most=MOST_LISTED)]
    if repeated:
        found.append({"type": "repeated", "facts": repeated})
    traces = sorted({one.trace_id for one in scene.said.values() if one.trace_id})
    failed = [row[0] for row in scene.ask("failed_traces", traces=traces, most=MOST_LISTED)] if traces else []
    if failed:
        found.append({"type": "error", "traces": failed})
    return found
