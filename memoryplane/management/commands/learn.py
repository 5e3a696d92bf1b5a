"""Mine stored traces from the command line."""

from argparse import ArgumentParser
from datetime import timedelta
from typing import Any
from uuid import UUID

from django.core.management.base import BaseCommand, CommandError

from apps.access.actor import system_actor
from apps.core.clock import now
from apps.core.errors import DomainError
from apps.core.transactions import bind
from apps.extraction.actions.learn_traces import Learned, learn_traces
from apps.extraction.forecast import Forecast
from apps.tenancy.models import Project
from apps.tenancy.queries import find_agent
from memoryplane.management.chosen import chosen_project

LONGEST_HOURS = 24 * 3650


class Command(BaseCommand):
    help = (
        "Mine stored traces with the project's present extractor, the newest first. What it mined before is left alone,"
        " so it may be run again at any time."
    )

    def add_arguments(self, parser: ArgumentParser) -> None:
        parser.add_argument("--project", help="slug of the project; not needed while there is only one")
        parser.add_argument("--last-hours", type=float, default=24, help="how far back to look; 24 if left out")
        parser.add_argument("--agent", help="name or id of the agent whose traces are meant; left out, all of them")
        parser.add_argument("--max-traces", type=int, default=100, help="at most so many; 100 if left out")
        parser.add_argument(
            "--dry-run",
            action="store_true",
            help="say what would be mined and what to expect of it, and change nothing",
        )

    def handle(self, *args: Any, **options: Any) -> None:
        hours = options["last_hours"]
        if not 0 < hours <= LONGEST_HOURS:
            raise CommandError(f"--last-hours lies above 0 and is at most {LONGEST_HOURS:,}.")
        project = chosen_project(options["project"])
        try:
            learned = learn_traces(
                actor=system_actor("extraction", project.id),
                project_id=project.id,
                since=now() - timedelta(hours=hours),
                agent_id=self.agent(project, options["agent"]),
                limit=options["max_traces"],
                dry_run=options["dry_run"],
                progress=self.progress,
            )
        except DomainError as error:
            raise CommandError(error.detail) from error
        self.summary(learned, dry_run=options["dry_run"])

    def progress(self, taken: int, found: int) -> None:
        self.stdout.write(f"{taken:,} of {found:,} traces taken up")

    def summary(self, learned: Learned, *, dry_run: bool) -> None:
        if dry_run:
            self.stdout.write(
                f"Would mine {learned.found:,} traces by {learned.extractor}; it mined {learned.known:,} others before."
                f" {self.expected(learned.forecast)} Nothing was changed."
            )
            return
        self.stdout.write(
            f"Mined {learned.mined:,} of {learned.found:,} traces by {learned.extractor}:"
            f" {learned.proposed:,} proposals. It had mined {learned.known:,} others before."
        )
        if learned.failed or learned.put_off:
            why = (
                ", ".join(f"{count:,} × {code}" for code, count in learned.errors.items()) or "the model is left alone"
            )
            self.stdout.write(f"{learned.failed + learned.put_off:,} failed ({why}); the workers try them again.")
        if learned.taken:
            self.stdout.write(f"{learned.taken:,} were in other hands by then.")

    @staticmethod
    def expected(forecast: Forecast | None) -> str:
        said = forecast or Forecast(proposals=0)
        if said.proposals is not None:
            return f"They hold {said.messages:,} messages to read and would give {said.proposals:,} proposals."
        return (
            f"They hold {said.messages:,} messages to read: {said.calls:,} calls of the model, with about"
            f" {said.tokens:,} tokens of input in all."
        )

    def agent(self, project: Project, name: str | None) -> UUID | None:
        if not name:
            return None
        with bind(project.id):
            agent = find_agent(project_id=project.id, name_or_id=name)
        if agent is None:
            raise CommandError(f"Project {project.slug} has no agent of this name; see Agents in the console.")
        return agent.id
