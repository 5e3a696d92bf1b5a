"""The health of a project over time: charts of what each day brought, and which workers are there."""

from datetime import timedelta

from apps.console.shaping.charts import Chart, Part, chart
from apps.console.shaping.figures import Figure
from apps.core.clock import now
from apps.extraction.models import DayFigures

SPANS = (14, 30, 90)


def charts_of(project_id: int, days: int, *, facts_url: str = "", traces_url: str = "") -> list[Chart]:
    """Of the last ``days``, today included; one statement, a row a day."""
    today = now().date()
    wanted = [today - timedelta(days=ago) for ago in reversed(range(days))]
    rows = {row.day: row for row in DayFigures.objects.filter(project_id=project_id, day__gte=wanted[0])}
    labels = [f"{day.day} {day:%b}" for day in wanted]

    def part(name: str, field: str, href: str = "", digits: int = 0) -> Part:
        values = [float(getattr(rows.get(day), field, 0) or 0) for day in wanted]
        return Part(name, values, href, f"{sum(values):,.{digits}f}")

    def drawn(name: str, title: str, unit: str, *parts: Part, digits: int = 0) -> Chart:
        return chart(name, title, labels, parts, unit=unit, axis="day", digits=digits)

    charts = [
        drawn("facts-growth", "Facts", "a day", part("added", "facts_added", facts_url), part("ended", "facts_ended")),
        drawn("traces-growth", "Traces", "that ran, a day", part("traces", "traces", traces_url)),
        drawn(
            "junk-rate",
            "Proposed and left out",
            "statements a day",
            part("proposed", "proposed"),
            part("left out as junk", "left_out"),
        ),
        drawn("failed-runs", "Failed runs", "a day", part("failed", "failed_runs")),
        drawn("tokens", "Tokens", "a day", part("in", "tokens_in"), part("out", "tokens_out")),
    ]
    if any(row.cost is not None for row in rows.values()):
        charts.append(drawn("cost-days", "Cost", "a day", part("cost", "cost", digits=2), digits=2))
    return charts


def workers_of(alive: int, seen: float | None) -> Figure:
    """How many processes give signs of life, and how many seconds ago the last one came."""
    if alive:
        return Figure("Workers", f"{alive:,}", f"Alive; the last sign came {int(seen or 0)}\u00a0s ago.")
    if seen is not None:
        note = f"None has given a sign for {_span(seen)}. Nothing is read or embedded meanwhile."
    else:
        note = "None has ever given a sign. Nothing is read or embedded meanwhile."
    return Figure("Workers", "none", note, warn=True)


def _span(seconds: float) -> str:
    return f"{int(seconds // 60)} min" if seconds < 7200 else f"{int(seconds // 3600)} h"
