"""LangGraph's BaseStore over memoryplane.

from memoryplane_client import Client
from memoryplane_client.langgraph import PlaneStore

store = PlaneStore(Client("https://plane.example.org", "mp_…"), agent="assistant", user_part=1)
store.put(("memories", "123"), "food", {"likes": "ramen"})   # about user 123: an erasure of his finds it
graph = builder.compile(store=store)
"""

import asyncio
from collections.abc import Callable, Iterable
from typing import Any

from langgraph.store.base import (
    BaseStore,
    GetOp,
    Item,
    ListNamespacesOp,
    MatchCondition,
    Op,
    PutOp,
    Result,
    SearchItem,
    SearchOp,
)

from memoryplane_client.calls import Memory
from memoryplane_client.client import Client
from memoryplane_client.errors import NoSuchKey

Namespace = tuple[str, ...]
_USER = "user:"
_OPERATORS: dict[str, Callable[[Any, Any], bool]] = {
    "$eq": lambda have, want: bool(have == want),
    "$ne": lambda have, want: bool(have != want),
    "$gt": lambda have, want: bool(have > want),
    "$gte": lambda have, want: bool(have >= want),
    "$lt": lambda have, want: bool(have < want),
    "$lte": lambda have, want: bool(have <= want),
}


class PlaneStore(BaseStore):
    """Items of an agent. Their values are JSON objects; ``index`` and ``ttl`` have no effect here.

    ``user_part`` is the place of a user's id in a namespace (1 in ``("memories", "123")``): these items are about that user, so
    that whoever asks what is kept about him, or has it erased, finds them. Namespaces too short for it, and all without it,
    are scopes of no person. A search looks through all items under its prefix, newest first; its ``query`` keeps those that
    hold every word of it.
    """

    __slots__ = ("agent", "client", "user_part")

    def __init__(self, client: Client, *, agent: str, user_part: int | None = None) -> None:
        self.client = client
        self.agent = agent
        self.user_part = user_part

    def batch(self, ops: Iterable[Op]) -> list[Result]:
        """One after the other, in their order."""
        return [self._do(op) for op in ops]

    async def abatch(self, ops: Iterable[Op]) -> list[Result]:
        """The same, off the event loop."""
        return await asyncio.to_thread(self.batch, list(ops))

    def _do(self, op: Op) -> Result:
        match op:
            case GetOp():
                return self._get(op)
            case PutOp():
                return self._put(op)
            case SearchOp():
                return self._search(op)
            case ListNamespacesOp():
                return self._namespaces(op)
        raise ValueError(f"{type(op).__name__} is not known here.")

    def _get(self, op: GetOp) -> Item | None:
        scope, key = self._named(op.namespace, str(op.key))
        try:
            found = self.client.get_memory(self.agent, scope, key)
        except NoSuchKey:
            return None
        return Item(**self._item(scope, found))

    def _put(self, op: PutOp) -> None:
        scope, key = self._named(op.namespace, str(op.key))
        if op.value is not None:
            self.client.put_memory(self.agent, scope, key, op.value)
            return
        try:
            self.client.remove_memory(self.agent, scope, key)
        except NoSuchKey:
            return

    def _search(self, op: SearchOp) -> list[SearchItem]:
        prefix = tuple(op.namespace_prefix)
        found = []
        for scope in self._scopes(prefix):
            for one in self.client.memories(self.agent, scope):
                item = self._item(scope, one)
                if item["namespace"][: len(prefix)] == prefix and _matches(item["value"], op.filter, op.query):
                    found.append(SearchItem(**item))
        found.sort(key=lambda item: (item.updated_at, item.namespace, item.key), reverse=True)
        return found[op.offset : op.offset + op.limit]

    def _namespaces(self, op: ListNamespacesOp) -> list[Namespace]:
        found: set[Namespace] = set()
        for scope in self._scopes(()):
            if self.user_part is not None and scope.startswith(_USER):
                names = [self._item_place(scope, key)[0] for key in self.client.keys(self.agent, scope)]
            else:
                names = [_split(scope)]
            found |= {name for name in names if _fits(name, op.match_conditions or ())}
        if op.max_depth is not None:
            found = {name[: op.max_depth] for name in found}
        return sorted(found)[op.offset : op.offset + op.limit]

    def _scopes(self, prefix: Namespace) -> list[str]:
        """Those in which items under a prefix may lie."""
        scopes = self.client.scopes(self.agent)
        part = self.user_part
        users = [one for one in scopes if part is not None and one.startswith(_USER)]
        if part is not None and len(prefix) > part:
            users = [one for one in users if one == _USER + prefix[part]]
        others = [one for one in scopes if one not in set(users) and not (part is not None and one.startswith(_USER))]
        return users + [one for one in others if _split(one)[: len(prefix)] == prefix]

    def _named(self, namespace: Namespace, key: str) -> tuple[str, str]:
        """Scope and key on the plane."""
        part = self.user_part
        if part is None or len(namespace) <= part:
            return _joined(namespace), key
        rest = namespace[:part] + namespace[part + 1 :]
        return _USER + namespace[part], _joined((*rest, key))

    def _item_place(self, scope: str, key: str) -> tuple[Namespace, str]:
        if self.user_part is None or not scope.startswith(_USER):
            return _split(scope), key
        *rest, name = _split(key)
        at = self.user_part
        return (*rest[:at], scope.removeprefix(_USER), *rest[at:]), name

    def _item(self, scope: str, one: Memory) -> dict[str, Any]:
        namespace, key = self._item_place(scope, one.key)
        value = one.value if isinstance(one.value, dict) else {"value": one.value}
        return {
            "namespace": namespace,
            "key": key,
            "value": value,
            "created_at": one.updated_at,
            "updated_at": one.updated_at,
        }


def _joined(parts: Iterable[str]) -> str:
    return "/".join(part.replace("~", "~0").replace("/", "~1") for part in parts)


def _split(text: str) -> Namespace:
    return tuple(part.replace("~1", "/").replace("~0", "~") for part in text.split("/"))


def _matches(value: dict[str, Any], wanted: dict[str, Any] | None, query: str | None) -> bool:
    words = (query or "").casefold().split()
    said = str(value).casefold()
    return all(word in said for word in words) and all(
        _holds(value.get(name), want) for name, want in (wanted or {}).items()
    )


def _holds(have: Any, want: Any) -> bool:
    if isinstance(want, dict) and want and all(name in _OPERATORS for name in want):
        try:
            return all(_OPERATORS[name](have, value) for name, value in want.items())
        except TypeError:
            return False
    return bool(have == want)


def _fits(name: Namespace, conditions: Iterable[MatchCondition]) -> bool:
    for condition in conditions:
        path = tuple(condition.path)
        if len(name) < len(path):
            return False
        part = name[: len(path)] if condition.match_type == "prefix" else name[len(name) - len(path) :]
        if any(want not in ("*", have) for want, have in zip(path, part, strict=True)):
            return False
    return True
