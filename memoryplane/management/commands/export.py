"""Take a project's facts along in a file."""

import sys
from argparse import ArgumentParser
from pathlib import Path
from typing import Any

from django.core.management.base import BaseCommand, CommandError

from apps.access.actor import system_actor
from apps.access.models import SENSITIVITIES
from apps.exchange.export import FORMS, rows_of
from apps.facts.actions.export_facts import export_facts
from apps.facts.models import SCOPES
from apps.facts.queries import STATUSES, FactFilter
from memoryplane.management.chosen import chosen_project


class Command(BaseCommand):
    help = "Write the facts of a project as JSON Lines that `import` takes in again, oldest first, or as CSV for people, newest first."

    def add_arguments(self, parser: ArgumentParser) -> None:
        parser.add_argument("file", nargs="?", help="where to; left out, standard output")
        parser.add_argument("--project", help="slug of the project; not needed while there is only one")
        parser.add_argument("--as", dest="form", default="jsonl", choices=sorted(FORMS))
        parser.add_argument("--scope", default="", choices=["", *SCOPES])
        parser.add_argument("--scope-id", default="")
        parser.add_argument("--category", default="")
        parser.add_argument("--status", default="active", choices=STATUSES, help="active if left out")
        parser.add_argument(
            "--history",
            action="store_true",
            help="closed versions too, so that it is kept what facts were derived from",
        )
        parser.add_argument(
            "--most-sensitive", default="special", choices=SENSITIVITIES, help="leave out what is labelled above this"
        )

    def handle(self, *args: Any, **options: Any) -> None:
        project = chosen_project(options["project"])
        seen = tuple(SENSITIVITIES[: SENSITIVITIES.index(options["most_sensitive"]) + 1])
        wanted = FactFilter(
            scope=options["scope"],
            scope_id=options["scope_id"],
            category=options["category"],
            status="" if options["history"] else options["status"],
            superseded=options["history"],
            sensitivities=seen,
        )
        ids = export_facts(
            actor=system_actor("exchange", project.id),
            project_id=project.id,
            wanted=wanted,
            form=options["form"],
            whole=True,
        )
        _, write = FORMS[options["form"]]
        if options["form"] == "jsonl":
            ids.reverse()
        pieces = write(rows_of(project.id, ids, seen))
        if not options["file"]:
            for piece in pieces:
                sys.stdout.write(piece)
            return
        path = Path(options["file"])
        try:
            # What somebody remembers of people is for nobody else on this machine.
            path.touch(mode=0o600)
            path.chmod(0o600)
            with path.open("w", encoding="utf-8", newline="") as file:
                file.writelines(pieces)
        except OSError as error:
            raise CommandError(f"{path} can't be written: {error.strerror}.") from error
        self.stdout.write(f"{len(ids):,} facts of {project.slug} in {path}")
