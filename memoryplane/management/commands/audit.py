"""`audit`: whether the chains of the audit log are whole, and the log of a project as a file."""

import sys
from argparse import ArgumentParser
from pathlib import Path
from typing import Any

from django.conf import settings
from django.core.management.base import BaseCommand, CommandError

from apps.access.actions.export_audit import export_audit
from apps.access.actions.verify_audit import verify_audit
from apps.access.actor import system_actor
from apps.audit.heads import heads, read_heads
from apps.audit.queries import Wanted, exported
from apps.audit.walking import Walk
from apps.tenancy.models import Project

BROKEN, CANT_TELL = 1, 2


class Command(BaseCommand):
    help = "Verify the chains of the audit log (exit code 0 whole, 1 broken, 2 can't tell), or export one."

    def add_arguments(self, parser: ArgumentParser) -> None:
        acts = parser.add_subparsers(dest="act", required=True)
        verify = acts.add_parser("verify", help="walk every chain and compare it with the heads written down elsewhere")
        verify.add_argument("--project", help="slug of the one project; left out, all chains, the installation's too")
        verify.add_argument("--heads", type=Path, help="a copy of the file of heads (MEMORYPLANE_AUDIT_HEADS)")
        export = acts.add_parser("export", help="the events of a project as JSON lines on standard output")
        export.add_argument("--project", required=True, help="slug of the project")

    def handle(self, *args: Any, **options: Any) -> None:
        if options["act"] == "export":
            self.export(self.project(options["project"]))
        else:
            self.verify(options["project"], options["heads"])

    def verify(self, slug: str | None, given: Path | None) -> None:
        path = given or settings.AUDIT_HEADS
        signed, bad = self.second_place(path, given is not None)
        names = dict(Project.objects.values_list("id", "slug"))
        if slug:
            chains: list[int | None] = [self.project(slug).id]
        else:
            # A chain that was deleted with its head has left its trace in the second place.
            known = {project for project, _ in heads()} | set(signed)
            chains = sorted(known, key=lambda project: project or 0)
        for number in bad:
            self.stdout.write(f"BROKEN  {path.name}, line {number}: not written by this installation")
        broken = len(bad)
        for project_id in chains:
            name = "installation" if project_id is None else names.get(project_id, f"deleted project {project_id}")
            actor = system_actor("operator", project_id)
            walk = verify_audit(actor=actor, project_id=project_id, signed=signed.get(project_id, {}))
            broken += walk.broken_at is not None
            self.stdout.write(said(name, walk))
        if broken:
            sys.exit(BROKEN)

    def second_place(self, path: Path, named: bool) -> tuple[dict[int | None, dict[int, bytes]], list[int]]:
        """The heads of each chain, and the lines that are none of ours."""
        signed: dict[int | None, dict[int, bytes]] = {}
        bad = []
        try:
            for number, head in read_heads(path):
                if head is None:
                    bad.append(number)
                else:
                    signed.setdefault(head.project_id, {})[head.seq] = head.hash
        except OSError as error:
            if named:
                raise CommandError(f"{path} can't be read: {error.strerror}.", returncode=CANT_TELL) from error
            self.stdout.write(f"?       {path} can't be read: a cut end or a chain written anew would not be found")
        return signed, bad

    def export(self, project: Project) -> None:
        wanted = Wanted()
        up_to = export_audit(actor=system_actor("operator", project.id), project_id=project.id, wanted=wanted)
        for line in exported(project.id, wanted, up_to):
            self.stdout.write(line, ending="")

    def project(self, slug: str) -> Project:
        project = Project.objects.filter(slug=slug).first()
        if project is None:
            raise CommandError("There is no such project.", returncode=CANT_TELL)
        return project


def said(name: str, walk: Walk) -> str:
    if walk.broken_at is not None:
        return f"BROKEN  {name}: at event {walk.broken_at:,}: {walk.why}"
    events = "one event" if walk.seq == 1 else f"{walk.seq:,} events"
    return f"ok      {name}: {events}, {walk.compared:,} of them as written down elsewhere"
