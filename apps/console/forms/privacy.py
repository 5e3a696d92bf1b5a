"""What is filled in about privacy requests."""

from datetime import timedelta
from typing import Any

from django import forms

from apps.core.clock import now
from apps.privacy.mentions import Identifier
from apps.privacy.models import IDENTITY_METHODS

KINDS = {
    "erasure": "Forget the person: erase everything",
    "access": "Tell the person what is remembered",
    "correction": "Correct one fact",
    "restriction": "Keep it all, and tell nobody",
    "portability": "Take the facts along, as a file",
    "objection": "Erase everything, and never learn again",
}
METHODS = {
    "signed_in": "Signed in to our product",
    "email_link": "Answered a link sent to a known address",
    "document": "Showed a document",
    "callback": "Called back on a known number",
    "known_to_us": "Known to us in person",
    "other": "Another way",
}
REASONS = {
    "not_verified": "The identity could not be verified",
    "not_the_person": "Somebody asked about another person",
    "unfounded": "Manifestly unfounded",
    "excessive": "Excessive: asked again and again",
    "legal_duty": "A law makes us keep it",
    "nothing_asked": "Nothing was asked for",
}
assert set(METHODS) == set(IDENTITY_METHODS)


class NewRequest(forms.Form):
    """A request as it came in. ``identities``: one a line, an address, a number or a name."""

    external_id = forms.CharField(label="User", max_length=255, help_text="The id that agents use for the person.")
    kind = forms.ChoiceField(label="What is asked", choices=list(KINDS.items()), initial="erasure")
    fact_id = forms.IntegerField(
        label="Wrong fact", required=False, min_value=1, help_text="For a correction: its number."
    )
    correction = forms.CharField(
        label="What is right", required=False, max_length=2_000, widget=forms.Textarea(attrs={"rows": 2})
    )
    identity_method = forms.ChoiceField(
        label="Identity",
        choices=[("", "Not checked yet"), *METHODS.items()],
        required=False,
        help_text="Nothing happens before it is checked.",
    )
    received_on = forms.DateField(
        label="Received on",
        required=False,
        widget=forms.DateInput(attrs={"type": "date"}),
        help_text="The month to answer begins then. Today, if left empty.",
    )
    identities = forms.CharField(
        label="Also found as",
        required=False,
        widget=forms.Textarea(attrs={"rows": 3}),
        help_text="E-mail addresses, phone numbers and names of the person, one a line. Texts are searched for them.",
    )
    wish = forms.CharField(
        label="In the person's words",
        required=False,
        max_length=4_000,
        widget=forms.Textarea(attrs={"rows": 3}),
        help_text="Deleted when the request ends.",
    )

    def __init__(self, *given: Any, **named: Any) -> None:
        super().__init__(*given, **named)
        for name in ("external_id", "identities", "wish", "correction"):
            self.fields[name].widget.attrs |= {"dir": "auto", "autocomplete": "off"}
        self.fields["external_id"].widget.attrs["autofocus"] = True

    def clean_received_on(self) -> Any:
        day = self.cleaned_data.get("received_on")
        if day is not None and not (now() - timedelta(days=3_650)).date() <= day <= now().date():
            raise forms.ValidationError("Within the last ten years, and not in the future.")
        return day

    def named(self) -> list[Identifier]:
        lines = [line.strip() for line in self.cleaned_data["identities"].splitlines() if line.strip()]
        return [Identifier(kind_of(line), line) for line in lines]


def kind_of(text: str) -> str:
    """What an identity seems to be: an address, a number, or else a name."""
    if "@" in text:
        return "email"
    digits = sum(letter.isdigit() for letter in text)
    return "phone" if digits >= 6 and digits * 2 >= len(text) else "name"
