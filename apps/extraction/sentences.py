"""Cuts a message into sentences and clauses without losing where they stood.

Every span is a pair of positions in the message as it was sent, so a quote is ``text[start:end]`` and nothing else.
"""

import re
from dataclasses import dataclass

MONTHS = (
    r"(?:Jan|Feb|M[aä]r|Apr|Ma[iy]|Ju[nl]|Aug|Sep|O[ck]t|Nov|De[cz])\w*|janvier|février|mars|avril|juin|juillet|août"
)
_ABBREVIATION = re.compile(
    r"(?:^|[\s(])(?:e\.g|i\.e|etc|approx|no|nr|vs|dr|mr|mrs|ms|prof|st|str|sr|sra|dra|hr|fr|z\.b|d\.h|bzw|ca|inkl"
    r"|mme|av|tel|u\.s|a\.m|p\.m|[A-Z])$",
    re.IGNORECASE,
)
_EMOJI = "\u2600-\u27bf\U0001f000-\U0001faff"
_STOP = re.compile(
    # The look-behinds let a run be tried once, not once from each of its characters.
    r"(?<![.!?…])[.!?…]+[\"'”’»)\]]*(?=\s|$)"  # Latin: the mark counts only before white space
    r"|[。！？؟]+[」』”]*"  # CJK and Arabic: no space needed
    rf"|(?<![{_EMOJI}\ufe0f\u200d])[{_EMOJI}\ufe0f\u200d]+(?=\s+[A-ZÀ-Þ])"  # an emoji often stands for the full stop
)
_EDGE = re.compile(r"^(?:\s|[-*•·–—]\s|\(?\d{1,2}[.)]\s)+")
_BLOCK = re.compile(
    # What the plane told an agent, under the headings the SDK gives it.
    r"(?P<served>^[ \t]*(?:Curated facts \(|Learned facts \(|Known facts:)[^\n]*(?:\n[ \t]*[-*•][^\n]*)*)"
    r"|^[ \t]*```(?s:.*?)(?:^[ \t]*```[^\n]*$|\Z)|`[^`\n]{1,400}`(?=[ \t]*$)"  # code
    r"|^[ \t]*(?:-{2,} ?(?i:Original Message|Forwarded message|Urspr|Mensagem original|Mensaje original"  # mail
    r"|Message d'origine)"
    r"|On [^\n]{5,120} wrote:[ \t]*$|Am [^\n]{5,120} schrieb [^\n]{1,80}:[ \t]*$)(?s:.*)\Z"
    r"|(?:^[ \t]*>[^\n]*(?:\n|\Z))+",
    re.MULTILINE,
)
_LINE_BREAK = re.compile(r"\n+")
_SAME_LENGTH = str.maketrans(
    {"’": "'", "‘": "'", "ʼ": "'", "\xa0": " ", "\u202f": " ", "\t": " ", "\r": " ", "\n": " "}
)


@dataclass(frozen=True)
class Span:
    """``start`` and ``end`` in the message; ``reason`` is set when the span must not be mined, at least not alone."""

    start: int
    end: int
    reason: str | None = None


def plain(text: str) -> str:
    """The text with curly apostrophes and odd white space made plain. Same length, so positions hold."""
    return text.translate(_SAME_LENGTH)


def blocks(text: str) -> list[Span]:
    """Parts that are not the speaker's own words, in order: code, quoted mail, the plane's own served facts."""
    return [
        Span(match.start(), match.end(), "served" if match["served"] is not None else "code-or-quote")
        for match in _BLOCK.finditer(text)
        if match.end() > match.start()
    ]


def sentences(text: str) -> list[Span]:
    """Sentences and left-out blocks in reading order; white space and bullets at the edges are not part of them."""
    found: list[Span] = []
    position = 0
    for block in blocks(text):
        found.extend(_between(text, position, block.start))
        found.append(block)
        position = block.end
    found.extend(_between(text, position, len(text)))
    return found


def _between(text: str, start: int, end: int) -> list[Span]:
    found: list[Span] = []
    for line_start, line_end in _lines(text, start, end):
        begin = line_start
        for stop in _STOP.finditer(text, line_start, line_end):
            if stop.start() < begin or not _ends_here(text, begin, stop.start(), stop.end(), line_end):
                continue
            found.append(Span(begin, _with_emoji(text, stop.end(), line_end)))
            begin = found[-1].end
        found.append(Span(begin, line_end))
    return [trimmed for span in found if (trimmed := trim(text, span)).start < trimmed.end]


def _lines(text: str, start: int, end: int) -> list[tuple[int, int]]:
    """A line break ends a sentence, unless the mail program broke a running one (the next line begins small)."""
    lines: list[tuple[int, int]] = []
    begin = start
    for brk in _LINE_BREAK.finditer(text, start, end):
        after, before = text[brk.end() : brk.end() + 1], text[brk.start() - 1 : brk.start()]
        soft = brk.end() - brk.start() == 1 and after.islower() and before not in ".!?:…" and brk.start() - begin > 40
        if not soft:
            lines.append((begin, brk.start()))
            begin = brk.end()
    lines.append((begin, end))
    return lines


def _ends_here(text: str, begin: int, start: int, end: int, limit: int) -> bool:
    if text[start] != "." or text[start : start + 2] == "..":
        return True
    before = text[max(begin, start - 12) : start]
    after = text[end : min(limit, end + 14)].lstrip()
    if _ABBREVIATION.search(before) and after:
        return False
    ordinal = re.search(r"(?:^|\s)\d{1,2}$", before)
    return not (ordinal and (re.match(MONTHS, after) or after[:1].islower()))


def _with_emoji(text: str, end: int, limit: int) -> int:
    """An emoji after the full stop belongs to the sentence it comments."""
    tail = re.compile(rf"[ ]*[{_EMOJI}\ufe0f\u200d]+").match(text, end, limit)
    return tail.end() if tail else end


def trim(text: str, span: Span) -> Span:
    """The span without white space at its edges and without a leading bullet or list number."""
    start, end = span.start, span.end
    while end > start and text[end - 1].isspace():
        end -= 1
    edge = _EDGE.match(text[start:end])
    return Span(start + edge.end() if edge else start, end, span.reason)
