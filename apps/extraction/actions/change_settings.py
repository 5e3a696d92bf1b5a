"""How a project's traces are mined from now on."""

from dataclasses import dataclass
from typing import Any

from apps.access.actor import Actor
from apps.access.policies import require
from apps.audit.actions.record import record
from apps.core.clock import now
from apps.core.errors import FieldError, Invalid
from apps.core.transactions import bind
from apps.extraction.models import EXTRACTORS, ExtractionSettings
from apps.inference.chat import model_choices
from apps.screening.screen import screen

MAX_ADDITION = 4_000


@dataclass(frozen=True, kw_only=True)
class Choice:
    """All of a project's settings. ``model`` is a name of the operator's list, blank for its default; ``max_learned`` null
    is no cap."""

    extractor: str = "rules"
    model: str = ""
    prompt_addition: str = ""
    max_per_trace: int = 20
    max_learned: int | None = 200


def change_settings(*, actor: Actor, project_id: int, choice: Choice) -> ExtractionSettings:
    """Replace the settings. The audit row names the fields that changed, never the text of the prompt's addition.
    Raises Invalid with one error for each bad field."""
    require(actor, "extraction.settings", project_id=project_id)
    columns = _checked(choice)
    with bind(project_id):
        ExtractionSettings.objects.bulk_create([ExtractionSettings(project_id=project_id)], ignore_conflicts=True)
        chosen = ExtractionSettings.objects.select_for_update().get(project_id=project_id)
        changed = sorted(name for name, value in columns.items() if getattr(chosen, name) != value)
        if changed:
            for name in changed:
                setattr(chosen, name, columns[name])
            chosen.updated_at = now()
            chosen.save(update_fields=[*changed, "updated_at"])
            told = {name: columns[name] for name in changed if name != "prompt_addition"}
            record(
                actor=actor,
                verb="extraction.settings",
                object_type="extraction_settings",
                object_id=chosen.pk,
                data={"changed": changed, **told},
            )
    return chosen


def _checked(choice: Choice) -> dict[str, Any]:
    errors = []

    def wrong(field: str, code: str, detail: str) -> None:
        errors.append(FieldError(code, detail, pointer=f"/{field}"))

    models = model_choices()
    model = choice.model.strip()
    if choice.extractor not in EXTRACTORS:
        wrong("extractor", "unknown_choice", "Not an extractor.")
    if choice.extractor == "llm":
        model = model or next(iter(models), "")
        if not models:
            wrong("extractor", "model_not_configured", "The operator offers no chat model.")
        elif model not in models:
            wrong("model", "unknown_choice", "Not a model of the operator's list.")
    else:
        model = ""
    addition = choice.prompt_addition.replace("\r\n", "\n").strip()
    if len(addition) > MAX_ADDITION:
        wrong("prompt_addition", "too_long", f"The addition has at most {MAX_ADDITION:,} characters.")
    elif "\x00" in addition:
        wrong("prompt_addition", "null_character", "The addition holds a character that can't be stored.")
    elif screen(addition).secrets:
        wrong("prompt_addition", "secret", "The addition holds a password or a key; it would be sent to the model.")
    if not 1 <= choice.max_per_trace <= 100:
        wrong("max_per_trace", "out_of_range", "Between 1 and 100 statements a trace.")
    if choice.max_learned is not None and not 1 <= choice.max_learned <= 1_000_000:
        wrong("max_learned", "out_of_range", "At least 1 learned fact a person, or no cap.")
    if errors:
        raise Invalid("invalid_settings", "The settings can't be stored as they are.", errors=errors)
    return {
        "extractor": choice.extractor,
        "model": model,
        "prompt_addition": addition,
        "max_per_trace": choice.max_per_trace,
        "max_learned": choice.max_learned,
    }
