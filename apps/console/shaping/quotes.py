"""Quoted words inside the message they were cut from, with the evidence marked by its position."""

from collections.abc import Iterable

from apps.console.templatetags.console import Part

AROUND = 90


def marked_spans(text: str, spans: Iterable[tuple[int, int]]) -> list[Part]:
    """``text`` in pieces with each span (code points) marked; overlapping spans become one."""
    parts: list[Part] = []
    at = 0
    for start, end in merged(spans, len(text)):
        if start > at:
            parts.append(Part(text[at:start], False))
        parts.append(Part(text[start:end], True))
        at = end
    if at < len(text) or not parts:
        parts.append(Part(text[at:], False))
    return parts


def excerpt(text: str, start: int, end: int, quote: str, around: int = AROUND) -> list[Part]:
    """The quote with at most ``around`` characters of its message on each side, cut at words.

    Where the message no longer holds these words at that place, the quote stands alone.
    """
    if not quote or text[start:end] != quote:
        return [Part(quote, True)]
    left, right = max(0, start - around), min(len(text), end + around)
    if left:
        left = next((i + 1 for i in range(left, start) if text[i].isspace()), left)
    if right < len(text):
        right = next((i for i in range(right - 1, end, -1) if text[i].isspace()), right)
    before = ("… " if left else "") + text[left:start]
    after = text[end:right] + (" …" if right < len(text) else "")
    return [part for part in (Part(before, False), Part(quote, True), Part(after, False)) if part.text]


def shortened(text: str, limit: int) -> str:
    """At most ``limit`` characters, the cut shown."""
    return text if len(text) <= limit else f"{text[:limit].rstrip()} …"


def merged(spans: Iterable[tuple[int, int]], length: int) -> list[tuple[int, int]]:
    """The spans inside 0..length in order, overlapping ones as one."""
    found: list[tuple[int, int]] = []
    for start, end in sorted((max(0, start), min(length, end)) for start, end in spans):
        if end <= start:
            continue
        if found and start <= found[-1][1]:
            found[-1] = (found[-1][0], max(end, found[-1][1]))
        else:
            found.append((start, end))
    return found
