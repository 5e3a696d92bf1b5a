"""Bring facts in from a file, or from where another framework keeps them."""

from argparse import ArgumentParser
from pathlib import Path
from typing import Any

from django.core.management.base import BaseCommand, CommandError

from apps.access.actor import Actor, system_actor
from apps.core.errors import DomainError
from apps.core.transactions import bind
from apps.exchange.actions.cancel_import import cancel_import
from apps.exchange.actions.check_import import check_import
from apps.exchange.actions.start_import import start_import
from apps.exchange.actions.upload_import import upload_import
from apps.exchange.actions.work_import import work_import
from apps.exchange.leases import claim_import
from apps.exchange.models import Import
from apps.exchange.queries import refused_lines, the_import
from apps.exchange.readers.table import FIELDS
from apps.exchange.reasons import explain
from apps.facts.models import SCOPES
from memoryplane.management.chosen import chosen_project

TOLD = 20
"""Refused lines that are listed."""


class Command(BaseCommand):
    help = (
        "Bring facts in from a file (our export, CSV, fastaiagent's local.db, Flux's SQLite memory, mem0, Letta, Graphiti), or"
        " with --url from Postgres or Redis. They wait as proposals in Review unless --direct is given. May be run again at"
        " any time: what is known is left alone, and an import that was broken off goes on with --resume."
    )

    def add_arguments(self, parser: ArgumentParser) -> None:
        parser.add_argument("file", nargs="?", help="the file")
        parser.add_argument("--url", default="", help="postgresql://… or redis://… instead of a file")
        parser.add_argument("--resume", type=int, metavar="NUMBER", help="go on with an import that is here already")
        parser.add_argument("--project", help="slug of the project; not needed while there is only one")
        parser.add_argument("--dry-run", action="store_true", help="say what would be taken in, and take nothing in")
        parser.add_argument("--direct", action="store_true", help="agents are told at once; nobody reviews it")
        parser.add_argument(
            "--register-agents", action="store_true", help="register agents that the project does not have"
        )
        parser.add_argument(
            "--column",
            action="append",
            default=[],
            metavar="FIELD=NAME",
            help=f"of a table: the column that holds a field ({', '.join(FIELDS[:12])}, …)",
        )
        parser.add_argument("--scope", default="user", choices=SCOPES, help="of rows of a table that name none")
        parser.add_argument("--scope-id", default="", help="of rows of a table that name none")

    def handle(self, *args: Any, **options: Any) -> None:
        if sum(bool(options[name]) for name in ("file", "url", "resume")) != 1:
            raise CommandError("Name a file, --url or --resume: one of them.")
        project = chosen_project(options["project"])
        actor = system_actor("exchange", project.id)
        try:
            upload = self.upload(actor, project.id, options)
            if upload.state in {"uploaded", "checked"}:
                upload = check_import(
                    actor=actor,
                    project_id=project.id,
                    import_id=upload.id,
                    columns=self.columns(upload, options),
                    direct=options["direct"],
                    register_agents=options["register_agents"],
                )
            if upload.state == "checking":
                upload = self.work(upload)
                self.say("Would take in", upload.forecast, upload)
            if options["dry_run"]:
                self.stdout.write("Nothing was taken in.")
                self.end(actor, upload)
                return
            if upload.state == "checked":
                upload = start_import(actor=actor, project_id=project.id, import_id=upload.id)
            if upload.state == "running":
                upload = self.work(upload)
        except DomainError as error:
            raise CommandError(" ".join(fault.detail for fault in error.errors) or error.detail) from error
        if upload.state != "done":
            raise CommandError(
                f"Import {upload.id} is {upload.state}{': ' * bool(upload.error_code)}{upload.error_code}."
            )
        self.say("Took in" if upload.direct else "Put before the reviewers", upload.counts, upload)

    def upload(self, actor: Actor, project_id: int, options: dict[str, Any]) -> Import:
        if options["resume"]:
            with bind(project_id):
                return the_import(project_id, options["resume"])
        if options["url"]:
            # The address may hold a password: what is kept is its scheme.
            name = options["url"].split("://", 1)[0]
            return upload_import(actor=actor, project_id=project_id, name=name, url=options["url"])
        path = Path(options["file"])
        try:
            with path.open("rb") as file:
                size = path.stat().st_size
                return upload_import(actor=actor, project_id=project_id, name=path.name, file=file, size=size)
        except OSError as error:
            raise CommandError(f"{path} can't be read: {error.strerror}.") from error

    def columns(self, upload: Import, options: dict[str, Any]) -> dict[str, Any] | None:
        if not upload.header:
            return None
        named = dict(upload.columns.get("columns") or {})
        for one in options["column"]:
            field, mark, column = one.partition("=")
            if not mark:
                raise CommandError("--column is FIELD=NAME.")
            named[field] = column
        return {"columns": named, "scope": options["scope"], "scope_id": options["scope_id"]}

    def work(self, upload: Import) -> Import:
        """Carry it on to the end of its check or run, or follow who is at it."""
        self.stdout.write(f"Import {upload.id}: {upload.lines:,} lines")
        claim = claim_import(project_id=upload.project_id, import_id=upload.id)
        if claim is None:
            raise CommandError(
                f"Import {upload.id} is in other hands now; look again in two minutes with --resume {upload.id}."
            )
        work_import(claim=claim, seconds=float("inf"), progress=self.progress)
        with bind(upload.project_id):
            return the_import(upload.project_id, upload.id)

    def progress(self, upload: Import) -> None:
        if upload.is_working and self.stdout.isatty():
            self.stdout.write(f"\r{upload.percent} %", ending="")
            self.stdout.flush()

    def say(self, what: str, counts: dict[str, int], upload: Import) -> None:
        self.stdout.write(
            f"{what} {counts.get('new', 0):,} new ({counts.get('held', 0):,} held for a closer look);"
            f" {counts.get('known', 0):,} known, {counts.get('suppressed', 0):,} suppressed,"
            f" {counts.get('refused', 0):,} refused."
        )
        with bind(upload.project_id):
            refused = refused_lines(upload, most=TOLD)
        for number, reason in refused:
            self.stdout.write(f"  line {number:,} {explain(reason)}")
        if counts.get("refused", 0) > len(refused):
            self.stdout.write(f"  and {counts['refused'] - len(refused):,} more")

    def end(self, actor: Actor, upload: Import) -> None:
        cancel_import(actor=actor, project_id=upload.project_id, import_id=upload.id)
