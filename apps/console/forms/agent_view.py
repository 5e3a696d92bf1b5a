"""What is asked on Agent view: the knobs of an agent's read, and the words of a test case."""

from dataclasses import dataclass, field
from datetime import datetime
from typing import Any

from django import forms

from apps.access.models import SENSITIVITIES
from apps.console.shaping.moments import moment_of, written
from apps.core.errors import Invalid
from apps.facts.models import MEMORY_TYPES
from apps.recall.question import MAX_CHARACTERS
from apps.tenancy.models import Project

LIMIT, THRESHOLD, BUDGET = 50, 0.0, 1_000
CEILING = "personal"
"""What a key may read up to that was made without saying so."""


@dataclass(frozen=True, kw_only=True)
class Asked:
    """One read as somebody imagines it. Empty texts ask for nothing in particular; ``ceiling`` "" is the key's own, or
    that of a new key; ``key`` is a row id. ``given`` is what stands in the address, by its names there."""

    agent: str
    user: str
    question: str
    limit: int = LIMIT
    threshold: float = THRESHOLD
    budget: int = BUDGET
    category: str = ""
    memory_type: str = ""
    purpose: str = ""
    task_type: str = ""
    ceiling: str = ""
    key: int | None = None
    at: datetime | None = None
    given: dict[str, str] = field(default_factory=dict)


class MomentField(forms.CharField):
    """A moment in UTC, not ahead of us and not before the project was made."""

    project: Project

    def clean(self, value: Any) -> datetime | None:
        text = super().clean(value)
        if not text:
            return None
        try:
            return moment_of(text, since=self.project.created_at)
        except Invalid as error:
            raise forms.ValidationError(error.detail) from None


def _between(kind: type[forms.IntegerField], label: str, least: int, most: int) -> forms.IntegerField:
    said = f"Has to be a number from {least} to {most:,}."
    messages = dict.fromkeys(("invalid", "min_value", "max_value"), said)
    return kind(label=label, required=False, min_value=least, max_value=most, error_messages=messages)


class KnobsForm(forms.Form):
    """The query string of Agent view. Nothing is required; what is left out has its default."""

    agent = forms.CharField(label="Agent", required=False, max_length=200)
    user = forms.CharField(label="User", required=False, max_length=255)
    q = forms.CharField(label="Question", required=False)
    limit = _between(forms.IntegerField, "Max facts", 1, 200)
    threshold = _between(forms.FloatField, "Threshold", 0, 1)
    budget = _between(forms.IntegerField, "Tokens", 1, 1_000_000)
    category = forms.CharField(label="Category", required=False, max_length=60)
    memory_type = forms.ChoiceField(
        label="Memory type", required=False, choices=[("", ""), *((one, one) for one in MEMORY_TYPES)]
    )
    purpose = forms.CharField(label="Purpose", required=False, max_length=60)
    task_type = forms.CharField(label="Task type", required=False, max_length=60)
    ceiling = forms.ChoiceField(
        label="Sensitivity up to", required=False, choices=[("", ""), *((one, one) for one in SENSITIVITIES)]
    )
    key = forms.IntegerField(label="As the key", required=False, min_value=1, max_value=2**63 - 1)
    at = MomentField(label="As of", required=False, max_length=40)

    def __init__(self, data: Any, *, project: Project) -> None:
        super().__init__(data)
        at = self.fields["at"]
        assert isinstance(at, MomentField)
        at.project = project

    def clean_user(self) -> str:
        user: str = self.cleaned_data["user"].strip()
        if user == "*":
            raise forms.ValidationError("Has to name one user.")
        return user

    def clean_q(self) -> str:
        question: str = self.cleaned_data["q"]
        return question[:MAX_CHARACTERS]

    def asked(self) -> Asked:
        """Of a form that is valid."""
        clean = self.cleaned_data
        return Asked(
            agent=clean["agent"],
            user=clean["user"],
            question=clean["q"],
            limit=clean["limit"] or LIMIT,
            threshold=clean["threshold"] or THRESHOLD,
            budget=clean["budget"] or BUDGET,
            category=clean["category"],
            memory_type=clean["memory_type"],
            purpose=clean["purpose"],
            task_type=clean["task_type"],
            ceiling=clean["ceiling"],
            key=clean["key"],
            at=clean["at"],
            given={
                name: written(value) if isinstance(value, datetime) else str(value)
                for name, value in clean.items()
                if value not in (None, "")
            },
        )

    def faults(self) -> list[str]:
        """Each error with the name of its field: "Max facts: Has to be a number from 1 to 200."."""
        return [f"{self.fields[name].label}: {error}" for name, errors in self.errors.items() for error in errors]


class CaseForm(forms.Form):
    """What a right answer says, to go with a question and its facts."""

    name = forms.CharField(label="Name", required=False, max_length=120, help_text="As the evaluation will list it.")
    expected = forms.CharField(
        label="Expected",
        required=False,
        max_length=4_000,
        widget=forms.Textarea(attrs={"rows": 3}),
        help_text="One part of the right answer a line; wordings that are as good, with | between them: 30 days | a month.",
    )
    must_not = forms.CharField(
        label="Must not say",
        required=False,
        max_length=4_000,
        widget=forms.Textarea(attrs={"rows": 2}),
        help_text="Words that would make the answer wrong, one a line.",
    )
