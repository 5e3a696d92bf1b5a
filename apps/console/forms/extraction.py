"""How a project's traces are mined, and which stored ones are mined again."""

from typing import Any
from uuid import UUID

from django import forms

from apps.extraction.actions.change_settings import MAX_ADDITION, Choice
from apps.extraction.models import ExtractionSettings
from apps.inference.chat import ModelChoice

LONGEST_HOURS = 24 * 365
EXTRACTORS = {
    "rules": "Rules. They work offline, cost nothing, and take only what is said plainly.",
    "llm": "A language model. It finds more, takes seconds a trace, and costs what its server asks.",
}


class ExtractionForm(forms.Form):
    """All settings of extraction. ``models`` are the operator's; without any the rules alone can be chosen."""

    extractor = forms.ChoiceField(label="Who reads the traces", widget=forms.RadioSelect)
    model = forms.ChoiceField(label="Model", required=False)
    prompt_addition = forms.CharField(
        label="Prompt addition",
        required=False,
        strip=False,
        widget=forms.Textarea(attrs={"rows": 6}),
        help_text=f"What this project asks of the model beyond the built-in instructions: up to {MAX_ADDITION:,} characters.",
    )
    max_per_trace = forms.IntegerField(
        label="Statements from one trace, at most", help_text="1 to 100. Those beyond it are left out and counted."
    )
    max_learned = forms.IntegerField(
        label="Learned facts about one subject, at most",
        required=False,
        help_text="Over it, the oldest learned fact that nobody wrote, edited or pinned is proposed for retirement."
        " Left empty: no cap.",
    )

    def __init__(self, chosen: ExtractionSettings, models: dict[str, ModelChoice], data: Any = None) -> None:
        super().__init__(
            data,
            initial={
                "extractor": chosen.extractor,
                "model": chosen.model or next(iter(models), ""),
                "prompt_addition": chosen.prompt_addition,
                "max_per_trace": chosen.max_per_trace,
                "max_learned": chosen.max_learned,
            },
        )
        self.chosen = chosen
        extractor, model = self.fields["extractor"], self.fields["model"]
        assert isinstance(extractor, forms.ChoiceField) and isinstance(model, forms.ChoiceField)
        extractor.choices = [(name, label) for name, label in EXTRACTORS.items() if name == "rules" or models]
        if not models:
            extractor.help_text = (
                "Only the rules can be chosen: no language model is configured. The operator of this installation names"
                " models in MEMORYPLANE_LLM_MODELS."
            )
            del self.fields["model"]
            return
        model.choices = [(name, _described(choice)) for name, choice in models.items()]
        if chosen.model and chosen.model not in models:
            model.choices = [("", "Choose a model"), *model.choices]
            self.initial["model"] = ""

    def choice(self) -> Choice:
        """What was chosen; the verb checks it."""
        data = self.cleaned_data
        return Choice(
            extractor=data["extractor"],
            model=data.get("model", ""),
            prompt_addition=data["prompt_addition"],
            max_per_trace=data["max_per_trace"],
            max_learned=data["max_learned"],
        )


def _described(choice: ModelChoice) -> str:
    if choice.price_in_per_million is None or choice.price_out_per_million is None:
        return f"{choice.name} (no price known)"
    return f"{choice.name} ({choice.price_in_per_million:g} in, {choice.price_out_per_million:g} out a million tokens)"


class LearnForm(forms.Form):
    """Which stored traces are meant."""

    hours = forms.IntegerField(
        label="Hours back",
        min_value=1,
        max_value=LONGEST_HOURS,
        initial=24,
        help_text=f"Traces that ran in the last so many hours, 1 to {LONGEST_HOURS:,}.",
    )
    agent = forms.ChoiceField(label="Agent", required=False)

    def __init__(self, agents: dict[UUID, str], data: Any = None, *, agent: str = "") -> None:
        super().__init__(data, initial={"agent": agent})
        field = self.fields["agent"]
        assert isinstance(field, forms.ChoiceField)
        field.choices = [("", "All agents"), *((str(agent_id), name) for agent_id, name in agents.items())]

    def agent_id(self) -> UUID | None:
        """The chosen agent; None for all."""
        chosen = self.cleaned_data["agent"]
        return UUID(chosen) if chosen else None
