"""Which embedder answers questions in this installation, and how far a new one has come."""

from django.db.models import Exists, OuterRef

from apps.console.shaping.figures import Figure
from apps.facts.models import Fact
from apps.inference.embeddings import embedder
from apps.recall.models import EmbeddingModel, FactEmbedding
from apps.recall.serving import Standing
from apps.tenancy.models import Project


def vector_figures(project: Project, found: Standing) -> list[Figure]:
    """The serving model, during a change the next one and its progress, and what should be mended; none before the first
    fact was embedded. Counts are this project's, shares and rates the installation's."""
    if found.serving is None or embedder() is None:
        return []
    figures = [
        Figure(
            "Answers questions",
            found.serving.name,
            "A question is compared with the facts' vectors of this model."
            if not found.changing
            else "The model before goes on answering until the new one has embedded the facts.",
        )
    ]
    if found.changing and found.chosen is not None:
        figures += _change(project, found.chosen)
    if found.troubles:
        more = f" And {len(found.troubles) - 1} more: see `make doctor`." if len(found.troubles) > 1 else ""
        figures.append(Figure("To be mended", str(len(found.troubles)), found.troubles[0] + more, warn=True))
    return figures


def _change(project: Project, row: EmbeddingModel) -> list[Figure]:
    facts = Fact.objects.in_project(project.id).current().filter(restricted_at=None)
    has_one = FactEmbedding.objects.filter(project_id=project.id, fact_id=OuterRef("id"), model=row.name)
    done, of = facts.filter(Exists(has_one)).count(), facts.count()
    share = row.done / row.of if row.of else 0.0
    left = f"; about {_minutes((row.of - row.done) / row.per_minute)} to go" if row.per_minute else ""
    rate = f", {row.per_minute:,.0f} facts a minute{left}" if row.per_minute else ""
    return [
        Figure("Answers next", row.name, "It takes over by itself once nearly every fact has a vector of it."),
        Figure(
            "Embedded by it",
            f"{done:,} of {of:,}",
            f"In this project. In the whole installation {int(share * 100)}% were when it was last counted{rate}.",
        ),
    ]


def _minutes(minutes: float) -> str:
    if minutes < 90:
        return f"{max(1, round(minutes))} min"
    return f"{round(minutes / 60)} h"
