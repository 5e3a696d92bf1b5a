"""For how long a project keeps what."""

from typing import Any

from django import forms

from apps.access.models import SENSITIVITIES
from apps.facts.models import SCOPES
from apps.privacy.models import RetentionRule
from apps.privacy.retention import KINDS, LONGEST

ANY = ("", "Any")


class RetentionForm(forms.Form):
    """One rule. ``sure`` is sent by whoever saw how much is due."""

    sure = forms.BooleanField(required=False, widget=forms.HiddenInput)
    store = forms.ChoiceField(label="What", choices=[(kind.store, kind.label) for kind in KINDS])
    scope = forms.ChoiceField(label="Scope", required=False, choices=[ANY, *((one, one) for one in SCOPES)])
    category = forms.CharField(label="Category", required=False, max_length=60, help_text="Of any, if left empty.")
    sensitivity = forms.ChoiceField(
        label="Sensitivity",
        required=False,
        choices=[ANY, *((one, one) for one in SENSITIVITIES)],
        help_text="Facts and rejected proposals may differ by these three; the most specific rule counts.",
    )
    keep_days = forms.IntegerField(
        label="Kept for, days", required=False, help_text=f"1 to {LONGEST:,}; for ever, if left empty."
    )
    purge_days = forms.IntegerField(
        label="Then deleted after, days",
        required=False,
        help_text="Facts only: nobody is told what is over, and after so many more days it is deleted. Never, if left empty.",
    )
    review_days = forms.IntegerField(
        label="Up for review after, days", required=False, help_text="Facts only. Never, if left empty."
    )

    def __init__(self, rule: RetentionRule | None, data: Any = None, initial: Any = None) -> None:
        names = ("store", "scope", "category", "sensitivity", "keep_days", "purge_days", "review_days")
        super().__init__(data, initial={name: getattr(rule, name) for name in names} if rule else initial)
        for name in ("store", "scope", "category", "sensitivity"):
            # What a rule is about is what it is: another thing needs another rule.
            self.fields[name].disabled = rule is not None
        self.fields["category"].widget.attrs |= {"dir": "auto", "autocomplete": "off"}

    def wanted(self) -> dict[str, Any]:
        return {name: value for name, value in self.cleaned_data.items() if name != "sure"}
