"""What a speaker takes back or puts right a moment after saying it."""

import re

from apps.extraction.languages import KIDDING, joined

_OOPS = r"(?:(?:no|oh|oops|ah|sorry|hm+|wait|actually|hang on|hold on),?\s+)*"
_CORRECTION = re.compile(
    joined(rf"""
        {_OOPS}(?:no,? wait|wait,? no|sorry|correction|i meant|i mean|make that|scratch that|wait|actually)?[\s,:.—–-]*
        (?:(?:it's|it is|that's|that should be|it should be|i meant|i mean|make that|make it)\s+)
        (?P<new>[^,.;!?]{{1,40}}?)(?:,? (?:and )?not (?P<old>[^,.;!?]{{1,40}}))?[.!]?
    """),
    re.IGNORECASE,
)
_RETRACTION = re.compile(
    joined(rf"""
        {_OOPS}(?:scratch that|forget (?:that|it|what i (?:just )?said)|ignore that|never mind that|strike that|
        i take that back|that's wrong)\b.*
    """),
    re.IGNORECASE,
)
_MISGIVING = re.compile(rf"{_OOPS}(?:no,? wait|wait,? no|correction|i meant|make that|strike that)\b", re.IGNORECASE)
_KIDDING = re.compile(KIDDING, re.IGNORECASE)
_FEW_WORDS = re.compile(r"\W*(?:\w+\W+){0,3}\w*\W*")


def retracts(said: str) -> bool:
    """ "Scratch that": the statement before it is void."""
    return _RETRACTION.fullmatch(said) is not None


def misgives(said: str) -> bool:
    """ "No wait, …": the statement before it is wrong, whatever follows."""
    return _MISGIVING.match(said) is not None


def mocks(joke: str) -> bool:
    """Whether a sentence known to be a joke ("haha", "just kidding, …") makes one of the sentence before it."""
    return _KIDDING.match(joke) is not None or (len(joke) < 40 and _FEW_WORDS.fullmatch(joke) is not None)


def put_right(statement: str, said: str) -> str | None:
    """The statement with its value exchanged as "no wait, it's 14 days not 30" says.

    Null when ``said`` corrects nothing or when it is not certain which word is meant.
    """
    match = _CORRECTION.fullmatch(said)
    if not match:
        return None
    new, old = match["new"].strip(), (match["old"] or "").strip()
    first, _, unit = new.partition(" ")
    if old:
        target = re.escape(old)
    elif first[:1].isdigit() and unit:
        target = r"\d[\d.,]*"
    else:
        return None
    with_unit = re.compile(rf"(?<!\w){target} {re.escape(unit)}(?!\w)", re.IGNORECASE) if unit else None
    alone = re.compile(rf"(?<!\w){target}(?!\w)", re.IGNORECASE)
    for pattern in (with_unit, alone if old else None):
        if pattern and len(pattern.findall(statement)) == 1:
            return pattern.sub(lambda _: new, statement)
    return None
