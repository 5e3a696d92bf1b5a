"""The one table of rules: which clause is left out and why, which is kept and how it is filed.

A clause meets the rules from top to bottom and the first that matches decides. Leaving out comes first: a missed fact
can be said again, a wrong one is told to every later reader. What no rule keeps is left out as ``no-durable``.
"""

import re
from dataclasses import dataclass

from apps.extraction import doubts, english, french, german, portuguese, spanish
from apps.extraction import english_life as life_en
from apps.extraction import english_self as self_en
from apps.extraction import english_work as work_en
from apps.extraction import languages as words
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


# These spoil a whole sentence: no clause of it says what is so.
SPOILERS: tuple[Rule, ...] = (
    drop("sarcasm", "joke", doubts.SARCASM),
    drop("tag-question", "question", doubts.TAG_QUESTION),
    drop("hypothetical", "hypothetical", doubts.HYPOTHETICAL),
    drop("reported", "reported", doubts.REPORTED),
    drop("denied", "reported", doubts.DENIED),
    drop("past-and-over", "past", doubts.PAST_OVER),
    drop("test-data", "one-off", doubts.TEST_DATA),
    drop("general", "general", doubts.GENERAL),
)

RULES: tuple[Rule, ...] = (
    drop("question", "question", words.QUESTION),
    drop("joke", "joke", words.JOKE),
    drop("uncertain", "uncertain", words.UNCERTAIN),
    *SPOILERS,
    drop("unresolved", "unresolved", doubts.UNRESOLVED),
    drop("state-of-run", "state-plan", doubts.STATE_OF_RUN),
    drop("one-off", "one-off", doubts.ONE_OFF),
    work("staff", "general", 0.6, work_en.STAFF),
    speaker("my-home", "profile", 0.5, life_en.HOME_IS),
    drop("third-party", "third-party", words.THIRD_PARTY),
    speaker("contact-name", "contact", 0.5, english.CONTACT_NAME, say="Asks to be called {rest}."),
    speaker("contact-order", "contact", 0.6, english.CONTACT_ORDER, "preference", "Asks to be {verb} {rest}."),
    speaker("contact-only", "contact", 0.6, english.CONTACT_ONLY, "preference", "Asks to be {verb} only."),
    speaker("contact-never", "contact", 0.6, english.CONTACT_NEVER, "preference", "Asks not to be {verb}{rest}."),
    speaker(
        "contact-language", "contact", 0.6, english.CONTACT_LANGUAGE, "preference", "Asks to be answered in {rest}."
    ),
    speaker("contact-can", "contact", 0.6, english.CONTACT_CAN, "preference", "Can be {verb} {rest}."),
    speaker("contact-best", "contact", 0.6, english.CONTACT_BEST, "preference"),
    speaker("no-marketing", "contact", 0.5, english.NO_MARKETING, "preference"),
    speaker("contact-de", "contact", 0.6, german.CONTACT, "preference"),
    speaker("contact-es", "contact", 0.6, spanish.CONTACT, "preference"),
    speaker("contact-pt", "contact", 0.6, portuguese.CONTACT, "preference"),
    speaker("contact-fr", "contact", 0.6, french.CONTACT, "preference"),
    speaker("wish", "preference", 0.6, english.WISH, "preference"),
    drop("greeting", "greeting", words.GREETING),
    speaker("hours", "contact", 0.5, english.HOURS, "preference"),
    speaker("to-me", "preference", 0.6, life_en.TO_ME, "preference"),
    drop("command", "command", words.COMMAND),
    drop("one-off-time", "no-durable", words.ONE_OFF_TIME),
    drop("pointing", "no-durable", words.POINTING),
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
    speaker("delivery-form", "preference", 0.5, english.DELIVERY_FORM, "preference"),
    speaker("size", "profile", 0.5, english.SIZE),
    speaker("away", "event", 0.4, english.AWAY, "episodic"),
    speaker("gear", "profile", 0.4, english.GEAR),
    speaker("change", "profile", 0.6, english.CHANGE),
    work("my-firm", "policy", 0.6, work_en.MY_FIRM),
    speaker("mine", "profile", 0.6, english.MINE),
    speaker("prefer-de", "preference", 0.6, german.PREFER, "preference"),
    speaker("self-de", "profile", 0.6, german.SELF),
    speaker("mine-de", "profile", 0.6, german.MINE),
    speaker("prefer-es", "preference", 0.6, spanish.PREFER, "preference"),
    speaker("self-es", "profile", 0.6, spanish.SELF),
    speaker("mine-es", "profile", 0.6, spanish.MINE),
    speaker("prefer-pt", "preference", 0.6, portuguese.PREFER, "preference"),
    speaker("self-pt", "profile", 0.6, portuguese.SELF),
    speaker("mine-pt", "profile", 0.6, portuguese.MINE),
    speaker("prefer-fr", "preference", 0.6, french.PREFER, "preference"),
    speaker("self-fr", "profile", 0.6, french.SELF),
    speaker("mine-fr", "profile", 0.6, french.MINE),
    drop("small-talk", "small-talk", work_en.SMALL_TALK),
    speaker("promise", "event", 0.6, life_en.PROMISE, "episodic"),
    speaker("trait", "profile", 0.6, self_en.TRAIT),
    speaker("being", "profile", 0.5, self_en.BEING),
    speaker("doing", "profile", 0.5, self_en.DOING),
    speaker("having", "profile", 0.5, self_en.HAVING),
    speaker("taste", "preference", 0.5, self_en.TASTE, "preference"),
    speaker("able", "profile", 0.6, self_en.ABLE),
    speaker("habit", "preference", 0.5, self_en.HABIT, "preference"),
    speaker("life", "event", 0.5, life_en.LIFE, "episodic"),
    speaker("my", "profile", 0.5, life_en.MY),
    speaker("turned", "profile", 0.5, life_en.TURNED),
    work("cause", "event", 0.6, work_en.CAUSE, "episodic"),
    work("we-did", "event", 0.6, work_en.WE_DID, "episodic"),
    work("ours", "policy", 0.7, work_en.OURS),
    work("we", "procedure", 0.7, work_en.WE, "procedural"),
    work("every", "procedure", 0.7, work_en.EVERY, "procedural"),
    work("at-ours", "policy", 0.6, work_en.AT_OURS),
    work("place", "policy", 0.6, work_en.PLACE),
    work("policy", "policy", 0.7, work_en.POLICY),
    work("duty", "policy", 0.7, work_en.DUTY),
    work("the", "policy", 0.5, work_en.THE),
    work("from-now-on", "policy", 0.8, work_en.FROM_NOW_ON),
    work("always-never", "procedure", 0.7, work_en.ALWAYS_NEVER, "procedural"),
    speaker("short", "profile", 0.5, life_en.SHORT),
    work("ours-de", "policy", 0.7, german.OURS),
    work("ours-es", "policy", 0.7, spanish.OURS),
    work("ours-pt", "policy", 0.7, portuguese.OURS),
    work("ours-fr", "policy", 0.7, french.OURS),
)
