"""Accounts of staff that bear a name of the person: they are no memory, so that nobody but an officer decides on them."""

from collections.abc import Iterable

from apps.access.models import User
from apps.privacy.mentions import Identifier
from apps.privacy.verification import Wanted


def accounts_named(identifiers: Iterable[Identifier]) -> list[int]:
    """Ids of accounts whose address or name is one of these, of the whole installation."""
    wanted = Wanted(list(identifiers), [])
    people = User.objects.order_by("id").values_list("id", "email", "name")
    return [number for number, email, name in people if wanted.within(f"{email}\n{name}")]
