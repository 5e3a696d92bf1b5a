"""Bars over time, drawn in SVG and said as a table."""

from collections.abc import Sequence
from dataclasses import dataclass
from math import ceil, floor, log10

WIDTH, HEIGHT, BAR = 10, 100, 7
"""Of one place on the axis, of the whole, and of a bar, in units of the drawing; it is stretched to its room."""
LABELS = 8
"""Under the axis at most; more would run into each other where a chart has half a page."""
PARTS = 4
"""Colours there are; a fifth part would begin them anew."""


@dataclass(frozen=True)
class Part:
    """What a bar is made of: a value for each place on the axis. ``href`` leads to what it counts now, if anything."""

    name: str
    values: Sequence[float]
    href: str = ""
    total: str = ""


@dataclass(frozen=True)
class Piece:
    """A rectangle of the drawing, and the words of who points at it. ``css`` is its colour, part-1 to part-4."""

    css: str
    x: float
    y: float
    height: float
    words: str


@dataclass(frozen=True)
class Chart:
    """Ready to draw by `console/_partials/_chart.html`. ``ticks`` are the axis' numbers from the top down, ``marks`` their
    heights in the drawing, ``labels`` stand below the bars, and ``rows`` are the table: label, values, sum."""

    name: str
    title: str
    unit: str
    axis: str
    width: int
    pieces: list[Piece]
    ticks: list[str]
    marks: list[float]
    labels: list[tuple[str, bool]]
    parts: list[tuple[str, Part]]
    rows: list[tuple[str, list[str], str]]

    @property
    def is_empty(self) -> bool:
        return not self.pieces


def chart(
    name: str,
    title: str,
    labels: Sequence[str],
    parts: Sequence[Part],
    *,
    unit: str = "",
    axis: str = "",
    digits: int = 0,
) -> Chart:
    """Bars of ``parts`` one upon the other, one bar a label, oldest first. ``name`` is its id on the page, ``unit`` what is
    counted ("new facts a week"), ``axis`` what the labels are ("week starting"), ``digits`` those behind the point."""
    sums = [sum(part.values[at] for part in parts) for at in range(len(labels))]
    top = _round_up(max(sums, default=0))
    ticks = _ticks(top) if digits or top != 1 else [0.0, 1.0]  # there is no half of what is counted
    pieces = []
    for at, label in enumerate(labels):
        under = 0.0
        for number, part in enumerate(parts):
            value = part.values[at]
            if value > 0:
                height = value / top * HEIGHT
                words = f"{label}: {_number(value, digits)} {part.name}"
                x = at * WIDTH + (WIDTH - BAR) / 2
                pieces.append(
                    Piece(f"part-{number % PARTS + 1}", x, round(HEIGHT - under - height, 2), round(height, 2), words)
                )
                under += height
    every = max(1, ceil(len(labels) / LABELS))
    return Chart(
        name=name,
        title=title,
        unit=unit,
        axis=axis,
        width=max(1, len(labels)) * WIDTH,
        pieces=pieces,
        ticks=[_number(tick, digits) for tick in reversed(ticks)],
        marks=[round(HEIGHT - tick / top * HEIGHT, 2) for tick in ticks],
        labels=[(label, at % every == (len(labels) - 1) % every) for at, label in enumerate(labels)],
        parts=[(f"part-{number % PARTS + 1}", part) for number, part in enumerate(parts)],
        rows=[
            (label, [_number(part.values[at], digits) for part in parts], _number(sums[at], digits))
            for at, label in enumerate(labels)
        ],
    )


def _round_up(value: float) -> float:
    """The least of 1, 1.5, 2, 3, 4, 6, 8 times a power of ten that is no less than ``value``; 1 for nothing."""
    if value <= 0:
        return 1
    power = 10 ** floor(log10(value))
    return next(step * power for step in (1, 1.5, 2, 3, 4, 6, 8, 10) if value <= step * power * (1 + 1e-9))


def _ticks(top: float) -> list[float]:
    lead = top / 10 ** floor(log10(top) + 1e-9)
    count = 3 if round(lead * 2) % 3 == 0 else 2
    return [top * step / count for step in range(count + 1)]


def _number(value: float, digits: int) -> str:
    return f"{value:,.{digits}f}" if digits or value == int(value) else f"{value:,.1f}"
