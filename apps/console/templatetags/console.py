"""Tags and filters that the console's templates share. All text is escaped.

docs/console-patterns.md shows each in use.
"""

import re
from collections.abc import Iterable
from dataclasses import dataclass
from datetime import datetime

from django import template
from django.conf import settings
from django.forms import BaseForm
from django.templatetags.static import static
from django.utils import timezone
from django.utils.formats import date_format
from django.utils.html import format_html, format_html_join
from django.utils.safestring import SafeString
from django.utils.text import Truncator

from apps.console.diff import changes
from apps.console.keys_sheet import SHEET
from apps.console.masking import Masked, Statement
from apps.console.masking import said as said_by
from apps.core.counting import MOST

register = template.Library()

SCOPE_ICONS = {"user": "user", "agent": "agent", "project": "project", "session": "session"}
SOURCE_ICONS = {
    "manual": "pencil",
    "learned": "traces",
    "dream": "dream",
    "import": "download",
    "agent": "agent",
}
LOW_CONFIDENCE = 0.5
MINUTE, HOUR, DAY, MONTH, YEAR = 60, 3_600, 86_400, 2_629_800, 31_557_600


@dataclass(frozen=True, slots=True)
class Part:
    """A piece of a quoted text; `mark` says that it belongs to the evidence."""

    text: str
    mark: bool


@register.simple_tag
def icon(name: str, label: str = "") -> SafeString:
    """An icon of static/icons.svg. Without a label it is decoration, which screen readers skip."""
    href = f"{static('icons.svg')}#{name}"
    if label:
        return format_html('<svg class="i" role="img" aria-label="{}"><use href="{}"></use></svg>', label, href)
    return format_html('<svg class="i" aria-hidden="true"><use href="{}"></use></svg>', href)


@register.simple_tag
def identity_provider() -> str:
    """What the operator calls the identity provider; empty where there is none."""
    return settings.OIDC_NAME if settings.OIDC_ISSUER else ""


@register.simple_tag
def key(name: str) -> SafeString:
    """A key drawn on a button: hidden from screen readers, which get aria-keyshortcuts instead."""
    return format_html('<kbd class="hint" aria-hidden="true">{}</kbd>', name)


@register.filter
def ago(moment: datetime | None) -> str:
    """A span of time: "now", "12 min", "3 h", "5 d", "8 mo", "2 y"; "in 3 d" ahead; "–" for none."""
    if moment is None:
        return "–"
    seconds = (timezone.now() - moment).total_seconds()
    ahead = "in " if seconds < 0 else ""
    seconds = abs(seconds)
    if seconds < MINUTE:
        return "now"
    for below, unit, name in (
        (HOUR, MINUTE, "min"),
        (DAY, HOUR, "h"),
        (2 * MONTH, DAY, "d"),
        (2 * YEAR, MONTH, "mo"),
    ):
        if seconds < below:
            return f"{ahead}{int(seconds // unit)} {name}"
    return f"{ahead}{int(seconds // YEAR)} y"


@register.simple_tag
def when(moment: datetime | None, style: str = "ago") -> SafeString | str:
    """A <time> with the exact moment as its title; "–" for none.

    Styles: "ago" (12 min), "date" (3 Nov 2027), "full" (3 Nov 2027 09:00 UTC, in the reader's time zone), "minute" (the
    same without the zone, for a column of them).
    """
    if moment is None:
        return "–"
    local = timezone.localtime(moment)
    full = date_format(local, "j M Y H:i")
    title = f"{full} {date_format(local, 'T')}"
    text = {"ago": ago(moment), "date": date_format(local, "j M Y"), "full": title, "minute": full}[style]
    return format_html('<time datetime="{}" title="{}">{}</time>', local.isoformat(timespec="seconds"), title, text)


@register.filter
def pct(value: float | None) -> int:
    """0..1 as a whole percentage, for the width of a bar. Outside values are cut, none is 0."""
    return round(min(1.0, max(0.0, float(value or 0))) * 100)


@register.filter
def conf2(value: float | None) -> str:
    """A confidence with two digits: 0.60; "–" for none."""
    return "–" if value is None else f"{float(value):.2f}"


@register.filter
def minutes(seconds: int) -> str:
    """A span of seconds as minutes and seconds: 3:24."""
    return f"{seconds // 60}:{seconds % 60:02}"


@register.filter
def thousands(value: int | str | None) -> str:
    """A count with separators: 1,284; "–" for none. What is words already ("1,000+") stays."""
    return "–" if value is None else value if isinstance(value, str) else f"{int(value):,}"


@register.simple_tag
def key_sheet() -> list[tuple[str, list[tuple[list[str], str]]]]:
    """What the keys do, by where they do it."""
    return SHEET


@register.filter
def capped(value: int | None) -> str:
    """A count that was taken up to `counting.MOST` and one more: 1,284 as "1,000+"."""
    return f"{MOST:,}+" if value is not None and value > MOST else thousands(value)


def _bar(percent: int, classes: str) -> SafeString:
    # The width is an SVG attribute, because the Content-Security-Policy forbids style attributes.
    return format_html('<svg class="{}" aria-hidden="true"><rect width="{}%" height="100%"/></svg>', classes, percent)


@register.simple_tag
def confidence(value: float | None) -> SafeString:
    """A bar and the number, amber below 0.5."""
    low = value is not None and float(value) < LOW_CONFIDENCE
    return format_html('<span class="conf">{}{}</span>', _bar(pct(value), "bar low" if low else "bar"), conf2(value))


@register.simple_tag
def meter(value: float, total: float) -> SafeString:
    """A long bar: value of total. Say the numbers in words beside it."""
    return _bar(pct(value / total if total else 0), "bar long")


@register.simple_tag
def scope_label(scope: str, scope_id: str, href: str = "") -> SafeString:
    """An icon for the kind and the id; the kind is said to screen readers and in the title."""
    inner = format_html(
        '{}<span title="{}:{}"><span class="vh">{}:</span>{}</span>',
        icon(SCOPE_ICONS.get(scope, "other")), scope, scope_id, scope, scope_id,
    )  # fmt: skip
    if href:
        return format_html('<a class="scope" href="{}">{}</a>', href, inner)
    return format_html('<span class="scope">{}</span>', inner)


@register.simple_tag
def told_count(reads: int, last_at: datetime) -> SafeString:
    """How often a fact was told, with the last time as its title."""
    last = date_format(timezone.localtime(last_at), "j M Y H:i T")
    return format_html('<span title="Last told {}">{}</span>', last, thousands(reads))


@register.simple_tag
def source_label(source: str, ref: str = "", href: str = "") -> SafeString:
    """Where a fact comes from: an icon with the short id of the trace or run, or the word "manual"."""
    if ref:
        text = format_html('<span class="mono" title="{}">{}</span>', ref, short(ref))
    else:
        text = format_html("<span>{}</span>", source or "manual")
    inner = format_html("{}{}", icon(SOURCE_ICONS.get(source or "manual", "other")), text)
    if href:
        return format_html('<a class="scope" href="{}">{}</a>', href, inner)
    return format_html('<span class="scope">{}</span>', inner)


@register.filter
def short(value: str) -> str:
    """The first 8 characters of a long id; ids up to 12 characters stay whole."""
    text = str(value)
    return text if len(text) <= 12 else text[:8]


@register.filter(name="hex")
def in_hex(value: bytes | memoryview) -> str:
    """A digest as people compare it."""
    return bytes(value).hex()


@register.filter
def unslug(value: str) -> str:
    """A short name as words: "opening-hours" is "opening hours"."""
    return str(value).replace("-", " ").replace("_", " ")


@register.filter
def said(row: Statement) -> str:
    """What a fact or a proposal says, or what stands in place of words that are masked."""
    return said_by(row)


@register.filter
def cut(text: str, most: int) -> str:
    """The first ``most`` characters; what stands in place of masked words stays whole."""
    return text if isinstance(text, Masked) else Truncator(text).chars(most)


@register.filter
def focusing(form: BaseForm, name: str) -> BaseForm:
    """The form with the focus in this field when its page opens, for a form that is not ours."""
    form.fields[name].widget.attrs["autofocus"] = True
    return form


@register.filter
def marked(text: str, quote: str) -> list[Part]:
    """`text` in pieces with each `quote` marked, for _quote.html. A quote not found marks nothing."""
    if isinstance(text, Masked):
        return [Part(text, False)]
    if not quote or quote not in text:
        return [Part(text, False)]
    pieces = re.split(f"({re.escape(quote)})", text)
    return [Part(piece, piece == quote) for piece in pieces if piece]


@register.simple_tag
def pieces(parts: Iterable[tuple[str, str]]) -> SafeString:
    """Pieces of `console.diff.changes`, as `word_diff` shows them: one side of a change alone."""
    return format_html_join("", "<{0}>{1}</{0}>", parts)


@register.simple_tag
def word_diff(old: str, new: str) -> SafeString:
    """The change from old to new, word by word, with <del> and <ins>, for an element of class "diff"; where one of them is
    masked, nothing of either."""
    for one in (old, new):
        if isinstance(one, Masked):
            return one.__html__()
    return format_html_join("", "<{0}>{1}</{0}>", changes(old, new))
