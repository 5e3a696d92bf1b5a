"""Keep which embedder is chosen and which serves; say which ones facts need vectors of."""

from datetime import timedelta

import structlog
from django.db.models import Case, F, Value, When

from apps.core.clock import now
from apps.core.transactions import unit
from apps.inference.embeddings import Embedder, embedder, embedder_named
from apps.recall.models import EmbeddingModel
from apps.recall.serving import ABSENT, chosen_model, covers

log = structlog.get_logger(__name__)

NOTED = timedelta(minutes=1)


def choose_model(*, at_once: bool = False) -> list[Embedder]:
    """Note that this process's settings name their embedder, and have the one chosen last serve once it covers the
    facts; ``at_once`` without waiting for that. Answers with the embedders that facts need vectors of and this process
    can use, the serving one first; none when the settings choose none.

    The one chosen last is of the installation: a process that still runs with older settings helps and does not undo.
    """
    configured = embedder()
    if configured is None:
        return []
    _note(configured.name)
    rows = list(EmbeddingModel.objects.all())
    serving = next((row for row in rows if row.serving), None)
    chosen = chosen_model(rows)
    if chosen and chosen is not serving and (serving is None or at_once or covers(chosen)):
        _serve(chosen.name, serving.name if serving else "")
        serving = chosen
    names = dict.fromkeys(row.name for row in (serving, chosen) if row)
    return [model for model in map(embedder_named, names) if model is not None]


def _note(name: str) -> None:
    at = now()
    if EmbeddingModel.objects.filter(name=name, seen_at__gt=at - NOTED).exists():
        return
    EmbeddingModel.objects.bulk_create([EmbeddingModel(name=name, chosen_at=at, seen_at=at)], ignore_conflicts=True)
    EmbeddingModel.objects.filter(name=name).update(
        seen_at=at, chosen_at=Case(When(seen_at__lt=at - ABSENT, then=Value(at)), default=F("chosen_at"))
    )


def _serve(name: str, before: str) -> None:
    with unit():
        # Locked in one order, so that two workers find the same one serving.
        list(EmbeddingModel.objects.select_for_update().order_by("name"))
        EmbeddingModel.objects.filter(serving=True).exclude(name=name).update(serving=False)
        if EmbeddingModel.objects.filter(name=name, serving=False).update(serving=True, serving_since=now()):
            log.info("embedder_serves", model=name, before=before)
