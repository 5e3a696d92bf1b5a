"""How a project ranks facts for a question, and the choices to start from."""

from typing import Any

from django import forms
from django.forms import BoundField

from apps.recall.models import LANGUAGES, WEIGHTS
from apps.recall.weights import Weights

PARTS = {
    "similarity": "How near fact and question are in meaning.",
    "keyword": "The share of the question’s words that the fact has, rare words counting more.",
    "named": "The question names the user whom the fact is about.",
    "dated": "It was said near the days that the question names.",
    "context": "Another fact of the same conversation answers well.",
    "recency": "It was said lately; see half-life.",
    "importance": "The fact’s own importance.",
    "confidence": "The fact’s own confidence.",
    "confirmation": "A person approved it, and further conversations said it too.",
    "authority": "How far its source is believed.",
}


def _number(**options: Any) -> forms.FloatField:
    return forms.FloatField(
        widget=forms.NumberInput(attrs={"min": 0, "step": "any", "inputmode": "decimal"}), **options
    )


class WeightsForm(forms.Form):
    """All of it. Ranges are checked by the verb."""

    half_life_days = _number(
        label="Half-life in days", help_text="How old what was said is when its recency is half. The default is 90."
    )
    language = forms.ChoiceField(
        label="Language of questions",
        choices=[(name, name.title()) for name in LANGUAGES],
        help_text="Whose stop words don’t count, and whose endings are the same word. Words of other languages are found"
        " as they stand.",
    )

    def __init__(self, weights: Weights, data: Any = None) -> None:
        initial = {**weights.parts, "half_life_days": weights.half_life_days, "language": weights.language}
        super().__init__(data, initial={name: _plain(value) for name, value in initial.items()})
        for name in WEIGHTS:
            self.fields[name] = _number(label=name.title(), help_text=PARTS[name])

    def parts(self) -> list[BoundField]:
        """The fields of the weights, in the order of the formula."""
        return [self[name] for name in WEIGHTS]

    def weights(self) -> Weights:
        """What was typed; the verb checks it."""
        data = self.cleaned_data
        return Weights(
            parts={name: data[name] for name in WEIGHTS},
            half_life_days=data["half_life_days"],
            language=data["language"],
        )


class FormulaForm(forms.Form):
    """The two shares of the plain formula; similarity has the rest of 1."""

    r = _number(label="r, recency", min_value=0, max_value=1)
    i = _number(label="i, importance", min_value=0, max_value=1)

    def clean(self) -> dict[str, Any]:
        data = super().clean() or self.cleaned_data
        # 0.7 + 0.3 is a little over 1.
        if "r" in data and "i" in data and data["r"] + data["i"] > 1 + 1e-9:
            self.add_error("i", "r and i together are at most 1.")
        return data


def _plain(value: object) -> object:
    """90 rather than 90.0."""
    return int(value) if isinstance(value, float) and value.is_integer() else value
