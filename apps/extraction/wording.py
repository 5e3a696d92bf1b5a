"""How a kept clause becomes a statement.

One house rule: "I prefer email" becomes "Prefers email." when every word of the change is certain, that is English,
first person singular, a verb of the list, and no other word for the speaker in what follows. About the work the clause
is kept as said, with a capital and a full stop. Anything else about the speaker is quoted: Says: "Ich wohne in Köln."
A prompt shows facts to a model that is itself "I"; unquoted first person would be about the wrong one.
"""

import re

from apps.core.text import one_line
from apps.extraction import languages as words

_VERBS = {"am": "is", "'m": "is", "have": "has", "'ve": "has", "do": "does", "'d": "would", "'ll": "will"}
# The same in the third person: past tenses and helping verbs.
_SAME = frozenset(
    {"was", "would", "will", "can", "can't", "cannot", "won't", "couldn't", "could", "left", "quit", "got", "went"}
    | {"became", "began", "took", "gave", "grew", "lost", "bought", "used", "had", "met", "sold"}
)
# Verbs the rules keep, in the base form: they take an s.
_REGULAR = frozenset(
    {"live", "work", "prefer", "hate", "dislike", "wear", "take", "use", "own", "drive", "ride", "run", "speak"}
    | {"understand", "read", "eat", "drink", "pay", "buy", "want", "need", "like", "order", "come", "go", "hike"}
    | {"cycle", "travel", "deploy", "test", "write", "review", "book", "sleep", "camp", "carry", "commute", "shop"}
    | {"answer", "check", "keep", "bring", "ask", "study", "manage", "lead", "maintain", "report", "weigh", "suffer"}
    | {"react", "tolerate", "stand", "pick", "get", "fast", "play", "cook", "bake", "teach", "swim", "walk", "grow"}
    | {"collect", "learn", "enjoy", "love", "avoid", "smoke", "snore", "knit", "sew", "paint", "sing", "dance", "spend"}
    | {
        "pass",
        "lay",
        "mend",
        "sell",
        "breed",
        "raise",
        "coach",
        "farm",
        "fish",
        "hold",
        "rent",
        "share",
        "save",
        "serve",
    }
)
_ADVERB = words.joined(r"""
    (?:really|also|now|just|only|always|never|usually|mostly|still|recently|currently|no longer|both|much|strongly|
    generally|normally|personally|already|rarely|finally|actually)
""")
_FIRST = re.compile(
    rf"^i(?P<join>'m|'ve|'d|'ll| )\s*(?P<negation>don't|do not)?\s*(?P<adverbs>(?:{_ADVERB}\s+)*)"
    r"(?P<verb>[a-z']*)(?P<rest>.*)$",
    re.IGNORECASE | re.DOTALL,
)
_OTHER_SELF = re.compile(r"\b(?:i|i'm|i've|i'd|i'll|me|my|mine|myself|we|we're|our|ours|us)\b", re.IGNORECASE)
_SECOND_VERB = re.compile(
    rf"\b(?:and|but|or)\s+(?:{_ADVERB}\s+)*(?:don't|do not|{'|'.join(sorted(_REGULAR | {'am', 'have'}))})\b",
    re.IGNORECASE,
)
_MINE = re.compile(
    r"^my (?P<thing>.+?)(?P<link>'s|: | is | are | has changed to | changed to )(?P<value>.+)$",
    re.IGNORECASE | re.DOTALL,
)
_PASSIVE = {
    "call": "called", "calling": "called", "phone": "phoned", "phoning": "phoned", "ring": "rung", "ringing": "rung",
    "text": "texted", "texting": "texted", "email": "emailed", "e-mail": "emailed", "emailing": "emailed",
    "write": "written to", "write to": "written to", "writing to": "written to", "message": "messaged",
    "messaging": "messaged", "contact": "contacted", "contacting": "contacted", "reach": "reached",
    "whatsapp": "messaged on WhatsApp",
}  # fmt: skip
_TRAILING = re.compile(words.TRAILING, re.IGNORECASE)
_TAIL = re.compile(r"(?:[\s.!…。,;:–—-]|[\u2600-\u27bf\U0001f000-\U0001faff\ufe0f\u200d]|\s[:;]-?[)(DP])+$")


_HASTE = {
    "im": "I'm",
    "ive": "I've",
    "dont": "don't",
    "doesnt": "doesn't",
    "cant": "can't",
    "isnt": "isn't",
    "arent": "aren't",
}
_HASTY = re.compile(rf"\b(?:{'|'.join(_HASTE)})\b", re.IGNORECASE)


def spelt_out(clause: str) -> str:
    """The clause with the apostrophes that haste leaves out: "im a nurse and dont drive"."""
    return _HASTY.sub(lambda match: _HASTE[match.group().lower()], clause)


def tidy(text: str) -> str:
    """One line, nothing hidden, without closing marks, emoji or trailing courtesies."""
    return _TRAILING.sub("", _TAIL.sub("", one_line(text)))


def sentence(text: str) -> str:
    """With a capital and a full stop."""
    body = tidy(text)
    return body[:1].upper() + body[1:] + ("" if body.endswith((".", "!", "?", "。")) else ".")


def quoted(text: str) -> str:
    """The speaker's words as his own."""
    return f'Says: "{sentence(text).replace(chr(34), chr(39))}"'


def about_speaker(clause: str) -> str:
    """The statement for a clause about the speaker, by the house rule of this module."""
    body = tidy(clause).replace("’", "'")
    third = _third_person(body) or _possession(body)
    return sentence(third) if third else quoted(clause)


def filled(template: str, groups: dict[str, str | None], clause: str) -> str:
    """The statement a rule spells out itself, unless the rest still speaks of "me" or "my": then the words as said."""
    rest = tidy(groups.get("rest") or "")
    if _OTHER_SELF.search(rest):
        return quoted(clause)
    verb = _PASSIVE.get((groups.get("verb") or "").lower(), "contacted")
    return sentence(
        template.format(
            verb=verb,
            rest=(" " + rest if rest and "{rest}" in template and " {rest}" not in template else rest),
        )
    )


def _third_person(body: str) -> str | None:
    match = _FIRST.match(body)
    if not match or _OTHER_SELF.search(match["rest"]) or _SECOND_VERB.search(match["rest"]):
        return None
    adverbs, verb, rest = match["adverbs"].lower(), match["verb"].lower(), match["rest"]
    join = match["join"].lower().strip()
    if join:
        return f"{_VERBS[join]} {adverbs}{match['verb']}{rest}" if not match["negation"] else None
    if match["negation"]:
        return f"does not {adverbs}{verb}{rest}"
    changed = _conjugated(verb)
    if changed is None or rest[:1].isalnum():
        return None
    return f"{adverbs}{changed}{rest}"


def _conjugated(verb: str) -> str | None:
    if verb in _VERBS or verb in _SAME:
        return _VERBS.get(verb, verb)
    if verb in _REGULAR:
        if verb.endswith(("s", "sh", "ch", "x", "o")):
            return verb + "es"
        return verb[:-1] + "ies" if verb.endswith("y") and verb[-2] not in "aeiou" else verb + "s"
    return verb if verb.endswith("ed") and verb not in {"need", "feed", "speed", "bleed"} else None


def _possession(body: str) -> str | None:
    """ "My phone number is 123" as "Phone number is 123"."""
    match = _MINE.match(body)
    if not match or _OTHER_SELF.search(match["thing"] + " " + match["value"]):
        return None
    link = {"'s": " is ", ": ": " is "}.get(match["link"].lower(), match["link"])
    thing = re.sub(r"^(?:new|current) ", "", match["thing"], flags=re.IGNORECASE)
    return f"{thing}{link}{match['value']}"
