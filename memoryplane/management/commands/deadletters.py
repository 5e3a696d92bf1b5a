"""What was given up, and queueing it again, from the command line."""

from argparse import ArgumentParser
from typing import Any

from django.core.management.base import BaseCommand, CommandError
from django.db.models import Count, Min

from apps.access.actor import system_actor
from apps.console.queries import is_dead, open_traces
from apps.console.shaping.extraction import error_in_words
from apps.console.shaping.health_tables import LOST, dead_for
from apps.core.transactions import bind
from apps.extraction.actions.extract_again import extract_again
from apps.tenancy.models import Project
from memoryplane.management.chosen import chosen_project

MOST = 10_000


class Command(BaseCommand):
    help = (
        "List the traces that are worked on no more after five attempts, by reason; with --requeue, have them tried again."
        " A requeue is in the audit, one row for each trace, as one from the console is."
    )

    def add_arguments(self, parser: ArgumentParser) -> None:
        parser.add_argument("--project", help="slug of the project; not needed while there is only one")
        parser.add_argument("--requeue", action="store_true", help="queue them again; left out, they are only listed")
        parser.add_argument("--reason", help="those of this reason alone, as listed")
        parser.add_argument("--most", type=int, default=200, help="queue at most so many, the oldest; 200 if left out")

    def handle(self, *args: Any, **options: Any) -> None:
        if not 1 <= options["most"] <= MOST:
            raise CommandError(f"--most is 1 to {MOST:,}.")
        project, reason = chosen_project(options["project"]), options["reason"]
        with bind(project.id):
            rows = open_traces(project.id).filter(is_dead()).order_by().values_list("dead_reason")
            found = sorted(rows.annotate(count=Count("id"), since=Min("last_arrival_at")))
        listed = [(code or LOST, count, since) for code, count, since in found if reason in (None, code or LOST)]
        if reason is not None and not listed:
            raise CommandError(f"Nothing is given up for that reason in {project.slug}.")
        if not listed:
            self.stdout.write(f"Nothing is given up in {project.slug}.")
        for code, count, since in listed:
            self.stdout.write(f"{code}: {count:,}, the oldest of {since:%Y-%m-%d %H:%M} UTC. {error_in_words(code)}")
        if options["requeue"] and listed:
            self.requeue(project, [code for code, _, _ in listed], options["most"])

    def requeue(self, project: Project, codes: list[str], most: int) -> None:
        with bind(project.id):
            dead = [one for code in codes for one in dead_for(project.id, code)[:most]]
        dead = sorted(dead, key=lambda one: (one.last_arrival_at, one.id))[:most]
        for trace in dead:
            extract_again(actor=system_actor("extraction", project.id), project_id=project.id, trace_id=trace.trace_id)
        self.stdout.write(f"Queued again: {len(dead):,}.")
