"""How a kept clause is filed: its statement, attribute, sensitivity and how sure and how important it is."""

import re

from apps.extraction import english_words as english
from apps.extraction import languages as words
from apps.extraction import wording
from apps.extraction.attributes import attribute_of
from apps.extraction.candidates import About, Candidate, Sensitivity, Turn
from apps.extraction.rulebook import Rule
from apps.extraction.sentences import Span

CONFIDENCE = 0.6
CONFIDENCE_ASKED = 0.8

_I = re.IGNORECASE
_CONDITIONS = re.compile(rf"\b(?:{words.CONDITIONS})", _I)
_SPECIAL = re.compile(words.SPECIAL, _I)
_SELF = re.compile(
    r"\b(?:i|i'm|i've|i'd|me|my|mine|ich|mir|mich|mein\w*|yo|mi|me|eu|meu|minha|je|j'\w*|moi|mon|ma)\b", _I
)
_AT_HOME = re.compile(
    rf"(?:the|our) (?:\w+ )?{english.HOUSEHOLD}\b|(?:der|die|das|unsere?r?) (?:hund|katze|heizung|garten|haustür|post|"
    r"zeitung)\b|(?:parcels|packages|pakete|paquetes|encomendas|(?:les )?colis)\b",
    _I,
)
_ABOUT_WORK = re.compile(r"(?:the|our|we|every|all|no|any|each|there)\b", _I)


def asked_rule(said: str) -> Rule:
    """For what no rule knows but the speaker wants remembered."""
    speaker = _AT_HOME.match(said) or (_SELF.search(said) and not _ABOUT_WORK.match(said))
    about: About = "speaker" if speaker else "work"
    return Rule("asked", re.compile(""), "", about, "general", "semantic", 0.6)


def filed(turn: Turn, view: str, rule: Rule, span: Span, body: int, *, asked: bool, changes: bool) -> Candidate:
    """The candidate for ``view[body : span.end]``, quoted from ``span.start`` on.

    ``asked``: the speaker wants it remembered; ``changes``: he marked it as a change.
    """
    said = wording.tidy(view[body : span.end])
    # A German "dass" puts the verb last, so that what follows it is no sentence alone.
    clause = view[span.start if "dass" in view[span.start : body].lower() else body : span.end]
    about_speaker = rule.about == "speaker"
    if rule.say:
        match = rule.pattern.search(said)
        statement = wording.filled(rule.say, match.groupdict() if match else {}, clause)
    else:
        statement = wording.about_speaker(clause) if about_speaker else wording.sentence(clause)
    return Candidate(
        statement=statement,
        scope="user" if about_speaker else "agent",
        about=rule.about,
        message_id=turn.message_id,
        quote=turn.text[span.start : span.end],
        start=span.start,
        end=span.end,
        attribute=attribute_of(said, rule.about),
        category=rule.category,
        memory_type=rule.memory_type,
        confidence=CONFIDENCE_ASKED if asked else CONFIDENCE,
        importance=min(1.0, round(rule.importance + (0.1 if asked else 0.0), 2)),
        sensitivity=_sensitivity(said, about_speaker),
        observed_at=turn.at,
        rule=rule.id,
        changes_known=changes,
    )


def _sensitivity(said: str, about_speaker: bool) -> Sensitivity:
    if about_speaker:
        return "special" if _SPECIAL.search(said) else "personal"
    return "special" if _CONDITIONS.search(said) else "internal"
