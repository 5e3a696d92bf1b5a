"""A successor for a key, with the same grants, and a time in which both work."""

from datetime import timedelta

from apps.access import key_cache
from apps.access.actions.issue_key import LONGEST_LIFE, make
from apps.access.actor import Actor
from apps.access.models import ApiKey
from apps.access.policies import require
from apps.audit.actions.record import record
from apps.core.clock import now
from apps.core.errors import Conflict, Invalid, NotFound
from apps.core.transactions import bind

LONGEST_OVERLAP = timedelta(days=30)


def roll_key(
    *, actor: Actor, project_id: int, key_id: int, overlap: timedelta, idempotency_key: str | None = None
) -> tuple[ApiKey, str]:
    """Make the successor of a live key and return it with its text, which is nowhere stored.

    It lives as long as the old one was given, from now on. The old key ends after ``overlap``, or when it would have
    ended anyway, whichever is sooner; with no overlap it is revoked at once. Raises NotFound, Invalid for an overlap out
    of 0 to 30 days, and Conflict: ``key_over``, ``already_rolled`` while its successor lives, ``made_before`` for a wish
    that is sent again.
    """
    require(actor, "keys.roll", project_id=project_id)
    if not timedelta() <= overlap <= LONGEST_OVERLAP:
        raise Invalid("out_of_range", "Both keys may work for 0 to 30 days.", pointer="/overlap")
    at = now()
    with bind(project_id):
        old = ApiKey.objects.select_for_update(no_key=True).filter(project_id=project_id, id=key_id).first()
        if old is None:
            raise NotFound("not_found", "There is no such key in this project.")
        if idempotency_key and ApiKey.objects.filter(project_id=project_id, idempotency_key=idempotency_key).exists():
            raise Conflict("made_before", "This key was made before. Its text was shown then and can't be shown again.")
        if old.revoked_at is not None or old.expires_at <= at:
            raise Conflict("key_over", "This key was revoked or has expired. Make a new one.")
        if old.successors.filter(revoked_at=None, expires_at__gt=at).exists():
            raise Conflict("already_rolled", "This key has a successor already. Revoke that one first.")
        key, text = make(
            project_id=project_id,
            name=old.name,
            environment=old.environment,
            scopes=old.scopes,
            agents=old.agents,
            categories=old.categories,
            purposes=old.purposes,
            sensitivity_ceiling=old.sensitivity_ceiling,
            write_mode=old.write_mode,
            rate_per_minute=old.rate_per_minute,
            ip_allow=old.ip_allow,
            created_by_id=int(actor.id) if actor.kind == "user" else None,
            expires_at=at + min(old.expires_at - old.created_at, LONGEST_LIFE),
            rotated_from=old,
            idempotency_key=idempotency_key,
        )
        if overlap:
            old.expires_at = min(old.expires_at, at + overlap)
        else:
            old.revoked_at, old.revoke_reason = at, "replaced"
            old.revoked_by_id = int(actor.id) if actor.kind == "user" else None
        old.save(update_fields=["expires_at", "revoked_at", "revoked_by", "revoke_reason"])
        record(
            actor=actor,
            verb="keys.roll",
            object_type="key",
            object_id=old.id,
            data={"successor": key.id, "public_id": key.public_id, "works_until": old.expires_at.isoformat()}
            if overlap
            else {"successor": key.id, "public_id": key.public_id},
        )
    key_cache.drop(old.id)
    return key, text
