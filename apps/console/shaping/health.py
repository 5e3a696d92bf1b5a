"""How extraction goes in one project: figures that say what they mean and lead where something can be done."""

from dataclasses import dataclass

from django.urls import reverse

from apps.access.actor import Actor
from apps.access.policies import allowed
from apps.console.frame import SLOW
from apps.console.health import RUNS, Health, Queue, health
from apps.console.hx import visible_sensitivities
from apps.console.shaping.charts import Chart
from apps.console.shaping.extraction import error_in_words
from apps.console.shaping.figures import Figure
from apps.console.shaping.health_days import charts_of, workers_of
from apps.console.shaping.health_tables import (
    NOT_JUNK,
    GivenUp,
    LeftOut,
    Spent,
    given_up_of,
    left_out_of,
    most_frequent,
    spent_of,
)
from apps.console.shaping.health_vectors import counted_ago, vector_figures
from apps.core.counting import MOST
from apps.extraction.models import ExtractionSettings
from apps.inference.calls import chat_breaker
from apps.inference.chat import model_choices
from apps.recall.serving import standing
from apps.tenancy.models import Project


@dataclass(frozen=True)
class Report:
    """The page. ``level`` and ``summary`` say it in one line. ``counted`` says when ``spent`` was, empty until a worker has
    counted; ``runs`` is how many were looked at where the last 24 hours had more. ``hooks_off`` says which webhooks stand still, for whom may look at
    them."""

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
    counted: str
    runs: int | None
    hooks_off: str


def report(project: Project, actor: Actor, days: int) -> Report:
    """Everything on the page, in three statements; the charts go back so many ``days``."""
    found = health(project.id, sensitivities=visible_sensitivities(actor))
    given_up, left_out = given_up_of(found.given_up), left_out_of(found.dropped)
    circuit_open, lost_model = _model_state(found.settings)
    vectors = standing(fullest=found.counted.place if found.counted else 0)
    level, summary = _summary(
        found.queue, found.workers, circuit_open=circuit_open, lost_model=lost_model, troubles=vectors.troubles
    )
    facts_url = reverse("facts", args=[project.slug]) if allowed(actor, "facts.read") else ""
    return Report(
        level=level,
        summary=summary,
        queue=[workers_of(found.workers, found.worker_seen), *_queue(found.queue, project.slug, actor)],
        charts=charts_of(
            project.id,
            days,
            facts_url=facts_url,
            traces_url=reverse("traces", args=[project.slug]) if allowed(actor, "traces.read") else "",
        ),
        quality=_quality(found, sum(item.count for item in left_out), project, actor),
        upkeep=_upkeep(found, project, actor, circuit_open=circuit_open, lost_model=lost_model),
        vectors=vector_figures(vectors, found.counted, facts_url),
        given_up=given_up,
        left_out=most_frequent(left_out),
        errors=[(error_in_words(code), count) for code, count in found.errors.items()],
        spent=spent_of(found.counted.spent) if found.counted else [],
        counted=counted_ago(found.counted) if found.counted else "",
        runs=RUNS if found.runs >= RUNS else None,
        hooks_off=_hooks_off(found.hooks_off) if allowed(actor, "webhooks.read") else "",
    )


def _summary(
    queue: Queue, workers: int, *, circuit_open: bool, lost_model: bool, troubles: list[str]
) -> tuple[str, str]:
    if lost_model:
        return "bad", "The model this project chose is no longer offered, so every run fails. Choose another one."
    if queue.dead:
        traces = "One trace was" if queue.dead == 1 else f"{_capped(queue.dead, queue)} traces were"
        return "bad", f"{traces} given up and wait{'s' if queue.dead == 1 else ''} for somebody to try again."
    if circuit_open:
        return "warn", "The model failed several times in a row and is left alone for a moment. Traces wait meanwhile."
    if not workers:
        waits = f" The oldest trace has waited {span(queue.oldest)}." if queue.oldest is not None else ""
        return (
            "warn",
            f"No worker gives a sign of life, so nothing is read or embedded. What comes in waits, and is kept.{waits}",
        )
    if queue.oldest is not None and queue.oldest > SLOW:
        return "warn", f"The oldest trace has waited {span(queue.oldest)}. Are there workers enough?"
    if queue.failing:
        traces = "One trace" if queue.failing == 1 else f"{_capped(queue.failing, queue)} traces"
        return "warn", f"{traces} failed and will be tried again without anybody's help."
    if troubles:
        return "warn", "Traces are read as they come in. The vectors of facts want looking after: see below."
    return "ok", "Everything that came in was read, or is about to be."


def _capped(count: int, queue: Queue) -> str:
    """The number, with a plus where it is of the oldest MOST alone."""
    return f"{min(count, MOST):,}{'+' if queue.more else ''}"


def _queue(queue: Queue, slug: str, actor: Actor) -> list[Figure]:
    traces = reverse("traces", args=[slug]) if allowed(actor, "traces.read") else ""

    def shown(state: str, count: int) -> str:
        return f"{traces}?state={state}" if traces and count else ""

    oldest, undecided = queue.oldest, queue.waiting + queue.held
    late = oldest is not None and oldest > SLOW
    return [
        Figure(
            "Waiting",
            _capped(queue.waiting, queue),
            "Traces no worker has taken up yet. A run is read some seconds after it ended.",
            shown("waiting", queue.waiting),
        ),
        Figure(
            "Oldest waits",
            span(oldest) if oldest is not None else "–",
            "Since its last span came in. Minutes mean too few workers, or none."
            if oldest is not None
            else "Nothing waits to be read now.",
            shown("waiting", undecided),
            warn=late,
        ),
        Figure(
            "Being mined",
            _capped(queue.held, queue),
            "Traces that workers hold now.",
            shown("waiting", queue.held),
        ),
        Figure(
            "Failed, tried again",
            _capped(queue.failing, queue),
            "A try failed; the next one follows by itself, five in all.",
            shown("failing", queue.failing),
            warn=queue.failing > 0,
        ),
        Figure(
            "Given up",
            _capped(queue.dead, queue),
            "Five tries failed. Nothing is lost: the trace waits for somebody to try again.",
            shown("dead", queue.dead),
            warn=queue.dead > 0,
        ),
    ]


def _quality(found: Health, left_out: int, project: Project, actor: Actor) -> list[Figure]:
    oldest = found.proposals_oldest
    since = f" The oldest has waited {span(oldest)}." if oldest is not None else ""
    looked_at = left_out + found.proposed + sum(found.dropped.get(rule, 0) for rule in NOT_JUNK)
    junk = f"{left_out / looked_at:.0%}" if looked_at else "–"
    when = "in the last 24 hours" if found.runs < RUNS else "of the last 24 hours, the newest"
    failed = sum(found.errors.values())
    return [
        Figure(
            "Proposals waiting",
            f"{MOST:,}+" if found.proposals > MOST else f"{found.proposals:,}",
            f"For a curator to decide.{since}",
            reverse("review", args=[project.slug]) if allowed(actor, "proposals.read") else "",
        ),
        Figure("Proposed", f"{found.proposed:,}", f"New proposals of {found.runs:,} runs {when}."),
        Figure(
            "Junk",
            junk,
            f"{left_out:,} of {looked_at:,} sentences and candidates were left out. None of them reaches the queue.",
            "#left-out" if left_out else "",
        ),
        Figure(
            "Failed runs",
            f"{failed:,}",
            f"Of {found.runs:,} runs {when}. Each was tried again, or is given up above.",
            "#failed" if failed else "",
            warn=failed > 0,
        ),
    ]


def _upkeep(found: Health, project: Project, actor: Actor, *, circuit_open: bool, lost_model: bool) -> list[Figure]:
    sealed = found.sealed
    admin = reverse("settings-extraction", args=[project.slug]) if allowed(actor, "extraction.settings") else ""
    uses_model = found.settings.extractor == "llm"
    if not uses_model:
        state, note = "rules", "The rules read the traces, so that no model is asked."
    elif lost_model:
        state, note = "missing", "The operator no longer offers the model this project chose."
    elif circuit_open:
        state, note = "left alone", "It failed five times in a row. It is asked again after a minute; traces wait."
    else:
        state, note = "answers", "Calls go through. After five failures in a row it would be left alone for a minute."
    return [
        Figure(
            "Sealed spans",
            f"{MOST:,}+" if sealed > MOST else f"{sealed:,}",
            "The search for secrets took too long when they came in. Encrypted and unread until a worker has looked.",
            reverse("traces", args=[project.slug]) if sealed and allowed(actor, "traces.read") else "",
            warn=sealed > 0,
        ),
        Figure("Model", state, note, admin, warn=circuit_open or lost_model),
    ]


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


def _hooks_off(count: int) -> str:
    """Empty for none."""
    if not count:
        return ""
    which = "A webhook was" if count == 1 else f"{count} webhooks were"
    return f"{which} switched off because nothing arrived, or nothing could be sent."
