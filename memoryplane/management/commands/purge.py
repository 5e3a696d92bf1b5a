"""`purge`: writes over what erasures deleted, as the owner of the tables."""

import time
from argparse import ArgumentParser
from typing import Any

from django.core.management.base import BaseCommand, CommandError

from apps.privacy.actions.purge_residue import purge_residue
from apps.privacy.models import Purge

PAUSE = 5


class Command(BaseCommand):
    help = (
        "Write over the bytes of what erasures deleted: vacuum, new indexes, new table files, statistics and log. Each"
        " table is locked while it is rewritten, in the hours of MEMORYPLANE_PURGE_WINDOW alone; --gently leaves its free"
        " space for a later run, --now does not wait for the hours."
    )

    def add_arguments(self, parser: ArgumentParser) -> None:
        parser.add_argument("--watch", action="store_true", help="go on, looking every five seconds for what waits")
        parser.add_argument("--gently", action="store_true", help="no table is locked: heaps keep their free space")
        parser.add_argument("--now", action="store_true", help="write tables anew whatever the hour is")
        parser.add_argument("--force", action="store_true", help="even where no erasure asked for it")

    def handle(self, *args: Any, **options: Any) -> None:
        rewrite = False if options["gently"] else True if options["now"] else None
        done = purge_residue(rewrite=rewrite, force=options["force"])
        if not options["watch"]:
            if done is None:
                self.stdout.write("Nothing waits to be purged.")
                return
            self.show(done)
            if done.failed or done.finished_at is None:
                raise CommandError("The purge is not complete.")
            return
        while True:
            if done is not None:
                self.show(done)
            time.sleep(PAUSE)
            done = purge_residue(rewrite=rewrite)

    def show(self, done: Purge) -> None:
        for holder in done.report["blocked_by"]:
            self.stdout.write(
                f"Waits: a {holder['kind']} ({holder['name']}) began before it and may see what was deleted."
            )
        if done.finished_at is not None:
            steps = done.report["steps"]
            proven = sum(step["proven"] for step in steps)
            self.stdout.write(f"Purged: {proven} of {len(steps)} steps proven.")
            for line in done.report["not_checked"]:
                self.stdout.write(f"Not checked: {line}")
