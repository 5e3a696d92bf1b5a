"""Saying how a conflict is settled."""

from datetime import datetime, time
from typing import Any

from django import forms
from django.utils import timezone

from apps.core.errors import FieldError
from apps.curation.actions.settle_conflict import MAX_NOTE, Verdict
from apps.curation.standing import Side, seen_as
from apps.facts.models import SCOPES

HOW = {"asis": "As they are", "time": "By time", "place": "By scope"}
OFFERED = [(scope, scope) for scope in SCOPES]


class SettleConflict(forms.Form):
    """One radio for each side to keep, one for all of them, one for a third wording; what belongs to each stands below
    it and counts only when it is chosen. Nothing is chosen in advance."""

    seen = forms.CharField(required=False, widget=forms.HiddenInput)
    verdict = forms.CharField(error_messages={"required": "Choose one of these to go on."})
    how = forms.ChoiceField(required=False, choices=list(HOW.items()))
    until = forms.DateField(required=False, label="Date")
    content = forms.CharField(required=False)
    note = forms.CharField(required=False, max_length=MAX_NOTE)

    def __init__(self, sides: list[Side], data: Any = None) -> None:
        self.sides = sides
        earlier = sorted(sides, key=lambda side: (side.said_at, side.ref))
        day = timezone.localtime(earlier[-1].said_at).date() if sides else None
        super().__init__(data, initial={"seen": seen_as(sides), "until": day and day.isoformat()})
        for side in sides:
            scope, scope_id = self.place_fields(side)
            self.fields[scope] = forms.ChoiceField(required=False, choices=OFFERED, initial=side.row.scope)
            self.fields[scope_id] = forms.CharField(required=False, initial=side.row.scope_id)

    @staticmethod
    def place_fields(side: Side) -> tuple[str, str]:
        """The names of the two fields that say who is told a side."""
        return f"scope-{side.ref}", f"id-{side.ref}"

    def places(self) -> list[dict[str, Any]]:
        """For the template: each side with its two bound fields."""
        return [
            {"side": side, "scope": self[scope], "id": self[scope_id]}
            for side in self.sides
            for scope, scope_id in [self.place_fields(side)]
        ]

    def clean(self) -> dict[str, Any]:
        values = super().clean() or self.cleaned_data
        if values.get("verdict") == "both":
            if not values.get("how"):
                self.add_error("how", "Say how both can hold.")
            if values.get("how") == "time" and not values.get("until") and not self.has_error("until"):
                self.add_error("until", "Say on which day one ends and the other begins.")
        return values

    def verdict_word(self) -> Verdict:
        """What the form says, once it is valid."""
        values = self.cleaned_data
        chosen = values["verdict"]
        if chosen == "write":
            return Verdict(kind="write", content=values["content"])
        if chosen != "both":
            return Verdict(kind="keep", keep=chosen)
        if values["how"] == "time":
            return Verdict(kind="both", until=timezone.make_aware(datetime.combine(values["until"], time.min)))
        if values["how"] == "place":
            return Verdict(
                kind="both",
                places={
                    side.ref: (values[scope], values[scope_id].strip())
                    for side in self.sides
                    for scope, scope_id in [self.place_fields(side)]
                },
            )
        return Verdict(kind="both")

    def show(self, faults: tuple[FieldError, ...], detail: str) -> None:
        """Put what the verb refused beside its field, or above the form."""
        own = {"/until": "until", "/note": "note", "/content": "content", "/keep": "verdict"}
        for fault in faults or (FieldError("", detail),):
            self.add_error(own.get(fault.pointer), fault.detail)
