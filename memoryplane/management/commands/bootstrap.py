"""The first login, project, agent, facts and keys of a new installation."""

import secrets
from argparse import ArgumentParser
from typing import Any

from django.conf import settings
from django.core.management.base import BaseCommand
from django.db import connection

from apps.access.actions.create_project import create_project
from apps.access.actions.create_user import create_user
from apps.access.actions.grant_role import grant_role
from apps.access.actions.issue_key import issue_key
from apps.access.actions.register_agent import register_agent
from apps.access.actor import system_actor
from apps.access.models import Role, User
from apps.access.scopes import AGENT_SCOPES
from apps.core.transactions import unit
from apps.facts.actions.add_fact import add_fact
from apps.facts.statement import Statement
from apps.tenancy.models import Project

AGENT = "support"
# (content, category, importance, memory type): what a support agent of a small shop would be told.
FACTS = [
    ("Refunds are paid back to the original card within five business days.", "policy", 0.9, "semantic"),
    ("Refunds over 250 euros need the approval of a team lead.", "policy", 0.9, "procedural"),
    (
        "Cite the order number whenever you answer a question about a delivery.",
        "procedure",
        0.7,
        "procedural",
    ),
    (
        "The help desk is staffed from Monday to Friday, 8:00 to 18:00 Lisbon time.",
        "general",
        0.6,
        "semantic",
    ),
    (
        "Parcels to islands take two working days longer than the shop says at checkout.",
        "general",
        0.5,
        "semantic",
    ),
    ("Offer a replacement before a refund when an item arrived damaged.", "procedure", 0.8, "procedural"),
]


class Command(BaseCommand):
    help = "Make what a new installation needs to be used, once, and print its secrets once."

    def add_arguments(self, parser: ArgumentParser) -> None:
        parser.add_argument("--url", default=settings.PUBLIC_URL, help="address to print")

    def handle(self, *args: Any, **options: Any) -> None:
        setup = system_actor("setup")
        with unit():
            # Two web hosts may come up at once; the lock makes one of them the first.
            with connection.cursor() as cursor:
                cursor.execute("SELECT pg_advisory_xact_lock(hashtext('memoryplane.bootstrap'))")
            if User.objects.exists() or Project.objects.exists():
                return
            password = secrets.token_urlsafe(15)
            user = create_user(actor=setup, email="admin@example.com", name="Administrator", password=password)
            project = create_project(actor=setup, slug="main", name="Main")
            actor = system_actor("setup", project.id)
            # One operator at first: he curates, administers and answers for privacy until he invites others.
            for role in (Role.ADMIN, Role.CURATOR, Role.PRIVACY_OFFICER):
                grant_role(actor=actor, project_id=project.id, user=user, role=role)
            register_agent(actor=actor, project_id=project.id, name=AGENT)
            for content, category, importance, memory_type in FACTS:
                add_fact(
                    actor=actor,
                    project_id=project.id,
                    statement=Statement(
                        content=content,
                        scope="agent",
                        scope_id=AGENT,
                        category=category,
                        importance=importance,
                        memory_type=memory_type,
                    ),
                )
            key = issue_key(actor=actor, project_id=project.id, name="first agent", scopes=AGENT_SCOPES)[1]
            no_facts = issue_key(
                actor=actor,
                project_id=project.id,
                name="may not read facts",
                scopes=["agent:write", "traces:write"],
            )[1]
        self.stdout.write(
            "\n".join(
                [
                    "",
                    "First login, shown once:",
                    f"  address   {options['url']}/",
                    f"  e-mail    {user.email}",
                    f"  password  {password}",
                    "",
                    "For an agent's shell, shown once:",
                    f"export MEMORYPLANE_URL={options['url']}",
                    f"export MEMORYPLANE_API_KEY={key}",
                    f"export MEMORYPLANE_AGENT={AGENT}",
                    f"export MEMORYPLANE_KEY_NO_FACTS={no_facts}",
                    "",
                ]
            )
        )
