"""A line of numbers as small as a word, drawn in SVG."""

from collections.abc import Mapping
from datetime import date, timedelta

WIDTH, HEIGHT, EDGE = 56, 16, 2


def sparkline(values: Mapping[date, int], last: date, days: int) -> str:
    """The points of a polyline in a box of 56 × 16, one a day up to ``last``; empty where every day has none."""
    numbers = [values.get(last - timedelta(days=back), 0) for back in range(days - 1, -1, -1)]
    top = max(numbers)
    if not top:
        return ""
    step = WIDTH / (days - 1)
    return " ".join(
        f"{at * step:.1f},{HEIGHT - EDGE - number / top * (HEIGHT - 2 * EDGE):.1f}" for at, number in enumerate(numbers)
    )
