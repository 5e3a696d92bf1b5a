"""The one table of rules: which clause is left out and why, which is kept and how it is filed.

A clause meets the rules from top to bottom and the first that matches decides. Leaving out comes first: a missed fact
can be said again, a wrong one is told to every later reader. What no rule keeps is left out as ``no-durable``.
"""

import re
from dataclasses import dataclass

from apps.extraction import english
from apps.extraction import languages as words
from apps.extraction import other_languages as others
from apps.extraction.candidates import About, MemoryType


@dataclass(frozen=True)
class Rule:
    """``drop`` names the reason for leaving out; without it the clause is kept and filed as the other fields say.

    ``say`` is the statement's form when the house rule (see ``wording``) does not serve; ``{rest}`` is the named group.
    """

    id: str
    pattern: re.Pattern[str]
    drop: str = ""
    about: About = "speaker"
    category: str = "profile"
    memory_type: MemoryType = "semantic"
    importance: float = 0.5
    say: str = ""


def _rx(pattern: str) -> re.Pattern[str]:
    return re.compile(pattern, re.IGNORECASE)


def drop(id: str, reason: str, pattern: str) -> Rule:
    return Rule(id, _rx(pattern), drop=reason)


def speaker(
    id: str,
    category: str,
    importance: float,
    pattern: str,
    memory_type: MemoryType = "semantic",
    say: str = "",
) -> Rule:
    return Rule(id, _rx(pattern), "", "speaker", category, memory_type, importance, say)


def work(id: str, category: str, importance: float, pattern: str, memory_type: MemoryType = "semantic") -> Rule:
    return Rule(id, _rx(pattern), "", "work", category, memory_type, importance)


RULES: tuple[Rule, ...] = (
    drop("question", "question", words.QUESTION),
    drop("joke", "joke", words.JOKE),
    drop("uncertain", "uncertain", words.UNCERTAIN),
    work("staff", "general", 0.6, english.STAFF),
    drop("third-party", "third-party", words.THIRD_PARTY),
    speaker("contact-name", "contact", 0.5, english.CONTACT_NAME, say="Asks to be called {rest}."),
    speaker("contact-order", "contact", 0.6, english.CONTACT_ORDER, "preference", "Asks to be {verb} {rest}."),
    speaker("contact-only", "contact", 0.6, english.CONTACT_ONLY, "preference", "Asks to be {verb} only."),
    speaker("contact-never", "contact", 0.6, english.CONTACT_NEVER, "preference", "Asks not to be {verb}{rest}."),
    speaker(
        "contact-language",
        "contact",
        0.6,
        english.CONTACT_LANGUAGE,
        "preference",
        "Asks to be answered in {rest}.",
    ),
    speaker("contact-can", "contact", 0.6, english.CONTACT_CAN, "preference", "Can be {verb} {rest}."),
    speaker("contact-best", "contact", 0.6, english.CONTACT_BEST, "preference"),
    speaker("no-marketing", "contact", 0.5, english.NO_MARKETING, "preference"),
    speaker("contact-de", "contact", 0.6, others.CONTACT_DE, "preference"),
    speaker("contact-es", "contact", 0.6, others.CONTACT_ES, "preference"),
    speaker("contact-pt", "contact", 0.6, others.CONTACT_PT, "preference"),
    speaker("contact-fr", "contact", 0.6, others.CONTACT_FR, "preference"),
    drop("greeting", "greeting", words.GREETING),
    drop("command", "command", words.COMMAND),
    drop("one-off-time", "no-durable", words.ONE_OFF_TIME),
    drop("one-off-number", "no-durable", words.ONE_OFF_NUMBER),
    speaker("name", "profile", 0.5, english.NAME),
    speaker("name-am", "profile", 0.5, english.NAME_AM, say="Name is {rest}."),
    speaker("health", "profile", 0.9, english.HEALTH),
    speaker("family", "profile", 0.5, english.FAMILY),
    speaker("belief", "profile", 0.6, english.BELIEF),
    speaker("home", "profile", 0.7, english.HOME),
    speaker("job", "profile", 0.6, english.JOB),
    speaker("language", "profile", 0.6, english.LANGUAGE),
    speaker("preference", "preference", 0.6, english.PREFERENCE, "preference"),
    speaker("rather", "preference", 0.6, english.RATHER, "preference"),
    speaker("habit", "preference", 0.5, english.HABIT, "preference"),
    speaker("delivery-form", "preference", 0.5, english.DELIVERY_FORM, "preference"),
    speaker("size", "profile", 0.5, english.SIZE),
    speaker("away", "event", 0.4, english.AWAY, "episodic"),
    speaker("gear", "profile", 0.4, english.GEAR),
    speaker("hours", "contact", 0.5, english.HOURS, "preference"),
    speaker("change", "profile", 0.6, english.CHANGE),
    speaker("mine", "profile", 0.6, english.MINE),
    speaker("prefer", "preference", 0.6, others.PREFER, "preference"),
    speaker("self-de", "profile", 0.6, others.SELF_DE),
    speaker("self-es", "profile", 0.6, others.SELF_ES),
    speaker("self-pt", "profile", 0.6, others.SELF_PT),
    speaker("self-fr", "profile", 0.6, others.SELF_FR),
    drop("small-talk", "small-talk", english.SMALL_TALK),
    work("cause", "event", 0.6, english.CAUSE, "episodic"),
    work("ours", "policy", 0.7, english.OURS),
    work("we", "procedure", 0.7, english.WE, "procedural"),
    work("every", "procedure", 0.7, english.EVERY, "procedural"),
    work("place", "policy", 0.6, english.PLACE),
    work("policy", "policy", 0.7, english.POLICY),
    work("from-now-on", "policy", 0.8, english.FROM_NOW_ON),
    work("always-never", "procedure", 0.7, english.ALWAYS_NEVER, "procedural"),
    work("ours-de", "policy", 0.7, others.OURS_DE),
    work("ours-es", "policy", 0.7, others.OURS_ES),
    work("ours-pt", "policy", 0.7, others.OURS_PT),
    work("ours-fr", "policy", 0.7, others.OURS_FR),
)
