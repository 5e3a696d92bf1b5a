"""`restore`: a dump into an empty database, and then the erasures that it does not know of, before anything serves it."""

from argparse import ArgumentParser
from pathlib import Path
from typing import Any

from django.conf import settings
from django.core.management import call_command
from django.core.management.base import BaseCommand, CommandError
from django.db import connections

from apps.privacy.actions.replay_erasures import replay_erasures
from apps.privacy.erasure_log import read_log
from apps.privacy.models import Restoration
from memoryplane.dumps import run
from memoryplane.embedded import StartupFault


class Command(BaseCommand):
    help = (
        "Restore a dump of `backup` into an empty database. Nothing serves it until --replay has erased again what was"
        " erased after the dump was taken, by the erasure log."
    )

    def add_arguments(self, parser: ArgumentParser) -> None:
        parser.add_argument("file", type=Path, nargs="?", help="the dump; left out, only --replay is done")
        parser.add_argument("--replay", action="store_true", help="erase again what the erasure log holds")
        parser.add_argument("--log", type=Path, default=None, help="the erasure log (MEMORYPLANE_ERASURE_LOG)")

    def handle(self, *args: Any, **options: Any) -> None:
        if options["file"] is None and not options["replay"]:
            raise CommandError("Name a dump, or --replay, or both.")
        log = options["log"] or settings.ERASURE_LOG
        if options["replay"] and not log.is_file():
            raise CommandError(f"There is no erasure log at {log}: without it nobody knows what to erase again.")
        if options["file"] is not None:
            self.restore(options["file"])
        if options["replay"]:
            self.replay(log)
        else:
            self.stdout.write("Restored. Nothing serves it until `manage.py restore --replay` is done.")

    def restore(self, path: Path) -> None:
        if not path.is_file():
            raise CommandError(f"There is no dump at {path}.")
        with connections["owner"].cursor() as cursor:
            cursor.execute(
                "SELECT count(*) FROM pg_class WHERE relnamespace = 'public'::regnamespace AND relkind = 'r'"
            )
            if cursor.fetchone()[0]:
                raise CommandError("The database is not empty: restore into a new one.")
        connections["owner"].close()
        try:
            run("pg_restore", "--exit-on-error", "--no-owner", "--no-comments", "--dbname=" + self.name(), str(path))
        except StartupFault as fault:
            raise CommandError(str(fault)) from fault
        # Before the schema is brought up to date: from here on nothing serves it.
        call_command("migrate", verbosity=0)
        Restoration.objects.using("owner").create()

    def name(self) -> str:
        return str(settings.DATABASES["owner"]["NAME"])

    def replay(self, log: Path) -> None:
        try:
            done = replay_erasures(entries=read_log(log))
        except ValueError as error:
            raise CommandError(str(error)) from error
        self.stdout.write(f"Erased again: {done['subjects']} subjects, {done['facts']} facts, {done['traces']} traces.")
        if done["residue"]:
            raise CommandError(f"{done['residue']} places still name somebody who was erased; nothing serves it yet.")
