"""How a project ranks facts for a question, from its next question on."""

import math

from apps.access.actor import Actor
from apps.access.policies import require
from apps.audit.actions.record import record
from apps.core.clock import now
from apps.core.errors import FieldError, Invalid
from apps.core.transactions import bind
from apps.recall.models import LANGUAGES, WEIGHTS, RecallSettings
from apps.recall.queries import default_weights, weights_of
from apps.recall.weights import Weights
from apps.tenancy.models import Project

LONGEST_HALF_LIFE = 36_500


def change_weights(*, actor: Actor, project_id: int, weights: Weights | None) -> bool:
    """Replace the project's weights, half-life and language, all at once; None takes the defaults back. Returns whether
    anything was different.

    What equals the defaults is no row, so that a project which chose nothing of its own follows them. The audit row
    has the old and new values of what changed. Raises Invalid with one error for each bad field, and without a field
    when all weights are nought; nothing is changed then.
    """
    require(actor, "recall.settings", project_id=project_id)
    if weights is not None:
        _check(weights)
    with bind(project_id):
        # There may be no row yet to lock; this one is always there.
        Project.objects.select_for_update(no_key=True).get(id=project_id)
        defaults = default_weights()
        old, new = _flat(weights_of(project_id)), _flat(weights or defaults)
        changed = sorted(name for name, value in new.items() if old[name] != value)
        if not changed:
            return False
        own = RecallSettings.objects.filter(project_id=project_id)
        if new == _flat(defaults):
            own.delete()
        else:
            RecallSettings.objects.update_or_create(project_id=project_id, defaults=new | {"updated_at": now()})
        record(
            actor=actor,
            verb="recall.settings",
            object_type="recall_settings",
            object_id=project_id,
            data={
                "changed": changed,
                "old": {name: old[name] for name in changed},
                "new": {name: new[name] for name in changed},
                "defaults": new == _flat(defaults),
            },
        )
    return True


def _flat(weights: Weights) -> dict[str, float | str]:
    return {**weights.parts, "half_life_days": weights.half_life_days, "language": weights.language}


def _check(weights: Weights) -> None:
    if set(weights.parts) != set(WEIGHTS):
        raise Invalid("invalid_settings", "Each part of the score has one weight.")
    errors = [
        FieldError("out_of_range", "Between 0 and 1.", pointer=f"/{name}")
        for name in WEIGHTS
        if not 0 <= weights.parts[name] <= 1
    ]
    if not errors and not any(weights.parts.values()):
        errors.append(
            FieldError("all_nought", "At least one weight is more than 0, or nothing would decide the order.")
        )
    days = weights.half_life_days
    if not 0 < days <= LONGEST_HALF_LIFE or not math.isfinite(days):
        detail = f"More than 0 and at most {LONGEST_HALF_LIFE:,} days."
        errors.append(FieldError("out_of_range", detail, pointer="/half_life_days"))
    if weights.language not in LANGUAGES:
        errors.append(FieldError("unknown_choice", "Not a language of the list.", pointer="/language"))
    if errors:
        raise Invalid("invalid_settings", "The weights can't be stored as they are.", errors=errors)
