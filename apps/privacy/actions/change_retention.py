"""For how long a project keeps what, from now on."""

from apps.access.actor import Actor
from apps.access.policies import require
from apps.audit.actions.record import record
from apps.core.clock import now
from apps.core.errors import FieldError, Invalid
from apps.core.transactions import bind
from apps.privacy.models import RetentionSettings
from apps.privacy.retention import KINDS, LEAST, LONGEST


def change_retention(*, actor: Actor, project_id: int, days: dict[str, int | None]) -> list[str]:
    """Replace the settings, ``days`` by the name of each; None keeps for ever. Returns the names of those that changed.
    Nothing is deleted here: the next purge goes by them. Raises Invalid with one error for each that is out of range."""
    require(actor, "retention.change", project_id=project_id)
    names = [kind.column for kind in KINDS]
    errors = [
        FieldError("out_of_range", f"{LEAST} to {LONGEST:,} days, or nothing for ever.", pointer=f"/{name}")
        for name in names
        if days.get(name) is not None and not LEAST <= (days[name] or 0) <= LONGEST
    ]
    if errors:
        raise Invalid("invalid_retention", "Not a time that can be chosen.", errors=errors)
    with bind(project_id):
        RetentionSettings.objects.bulk_create([RetentionSettings(project_id=project_id)], ignore_conflicts=True)
        chosen = RetentionSettings.objects.select_for_update().get(project_id=project_id)
        changed = [name for name in names if getattr(chosen, name) != days.get(name)]
        if changed:
            told = {name: {"from": getattr(chosen, name), "to": days.get(name)} for name in changed}
            for name in changed:
                setattr(chosen, name, days.get(name))
            chosen.updated_at = now()
            chosen.save(update_fields=[*changed, "updated_at"])
            record(
                actor=actor,
                verb="retention.change",
                object_type="retention_settings",
                object_id=project_id,
                data=told,
            )
    return changed
