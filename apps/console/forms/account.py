"""Passwords and codes that are asked once more, and new ones."""

from typing import Any

from django import forms


def _password(label: str, autocomplete: str, **options: Any) -> forms.CharField:
    widget = forms.PasswordInput(attrs={"autocomplete": autocomplete})
    return forms.CharField(label=label, strip=False, max_length=1000, widget=widget, **options)


class AgainForm(forms.Form):
    """The password of somebody who is signed in."""

    password = _password("Password", "current-password")


class PasswordForm(forms.Form):
    """A new password, twice; the old one where there is one."""

    oldpassword = _password("Present password", "current-password")
    password1 = _password("New password", "new-password", help_text="12 characters or more.")
    password2 = _password("New password once more", "new-password")

    def __init__(self, *args: Any, has_one: bool, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        if not has_one:
            del self.fields["oldpassword"]

    def clean(self) -> dict[str, Any]:
        data = super().clean() or {}
        if data.get("password1") and data.get("password2") and data["password1"] != data["password2"]:
            self.add_error("password2", "The two passwords are not the same.")
        return data


def _code(label: str, **attrs: Any) -> forms.CharField:
    widget = forms.TextInput(
        attrs={"autocomplete": "one-time-code", "spellcheck": "false", "autocapitalize": "off"} | attrs
    )
    return forms.CharField(label=label, max_length=20, widget=widget)


class CodeForm(forms.Form):
    """Of the app, or one of the recovery codes."""

    code = _code("Code", autofocus=True)


class EnableForm(forms.Form):
    """The app's first code. ``setup`` is what the page gave the app, signed."""

    setup = forms.CharField(max_length=1000, widget=forms.HiddenInput)
    code = _code("Code that the app shows", inputmode="numeric")
