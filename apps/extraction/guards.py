"""What must never become a candidate, whatever else a message says: secrets and orders to the assistant."""

import re

from apps.extraction.languages import joined
from apps.screening import injection
from apps.screening.findings import QUARANTINE

_SERVED = frozenset({"own-heading"})
# "The password is never shared" tells a rule; "the password is hunter2" tells a password.
_NO_VALUE = joined(r"""
    (?:not|never|no|wrong|too|in|on|at|from|the|an?|always|changed|kept|stored|rotated|reset|required|expired|invalid|
    managed|being|only|set|ask\w*|falsch|abgelaufen|weg|nicht|incorrect[ao]|caducad[ao]|errad[ao]|expirad[ao]|
    incorrecte?|expirée?)\b
""")
_SECRETS = tuple(
    re.compile(pattern, re.IGNORECASE)
    for pattern in (
        r"-----BEGIN [A-Z ]{0,40}KEY-----(?s:.*?)(?:-----END [A-Z ]{0,40}KEY-----|\Z)",
        r"(?-i:\b(?:AKIA|ASIA)[0-9A-Z]{16}\b)",
        r"\b(?:gh[pousr]_\w{16,}|github_pat_\w{20,}|glpat-[\w-]{16,}|xox[abpsr]-[\w-]{8,}|AIza[\w-]{30,})",
        r"\b(?:npm_\w{30,}|mp_\w{8}_\w{20,})",
        r"\b(?:sk|pk|rk)[-_](?:live|test|proj|ant)?[-_]?(?=[A-Za-z_-]{0,40}\d)[A-Za-z0-9_-]{16,}",
        r"\beyJ[\w-]{8,}\.[\w-]{8,}(?:\.[\w-]*)?",
        r"\b[a-z][a-z0-9+.-]{1,20}://[^\s:/@]{0,80}:[^\s@/]{1,200}@\S+",
        r"\b(?:bearer|basic)\s+(?=\S{0,80}\d)[A-Za-z0-9+/=._-]{16,}",
        r"\b(?:pass(?:word|wort|phrase|code)|passwd|pwd|kennwort|contraseña|palavra-passe|senha|mot de passe"
        r"|pin(?: code)?|cvv|cvc|login code)\b(?:[^\S\n]+[\w'-]{1,20}){0,4}?"
        + rf"(?:\s+(?:is|are|was|lautet|ist|es|é|est)|\s*[:=])\s*(?!{_NO_VALUE})\S+",
        r"\b(?:(?:api|access|secret|private|auth|encryption|deploy)[ _-]?(?:key|token)|token|secret)\b"
        r"(?:[^\S\n]+[\w'-]{1,20}){0,4}?(?:\s+(?:is|ist|es|é|est)|\s*[:=])\s*(?=\S{0,80}\d)\S{8,}",
        r"\b(?:alarm|door|gate|entry|access|safe|unlock|lock|voicemail|garage|security|verification|one-time|sms|backup"
        r"|sim)(?: code| combination| pin| phrase)(?:[^\S\n]+[\w'-]{1,20}){0,3}?"
        r"(?:\s+(?:is|are|was|lautet|ist)|\s*[:=])\s*" + rf"(?!{_NO_VALUE})\S{{0,80}}\d",
        r"\b(?:key|combination|code)\b[^.!?\n]{0,30}\b(?:is|under|:)\s+\d[\d-]{4,}",
        r"\bkey\s+(?:is|:)\s+(?=\S{0,80}-\S{0,80}-)\S{8,}",
        r"\b(?!(?:post|zip|country|area|dress|product|sort|discount|promo|voucher|error|status|exit|source|qr|tax)\b)"
        r"[a-z]{2,15} code\s+is\s+\d{4,8}\b",
        r"\blogin\b[^.!?\n]{0,40}\s(?=\S{0,40}\d)(?=\S{0,40}[!#$%&*+=?@^~])\S{6,}",
        r"\b(?:opens?|unlocks?) with (?=[\d-]{4,})\S+",
        r"\b(?:recovery|seed|backup) (?:phrase|words)\b\s*(?:is|are|:)\s*\S+",
        r"\b(?:security question|wi-?fi|wlan|network)\b[^.!?\n]{0,40}\b(?:key|answer|password|code)?\s?"
        r"(?:is|are|ist|lautet|:)\s+(?=\S{0,80}[-\d])\S{6,}",
        r"\b(?:my|the|card|our) (?:card )?pin\b[,:]?\s+(?:is\s+)?\d{4,8}\b",
        r"\b\w{0,30}(?:SECRET|TOKEN|PASSWORD|API_?KEY)\w{0,20}\s?=\s?\S{6,}",
    )
)
_CARD = re.compile(r"(?<![\w-])\d(?:[ -]?\d){12,18}(?![\w-])")


def is_order(text: str) -> bool:
    """Whether the message tries to give the assistant orders, as screening judges it: there is one detector of that.
    The plane's own heading over facts alone is no order: those lines are left out as served."""
    return injection.score(text, besides=_SERVED) >= QUARANTINE


def secret_spans(text: str) -> list[tuple[int, int]]:
    """Where secrets stand in the message: (start, end) pairs, unsorted, possibly overlapping."""
    found = [match.span() for pattern in _SECRETS for match in pattern.finditer(text)]
    found.extend(match.span() for match in _CARD.finditer(text) if _luhn(match.group()))
    return found


def _luhn(number: str) -> bool:
    digits = [int(c) for c in number if c.isdigit()]
    doubled = [d if i % 2 == 0 else (d * 2 - 9 if d > 4 else d * 2) for i, d in enumerate(reversed(digits))]
    return sum(doubled) % 10 == 0 and len(set(digits)) > 1
