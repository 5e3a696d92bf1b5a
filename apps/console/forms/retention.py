"""For how long a project keeps what."""

from typing import Any

from django import forms

from apps.privacy.models import RetentionSettings
from apps.privacy.retention import KINDS, LEAST, LONGEST


class RetentionForm(forms.Form):
    """A number of days for each kind, or nothing. ``sure`` is sent by whoever saw how much goes."""

    sure = forms.BooleanField(required=False, widget=forms.HiddenInput)

    def __init__(self, chosen: RetentionSettings, data: Any = None) -> None:
        super().__init__(data, initial={kind.column: getattr(chosen, kind.column) for kind in KINDS})
        for kind in KINDS:
            self.fields[kind.column] = forms.IntegerField(
                label=f"{kind.label}, days", required=False, min_value=LEAST, max_value=LONGEST, help_text=kind.what
            )

    def days(self) -> dict[str, int | None]:
        return {kind.column: self.cleaned_data.get(kind.column) for kind in KINDS}
