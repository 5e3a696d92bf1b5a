"""An SDK instance says that it is there."""

from apps.access.actor import Actor
from apps.access.policies import require
from apps.audit.actions.record import record
from apps.core.clock import now
from apps.core.errors import Invalid
from apps.core.text import storable
from apps.core.transactions import bind
from apps.tenancy.models import ClientInstance


def enroll_instance(
    *,
    actor: Actor,
    project_id: int,
    instance_id: str,
    hostname: str = "",
    sdk_version: str = "",
    fail_mode: str = "open",
    governed_agent_ids: list[str] | None = None,
) -> ClientInstance:
    """Upsert by instance id; the first sight is kept, the last moves. Raises Invalid for a blank or overlong id."""
    require(actor, "instances.enroll", project_id=project_id)
    instance_id = storable(instance_id)[0].strip()
    if not instance_id or len(instance_id) > 64:
        raise Invalid("invalid_instance", "An instance id is 1 to 64 characters.", pointer="/instance_id")
    values = {
        "hostname": storable(hostname)[0][:255],
        "sdk_version": storable(sdk_version)[0][:40],
        "fail_mode": fail_mode if fail_mode in {"open", "closed"} else "open",
        "governed_agent_ids": [storable(text)[0][:64] for text in governed_agent_ids or []][:1000],
        "last_seen_at": now(),
    }
    with bind(project_id):
        instance, created = ClientInstance.objects.update_or_create(
            project_id=project_id, instance_id=instance_id, defaults=values
        )
        if created:
            record(actor=actor, verb="instances.enroll", object_type="instance", object_id=instance.pk)
    return instance
