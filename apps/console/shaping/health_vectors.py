"""Which embedder answers questions in this installation, how far behind its vectors are, and how far a new one has come."""

from apps.console.health import Counted
from apps.console.shaping.figures import Figure
from apps.core.clock import now
from apps.inference.embeddings import embedder
from apps.recall.models import EmbeddingModel
from apps.recall.serving import Standing

LATE = 120
"""Seconds after which a fact waits too long for its vector: workers look every three."""


def vector_figures(found: Standing, counted: Counted | None, facts_url: str) -> list[Figure]:
    """How many facts wait for their vector, the serving model, during a change the next one and its progress, and what
    should be mended. Counts are this project's, shares and rates the installation's."""
    figures = [_waiting(found, counted, facts_url)]
    if found.serving is None or embedder() is None:
        return figures
    figures.append(
        Figure(
            "Answers questions",
            found.serving.name,
            "A question is compared with the facts' vectors of this model."
            if not found.changing
            else "The model before goes on answering until the new one has embedded the facts.",
        )
    )
    if found.changing and found.chosen is not None:
        figures += _change(found.chosen, counted)
    if found.troubles:
        more = f" And {len(found.troubles) - 1} more: see `make doctor`." if len(found.troubles) > 1 else ""
        figures.append(Figure("To be mended", str(len(found.troubles)), found.troubles[0] + more, warn=True))
    return figures


def _waiting(found: Standing, counted: Counted | None, facts_url: str) -> Figure:
    label, model = "Facts without a vector", found.serving or found.chosen
    if embedder() is None:
        return Figure(label, "all", "No embedder is set up: facts are compared by their words alone.", facts_url)
    if counted is None or model is None or model.name not in counted.vectors:
        return Figure(label, "–", "Not counted yet: a worker does so, about once a minute.")
    lag, at = counted.vectors[model.name], f"Counted {counted_ago(counted)}."
    missing = lag.of - lag.done
    if not missing:
        return Figure(label, "0", f"Every current fact can be found by its meaning too. {at}")
    late = lag.since is not None and (counted.at - lag.since).total_seconds() > LATE
    since = f" The oldest had waited {_span((counted.at - lag.since).total_seconds())}." if lag.since and late else ""
    note = f"Found by their words but not by their meaning, until a worker has embedded them.{since} {at}"
    return Figure(label, f"{missing:,}", note, facts_url, warn=late)


def _change(row: EmbeddingModel, counted: Counted | None) -> list[Figure]:
    lag = counted.vectors.get(row.name) if counted else None
    share = row.done / row.of if row.of else 0.0
    left = f"; about {_minutes((row.of - row.done) / row.per_minute)} to go" if row.per_minute else ""
    rate = f", {row.per_minute:,.0f} facts a minute{left}" if row.per_minute else ""
    return [
        Figure("Answers next", row.name, "It takes over by itself once nearly every fact has a vector of it."),
        Figure(
            "Embedded by it",
            f"{lag.done:,} of {lag.of:,}" if lag else "–",
            f"In this project. In the whole installation {int(share * 100)}% were when it was last counted{rate}.",
        ),
    ]


def _minutes(minutes: float) -> str:
    if minutes < 90:
        return f"{max(1, round(minutes))} min"
    return f"{round(minutes / 60)} h"


def _span(seconds: float) -> str:
    return f"{int(seconds)} s" if seconds < 90 else _minutes(seconds / 60)


def counted_ago(counted: Counted) -> str:
    """ "just now", "40 s ago"."""
    seconds = (now() - counted.at).total_seconds()
    return "just now" if seconds < 5 else f"{_span(seconds)} ago"
