"""How the console looks to one person."""

from typing import Any

from django import forms

from apps.access.models import User
from apps.console.clock import zones


class PreferencesForm(forms.Form):
    theme = forms.ChoiceField(
        label="Theme",
        required=False,
        choices=[("", "As the system has it"), ("light", "Light"), ("dark", "Dark")],
        widget=forms.RadioSelect,
    )
    density = forms.ChoiceField(
        label="Rows of lists",
        required=False,
        choices=[("", "Dense"), ("comfortable", "Comfortable")],
        widget=forms.RadioSelect,
    )
    single_keys = forms.BooleanField(
        label="Single keys do things",
        required=False,
        help_text="Such as j, k and e. Off, only keys with Ctrl work; buttons and links stay as they are.",
    )
    time_zone = forms.ChoiceField(
        label="Time zone",
        choices=[(name, name.replace("_", " ")) for name in zones()],
        help_text="In which times are shown, and in which you type them. Kept in UTC.",
    )

    def __init__(self, user: User, data: Any = None) -> None:
        names = ("theme", "density", "single_keys", "time_zone")
        super().__init__(data, initial={name: getattr(user, name) for name in names})
        field = self.fields["time_zone"]
        assert isinstance(field, forms.ChoiceField)
        if user.time_zone not in zones():
            # One that the system no longer knows stays until another is chosen.
            field.choices = [(user.time_zone, user.time_zone), *[(name, name) for name in zones()]]
