"""`migrate`, as the owner unless told otherwise.

The application role may not change the schema, and through it Django would mark every migration applied
while the router made no table.
"""

from django.core.management.base import CommandParser
from django.core.management.commands.migrate import Command as DjangoMigrate


class Command(DjangoMigrate):
    def add_arguments(self, parser: CommandParser) -> None:
        super().add_arguments(parser)
        parser.set_defaults(database="owner")
