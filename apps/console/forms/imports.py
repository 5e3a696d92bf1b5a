"""Bringing facts in: the file, and what is what in a table."""

from typing import Any

from django import forms

from apps.console.forms.dreams import SCOPE_LABELS
from apps.exchange.readers.table import OFFERED
from apps.facts.models import SCOPES

MOST_BYTES = 30 * 1024 * 1024
"""Of a file that comes through the browser; the command takes any."""


class UploadForm(forms.Form):
    """One file."""

    file = forms.FileField(
        label="File",
        max_length=255,
        help_text="At most 30 MB. It is read now, and nothing is taken in before you have seen what it comes to.",
    )

    def clean_file(self) -> Any:
        file = self.cleaned_data["file"]
        if file.size > MOST_BYTES:
            raise forms.ValidationError("The file is over 30 MB. An operator can bring it in with manage.py import.")
        return file


class CheckForm(forms.Form):
    """How an import is to go: a column for each field of a table, and what only an administrator may say."""

    scope = forms.ChoiceField(
        label="Scope of rows that name none", choices=[(name, SCOPE_LABELS[name]) for name in SCOPES], initial="user"
    )
    scope_id = forms.CharField(
        label="Name or id of rows that name none",
        required=False,
        max_length=255,
        widget=forms.TextInput(attrs={"dir": "auto", "autocomplete": "off"}),
    )
    direct = forms.BooleanField(
        label="Tell agents at once",
        required=False,
        help_text="Nobody reviews it. What must be looked at first waits all the same.",
    )
    register_agents = forms.BooleanField(label="Register agents that are not known here", required=False)

    def __init__(
        self, data: Any = None, *, header: list[str], may_all: bool, chosen: dict[str, Any], initial: dict[str, Any]
    ) -> None:
        named = {f"column-{field}": name for field, name in (chosen.get("columns") or {}).items()}
        super().__init__(
            data,
            initial=named
            | {"scope": chosen.get("scope") or "user", "scope_id": chosen.get("scope_id") or ""}
            | initial,
        )
        self.fields_of_table = [f"column-{field}" for field, _ in OFFERED] if header else []
        if not header:
            del self.fields["scope"], self.fields["scope_id"]
        if not may_all:
            del self.fields["direct"], self.fields["register_agents"]
        # In the order in which they are asked for: what a table holds comes first.
        late = self.fields
        self.fields = {
            f"column-{field}": forms.ChoiceField(
                label=label, required=field == "content", choices=[("", "(none)"), *((name, name) for name in header)]
            )
            for field, label in (OFFERED if header else [])
        } | late  # fmt: skip

    @property
    def columns(self) -> dict[str, Any] | None:
        """As the verb takes them; None where it is no table."""
        if not self.fields_of_table:
            return None
        said = self.cleaned_data
        return {
            "columns": {name.removeprefix("column-"): said[name] for name in self.fields_of_table if said[name]},
            "scope": said["scope"],
            "scope_id": said["scope_id"],
        }

    @property
    def table(self) -> list[Any]:
        return [self[name] for name in self.fields_of_table]

    @property
    def rest(self) -> list[Any]:
        return [self[name] for name in self.fields if name not in self.fields_of_table]
