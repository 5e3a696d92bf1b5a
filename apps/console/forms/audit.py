"""What is looked for in the audit log."""

import re
from datetime import datetime, timedelta
from typing import Any

from django import forms
from django.utils import timezone

from apps.audit.queries import Wanted
from apps.console.shaping.audit import HEX_ID, KINDS, UUID_ID, verb_choices
from apps.console.shaping.audit_words import THINGS
from apps.core.text import storable

ACTOR = re.compile(r"(user|key):(\d{1,18})|(system|anonymous):([a-z_]{1,40})")


class AuditFilter(forms.Form):
    """Everything may be empty. A value that says nothing finds nothing, and does not get in the way."""

    q = forms.CharField(required=False, max_length=300)
    actor = forms.CharField(required=False, max_length=64)
    verb = forms.ChoiceField(required=False, choices=[("", "Any act"), *verb_choices()])
    since = forms.DateField(required=False)
    until = forms.DateField(required=False)
    result = forms.ChoiceField(required=False, choices=[("", ""), ("denied", "")])

    def wanted(self, own: str = "") -> Wanted:
        """``own``: the actor to whose acts the reader is held."""
        data: dict[str, Any] = self.cleaned_data if self.is_valid() else {**self.cleaned_data}
        typed = _bare(data.get("q", ""))
        actor = own or data.get("actor", "")
        return Wanted(
            actor=_actor(actor) if ACTOR.fullmatch(actor) else None,
            kind=actor if actor in KINDS else "",
            verb=data.get("verb", ""),
            objects=_kinds(typed) if typed else (),
            object_id=typed,
            since=_midnight(data.get("since"), 0),
            until=_midnight(data.get("until"), 1),
            denied=data.get("result") == "denied",
        )


def _bare(typed: str) -> str:
    """12 for #12, an id in the spelling in which the audit has it."""
    text = storable(typed)[0].strip().removeprefix("#").replace(",", "")
    return text.lower() if HEX_ID.fullmatch(text.lower()) or UUID_ID.fullmatch(text.lower()) else text


def _kinds(typed: str) -> tuple[str, ...]:
    """Of which things this can be the id: a bare number is a fact's, as people say it."""
    return ("fact",) if typed.isdecimal() else tuple(THINGS)


def _actor(text: str) -> tuple[str, str]:
    kind, _, number = text.partition(":")
    return kind, number


def _midnight(day: Any, later: int) -> datetime | None:
    """The beginning of a day, or of the one after it, where the reader is."""
    if day is None:
        return None
    try:
        return timezone.make_aware(datetime(day.year, day.month, day.day) + timedelta(days=later))
    except OverflowError:
        return None
