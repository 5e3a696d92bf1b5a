"""Where a webhook goes and what it tells."""

from typing import Any

from django import forms

from apps.exchange.adapters.addresses import LONGEST
from apps.exchange.hooks import EVENTS
from apps.exchange.models import Webhook


class WebhookForm(forms.Form):
    """Address and events; filled in from ``webhook`` where there is one."""

    url = forms.CharField(
        label="Address",
        max_length=LONGEST,
        help_text="It begins with https:// and lies in the open internet. It gets ids, never text.",
        widget=forms.TextInput(
            attrs={"autocomplete": "off", "spellcheck": "false", "inputmode": "url", "dir": "ltr", "autofocus": True}
        ),
    )
    events = forms.MultipleChoiceField(
        label="What it is told",
        choices=[(event, f"{said} ({event})") for event, said in EVENTS.items()],
        widget=forms.CheckboxSelectMultiple,
        error_messages={"required": "Choose at least one."},
    )

    def __init__(self, data: Any = None, *, webhook: Webhook | None = None) -> None:
        chosen = {"url": webhook.url, "events": webhook.events} if webhook else {"events": list(EVENTS)}
        super().__init__(data, initial=chosen)

    def wish(self) -> dict[str, Any]:
        """Keyword arguments of `add_webhook` and `change_webhook`."""
        return {"url": self.cleaned_data["url"], "events": self.cleaned_data["events"]}
