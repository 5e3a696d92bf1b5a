"""Naming a category."""

from django import forms


class CategoryForm(forms.Form):
    """A name; the verb checks it."""

    name = forms.CharField(
        label="Category", max_length=200, widget=forms.TextInput(attrs={"dir": "auto", "autocomplete": "off"})
    )


class RenameForm(forms.Form):
    """The other name, new or one that is offered already."""

    name = forms.CharField(
        label="New name",
        max_length=200,
        widget=forms.TextInput(attrs={"dir": "auto", "autocomplete": "off", "list": "categories", "autofocus": True}),
        help_text="A new name, or one of the list that takes its place.",
    )

    def __init__(self, *args: object, categories: list[str], **kwargs: object) -> None:
        super().__init__(*args, **kwargs)  # type: ignore[arg-type]
        self.categories = categories
