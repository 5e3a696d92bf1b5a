"""`verify-receipt`: whether a receipt of an erasure is what the installation signed; needs no database."""

import json
from argparse import ArgumentParser
from pathlib import Path
from typing import Any

from django.core.management.base import BaseCommand, CommandError

from apps.privacy.receipts import verify_receipt


class Command(BaseCommand):
    help = "Check the signature of a receipt that was saved as JSON. Works offline."
    requires_system_checks: list[str] = []

    def add_arguments(self, parser: ArgumentParser) -> None:
        parser.add_argument("file", type=Path, help="the receipt, as the console or the API gave it")
        parser.add_argument("--key", default="", help="the public key (hex) that the installation is known by")

    def handle(self, *args: Any, **options: Any) -> None:
        try:
            saved = json.loads(options["file"].read_text(encoding="utf-8"))
            body, signature = saved["body"], bytes.fromhex(saved["signature"])
        except OSError as error:
            raise CommandError(f"The file can't be read: {error.strerror}.") from error
        except (ValueError, KeyError, TypeError) as error:
            raise CommandError("The file is no receipt: JSON with body and signature.") from error
        key = options["key"] or body.get("public_key", "")
        if not verify_receipt(body, signature, key):
            raise CommandError("The signature does not fit: the receipt was changed, or another key signed it.")
        self.stdout.write(f"Valid: receipt {body.get('receipt')}, {body.get('state')}, signed by {key}")
        if not options["key"]:
            self.stdout.write(
                "The key stood in the receipt itself: compare it with the one the installation is known by."
            )
