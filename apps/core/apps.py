from django.apps import AppConfig


class CoreConfig(AppConfig):
    """Registers the app under the label "core"; it has no models."""

    name = "apps.core"
    label = "core"
