"""How a project's facts are consolidated."""

from typing import Any

from django import forms

from apps.dreaming.actions.change_settings import RANGES, Choice
from apps.dreaming.models import DreamSettings
from apps.inference.chat import ModelChoice

ENGINES = {
    "rules": "Rules. They work offline, cost nothing, and propose only what they can show.",
    "llm": "A language model. It sees paraphrases too, takes minutes, and costs what its server asks.",
}


def number(name: str, label: str, help_text: str, *, required: bool = True) -> forms.IntegerField:
    """A field for one of `RANGES`, which the verb checks; left empty it is off where it may be."""
    least, most = RANGES[name]
    return forms.IntegerField(label=label, required=required, help_text=f"{help_text} {least:,} to {most:,}.")


class DreamingForm(forms.Form):
    """All of a project's settings. ``models`` are the operator's; without any the rules alone can be chosen."""

    engine = forms.ChoiceField(label="Who reads the facts", widget=forms.RadioSelect)
    model = forms.ChoiceField(label="Model", required=False)
    schedule_hours = number(
        "schedule_hours", "Every so many hours", "For each place that has new facts.", required=False
    )
    threshold = number(
        "threshold", "After so many new facts", "Of one place, counted since its last run.", required=False
    )
    settle_seconds = number("settle_seconds", "Seconds of quiet", "A run that nobody asked for by hand waits so long.")
    fact_cap = number(
        "fact_cap",
        "Facts of a place, at most",
        "What is over it is proposed for the archive, one by one.",
        required=False,
    )
    retire_percent = number("retire_percent", "Retired in one run, in percent", "Three facts may be retired always.")
    stale_days = number("stale_days", "Days until a learned fact is stale", "Unless somebody confirmed it since.")
    max_tokens = number("max_tokens", "Tokens of one run, at most", "It stops there with what it has, and says so.")
    max_seconds = number("max_seconds", "Seconds of one run, at most", "It stops there with what it has, and says so.")
    auto_exact = forms.BooleanField(
        label="Merge exact duplicates without a person",
        required=False,
        help_text="The same words in one place. Pinned, personal and special facts and policies always wait for a person.",
    )
    auto_own = forms.BooleanField(
        label="Add what a user said of himself without a person",
        required=False,
        help_text="In his own words, from a message that is stored. Personal and special statements always wait for a person.",
    )

    def __init__(self, chosen: DreamSettings, models: dict[str, ModelChoice], data: Any = None) -> None:
        names = [name for name in self.base_fields if name != "model"]
        initial = {name: getattr(chosen, name) for name in names}
        super().__init__(data, initial=initial | {"model": chosen.model or next(iter(models), "")})
        engine, model = self.fields["engine"], self.fields["model"]
        assert isinstance(engine, forms.ChoiceField) and isinstance(model, forms.ChoiceField)
        engine.choices = [(name, label) for name, label in ENGINES.items() if name == "rules" or models]
        if not models:
            engine.help_text = (
                "Only the rules can be chosen: no language model is configured. The operator of this installation names"
                " models in MEMORYPLANE_LLM_MODELS."
            )
            del self.fields["model"]
            return
        model.choices = [(name, name) for name in models]

    def choice(self) -> Choice:
        """What was chosen; the verb checks it."""
        return Choice(**{"model": ""} | self.cleaned_data)
