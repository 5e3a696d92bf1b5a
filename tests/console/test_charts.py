"""Bars and their numbers."""

import pytest

from apps.console.shaping.charts import Part, chart


@pytest.mark.parametrize(
    ("values", "ticks"),
    [
        ([160, 20], ["200", "100", "0"]),
        ([3], ["3", "2", "1", "0"]),
        ([0, 0], ["1", "0"]),
        ([1], ["1", "0"]),
        ([1_001], ["1,500", "1,000", "500", "0"]),
        ([600], ["600", "400", "200", "0"]),
    ],
)
def test_the_axis_ends_at_a_round_number(values: list[float], ticks: list[str]) -> None:
    assert chart("c", "C", ["x"] * len(values), [Part("all", values)]).ticks == ticks


def test_parts_stand_upon_each_other() -> None:
    drawn = chart("c", "C", ["Mon", "Tue"], [Part("learned", [30, 0]), Part("manual", [10, 40])])
    assert [(piece.css, piece.x, piece.y, piece.height, piece.words) for piece in drawn.pieces] == [
        ("part-1", 1.5, 25.0, 75.0, "Mon: 30 learned"),
        ("part-2", 1.5, 0.0, 25.0, "Mon: 10 manual"),
        ("part-2", 11.5, 0.0, 100.0, "Tue: 40 manual"),
    ]
    assert drawn.rows == [("Mon", ["30", "10"], "40"), ("Tue", ["0", "40"], "40")]


def test_of_many_places_some_are_named_and_always_the_last() -> None:
    drawn = chart("c", "C", [str(day) for day in range(30)], [Part("cost", [0.5] * 30)], digits=2)
    named = [label for label, shown in drawn.labels if shown]
    assert named == ["1", "5", "9", "13", "17", "21", "25", "29"]
    assert drawn.ticks == ["0.60", "0.40", "0.20", "0.00"] and not drawn.is_empty
