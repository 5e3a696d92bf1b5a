"""How people read who did something: `user:3` becomes a name."""

from collections.abc import Iterable

from apps.access.actor import Actor
from apps.access.models import ApiKey, User


def actor_names(refs: Iterable[str], reader: Actor) -> dict[str, str]:
    """A name for each of ``refs`` (`Actor.name`), looked up together: "you", a person, "key <name>", or the part of
    the product that acted."""
    wanted = {ref for ref in refs if ref}
    ids: dict[str, list[int]] = {"user": [], "key": []}
    for ref in wanted:
        kind, _, number = ref.partition(":")
        if kind in ids and number.isdecimal():
            ids[kind].append(int(number))
    found = {f"user:{user.id}": str(user) for user in User.objects.filter(id__in=ids["user"])} if ids["user"] else {}
    if ids["key"] and reader.project_id:
        keys = ApiKey.objects.filter(project_id=reader.project_id, id__in=ids["key"])
        found |= {f"key:{key.id}": f"key {key.name}" for key in keys}
    return with_unknown(wanted, found, reader)


def with_unknown(refs: Iterable[str], found: dict[str, str], reader: Actor) -> dict[str, str]:
    """``found`` as the reader reads it, with a name for each of ``refs`` that is not among them."""
    return {ref: found.get(ref) or _unknown(ref) for ref in refs} | {reader.name: "you"}


def reviewer_name(ref: str, users: dict[int, str], reader: Actor) -> str:
    """The same for one, of users looked up before."""
    kind, _, number = ref.partition(":")
    known = users.get(int(number)) if kind == "user" and number.isdecimal() else None
    return "you" if ref == reader.name else known or _unknown(ref)


def _unknown(ref: str) -> str:
    kind, _, part = ref.partition(":")
    return {"user": "somebody who left", "key": "a deleted key", "system": f"memoryplane ({part})"}.get(kind, "nobody")
