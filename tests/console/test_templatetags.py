"""The console's tags: what they print, and that nothing in the data can become markup."""

from datetime import UTC, datetime, timedelta

import pytest
from django.template import Context, Template
from django.utils import timezone

from apps.console.templatetags.console import ago, conf2, marked, pct, short, thousands, word_diff

NOW = datetime(2026, 11, 29, 18, 0, tzinfo=UTC)
EVIL = '"><script>alert(1)</script>'


def render(source: str, **context: object) -> str:
    return Template("{% load console %}" + source).render(Context(context))


@pytest.mark.parametrize(
    ("back", "text"),
    [
        (timedelta(seconds=59), "now"),
        (timedelta(seconds=60), "1 min"),
        (timedelta(minutes=59, seconds=59), "59 min"),
        (timedelta(hours=1), "1 h"),
        (timedelta(hours=23, minutes=59), "23 h"),
        (timedelta(days=1), "1 d"),
        (timedelta(days=60), "60 d"),
        (timedelta(days=61), "2 mo"),
        (timedelta(days=250), "8 mo"),
        (timedelta(days=731), "2 y"),
        (timedelta(hours=-3), "in 3 h"),
    ],
)
def test_ago_names_one_unit(back: timedelta, text: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(timezone, "now", lambda: NOW)
    assert ago(NOW - back) == text


def test_missing_values_are_a_dash_and_odd_ones_are_cut() -> None:
    assert [ago(None), conf2(None), thousands(None)] == ["–", "–", "–"]
    assert [conf2(0.6), conf2(1), thousands(1284)] == ["0.60", "1.00", "1,284"]
    assert [pct(None), pct(-1), pct(0.925), pct(7)] == [0, 0, 92, 100]
    assert [short("dream_77"), short("9f31c0ab12cd34ef9f31c0ab12cd34ef")] == ["dream_77", "9f31c0ab"]


def test_confidence_is_amber_below_a_half_and_has_no_style_attribute() -> None:
    assert render("{% confidence 0.5 %}") == (
        '<span class="conf"><svg class="bar" aria-hidden="true"><rect width="50%" height="100%"/></svg>0.50</span>'
    )
    assert 'class="bar low"' in render("{% confidence 0.49 %}")


def test_a_quote_is_marked_wherever_it_stands_and_never_elsewhere() -> None:
    text = "By mail. No calls, by mail."
    assert [(part.text, part.mark) for part in marked(text, "mail")] == [
        ("By ", False), ("mail", True), (". No calls, by ", False), ("mail", True), (".", False),
    ]  # fmt: skip
    assert [(part.text, part.mark) for part in marked(text, "phone")] == [(text, False)]
    assert [(part.text, part.mark) for part in marked(text, "")] == [(text, False)]
    assert "".join(part.text for part in marked("a.b", ".")) == "a.b"


def test_word_diff_keeps_both_texts_whole() -> None:
    assert word_diff("replies by phone", "replies by email") == (
        "<span>replies by </span><del>phone</del><ins>email</ins>"
    )
    assert word_diff("same", "same") == "<span>same</span>"


def test_when_says_the_exact_moment(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(timezone, "now", lambda: NOW)
    with timezone.override("UTC"):
        html = render("{% when at %}", at=NOW - timedelta(minutes=12))
    assert html == '<time datetime="2026-11-29T17:48:00+00:00" title="29 Nov 2026 17:48 UTC">12 min</time>'
    assert render("{% when at %}", at=None) == "–"


@pytest.mark.parametrize(
    "source",
    [
        "{% icon evil %}",
        "{% icon 'eye' evil %}",
        "{% key evil %}",
        "{% scope_label evil evil evil %}",
        "{% source_label evil evil evil %}",
        "{% source_label evil %}",
        "{% word_diff evil '' %}",
        "{% word_diff '' evil %}",
        "{% include 'console/_partials/_quote.html' with parts=evil|marked:'alert' turn=evil %}",
        "{% include 'console/_partials/_empty.html' with title=evil text=evil %}",
        "{% include 'console/_partials/_code.html' with id='c' label=evil text=evil %}",
        "{% include 'console/_partials/_secret.html' with label=evil secret=evil done=evil %}",
        "{% include 'console/_partials/_search.html' with label=evil value=evil hint=evil %}",
        "{% include 'console/_partials/_banner.html' with text=evil href=evil label=evil %}",
    ],
)
def test_data_never_becomes_markup(source: str) -> None:
    html = render(source, evil=EVIL)
    assert "<script" not in html
    assert "alert" in html and EVIL not in html
