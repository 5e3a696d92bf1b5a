"""What a model's tools read, and what is made of what it says: ids are numbers it was shown, or nobody's."""

from typing import Any

from apps.dreaming.operations import EVIDENCE_KINDS, Operation
from apps.dreaming.scene import NOT_READ, Scene
from apps.facts.models import Fact

PAGE = 50
MOST_IDS = 200
NOBODY = 0
"""No fact has this number: what stands for a target that is none."""


def facts_page(scene: Scene, offset: Any, operations: list[Operation]) -> dict[str, Any]:
    """Fifty facts as they would be after what was proposed: closed ones are left out, new words stand beside them."""
    start = offset if isinstance(offset, int) and not isinstance(offset, bool) and 0 <= offset < 10**6 else 0
    rows = _offered(scene).exclude(id__in=scene.taken).order_by("id")
    new = (
        [{"targets": list(one.targets), "content": one.content} for one in operations if one.content]
        if not start
        else []
    )
    return {"offset": start, "facts": [_shown(fact) for fact in rows[start : start + PAGE]], "staged": new}


def found_facts(scene: Scene, words: Any) -> dict[str, Any]:
    said = words[:200] if isinstance(words, str) else ""
    if not said.strip():
        return {"facts": []}
    rows = _offered(scene).exclude(id__in=scene.taken).saying(said).order_by("id")
    return {"facts": [_shown(fact) for fact in rows[:PAGE]]}


def facts_read(scene: Scene, ids: Any) -> dict[str, Any]:
    wanted = [number for number in _numbers(ids) if number != NOBODY][:PAGE]
    quotes = scene.quotes(wanted)
    rows = _offered(scene).filter(id__in=wanted).order_by("id")
    return {"facts": [_shown(fact) | {"rests_on": quotes.get(fact.id, [])[:5]} for fact in rows]}


def _offered(scene: Scene) -> Any:
    """What a person pinned or disputes is not a machine's to change, so it is not shown as if it were."""
    return scene.facts().filter(pinned=False, contested_at=None).defer(*NOT_READ)


def _shown(fact: Fact) -> dict[str, Any]:
    return {
        "id": fact.id,
        "fact": fact.content,
        "attribute": fact.attribute,
        "said": f"{fact.observed_at:%A} {fact.observed_at.date().isoformat()}",
        "trust": fact.trust,
    }


def operation_of(given: Any, scene: Scene) -> Operation:
    """The operation that a model's JSON says; what is no operation becomes one that is refused by name."""
    if not isinstance(given, dict):
        return Operation(op="")
    scopes = {name: given[name] for name in ("scope", "scope_id") if given.get(name)}
    place = {"scope": scene.run.scope, "scope_id": scene.run.scope_id}
    if any(place[name] != value for name, value in scopes.items()):
        # There is no operation that moves a fact.
        return Operation(op="rescope")
    evidence = given.get("evidence")
    keep = given.get("keep")
    return Operation(
        op=_text(given.get("op")),
        targets=tuple(_numbers(given.get("targets"))),
        keep=None if keep is None else _number(keep),
        content=_text(given.get("content")),
        rule="model",
        reason=_text(given.get("reason")),
        evidence=tuple(_evidence(one) for one in evidence[:MOST_IDS]) if isinstance(evidence, list) else (),
    )


def _evidence(given: Any) -> tuple[str, int]:
    kind = given.get("kind") if isinstance(given, dict) else None
    return (kind if kind in EVIDENCE_KINDS else "", _number(given.get("id")) if isinstance(given, dict) else NOBODY)


def _numbers(given: Any) -> list[int]:
    if isinstance(given, int | str):
        given = [given]
    return [_number(one) for one in given[:MOST_IDS]] if isinstance(given, list) else []


def _number(given: Any) -> int:
    text = str(given).removeprefix("#") if isinstance(given, int | str) and not isinstance(given, bool) else ""
    return int(text) if text.isascii() and text.isdigit() and len(text) < 19 else NOBODY


def _text(given: Any) -> str:
    return given if isinstance(given, str) else ""


KINDS = ("duplicate", "contradiction", "stale", "verbose")
SIGNALS = ("correction", "decision", "repeated", "error")
LISTED = 100


def stored_report(phase: str, value: dict[str, Any], scene: Scene) -> dict[str, Any]:
    """What is kept of a report: kinds, counts, and ids of rows that were there; not one of its words."""
    match phase:
        case "orient":
            issues = [one for one in _list(value.get("issues")) if isinstance(one, dict) and one.get("kind") in KINDS]
            return {
                "count": scene.run.facts_before,
                "topics": {"named": len(_list(value.get("topics")))},
                "issues": {kind: sum(one["kind"] == kind for one in issues) for kind in KINDS},
                "found": [{"kind": one["kind"], "facts": _known(one.get("fact_ids"))} for one in issues[:LISTED]],
                "unread": _known(value.get("unread")),
            }
        case "gather":
            return {"signals": _signals(value, scene), "read": len(scene.said)}
        case "consolidate":
            return {"untouched": _count(value.get("untouched_count"))}
        case _:
            return {
                "before": scene.run.facts_before,
                "after": _count(value.get("after")),
                "over_cap": value.get("over_cap") is True,
                "remaining": len(_known(value.get("remaining_conflicts"))),
            }


def _signals(value: dict[str, Any], scene: Scene) -> list[dict[str, Any]]:
    by_id: dict[int, str] = {number: kind for kind, number in scene.said}
    found = []
    for one in _list(value.get("signals"))[:LISTED]:
        if isinstance(one, dict) and one.get("type") in SIGNALS:
            messages = [[by_id[number], number] for number in _known(one.get("message_ids")) if number in by_id]
            found.append({"type": one["type"], "messages": messages, "facts": _known(one.get("fact_ids"))})
    return found


def _known(given: Any) -> list[int]:
    return [number for number in _numbers(given) if number != NOBODY][:LISTED]


def _list(given: Any) -> list[Any]:
    return given if isinstance(given, list) else []


def _count(given: Any) -> int:
    return given if isinstance(given, int) and not isinstance(given, bool) and 0 <= given < 10**9 else 0
