"""Let somebody in again who has lost the app and the recovery codes."""

from argparse import ArgumentParser
from typing import Any

from django.core.management.base import BaseCommand, CommandError

from apps.access.actions.reset_second_step import reset_second_step
from apps.access.actor import system_actor
from apps.core.errors import DomainError


class Command(BaseCommand):
    help = "Switch two-step sign-in off for one account and end its sessions; it is recorded. Check who asks first."

    def add_arguments(self, parser: ArgumentParser) -> None:
        parser.add_argument("email", help="address of the account")

    def handle(self, *args: Any, **options: Any) -> None:
        try:
            user = reset_second_step(actor=system_actor("setup"), email=options["email"])
        except DomainError as error:
            raise CommandError(error.detail) from error
        self.stdout.write(f"{user.email} signs in with the password alone, and can set up two-step sign-in again.")
