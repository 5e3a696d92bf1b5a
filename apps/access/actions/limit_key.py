"""Where a key may be used from and how often, from now on."""

from apps.access import key_cache
from apps.access.actor import Actor
from apps.access.limits import networks_of, rate_errors
from apps.access.models import ApiKey
from apps.access.policies import require
from apps.audit.actions.record import record
from apps.core.clock import now
from apps.core.errors import Conflict, Invalid, NotFound
from apps.core.transactions import bind


def limit_key(
    *, actor: Actor, project_id: int, key_id: int, rate_per_minute: int | None, ip_allow: list[str] | None
) -> ApiKey:
    """Set both limits of a live key; None is no limit, an empty list of networks lets it be used nowhere. Every process
    goes by it within `key_cache.SECONDS`. The same again changes nothing. Raises NotFound, Invalid with one error a
    field, and Conflict ``key_over``."""
    require(actor, "keys.limit", project_id=project_id)
    networks, errors = networks_of(ip_allow)
    errors += rate_errors(rate_per_minute)
    if errors:
        raise Invalid("invalid_limits", "The key can't be limited so.", errors=errors)
    with bind(project_id):
        key = ApiKey.objects.select_for_update(no_key=True).filter(project_id=project_id, id=key_id).first()
        if key is None:
            raise NotFound("not_found", "There is no such key in this project.")
        if key.revoked_at is not None or key.expires_at <= now():
            raise Conflict("key_over", "This key was revoked or has expired.")
        before = (key.rate_per_minute, key.ip_allow)
        if before == (rate_per_minute, networks):
            return key
        key.rate_per_minute, key.ip_allow = rate_per_minute, networks
        key.save(update_fields=["rate_per_minute", "ip_allow"])
        record(
            actor=actor,
            verb="keys.limit",
            object_type="key",
            object_id=key.id,
            data={
                "a_minute": {"before": before[0], "after": rate_per_minute},
                "networks": {"before": _count(before[1]), "after": _count(networks)},
            },
        )
    key_cache.drop(key.id)
    return key


def _count(networks: list[str] | None) -> int | None:
    return None if networks is None else len(networks)
