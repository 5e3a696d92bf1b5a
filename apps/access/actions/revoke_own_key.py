"""A key ends its own life: whoever holds a leaked key can stop it without an account."""

from apps.access import key_cache
from apps.access.actions.revoke_key import REASONS
from apps.access.actor import Actor
from apps.access.models import ApiKey
from apps.access.policies import require
from apps.audit.actions.record import record
from apps.core.clock import now
from apps.core.transactions import bind


def revoke_own_key(*, actor: Actor, project_id: int, reason: str = "leaked") -> ApiKey:
    """Revoke the key that acts; the very next request of this process with it gets a 401, and one of any
    other within `key_cache.SECONDS`. Two at once both get the first one's time."""
    require(actor, "keys.revoke_own", project_id=project_id)
    with bind(project_id):
        key = ApiKey.objects.select_for_update().get(project_id=project_id, id=int(actor.id))
        if key.revoked_at is None:
            key.revoked_at = now()
            key.revoke_reason = reason if reason in REASONS else "other"
            key.save(update_fields=["revoked_at", "revoke_reason"])
            record(
                actor=actor,
                verb="keys.revoke_own",
                object_type="key",
                object_id=key.id,
                reason=key.revoke_reason,
            )
    key_cache.drop(key.id)
    return key
