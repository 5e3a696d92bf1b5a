"""What is asked before several facts are changed."""

from collections.abc import Sequence
from datetime import timedelta
from typing import Any

from django import forms

from apps.access.models import SENSITIVITIES
from apps.console.forms.errors import show_errors
from apps.console.forms.facts import NEEDS_NO_ID, SCOPES
from apps.core.clock import now
from apps.core.errors import DomainError
from apps.curation.changing import PEOPLE_RETIRE, Move, Refiling, Retirement, Wish
from apps.facts.handling import Handling
from apps.facts.statement import Destination

DAYS = {"7": "in 7 days", "30": "in 30 days", "90": "in 90 days", "365": "in a year"}
REASONS = {
    "stale": "stale: it was so, and is no longer",
    "wrong": "wrong: it never was so",
    "duplicate": "duplicate: another fact says it",
}


class WishForm(forms.Form):
    """A form that says what is wished; ``kind`` names a mark that needs no field."""

    def __init__(self, *args: Any, kind: str, agents: list[str], categories: Sequence[str] = (), **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        self.kind, self.categories = kind, categories
        field = self.fields.get("agent_name")
        if isinstance(field, forms.ChoiceField):
            field.choices = [("", "–")] + [(name, name) for name in agents]

    def wish(self) -> Wish:
        """Of a valid form."""
        return Handling(kind=self.kind)  # type: ignore[arg-type]

    def refuse(self, error: DomainError) -> None:
        """Put a verb's refusal beside the fields it is about."""
        show_errors(self, error, {"scope_id": "agent_name"} if self.cleaned_data.get("scope") == "agent" else None)


class SensitivityForm(WishForm):
    sensitivity = forms.ChoiceField(
        label="Sensitivity",
        choices=[(name, name) for name in SENSITIVITIES],
        help_text="Personal and special facts are seen by curators and privacy officers alone, and told to keys that may.",
    )

    def wish(self) -> Wish:
        return Handling(kind="sensitivity", sensitivity=self.cleaned_data["sensitivity"])


class ExpiryForm(WishForm):
    when = forms.ChoiceField(
        label="Expires", choices=[*DAYS.items(), ("at", "at the moment below"), ("never", "never")], initial="30"
    )
    expires_at = forms.DateTimeField(
        label="Moment",
        required=False,
        widget=forms.DateTimeInput(attrs={"type": "datetime-local"}, format="%Y-%m-%dT%H:%M"),
        input_formats=["%Y-%m-%dT%H:%M", "%Y-%m-%dT%H:%M:%S"],
        help_text="In your time zone. Afterwards they are no longer told. Used with “at the moment below”.",
    )

    def clean(self) -> dict[str, Any]:
        data: dict[str, Any] = super().clean() or {}
        if data.get("when") == "at" and not data.get("expires_at") and not self.errors:
            self.add_error("expires_at", "Say when.")
        return data

    def wish(self) -> Wish:
        when = self.cleaned_data["when"]
        if when in DAYS:
            return Handling(kind="expiry", expires_at=now() + timedelta(days=int(when)))
        return Handling(kind="expiry", expires_at=self.cleaned_data["expires_at"] if when == "at" else None)


class RetireForm(WishForm):
    reason = forms.ChoiceField(
        label="Why", choices=[(name, REASONS[name]) for name in PEOPLE_RETIRE], widget=forms.RadioSelect
    )

    def wish(self) -> Wish:
        return Retirement(reason=self.cleaned_data["reason"])


class MoveForm(WishForm):
    scope = forms.ChoiceField(label="Scope", choices=SCOPES, initial="user")
    scope_id = forms.CharField(
        label="Id",
        required=False,
        max_length=255,
        help_text="Of the user, the session or the other thing. Not used for an agent or the project.",
    )
    agent_name = forms.ChoiceField(
        label="Agent",
        required=False,
        help_text="Needed for scope agent. With a user, session or other id: told through this agent only.",
    )

    def clean(self) -> dict[str, Any]:
        data: dict[str, Any] = super().clean() or {}
        scope = data.get("scope")
        if scope == "agent" and not data.get("agent_name") and not self.errors:
            self.add_error("agent_name", "Choose the agent that is told.")
        if scope and scope not in NEEDS_NO_ID and not data.get("scope_id") and not self.errors:
            self.add_error("scope_id", f"A fact of scope {scope} needs an id.")
        return data

    def wish(self) -> Wish:
        data = self.cleaned_data
        scope = data["scope"]
        return Move(
            to=Destination(
                scope=scope,
                scope_id="" if scope in NEEDS_NO_ID else data["scope_id"],
                agent_name="" if scope == "project" else data["agent_name"],
            )
        )


class FileForm(WishForm):
    category = forms.CharField(
        label="Category",
        max_length=60,
        widget=forms.TextInput(attrs={"list": "categories", "dir": "auto"}),
        help_text="Each becomes a new version. Keys that may read one category alone go by it.",
    )

    def wish(self) -> Wish:
        return Refiling(category=self.cleaned_data["category"])


class MergeForm(WishForm):
    content = forms.CharField(
        label="The one fact",
        widget=forms.Textarea(attrs={"rows": 3, "autofocus": True}),
        error_messages={"required": "A fact needs words."},
        help_text="One line that says what all of them say. It keeps the evidence of each, is as sensitive as the most"
        " sensitive and as sure as the least sure.",
    )


FORMS: dict[str, type[WishForm]] = {
    "sensitivity": SensitivityForm,
    "expiry": ExpiryForm,
    "retire": RetireForm,
    "move": MoveForm,
    "file": FileForm,
    "merge": MergeForm,
}
"""Of the kinds that need a field; the others are a `WishForm`."""
