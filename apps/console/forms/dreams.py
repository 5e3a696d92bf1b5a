"""Starting a dream run, and how a project's runs go."""

from typing import Any

from django import forms

from apps.facts.models import SCOPES

SCOPE_LABELS = {
    "project": "The whole project",
    "agent": "One agent",
    "user": "One user",
    "session": "One session",
    "other": "Another scope",
}


class StartForm(forms.Form):
    """Whose facts the run is over."""

    scope = forms.ChoiceField(
        label="Whose facts", widget=forms.RadioSelect, choices=[(name, SCOPE_LABELS[name]) for name in SCOPES]
    )
    id = forms.CharField(
        label="Its name or id",
        required=False,
        max_length=255,
        help_text="An agent’s name, a user’s or session’s id, as the facts have it. The project needs none.",
        widget=forms.TextInput(attrs={"dir": "auto", "autocomplete": "off"}),
    )

    def __init__(self, data: Any = None, *, initial: dict[str, str] | None = None) -> None:
        super().__init__(data, initial=initial)
