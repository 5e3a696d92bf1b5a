"""The project itself as an installed app, for its management commands."""

from django.apps import AppConfig


class MemoryplaneConfig(AppConfig):
    name = "memoryplane"
    label = "memoryplane"
