"""How a project's facts are consolidated from now on."""

from dataclasses import asdict, dataclass

from apps.access.actor import Actor
from apps.access.policies import require
from apps.audit.actions.record import record
from apps.core.clock import now
from apps.core.errors import FieldError, Invalid
from apps.core.transactions import bind
from apps.dreaming.models import ENGINES, DreamSettings
from apps.inference.chat import model_choices


@dataclass(frozen=True, kw_only=True)
class Choice:
    """All of a project's settings, as `DreamSettings` has them. ``model`` blank: the operator's default."""

    engine: str = "rules"
    model: str = ""
    schedule_hours: int | None = None
    threshold: int | None = None
    settle_seconds: int = 60
    fact_cap: int | None = 100
    retire_percent: int = 10
    stale_days: int = 180
    max_tokens: int = 60_000
    max_seconds: int = 600
    auto_exact: bool = False
    auto_own: bool = False


RANGES: dict[str, tuple[int, int]] = {
    "schedule_hours": (1, 8_760),
    "threshold": (1, 1_000_000),
    "settle_seconds": (0, 3_600),
    "fact_cap": (1, 1_000_000),
    "retire_percent": (0, 50),
    "stale_days": (1, 36_500),
    "max_tokens": (1_000, 10_000_000),
    "max_seconds": (10, 3_600),
}
"""The least and the greatest of each; the three that may be None are off then."""


def change_settings(*, actor: Actor, project_id: int, choice: Choice) -> DreamSettings:
    """Replace the settings. Raises Invalid with one error for each bad field."""
    require(actor, "dreams.settings", project_id=project_id)
    columns = asdict(choice) | {"model": _model(choice)}
    with bind(project_id):
        DreamSettings.objects.bulk_create([DreamSettings(project_id=project_id)], ignore_conflicts=True)
        chosen = DreamSettings.objects.select_for_update().get(project_id=project_id)
        changed = {name: value for name, value in columns.items() if getattr(chosen, name) != value}
        if changed:
            for name, value in changed.items():
                setattr(chosen, name, value)
            chosen.updated_at = now()
            chosen.save(update_fields=[*changed, "updated_at"])
            record(
                actor=actor,
                verb="dreams.settings",
                object_type="dream_settings",
                object_id=chosen.pk,
                data={"changed": sorted(changed), **changed},
            )
    return chosen


def _model(choice: Choice) -> str:
    errors = []
    models, model = model_choices(), choice.model.strip()
    if choice.engine not in ENGINES:
        errors.append(FieldError("unknown_choice", "Not an engine.", pointer="/engine"))
    if choice.engine == "llm":
        model = model or next(iter(models), "")
        if model not in models:
            errors.append(FieldError("unknown_choice", "Not a model of the operator's list.", pointer="/model"))
    else:
        model = ""
    for name, (least, most) in RANGES.items():
        value = getattr(choice, name)
        if value is not None and not least <= value <= most:
            errors.append(FieldError("out_of_range", f"Between {least:,} and {most:,}.", pointer=f"/{name}"))
    if errors:
        raise Invalid("invalid_settings", "The settings can't be stored as they are.", errors=errors)
    return model
