"""Print a new API key."""

from argparse import ArgumentParser
from typing import Any

from django.core.management.base import BaseCommand, CommandError

from apps.access.actions.issue_key import issue_key
from apps.access.actor import system_actor
from apps.access.models import SENSITIVITIES
from apps.access.scopes import AGENT_SCOPES, SCOPES
from apps.core.errors import DomainError
from apps.core.transactions import bind
from apps.tenancy.models import Agent, Project
from apps.tenancy.queries import find_agent


class Command(BaseCommand):
    help = "Issue an API key and print it once, as a line that a shell can read."

    def add_arguments(self, parser: ArgumentParser) -> None:
        parser.add_argument("--project", help="slug of the project, where the agent does not say it")
        parser.add_argument("--agent", help="name or id of the one agent the key may name; left out, all of them")
        parser.add_argument(
            "--scopes", default=",".join(AGENT_SCOPES), help=f"comma-separated, of: {', '.join(SCOPES)}"
        )
        parser.add_argument("--name", help="where it is used, so that it can be told apart later")
        parser.add_argument(
            "--ceiling", default="personal", choices=SENSITIVITIES, help="most sensitive label the key may be told"
        )
        parser.add_argument(
            "--direct",
            action="store_true",
            help="what the key writes is told at once; left out, a person reviews it first",
        )

    def handle(self, *args: Any, **options: Any) -> None:
        project, agent = self.place(options["project"], options["agent"])
        agents = [agent.id] if agent else None
        try:
            _, text = issue_key(
                actor=system_actor("setup", project.id),
                project_id=project.id,
                name=options["name"] or f"for {agent.name}" if agent else options["name"] or "for all agents",
                scopes=[scope.strip() for scope in options["scopes"].split(",") if scope.strip()],
                agents=agents,
                sensitivity_ceiling=options["ceiling"],
                write_mode="direct" if options["direct"] else "propose",
            )
        except DomainError as error:
            raise CommandError(" ".join(fault.detail for fault in error.errors) or error.detail) from error
        self.stdout.write(f"export MEMORYPLANE_API_KEY={text}")

    def place(self, slug: str | None, name: str | None) -> tuple[Project, Agent | None]:
        """The one project that fits, and its agent where one was named."""
        projects = list(Project.objects.filter(archived_at=None).order_by("id"))
        fitting = []
        for project in projects:
            if slug and project.slug != slug:
                continue
            with bind(project.id):
                agent = find_agent(project_id=project.id, name_or_id=name) if name else None
            if agent or not name:
                fitting.append((project, agent))
        if len(fitting) == 1:
            return fitting[0]
        names = ", ".join(project.slug for project in projects) or "there is none yet"
        if not fitting and name:
            raise CommandError(f"No such agent in {slug or 'any project'}; see Agents in the console ({names}).")
        raise CommandError(f"Name one project with --project: {names}.")
