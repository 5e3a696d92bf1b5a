"""Print a new API key, or change where one may be used from and how often."""

from argparse import ArgumentParser
from datetime import timedelta
from typing import Any

from django.core.management.base import BaseCommand, CommandError

from apps.access.actions.issue_key import issue_key
from apps.access.actions.limit_key import limit_key
from apps.access.actor import system_actor
from apps.access.models import SENSITIVITIES, ApiKey
from apps.access.scopes import AGENT_SCOPES, SCOPES
from apps.core.clock import now
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

        parser.add_argument("--categories", help="comma-separated: the only ones that are told and listed")
        parser.add_argument("--purposes", help="comma-separated: a read has to name one of them")
        parser.add_argument("--rate", help="requests a minute, or none")
        parser.add_argument("--from", dest="networks", help="comma-separated addresses and networks, or anywhere")
        parser.add_argument("--days", type=int, help="until it expires, 90 if left out, 365 at most")
        parser.add_argument(
            "--change", metavar="mp_XXXXXXXX", help="set --rate and --from of this key; makes no new one"
        )

    def handle(self, *args: Any, **options: Any) -> None:
        try:
            if options["change"]:
                self.change(options)
            else:
                self.issue(options)
        except DomainError as error:
            raise CommandError(" ".join(fault.detail for fault in error.errors) or error.detail) from error

    def change(self, options: dict[str, Any]) -> None:
        """What is not named stays as it is."""
        public_id = options["change"].removeprefix("mp_")[:8]
        key = ApiKey.objects.filter(public_id=public_id).first()
        if key is None:
            raise CommandError("There is no such key; see Keys in the console.")
        changed = limit_key(
            actor=system_actor("setup", key.project_id),
            project_id=key.project_id,
            key_id=key.id,
            rate_per_minute=key.rate_per_minute if options["rate"] is None else self.rate(options["rate"]),
            ip_allow=key.ip_allow if options["networks"] is None else names(options["networks"], "anywhere"),
        )
        rate = "no limit" if changed.rate_per_minute is None else f"{changed.rate_per_minute:,} a minute"
        self.stdout.write(
            f"{changed}: {rate}, from {'anywhere' if changed.ip_allow is None else ', '.join(changed.ip_allow)}"
        )

    def rate(self, text: str | None) -> int | None:
        if text is None or text == "none":
            return None
        if not (text.isascii() and text.isdecimal() and len(text) < 9):
            raise CommandError("--rate is a whole number, or none.")
        return int(text)

    def issue(self, options: dict[str, Any]) -> None:
        project, agent = self.place(options["project"], options["agent"])
        days = options["days"]
        _, text = issue_key(
            actor=system_actor("setup", project.id),
            project_id=project.id,
            name=options["name"] or (f"for {agent.name}" if agent else "for all agents"),
            scopes=names(options["scopes"]) or [],
            agents=[agent.id] if agent else None,
            categories=names(options["categories"] or ""),
            purposes=names(options["purposes"] or ""),
            sensitivity_ceiling=options["ceiling"],
            write_mode="direct" if options["direct"] else "propose",
            rate_per_minute=self.rate(options["rate"]),
            ip_allow=names(options["networks"] or "", "anywhere"),
            expires_at=now() + timedelta(days=max(-1000, min(days, 1000))) if days is not None else None,
        )
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


def names(text: str, everything: str = "") -> list[str] | None:
    """What stands between commas; None for nothing, or for the word that means all."""
    found = [part.strip() for part in text.split(",") if part.strip()]
    return None if found in ([], [everything]) else found
