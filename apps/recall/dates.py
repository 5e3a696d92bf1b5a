"""The days a question names: "on 7 July", "in March 2024", "2024-03-02". What was said near them answers it rather."""

import re
from collections.abc import Iterator
from datetime import UTC, datetime, timedelta

MOST = 24
YEARS_BACK = 8
"""A day without a year is that day of each of the last years."""

_NAMES = (
    "january february march april may june july august september october november december",
    "jan feb mar apr may jun jul aug sep oct nov dec",
    "januar februar märz april mai juni juli august september oktober november dezember",
    "janvier février mars avril mai juin juillet août septembre octobre novembre décembre",
    "enero febrero marzo abril mayo junio julio agosto septiembre octubre noviembre diciembre",
    "janeiro fevereiro março abril maio junho julho agosto setembro outubro novembro dezembro",
)
_MONTHS = {name: number for names in reversed(_NAMES) for number, name in enumerate(names.split(), 1)}
_MONTH = "|".join(sorted(_MONTHS, key=len, reverse=True))
_DAY = r"(?P<day>\d{1,2})(?:st|nd|rd|th|er|\.|º)?"
_FORMS = [
    re.compile(pattern, re.IGNORECASE)
    for pattern in (
        r"\b(?P<year>\d{4})-(?P<number>\d\d)-(?P<day>\d\d)\b",
        r"(?<!\d)(?P<year>\d{4})年(?P<number>\d{1,2})月(?:(?P<day>\d{1,2})日)?",
        rf"\b{_DAY}\s+(?:of\s+|de\s+)?(?P<month>{_MONTH})\b,?(?:\s+(?:de\s+)?(?P<year>\d{{4}}))?",
        rf"\b(?P<month>{_MONTH})\s+{_DAY}(?!\d),?(?:\s+(?P<year>\d{{4}}))?",
        rf"\b(?P<month>{_MONTH}),?\s+(?:de\s+|of\s+)?(?P<year>\d{{4}})\b",
        # A month alone only where it can't be a word or a name: "may", "march".
        rf"\b(?:in|im|en|em|during|since|until|by)\s+(?P<month>{_MONTH})\b",
        r"\b(?:in|im|en|em|during)\s+(?P<year>(?:19|20)\d\d)\b",
    )
]


def days_in(text: str, today: datetime) -> list[tuple[datetime, datetime]]:
    """Stretches of time, begin and end (UTC, the end not in it), that the text names, at most 24."""
    found: list[tuple[datetime, datetime]] = []
    for form in _FORMS:
        for match in form.finditer(text):
            found += _stretches(match.groupdict(), today)
        # What one form has read no other reads again.
        text = form.sub(" ", text)
    return found[:MOST]


def _stretches(parts: dict[str, str | None], today: datetime) -> Iterator[tuple[datetime, datetime]]:
    month = int(parts.get("number") or _MONTHS.get((parts.get("month") or "").lower(), 0))
    day = int(parts.get("day") or 0)
    year = parts.get("year")
    years = [int(year)] if year else [today.year - back for back in range(-1, YEARS_BACK)]
    for one in years:
        try:
            begin = datetime(one, month or 1, day or 1, tzinfo=UTC)
            if day:
                end = begin + timedelta(days=1)
            elif month:
                end = datetime(one + month // 12, month % 12 + 1, 1, tzinfo=UTC)
            else:
                end = datetime(one + 1, 1, 1, tzinfo=UTC)
        except (ValueError, OverflowError):
            continue  # the 31st of June, the year 0: no day at all
        yield begin, end
