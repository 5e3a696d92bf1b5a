"""How extraction goes in one project: figures that say what they mean and lead where something can be done."""

from dataclasses import dataclass

from django.db.models import Count, Exists, Min, OuterRef, Subquery
from django.urls import reverse

from apps.access.actor import Actor
from apps.access.policies import allowed
from apps.console.frame import SLOW
from apps.console.hx import visible_sensitivities
from apps.console.shaping.charts import Chart
from apps.console.shaping.extraction import error_in_words
from apps.console.shaping.figures import Figure
from apps.console.shaping.health_days import charts_of, workers_of
from apps.console.shaping.health_tables import (
    GivenUp,
    LeftOut,
    Spent,
    given_up_of,
    left_out_of,
    most_frequent,
    spent_today,
)
from apps.console.shaping.health_vectors import vector_figures
from apps.core.clock import now
from apps.curation.models import Proposal
from apps.extraction.models import ExtractionSettings
from apps.extraction.queries import Health, health, settings_of
from apps.facts.models import Fact
from apps.inference.calls import chat_breaker
from apps.inference.chat import model_choices
from apps.recall.models import FactEmbedding
from apps.recall.serving import serving_embedder, standing
from apps.tenancy.models import Project
from apps.traces.models import Span

LATEST = 10_000
"""Facts looked at for missing vectors; all of a large project would take a second."""


@dataclass(frozen=True)
class Report:
    """The page. ``level`` and ``summary`` say it in one line."""

    level: str
    summary: str
    queue: list[Figure]
    charts: list[Chart]
    quality: list[Figure]
    upkeep: list[Figure]
    vectors: list[Figure]
    given_up: list[GivenUp]
    left_out: list[LeftOut]
    errors: list[tuple[str, int]]
    spent: list[Spent]


def report(project: Project, actor: Actor, days: int) -> Report:
    """Everything on the page, in a fixed number of queries; the charts go back so many ``days``."""
    figures, given_up, left_out = health(project.id), given_up_of(project.id), left_out_of(project.id)
    settings = settings_of(project.id)
    circuit_open, lost_model = _model_state(settings)
    found = standing()
    level, summary = _summary(figures, circuit_open=circuit_open, lost_model=lost_model, troubles=found.troubles)
    return Report(
        level=level,
        summary=summary,
        queue=[workers_of(), *_queue(figures, project.slug, actor)],
        charts=charts_of(
            project.id,
            days,
            facts_url=reverse("facts", args=[project.slug]) if allowed(actor, "facts.read") else "",
            traces_url=reverse("traces", args=[project.slug]) if allowed(actor, "traces.read") else "",
        ),
        quality=_quality(figures, sum(item.count for item in left_out), project, actor),
        upkeep=_upkeep(project, actor, settings, circuit_open=circuit_open, lost_model=lost_model),
        vectors=vector_figures(project, found),
        given_up=given_up,
        left_out=most_frequent(left_out),
        errors=[(error_in_words(code), count) for code, count in figures.errors.items()],
        spent=spent_today(project.id),
    )


def _summary(figures: Health, *, circuit_open: bool, lost_model: bool, troubles: list[str]) -> tuple[str, str]:
    if lost_model:
        return "bad", "The model this project chose is no longer offered, so every run fails. Choose another one."
    if figures.dead:
        traces = "One trace was" if figures.dead == 1 else f"{figures.dead:,} traces were"
        return "bad", f"{traces} given up and wait for somebody to try again."
    if circuit_open:
        return "warn", "The model failed several times in a row and is left alone for a moment. Traces wait meanwhile."
    if figures.oldest_seconds is not None and figures.oldest_seconds > SLOW:
        return "warn", f"The oldest trace has waited {span(figures.oldest_seconds)}. Are workers running?"
    if figures.failing:
        traces = "One trace" if figures.failing == 1 else f"{figures.failing:,} traces"
        return "warn", f"{traces} failed and will be tried again without anybody's help."
    if troubles:
        return "warn", "Traces are read as they come in. The vectors of facts want looking after: see below."
    return "ok", "Everything that came in was read, or is about to be."


def _queue(figures: Health, slug: str, actor: Actor) -> list[Figure]:
    traces = reverse("traces", args=[slug]) if allowed(actor, "traces.read") else ""

    def shown(state: str, count: int) -> str:
        return f"{traces}?state={state}" if traces and count else ""

    oldest = figures.oldest_seconds
    late = oldest is not None and oldest > SLOW
    waiting = max(0, figures.waiting - figures.in_work - figures.failing)
    return [
        Figure(
            "Waiting",
            f"{waiting:,}",
            "Traces no worker has taken up yet. A run is read some seconds after it ended.",
            shown("waiting", waiting),
        ),
        Figure(
            "Oldest waits",
            span(oldest) if oldest is not None else "–",
            "Since its last span came in. Minutes mean too few workers, or none."
            if oldest is not None
            else "Nothing waits to be read now.",
            shown("waiting", figures.waiting),
            warn=late,
        ),
        Figure(
            "Being mined", f"{figures.in_work:,}", "Traces that workers hold now.", shown("waiting", figures.in_work)
        ),
        Figure(
            "Failed, tried again",
            f"{figures.failing:,}",
            "A try failed; the next one follows by itself, five in all.",
            shown("failing", figures.failing),
            warn=figures.failing > 0,
        ),
        Figure(
            "Given up",
            f"{figures.dead:,}",
            "Five tries failed. Nothing is lost: the trace waits for somebody to try again.",
            shown("dead", figures.dead),
            warn=figures.dead > 0,
        ),
    ]


def _quality(figures: Health, left_out: int, project: Project, actor: Actor) -> list[Figure]:
    seen = visible_sensitivities(actor)
    waiting = Proposal.objects.in_project(project.id).waiting().filter(sensitivity__in=seen)
    queue = waiting.aggregate(n=Count("id"), oldest=Min("created_at"))
    since = f" The oldest has waited {span((now() - queue['oldest']).total_seconds())}." if queue["oldest"] else ""
    looked_at = left_out + figures.candidates - figures.dropped
    junk = f"{left_out / looked_at:.0%}" if looked_at else "–"
    return [
        Figure(
            "Proposals waiting",
            f"{queue['n']:,}",
            f"For a curator to decide.{since}",
            reverse("review", args=[project.slug]) if allowed(actor, "proposals.read") else "",
        ),
        Figure("Proposed", f"{figures.proposed:,}", f"New proposals of {figures.runs:,} runs in the last 24 hours."),
        Figure(
            "Junk",
            junk,
            f"{left_out:,} of {looked_at:,} sentences and candidates were left out in the last 24 hours. None of them"
            " reaches the queue.",
            "#left-out" if left_out else "",
        ),
        Figure(
            "Failed runs",
            f"{figures.failed_runs:,}",
            "In the last 24 hours; each was tried again, or is given up above.",
            "#failed" if figures.errors else "",
            warn=figures.failed_runs > 0,
        ),
    ]


def _upkeep(
    project: Project, actor: Actor, settings: ExtractionSettings, *, circuit_open: bool, lost_model: bool
) -> list[Figure]:
    sealed = Span.objects.filter(project_id=project.id, sealed__isnull=False).count()
    admin = reverse("settings-extraction", args=[project.slug]) if allowed(actor, "extraction.settings") else ""
    uses_model = settings.extractor == "llm"
    if not uses_model:
        state, note = "rules", "The rules read the traces, so that no model is asked."
    elif lost_model:
        state, note = "missing", "The operator no longer offers the model this project chose."
    elif circuit_open:
        state, note = "left alone", "It failed five times in a row. It is asked again after a minute; traces wait."
    else:
        state, note = "answers", "Calls go through. After five failures in a row it would be left alone for a minute."
    return [
        _unembedded(project, actor),
        Figure(
            "Sealed spans",
            f"{sealed:,}",
            "The search for secrets took too long when they came in. Encrypted and unread until a worker has looked.",
            reverse("traces", args=[project.slug]) if sealed and allowed(actor, "traces.read") else "",
            warn=sealed > 0,
        ),
        Figure("Model", state, note, admin, warn=circuit_open or lost_model),
    ]


def _unembedded(project: Project, actor: Actor) -> Figure:
    label, (model, _) = "Facts without a vector", serving_embedder()
    facts = reverse("facts", args=[project.slug]) if allowed(actor, "facts.read") else ""
    if model is None:
        return Figure(label, "all", "No embedder is set up: facts are compared by their words alone.", facts)
    newest = Fact.objects.in_project(project.id).order_by("-id").values("id")[:1]
    has_one = FactEmbedding.objects.filter(project_id=project.id, fact_id=OuterRef("id"), model=model.name)
    missing = (
        Fact.objects.in_project(project.id)
        .current()
        .filter(~Exists(has_one), id__gt=Subquery(newest) - LATEST, restricted_at=None)
        .count()
    )
    note = "Found by their words but not by their meaning, until a worker has embedded them."
    if not missing:
        return Figure(label, "0", "Every current fact can be found by its meaning too.")
    return Figure(label, f"{missing:,}", note, facts)


def _model_state(chosen: ExtractionSettings) -> tuple[bool, bool]:
    """Whether the project's model is left alone now, and whether it is gone from the operator's list."""
    if chosen.extractor != "llm":
        return False, False
    choice = model_choices().get(chosen.model)
    if choice is None:
        return False, True
    return chat_breaker(choice.base_url, choice.model).is_open(), False


def span(seconds: float) -> str:
    """ "12 s", "5 min", "3 h", "2 d"."""
    for below, unit, name in ((60, 1, "s"), (3_600, 60, "min"), (172_800, 3_600, "h")):
        if seconds < below:
            return f"{int(seconds // unit)} {name}"
    return f"{int(seconds // 86_400)} d"
