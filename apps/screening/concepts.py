"""Finds the words of orders to an assistant, in ten languages, by what they mean.

send …, each …, output …                      exfiltration
override …, prior …, rules; voided            taking the assistant's rules away
reveal …, confidential                        getting out what is not to be told
cond …, anyone …, ask …, answer               an answer laid for somebody else
conceal (a whole phrase)                      behind somebody's back
persona, unrestricted, jailbreak              another self
authority, reader, note, assistant, standing  talk to the machine, orders that stay
store, forever, noapproval, payment           what is to be planted
"""

import re

from apps.screening.words import ar, de, en, es, fr, it, ja, pt, ru, zh

LANGUAGES: dict[str, dict[str, str]] = {
    module.__name__.rpartition(".")[2]: module.CONCEPTS for module in (en, de, es, pt, fr, it, ru, zh, ja, ar)
}
# The order says what wins where two begin at the same place: phrases before the words they begin with.
ORDER = (
    *("conceal", "jailbreak", "unrestricted", "noapproval", "authority", "reader", "persona", "obey", "confidential"),
    *("voided", "override", "rules", "standing", "forever", "log", "answer", "ask", "output", "each", "prior", "not"),
    *("cond", "anyone", "send", "reveal", "store", "payment", "approve", "note", "assistant", "password", "tool"),
)
SCRIPTS = {
    "zh": re.compile("[\u4e00-\u9fff]"),
    "ja": re.compile("[\u3041-\u30fa]"),
    "ar": re.compile("[\u0620-\u064a]"),
    "ru": re.compile("[\u0430-\u0451]"),
}
"""Languages whose words can't occur in a text without one of these letters."""


def _compiled(language: str, concepts: dict[str, str]) -> re.Pattern[str]:
    groups = "|".join(f"(?P<{name}>{concepts[name]})" for name in ORDER)
    if language in ("zh", "ja"):
        return re.compile(groups)
    # Arabic writes "and", "so", "by", "to" on to the next word; French elides before a vowel.
    clitic = "[وفبل]??" if language == "ar" else ""
    first = r"\w" if language in SCRIPTS else "[a-z]"
    return re.compile(rf"(?<!\w)(?={first}){clitic}(?:{groups})(?:(?<=')|(?!\w))")


PATTERNS = {language: _compiled(language, concepts) for language, concepts in LANGUAGES.items()}
_latin = "|".join(concepts["not"] for language, concepts in LANGUAGES.items() if language not in SCRIPTS)
_other = "|".join(LANGUAGES[language]["not"] for language in SCRIPTS)
NEGATION = re.compile(rf"(?<!\w)(?:{_latin})(?:(?<=')|(?!\w))|(?:{_other})")
"""A "not", in whatever language: many verbs are spelt alike in several."""
