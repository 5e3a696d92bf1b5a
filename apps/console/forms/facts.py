"""A fact as people write it."""

from dataclasses import replace
from datetime import datetime
from typing import Any

from django import forms

from apps.access.models import SENSITIVITIES
from apps.console.forms.errors import show_errors
from apps.core.errors import DomainError
from apps.facts.models import MEMORY_TYPES, Fact
from apps.facts.statement import Statement

SCOPES = [
    ("agent", "agent: one agent is told"),
    ("project", "project: every agent is told"),
    ("user", "user: told in reads that name the user"),
    ("session", "session: told in reads that name the session"),
    ("other", "other: told in reads that name the id"),
]
NEEDS_NO_ID = {"agent", "project"}


def _share(**options: Any) -> forms.FloatField:
    return forms.FloatField(widget=forms.NumberInput(attrs={"min": 0, "max": 1, "step": "any"}), **options)


class NamesField(forms.CharField):
    """Names separated by commas, as a list; nothing typed is None."""

    def prepare_value(self, value: Any) -> Any:
        return ", ".join(value) if isinstance(value, list) else value

    def to_python(self, value: Any) -> Any:
        names = [name.strip() for name in (super().to_python(value) or "").split(",")]
        return [name for name in names if name] or None

    def has_changed(self, initial: Any, data: Any) -> bool:
        return bool(self.to_python(data) != initial)


class FactForm(forms.Form):
    """Everything a person may say about a fact. Words and ranges are checked by the verb (`take`)."""

    content = forms.CharField(
        label="Fact",
        widget=forms.Textarea(attrs={"rows": 3, "autofocus": True}),
        error_messages={"required": "A fact needs words."},
        help_text="One line, as an agent should be told it: up to 2,000 characters.",
    )
    scope = forms.ChoiceField(label="Scope", choices=SCOPES)
    scope_id = forms.CharField(
        label="Id",
        required=False,
        help_text="Of the user, the session or the other thing. Not used for an agent or the project.",
    )
    agent_name = forms.ChoiceField(
        label="Agent",
        required=False,
        help_text="Needed for scope agent. With a user, session or other id: told through this agent only.",
    )
    category = forms.CharField(
        label="Category", initial="general", widget=forms.TextInput(attrs={"list": "categories"})
    )
    memory_type = forms.ChoiceField(label="Memory type", choices=[(name, name) for name in MEMORY_TYPES])
    sensitivity = forms.ChoiceField(
        label="Sensitivity",
        choices=[(name, name) for name in SENSITIVITIES],
        initial="internal",
        help_text="Personal and special facts are seen by curators and privacy officers alone.",
    )
    confidence = _share(label="Confidence", initial=1.0, help_text="0 to 1: how sure it is.")
    importance = _share(label="Importance", initial=0.5, help_text="0 to 1: what is told first.")
    expires_at = forms.DateTimeField(
        label="Expires",
        required=False,
        widget=forms.DateTimeInput(attrs={"type": "datetime-local"}, format="%Y-%m-%dT%H:%M"),
        input_formats=["%Y-%m-%dT%H:%M", "%Y-%m-%dT%H:%M:%S"],
        help_text="In your time zone. Afterwards it is no longer told.",
    )
    purposes = NamesField(
        label="Purposes",
        required=False,
        help_text="Told only to reads that name one of these purposes, separated by commas. Empty: to any.",
    )
    task_types = NamesField(
        label="Task types",
        required=False,
        help_text="Told only to reads that name one of these tasks, such as release-notes. Empty: to any.",
    )

    def __init__(self, *args: Any, agents: list[str], categories: list[str], **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        self.categories = categories
        choices = [("", "–")] + [(name, name) for name in agents]
        field = self.fields["agent_name"]
        assert isinstance(field, forms.ChoiceField)
        field.choices = choices

    def statement(self, old: Fact | None = None) -> Statement:
        """What was typed; from ``old`` what the form does not ask, and its exact expiry where that was left alone."""
        data = self.cleaned_data
        scope = data["scope"]
        typed = Statement(
            content=data["content"],
            scope=scope,
            # An id left over from another scope says nothing about an agent or the project.
            scope_id="" if scope in NEEDS_NO_ID else data["scope_id"],
            agent_name="" if scope == "project" else data["agent_name"],
            category=data["category"],
            memory_type=data["memory_type"],
            sensitivity=data["sensitivity"],
            confidence=data["confidence"],
            importance=data["importance"],
            expires_at=data["expires_at"],
            purposes=data["purposes"],
            task_types=data["task_types"],
        )
        if old is None:
            return typed
        return replace(
            typed,
            attribute=old.attribute,
            valid_from=old.valid_from,
            valid_to=old.valid_to,
            expires_at=typed.expires_at if "expires_at" in self.changed_data else old.expires_at,
        )

    def refuse(self, error: DomainError) -> None:
        """Put a verb's refusal beside the fields it is about."""
        # The verb knows one place for whom a fact is about and for the agent that is told.
        show_errors(self, error, {"scope_id": "agent_name"} if self.cleaned_data.get("scope") == "agent" else None)


class ForgetForm(forms.Form):
    """The numbers that the page showed, sent back by its button."""

    facts = forms.IntegerField(min_value=0, widget=forms.HiddenInput)
    superseded = forms.IntegerField(min_value=0, widget=forms.HiddenInput)
    evidence = forms.IntegerField(min_value=0, widget=forms.HiddenInput)
    proposals = forms.IntegerField(min_value=0, widget=forms.HiddenInput)


def values_of(fact: Fact) -> dict[str, Any]:
    """The form's initial values for a new version of ``fact``."""
    return {
        "content": fact.content,
        "scope": fact.scope,
        "scope_id": "" if fact.scope in NEEDS_NO_ID else fact.scope_id,
        "agent_name": fact.agent.name if fact.agent else "",
        "category": fact.category,
        "memory_type": fact.memory_type,
        "sensitivity": fact.sensitivity,
        "confidence": fact.confidence,
        "importance": fact.importance,
        "expires_at": _minute(fact.expires_at),
        "purposes": fact.purposes,
        "task_types": fact.task_types,
    }


def _minute(moment: datetime | None) -> datetime | None:
    # The field shows minutes, so that a moment within one would count as changed.
    return moment.replace(second=0, microsecond=0) if moment else None
