"""Which moment is looked at, and whose facts."""

from typing import Any

from django import forms

from apps.console.forms.agent_view import MomentField
from apps.console.shaping.moments import written
from apps.facts.models import SCOPES
from apps.tenancy.models import Project

SHOWN = {
    "": "True then",
    "added": "Added since",
    "replaced": "Replaced since",
    "ended": "Ended since",
    "read": "Read then",
}


class MomentForm(forms.Form):
    """The query string of Time travel. Nothing is required; without a moment there is nothing to show."""

    at = MomentField(label="Moment", required=False, max_length=40)
    agent = forms.CharField(label="Agent", required=False, max_length=200)
    user = forms.CharField(label="User", required=False, max_length=255)
    scope = forms.ChoiceField(label="Scope", required=False, choices=[("", ""), *((one, one) for one in SCOPES)])
    show = forms.ChoiceField(label="Show", required=False, choices=list(SHOWN.items()))

    def __init__(self, data: Any, *, project: Project) -> None:
        super().__init__(data)
        at = self.fields["at"]
        assert isinstance(at, MomentField)
        at.project = project

    def given(self) -> dict[str, str]:
        """Of a form that is valid: what stands in the address, by its names there."""
        clean = self.cleaned_data
        words = {name: clean[name].strip() for name in ("agent", "user", "scope", "show")}
        return (
            {"at": written(clean["at"])} | {name: word for name, word in words.items() if word} if clean["at"] else {}
        )

    def faults(self) -> list[str]:
        """Each error with the name of its field."""
        return [f"{self.fields[name].label}: {error}" for name, errors in self.errors.items() for error in errors]
