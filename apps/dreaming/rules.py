"""The engine that needs no model: what rules can see, and nothing they would have to guess."""

import json
from typing import Any

from apps.dreaming.engine import Report
from apps.dreaming.operations import MOST, Operation
from apps.dreaming.rules_contradictions import contradictions
from apps.dreaming.rules_dates import relative_dates
from apps.dreaming.rules_duplicates import duplicates
from apps.dreaming.rules_long import repeated
from apps.dreaming.rules_signals import signals
from apps.dreaming.rules_stale import over_cap, stale
from apps.dreaming.scene import Scene

VERBOSE = 400
"""Code points from which on a statement is long. Rules count it, and shorten what says the same twice."""


class RulesEngine:
    """See `Engine`. Reads the place by whole statements of SQL, so that it costs the same number of them however many
    facts there are."""

    name = "rules"
    version = "1"
    waits = False

    def orient(self, scene: Scene, before: dict[str, Any]) -> Report:
        ((count, types, alike, on_attribute, ended, verbose, pinned),) = scene.ask("scene_map", verbose=VERBOSE)
        issues = {"duplicate": alike, "contradiction": on_attribute, "stale": ended, "verbose": verbose}
        return Report({"count": count, "topics": json.loads(types), "issues": issues, "pinned": pinned})

    def gather(self, scene: Scene, before: dict[str, Any]) -> Report:
        found = signals(scene)
        return Report({"signals": found, "read": len(scene.said)})

    def consolidate(self, scene: Scene, before: dict[str, Any]) -> Report:
        used: set[int] = set()
        wanted: list[Operation] = []
        # What says the same is put together before anything is put against each other; each fact changes once a run.
        for find in (duplicates, contradictions, relative_dates):
            for one in find(scene, used):
                if len(wanted) >= MOST:
                    break
                used |= set(one.targets)
                wanted.append(one)
        return Report({"untouched": scene.run.facts_before - len(used)}, wanted)

    def prune(self, scene: Scene, before: dict[str, Any]) -> Report:
        wanted = stale(scene)
        closing = scene.closed + len(wanted)
        used = {fact_id for one in wanted for fact_id in one.targets}
        wanted += over_cap(scene, closing, used)
        used |= {fact_id for one in wanted for fact_id in one.targets}
        wanted += repeated(scene, used | scene.taken | scene.kept)
        cap = scene.chosen.fact_cap
        left = scene.run.facts_before - closing
        report = {
            "before": scene.run.facts_before,
            "after": left,
            "over_cap": bool(cap is not None and left > cap),
            "remaining": (before.get("orient") or {}).get("issues", {}).get("contradiction", 0),
        }
        return Report(report, wanted[:MOST])
