"""From "until next Friday" to a moment: relative dates are read from the time the message was sent, in its own zone.

Only short date phrases come here, never a whole message: a parser that looks for dates in prose finds them in "may".
"""

import re
from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import Literal

MAX_PHRASE = 60
LANGUAGES = ["en", "de", "es", "pt", "fr"]

_LEAD = re.compile(
    r"(?:valid\s+)?(?:(?P<past>since|seit|desde|depuis)|(?P<begin>from|as of|starting|beginning|effective|on|in|at|ab|"
    r"a partir de|à partir de)|(?P<until>until|till|up to|through|to|by|before|bis(?: zum)?|hasta|até|jusqu'(?:au|en|à)))"
    r"\s+(?:the\s+)?(?=\S)",
    re.IGNORECASE,
)
_END_OF = re.compile(r"(?:the\s+)?end of(?:\s+the)?\s+(?P<rest>.+)|(?P<year>(?:the\s+)?year'?s'?\s+end)", re.IGNORECASE)
_WEEKDAY = r"(?:mon|tues?|wednes|thurs?|fri|satur|sun)day"
_MONTH = (
    r"(?:jan(?:uary)?|feb(?:ruary)?|mar(?:ch)?|apr(?:il)?|may|june?|july?|aug(?:ust)?|sept?(?:ember)?|oct(?:ober)?|"
    r"nov(?:ember)?|dec(?:ember)?)"
)
_A_MONTH = re.compile(rf"(?:early |late |mid-?)?(?:(?:last|this|next)\s+)?{_MONTH}\.?(?:\s+\d{{4}})?", re.IGNORECASE)
_SPAN = re.compile(r"(?:(?:last|this|next|the|current)\s+)?(?P<unit>week|month|year)", re.IGNORECASE)
_YEAR = re.compile(r"(?:19|20)\d\d")
_NEXT_WEEKS = re.compile(
    rf"(?P<day>{_WEEKDAY})\s+next\s+week|next\s+week\s+(?:on\s+)?(?P<other>{_WEEKDAY})", re.IGNORECASE
)
_NUMBER = r"(?:an?|one|two|three|four|five|six|seven|eight|nine|ten|a (?:few|couple of)|\d{1,3})"
_RELATIVE = re.compile(
    rf"(?P<before>\b(?:since|until|till|from|by|on|before|after|as of|starting|in|for|of|through)\s+)?"
    rf"\b(?P<phrase>(?:the day (?:before|after) )?(?:yesterday|today|tomorrow)|(?:last|this|next)\s+(?:{_WEEKDAY}|week|month|year)"
    rf"|(?<!in )\b{_NUMBER}\s+(?:days?|weeks?|months?|years?)\s+ago|(?<=in ){_NUMBER}\s+(?:days?|weeks?|months?)(?:' time)?)\b",
    re.IGNORECASE,
)
_DAYS = ["monday", "tuesday", "wednesday", "thursday", "friday", "saturday", "sunday"]


@dataclass(frozen=True)
class Period:
    """From ``start`` up to, not including, ``end``; ``unit`` is how exact the phrase was."""

    start: datetime
    end: datetime
    unit: Literal["moment", "day", "week", "month", "year"]


def valid_from(phrase: str, at: datetime) -> datetime | None:
    """The moment "since last Monday" or "from March" begins, seen from ``at``; null when it is no date."""
    found = _read(phrase, at, "future")
    return found[0].start if found else None


def valid_to(phrase: str, at: datetime) -> datetime | None:
    """The moment "until March" or "until Friday" is over, seen from ``at``; null when it is no date.

    A day or a week named as the end is still part of it; of a month or a year only when its end was said.
    """
    found = _read(phrase, at, "future")
    if found is None:
        return None
    period, ends = found
    return period.end if ends or period.unit in {"day", "week"} else period.start


def absolute(statement: str, at: datetime) -> str:
    """The statement with "yesterday" and its like as dates: a reader does not know when it was said."""

    def replaced(match: re.Match[str]) -> str:
        phrase, before = match["phrase"], match["before"] or ""
        found = _read(phrase if before.strip().lower() != "in" else f"in {phrase}", at, "future")
        if found is None:
            return match[0]
        period, word = found[0], before.strip().lower()
        if period.unit in {"day", "moment"}:
            date, adverb = f"{period.start.day} {period.start:%B %Y}", "on "
        elif period.unit == "week":
            date, adverb = f"the week of {period.start.day} {period.start:%B %Y}", "in "
        else:
            date, adverb = (f"{period.start:%B %Y}" if period.unit == "month" else f"{period.start.year}"), "in "
        # "in two weeks" is a day; the word before it belonged to the phrase.
        return (adverb if not word or word == "in" else before) + date

    return _RELATIVE.sub(replaced, statement)


def _read(phrase: str, at: datetime, prefer: Literal["future", "past"]) -> tuple[Period, bool] | None:
    """The period a phrase names, and whether its end was said."""
    text = " ".join(phrase.split())[:MAX_PHRASE].rstrip(".,;!")
    whole = text
    if lead := _LEAD.match(text):
        # "in two weeks" is one phrase, "in March" is not.
        text = text if re.match(rf"in\s+{_NUMBER}\s", text, re.IGNORECASE) else text[lead.end() :]
        prefer = "past" if lead["past"] else prefer
    ends = False
    if end := _END_OF.fullmatch(text):
        text, ends = end["rest"] or "this year", True
    period = _period(text, at, prefer) or (_period(whole, at, prefer) if text != whole else None)
    return (period, ends) if period else None


def _period(text: str, at: datetime, prefer: Literal["future", "past"]) -> Period | None:
    day = at.replace(hour=0, minute=0, second=0, microsecond=0)
    if _YEAR.fullmatch(text):
        return _years(day.replace(year=int(text), month=1, day=1))
    if span := _SPAN.fullmatch(text):
        step = {"last": -1, "next": 1}.get(text.split()[0].lower(), 0)
        return _calendar(day, span["unit"].lower(), step)
    if coming := _NEXT_WEEKS.fullmatch(text):
        name = (coming["day"] or coming["other"]).lower()
        monday = day - timedelta(days=day.weekday()) + timedelta(days=7)
        return _days(monday + timedelta(days=_DAYS.index(name)))
    found = _parsed(text, at, prefer)
    if found is None:
        return None
    if _A_MONTH.fullmatch(text):
        return _calendar(found, "month", 0)
    if re.search(r"\d\s*(?:[ap]\.?m\b|:\d\d|o'clock|h\b|uhr)|\bnoon\b|\bmidnight\b", text, re.IGNORECASE):
        return Period(found, found, "moment")
    return _days(found)


def _parsed(text: str, at: datetime, prefer: str) -> datetime | None:
    # Imported here: it loads its languages, and most traces name no date.
    import dateparser

    found = dateparser.parse(
        text,
        languages=LANGUAGES,
        settings={
            "RELATIVE_BASE": at.replace(tzinfo=None),
            "PREFER_DATES_FROM": prefer,
            "PREFER_DAY_OF_MONTH": "first",
            "TIMEZONE": "UTC",
        },
    )
    if found is None or not 1900 <= found.year < 2200:
        return None
    return found if found.tzinfo else found.replace(tzinfo=at.tzinfo)


def _calendar(at: datetime, unit: str, step: int) -> Period:
    day = at.replace(hour=0, minute=0, second=0, microsecond=0)
    if unit == "week":
        start = day - timedelta(days=day.weekday()) + timedelta(weeks=step)
        return Period(start, start + timedelta(weeks=1), "week")
    if unit == "month":
        months = day.year * 12 + day.month - 1 + step
        start = day.replace(year=months // 12, month=months % 12 + 1, day=1)
        return Period(start, (start + timedelta(days=32)).replace(day=1), "month")
    return _years(day.replace(year=day.year + step, month=1, day=1))


def _years(start: datetime) -> Period:
    return Period(start, start.replace(year=start.year + 1), "year")


def _days(at: datetime) -> Period:
    start = at.replace(hour=0, minute=0, second=0, microsecond=0)
    return Period(start, start + timedelta(days=1), "day")
