"""Names for the references that rows keep of whoever acted: `user:3`, `key:7`, `system:extraction`."""

from collections.abc import Iterable

from apps.access.actor import Actor
from apps.access.models import ApiKey, User


def people(references: Iterable[str], actor: Actor) -> dict[str, str]:
    """A name for each reference: "you", a person's name or address, "key mp_…", or the part of the product."""
    wanted = {reference for reference in references if reference}
    numbers = {
        kind: [int(text.partition(":")[2]) for text in wanted if text.startswith(f"{kind}:")]
        for kind in ("user", "key")
    }
    names = {reference: reference.removeprefix("system:") for reference in wanted}
    for user in User.objects.filter(id__in=numbers["user"]):
        names[f"user:{user.id}"] = str(user)
    for key in ApiKey.objects.filter(project_id=actor.project_id, id__in=numbers["key"]):
        names[f"key:{key.id}"] = f"key {key}"
    if actor.name in names:
        names[actor.name] = "you"
    return names
