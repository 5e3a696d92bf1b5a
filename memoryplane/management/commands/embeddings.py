"""`embeddings`: which model's vectors answer questions, how far a new one has come, and what can be done about it."""

import time
from argparse import ArgumentParser
from typing import Any

from django.core.management.base import BaseCommand, CommandError

from apps.core.clock import now
from apps.core.errors import DomainError
from apps.inference.embeddings import embedder, embedder_named
from apps.recall.actions.choose_model import choose_model
from apps.recall.actions.drop_vectors import drop_vectors
from apps.recall.actions.index_vectors import index_vectors
from apps.recall.actions.walk_facts import walk_facts
from apps.recall.models import EmbeddingModel
from apps.recall.serving import Standing, covers, standing

PIECE = 10


class Command(BaseCommand):
    help = (
        "Show which embedder answers questions and how far a new one has come; with an option, do something about it."
    )

    def add_arguments(self, parser: ArgumentParser) -> None:
        chosen = parser.add_mutually_exclusive_group()
        chosen.add_argument(
            "--now", action="store_true", help="embed here what has no vector yet, and show how it goes"
        )
        chosen.add_argument(
            "--index", action="store_true", help="make the index of vectors that is missing, as the owner"
        )
        chosen.add_argument(
            "--serve", action="store_true", help="have the configured model answer now, however many facts it lacks"
        )
        chosen.add_argument(
            "--forget", metavar="MODEL", help="delete the vectors of this model; one in use embeds all facts anew"
        )

    def handle(self, *args: Any, **options: Any) -> None:
        try:
            if options["now"]:
                self.embed()
            elif options["index"]:
                self.index()
            elif options["serve"]:
                if not choose_model(at_once=True):
                    raise CommandError("MEMORYPLANE_EMBEDDER is none: no model can answer.")
            elif options["forget"]:
                self.forget(options["forget"])
        except DomainError as error:
            self.show(standing(using="owner"))
            raise CommandError(error.detail) from error
        self.show(standing(using="owner"))

    def show(self, found: Standing) -> None:
        if not found.rows:
            self.stdout.write("No fact has a vector yet.")
        for row in found.rows:
            counted = f", counted {row.counted_at:%H:%M} UTC" if row.counted_at else ""
            self.stdout.write(f"{row.name}: {self.role(row, found)}; {progress(row)}{counted}")
        for trouble in found.troubles:
            self.stdout.write(f"! {trouble}")

    @staticmethod
    def role(row: EmbeddingModel, found: Standing) -> str:
        if row is found.serving:
            return "answers questions"
        if row is not found.chosen:
            return "not in use; its vectors are deleted ten minutes after the last worker named it"
        return "answers next" if covers(row) else "embeds the facts, and answers when it has"

    def embed(self) -> None:
        start = now()
        while models := choose_model():
            written = walk_facts(seconds=PIECE, since=start)
            rows = list(EmbeddingModel.objects.filter(name__in=[model.name for model in models]).order_by("name"))
            for row in rows:
                self.stdout.write(f"{row.name}: {progress(row)}")
            if all(row.walked_at and row.walked_at >= start for row in rows):
                choose_model()
                return
            if not written:
                faults = [
                    f"{row.name}: {row.fault}" for row in rows if row.fault and row.fault_at and row.fault_at >= start
                ]
                if faults:
                    raise CommandError(" ".join(faults))
                time.sleep(1)  # a worker is at it
        raise CommandError("MEMORYPLANE_EMBEDDER is none: there is nothing to embed with.")

    def index(self) -> None:
        found = standing(using="owner")
        lengths = {row.dims for row in (found.serving, found.chosen) if row and row.dims}
        configured = embedder()
        if configured is not None:
            lengths.add(configured.dims)
        for dims in sorted(lengths):
            self.stdout.write(
                f"Vectors of {dims:,} numbers: {'made' if index_vectors(dims=dims) else 'there already'}."
            )

    def forget(self, name: str) -> None:
        if not EmbeddingModel.objects.filter(name=name).exists():
            raise CommandError(f"No vectors are known of a model {name}.")
        while count := drop_vectors(name=name):
            self.stdout.write(f"{count:,} vectors of {name} deleted.")
        if embedder_named(name) is None:
            EmbeddingModel.objects.filter(name=name, serving=False).delete()


def progress(row: EmbeddingModel) -> str:
    """ "1,234 of 2,000 facts (61.7 %), 300 a minute, 384 numbers each"."""
    if row.counted_at is None:
        return "not counted yet"
    share = row.done / row.of if row.of else 1.0
    rate = f", {row.per_minute:,.0f} a minute" if row.per_minute and row.done < row.of else ""
    return f"{row.done:,} of {row.of:,} facts ({int(share * 1000) / 10} %){rate}, {row.dims or '?'} numbers each"
