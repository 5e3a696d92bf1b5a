"""End a key's life before its time."""

from apps.access import key_cache
from apps.access.actor import Actor
from apps.access.models import ApiKey
from apps.access.policies import require
from apps.audit.actions.record import record
from apps.core.clock import now
from apps.core.errors import Conflict, NotFound
from apps.core.transactions import bind

REASONS = ["replaced", "leaked", "unused", "other"]


def revoke_key(*, actor: Actor, project_id: int, key_id: int, reason: str) -> ApiKey:
    """The very next request of this process with the key gets a 401, and one of any other within
    `key_cache.SECONDS`. Raises NotFound, and Conflict for one already revoked."""
    require(actor, "keys.revoke", project_id=project_id)
    with bind(project_id):
        key = ApiKey.objects.select_for_update().filter(project_id=project_id, id=key_id).first()
        if key is None:
            raise NotFound("not_found", "There is no such key in this project.")
        if key.revoked_at is not None:
            raise Conflict("already_revoked", "This key was revoked before.")
        key.revoked_at = now()
        key.revoked_by_id = int(actor.id) if actor.kind == "user" else None
        key.revoke_reason = reason if reason in REASONS else "other"
        key.save(update_fields=["revoked_at", "revoked_by", "revoke_reason"])
        record(actor=actor, verb="keys.revoke", object_type="key", object_id=key.id, reason=key.revoke_reason)
    key_cache.drop(key.id)
    return key
