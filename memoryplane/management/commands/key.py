"""Print a new API key."""

from argparse import ArgumentParser
from typing import Any

from django.core.management.base import BaseCommand, CommandError

from apps.access.actions.issue_key import issue_key
from apps.access.actor import system_actor
from apps.access.scopes import AGENT_SCOPES, SCOPES
from apps.core.errors import DomainError
from apps.core.transactions import bind
from apps.tenancy.models import Project
from apps.tenancy.queries import find_agent


class Command(BaseCommand):
    help = "Issue an API key and print it once, as a line that a shell can read."

    def add_arguments(self, parser: ArgumentParser) -> None:
        parser.add_argument("--project", help="slug of the project; not needed while there is only one")
        parser.add_argument("--agent", help="name or id of the one agent the key may name; left out, all of them")
        parser.add_argument(
            "--scopes", default=",".join(AGENT_SCOPES), help=f"comma-separated, of: {', '.join(SCOPES)}"
        )
        parser.add_argument("--name", default="made by manage.py key")
        parser.add_argument("--ceiling", default="personal", help="most sensitive label the key may read")

    def handle(self, *args: Any, **options: Any) -> None:
        project = self.project(options["project"])
        agents = None
        if options["agent"]:
            with bind(project.id):
                agent = find_agent(project_id=project.id, name_or_id=options["agent"])
            if agent is None:
                raise CommandError(f"Project {project.slug} has no agent of this name; see Agents in the console.")
            agents = [agent.id]
        try:
            _, text = issue_key(
                actor=system_actor("setup", project.id),
                project_id=project.id,
                name=options["name"],
                scopes=[scope.strip() for scope in options["scopes"].split(",") if scope.strip()],
                agents=agents,
                sensitivity_ceiling=options["ceiling"],
            )
        except DomainError as error:
            raise CommandError(" ".join(fault.detail for fault in error.errors) or error.detail) from error
        self.stdout.write(f"export MEMORYPLANE_API_KEY={text}")

    def project(self, slug: str | None) -> Project:
        projects = list(Project.objects.filter(archived_at=None).order_by("id"))
        if slug:
            projects = [project for project in projects if project.slug == slug]
        if len(projects) != 1:
            names = ", ".join(Project.objects.order_by("slug").values_list("slug", flat=True))
            raise CommandError(f"Name one project with --project: {names or 'there is none yet'}.")
        return projects[0]
