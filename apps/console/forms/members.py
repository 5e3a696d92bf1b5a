"""Who is in a project, and as what."""

from typing import Any

from django import forms

from apps.access.models import Role

DOES = {
    Role.VIEWER: "Viewer: reads facts that are not personal",
    Role.CURATOR: "Curator: decides what is remembered, reads personal facts",
    Role.PRIVACY_OFFICER: "Privacy officer: reads personal facts, forgets and erases",
    Role.ADMIN: "Admin: keys, members and settings; reads no personal facts",
    Role.AUDITOR: "Auditor: reads the audit log, members and keys, nothing else",
}


class RolesForm(forms.Form):
    """Roles add up; none of them implies another."""

    roles = forms.MultipleChoiceField(
        label="Roles",
        choices=list(DOES.items()),
        widget=forms.CheckboxSelectMultiple,
        error_messages={"required": "Choose at least one role."},
    )


class InviteForm(RolesForm):
    """The address is a name here: no mail is sent."""

    email = forms.CharField(
        label="E-mail address",
        max_length=254,
        help_text="Whose account it will be. No mail is sent: you get a link to pass on.",
        widget=forms.EmailInput(attrs={"autocomplete": "off", "autofocus": True}),
    )
    field_order = ["email", "roles"]


class AcceptForm(forms.Form):
    """A new account. Whoever has one already joins with it."""

    name = forms.CharField(label="Your name", max_length=120, widget=forms.TextInput(attrs={"autocomplete": "name"}))
    password = forms.CharField(
        label="Password",
        strip=False,
        widget=forms.PasswordInput(attrs={"autocomplete": "new-password"}),
        help_text="12 characters or more.",
    )
    again = forms.CharField(
        label="Password once more",
        strip=False,
        widget=forms.PasswordInput(attrs={"autocomplete": "new-password"}),
    )

    def clean(self) -> dict[str, Any]:
        data = super().clean() or {}
        if data.get("password") and data.get("again") and data["password"] != data["again"]:
            self.add_error("again", "The two passwords are not the same.")
        return data
