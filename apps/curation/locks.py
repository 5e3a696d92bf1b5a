"""Locks of the review, in one fixed order: the place, the proposal, then the facts it targets.

A place is a scope with its id. Whoever proposes or decides something there holds its lock to the end of the
transaction, or two that say the same would both look before either has written.
"""

import hashlib
from collections.abc import Iterable
from uuid import UUID

from django.db import connection

from apps.core.errors import Conflict, NotFound
from apps.curation.models import Proposal


def lock_places(project_id: int, places: Iterable[tuple[str, str]]) -> None:
    """Wait for every ``(scope, scope_id)``, always in the same order. Held until the transaction ends."""
    keys = sorted({_key(project_id, *place) for place in places})
    if keys:
        with connection.cursor() as cursor:
            cursor.execute("SELECT pg_advisory_xact_lock(key) FROM unnest(%s::bigint[]) key", [keys])


def locked_undecided(project_id: int, proposal_id: UUID) -> Proposal:
    """The proposal, locked with its place. Raises NotFound, and Conflict ``proposal_decided`` naming what became of
    it."""
    place = Proposal.objects.in_project(project_id).filter(id=proposal_id).values_list("scope", "scope_id").first()
    if place is not None:
        lock_places(project_id, [place])
    proposal = Proposal.objects.select_for_update().filter(project_id=project_id, id=proposal_id).first()
    if proposal is None:
        raise NotFound("not_found", "There is no such proposal in this project.")
    if proposal.state not in {"pending", "quarantined"}:
        raise Conflict("proposal_decided", f"This proposal was {proposal.state} before; nothing was changed.")
    return proposal


def comparing(project_id: int) -> bool:
    """Be the one who groups duplicates in the project until the transaction ends, or False while somebody else is."""
    with connection.cursor() as cursor:
        cursor.execute("SELECT pg_try_advisory_xact_lock(%s)", [_key(project_id, "duplicates", "")])
        (alone,) = cursor.fetchone()
    return bool(alone)


def _key(project_id: int, scope: str, scope_id: str) -> int:
    digest = hashlib.blake2b(f"curation:{project_id}:{scope}:{scope_id}".encode(), digest_size=8).digest()
    return int.from_bytes(digest, "big", signed=True)
