"""Hold LangGraph's BaseStore over this client beside LangGraph's own InMemoryStore: the same calls, the same answers.

PLANE_URL=… PLANE_KEY=… python checks/langgraph_store.py
"""

import asyncio
import os
import sys
import uuid
from typing import Any

from langgraph.store.base import BaseStore
from langgraph.store.memory import InMemoryStore
from memoryplane_client import Client
from memoryplane_client.langgraph import PlaneStore


def told(items: list[Any]) -> list[tuple[Any, ...]]:
    return sorted((item.namespace, item.key, str(item.value)) for item in items)


def walk(store: BaseStore) -> list[Any]:
    """What a store answers to one long conversation."""
    said: list[Any] = []
    store.put(("users", "123", "prefs"), "food", {"likes": "ramen", "stars": 5})
    store.put(("users", "123", "prefs"), "a/b~c", {"likes": "tea", "stars": 3})
    store.put(("users", "123"), "food", {"likes": "another", "stars": 1})
    store.put(("users", "12"), "food", {"likes": "not his"})
    store.put(("docs", "v1/2"), "intro", {"type": "report", "nested": {"x": [1, None]}})
    store.put(("docs",), "🙂", {"type": "note"})
    said.append(store.get(("users", "123", "prefs"), "a/b~c").value)  # type: ignore[union-attr]
    said.append(store.get(("users", "123", "prefs"), "missing"))
    store.put(("users", "123", "prefs"), "food", {"likes": "udon", "stars": 4})
    said.append(store.get(("users", "123", "prefs"), "food").value)  # type: ignore[union-attr]
    for prefix in (
        (),
        ("users",),
        ("users", "123"),
        ("users", "123", "prefs"),
        ("docs",),
        ("docs", "v1/2"),
        ("nobody",),
    ):
        said.append(told(store.search(prefix, limit=50)))
    said.append(told(store.search(("users", "123"), filter={"stars": {"$gte": 3}}, limit=50)))
    said.append(told(store.search(("users",), filter={"likes": "tea"}, limit=50)))
    said.append(len(store.search((), limit=2)))
    said.append(len(store.search((), limit=50, offset=4)))
    said.append(sorted(store.list_namespaces()))
    said.append(sorted(store.list_namespaces(prefix=("users", "*"))))
    said.append(sorted(store.list_namespaces(suffix=("prefs",))))
    said.append(sorted(store.list_namespaces(max_depth=1)))
    store.delete(("users", "123", "prefs"), "food")
    store.delete(("users", "123", "prefs"), "never there")
    said.append(store.get(("users", "123", "prefs"), "food"))

    async def later() -> Any:
        await store.aput(("docs",), "later", {"n": 1})
        item = await store.aget(("docs",), "later")
        return item.value if item else None

    said.append(asyncio.run(later()))
    return said


def main() -> int:
    expected, bad = walk(InMemoryStore()), 0
    with Client(os.environ["PLANE_URL"], os.environ["PLANE_KEY"]) as client:
        for part in (None, 1):
            got = walk(PlaneStore(client, agent=f"check-{uuid.uuid4().hex[:12]}", user_part=part))
            for number, (ours, theirs) in enumerate(zip(got, expected, strict=True)):
                if ours != theirs:
                    bad += 1
                    print(f"user_part={part} answer {number}: {ours!r} and not {theirs!r}")
    print(f"{2 * len(expected) - bad} of {2 * len(expected)} answers are LangGraph's own")
    return 1 if bad else 0


if __name__ == "__main__":
    sys.exit(main())
