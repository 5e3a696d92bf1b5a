"""`backup`: a dump of the database, and its line in the list of backups that receipts go by."""

import hashlib
from argparse import ArgumentParser
from datetime import timedelta
from pathlib import Path
from typing import Any

from django.conf import settings
from django.core.management.base import BaseCommand, CommandError

from apps.core.clock import now
from apps.privacy.models import Backup
from memoryplane.dumps import run
from memoryplane.embedded import StartupFault

DAYS = 35


class Command(BaseCommand):
    help = "Dump the database into a file, note until when it is kept, and delete dumps whose time is over."

    def add_arguments(self, parser: ArgumentParser) -> None:
        parser.add_argument("--to", type=Path, default=None, help="folder of the dumps (backups in the var folder)")
        parser.add_argument("--keep", type=int, default=DAYS, metavar="DAYS", help=f"days until it expires ({DAYS})")

    def handle(self, *args: Any, **options: Any) -> None:
        if not 1 <= options["keep"] <= 3_650:
            raise CommandError("--keep is 1 to 3,650 days.")
        folder = options["to"] or settings.VAR_DIR / "backups"
        folder.mkdir(parents=True, exist_ok=True, mode=0o700)
        taken = now()
        path = folder / f"memoryplane-{taken:%Y%m%dT%H%M%S%f}.dump"
        try:
            # The owner's policy lets it see all rows; without this switch pg_dump refuses tables with forced policies.
            run("pg_dump", "--format=custom", "--enable-row-security", "--no-comments", f"--file={path}")
        except StartupFault as fault:
            path.unlink(missing_ok=True)
            raise CommandError(str(fault)) from fault
        path.chmod(0o600)
        Backup.objects.using("owner").create(
            taken_at=taken, expires_at=taken + timedelta(days=options["keep"]), place=str(path), sha256=_digest(path)
        )
        self.stdout.write(f"Backed up to {path}, kept until {taken + timedelta(days=options['keep']):%Y-%m-%d}.")
        for old in Backup.objects.using("owner").filter(removed_at=None, expires_at__lte=taken):
            Path(old.place).unlink(missing_ok=True)
            Backup.objects.using("owner").filter(id=old.id).update(removed_at=now())
            self.stdout.write(f"Deleted {old.place}, whose time was over.")


def _digest(path: Path) -> bytes:
    with path.open("rb") as file:
        return hashlib.file_digest(file, "sha256").digest()
