"""Naming a filter of the list of facts."""

from typing import Any

from django import forms

from apps.insight.saved import MAX_NAME


class ViewForm(forms.Form):
    """``may_share`` leaves the choice of who sees it to whom may make it."""

    name = forms.CharField(label="Name", max_length=MAX_NAME, widget=forms.TextInput(attrs={"autocomplete": "off"}))
    shared = forms.BooleanField(label="Everybody in this project sees it", required=False)
    default = forms.BooleanField(
        label="Open it first",
        required=False,
        help_text="What you are shown when you open Facts without a filter. One view of yours at a time.",
    )

    def __init__(self, data: Any = None, *, may_share: bool, **options: Any) -> None:
        super().__init__(data, **options)
        if not may_share:
            del self.fields["shared"]
