"""Making and ending API keys."""

import secrets
from datetime import datetime, timedelta
from typing import Any
from uuid import UUID

from django import forms

from apps.access.actions.revoke_key import REASONS
from apps.access.scopes import AGENT_SCOPES, SCOPES
from apps.core.clock import now

CEILINGS = {
    "public": "public only",
    "internal": "public and internal",
    "personal": "public, internal and personal",
    "special": "all, special categories too",
}
WRITE_MODES = {
    "propose": "as proposals: a person reviews them first",
    "direct": "directly: agents are told at once",
}
REVOKE_REASONS = {
    "replaced": "Replaced by another key",
    "leaked": "Leaked, or it may have",
    "unused": "No longer used",
    "other": "Something else",
}


class Limits(forms.Form):
    """Where a key may be used from, and how often."""

    rate_per_minute = forms.IntegerField(
        label="Requests a minute", required=False, help_text="What goes beyond is answered with 429. Empty: no limit."
    )
    ip_allow = forms.CharField(
        label="Used from",
        required=False,
        help_text="Addresses and networks, one a line: 192.0.2.7, 10.1.0.0/16. Empty: from everywhere.",
        widget=forms.Textarea(attrs={"rows": 3}),
    )

    def clean_ip_allow(self) -> list[str] | None:
        return words_of(self.cleaned_data["ip_allow"])


def words_of(text: str) -> list[str] | None:
    """What stands between commas and line breaks; None where nothing does."""
    return [word for part in text.splitlines() for word in (one.strip() for one in part.split(",")) if word] or None


class NewKey(Limits):
    """What a new key may do. ``nonce`` tells a form that is sent a second time from a second wish for a key."""

    nonce = forms.CharField(widget=forms.HiddenInput, max_length=64)
    name = forms.CharField(
        label="Name",
        help_text="Where it is used, so that it can be told apart later.",
        widget=forms.TextInput(attrs={"autofocus": True}),
    )
    scopes = forms.MultipleChoiceField(
        label="What it may do",
        choices=[(scope, f"{SCOPES[scope].does[0].upper()}{SCOPES[scope].does[1:]} ({scope})") for scope in SCOPES],
        widget=forms.CheckboxSelectMultiple,
        error_messages={"required": "Choose at least one."},
    )
    reach = forms.ChoiceField(
        label="For which agents",
        choices=[("all", "All agents, those of tomorrow too"), ("some", "Only the agents ticked below")],
        widget=forms.RadioSelect,
    )
    agents = forms.MultipleChoiceField(label="Agents", required=False, widget=forms.CheckboxSelectMultiple)
    sensitivity_ceiling = forms.ChoiceField(
        label="May be told",
        choices=list(CEILINGS.items()),
        help_text="Facts above this are never told to whoever holds the key.",
    )
    categories = forms.CharField(
        label="Only these categories",
        required=False,
        help_text="Separated by commas. Empty: all, those of tomorrow too.",
    )
    purposes = forms.CharField(
        label="Only for these purposes",
        required=False,
        help_text="A read then has to name one of them. Separated by commas. Empty: for any, or none named.",
    )
    write_mode = forms.ChoiceField(label="What it writes arrives", choices=list(WRITE_MODES.items()))
    days = forms.IntegerField(label="Days until it expires", help_text="1 to 365")

    def __init__(self, agents: dict[UUID, str], data: Any = None) -> None:
        super().__init__(
            data,
            initial={
                "nonce": secrets.token_urlsafe(16),
                "scopes": AGENT_SCOPES,
                "reach": "all",
                "sensitivity_ceiling": "personal",
                "write_mode": "propose",
                "days": 90,
            },
        )
        field = self.fields["agents"]
        assert isinstance(field, forms.MultipleChoiceField)
        field.choices = [(str(agent_id), name) for agent_id, name in agents.items()]
        if not agents:
            del self.fields["agents"]

        # What a form inherits comes first, and limits are what one thinks of last.
        self.order_fields([name for name in self.fields if name not in Limits.base_fields])

    def clean_categories(self) -> list[str] | None:
        return words_of(self.cleaned_data["categories"])

    def clean_purposes(self) -> list[str] | None:
        return words_of(self.cleaned_data["purposes"])

    def clean(self) -> dict[str, Any]:
        data = super().clean() or {}
        if data.get("reach") == "some" and not data.get("agents"):
            # A key for no agent at all is possible, and nobody means it.
            self.add_error("agents" if "agents" in self.fields else "reach", "Tick at least one agent.")
        return data

    def grants(self) -> dict[str, Any]:
        """Keyword arguments of `issue_key`."""
        data = self.cleaned_data
        return {
            "name": data["name"],
            "scopes": data["scopes"],
            "agents": [UUID(agent) for agent in data["agents"]] if data["reach"] == "some" else None,
            "sensitivity_ceiling": data["sensitivity_ceiling"],
            "categories": data["categories"],
            "purposes": data["purposes"],
            "rate_per_minute": data["rate_per_minute"],
            "ip_allow": data["ip_allow"],
            "write_mode": data["write_mode"],
            "expires_at": self._end(data["days"]),
        }

    @staticmethod
    def _end(days: int) -> datetime:
        # Far beyond what the verb takes is cut here, since a date has an end; the verb still refuses it.
        return now() + timedelta(days=max(-1000, min(days, 1000)))


OVERLAPS = {
    "0": "None: the old key stops at once",
    "1": "An hour",
    "24": "A day",
    "168": "A week",
    "720": "Thirty days",
}


class RollKey(forms.Form):
    """How long the old key goes on working beside the new one, in hours."""

    nonce = forms.CharField(widget=forms.HiddenInput, max_length=64)
    hours = forms.ChoiceField(label="Both work for", choices=list(OVERLAPS.items()), widget=forms.RadioSelect)

    def __init__(self, data: Any = None) -> None:
        super().__init__(data, initial={"nonce": secrets.token_urlsafe(16), "hours": "24"})

    def overlap(self) -> timedelta:
        return timedelta(hours=int(self.cleaned_data["hours"]))


class RevokeKey(forms.Form):
    reason = forms.ChoiceField(
        label="Why", choices=[(name, REVOKE_REASONS[name]) for name in REASONS], widget=forms.RadioSelect
    )
