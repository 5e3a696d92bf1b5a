"""Scores how far a text tries to give orders to an assistant. Rules only: the same text, the same score."""

import re
from bisect import bisect_left
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from typing import NamedTuple

from apps.screening import hidden as hidden_characters
from apps.screening.concepts import NEGATION, PATTERNS, SCRIPTS
from apps.screening.encoded import SQUASHED, decoded, set_apart
from apps.screening.findings import Finding
from apps.screening.reading import Reading


class Rule(NamedTuple):
    """All roles, each filled by a word of one of its concepts, in one sentence: within `reach` characters altogether,
    or if `ordered` one after the other with no more than `reach` between two."""

    name: str
    weight: float
    roles: tuple[frozenset[str], ...]
    reach: int
    ordered: bool = False


class Hit(NamedTuple):
    concept: str
    start: int
    end: int


def _rule(name: str, weight: float, roles: str, reach: int = 160, ordered: bool = False) -> Rule:
    return Rule(name, weight, tuple(frozenset(role.split("|")) for role in roles.split()), reach, ordered)


# A weight of 0.5 alone is enough for quarantine: only for what nobody says to anybody but an assistant. The others need
# company, since weights that meet within _NEAR characters add up as independent doubts do; of rules with the same name
# before the colon only the greatest counts.
RULES = (
    _rule("exfiltrate", 0.6, "send output|answer|log|confidential|password each|standing destination"),
    _rule("exfiltrate:log", 0.55, "send log|confidential destination"),
    _rule("exfiltrate:some", 0.25, "send each|output|answer destination"),
    _rule("exfiltrate:secret", 0.5, "send confidential each|output|standing"),
    _rule("override", 0.65, "override|voided prior|each rules", 80),
    _rule("override:rules", 0.4, "override|voided rules", 50),
    _rule("override:prior", 0.2, "override prior", 30),
    _rule("reveal", 0.55, "reveal|answer confidential", 40, ordered=True),
    _rule("reveal:password", 0.3, "reveal|answer password", 30, ordered=True),
    _rule("conditional", 0.55, "cond anyone ask answer", 80, ordered=True),
    _rule("conditional:answer", 0.35, "cond ask answer", 80, ordered=True),
    _rule("conditional-payment", 0.3, "cond ask payment", 60, ordered=True),
    _rule("conditional-act", 0.35, "cond ask|anyone tool|approve|reveal|send|payment"),
    _rule("conceal", 0.55, "conceal"),
    _rule("persona", 0.35, "persona"),
    _rule("unrestricted", 0.3, "unrestricted"),
    _rule("jailbreak", 0.55, "jailbreak"),
    _rule("obey", 0.4, "obey"),
    _rule("reader", 0.4, "reader"),
    _rule("reader-act", 0.3, "reader approve|answer|reveal|send|tool|override|store"),
    _rule("persona-unrestricted", 0.35, "persona unrestricted"),
    _rule("persona-act", 0.3, "persona approve|answer|reveal|send"),
    _rule("authority", 0.4, "authority"),
    _rule("authority-act", 0.3, "authority noapproval|approve|send|reveal|standing"),
    _rule("note", 0.4, "note|rules|output|authority assistant", 20, ordered=True),
    _rule("assistant-standing", 0.3, "assistant standing", 120),
    _rule("assistant-approve", 0.3, "assistant approve each", 120),
    _rule("store", 0.35, "store forever", 60),
    _rule("store-policy", 0.35, "store noapproval|payment", 80),
    _rule("no-approval", 0.2, "noapproval"),
    _rule("no-approval:payment", 0.35, "payment noapproval", 60),
    _rule("approve-all", 0.25, "approve|answer each payment", 60),
    _rule("standing-order", 0.25, "standing send|answer|reveal|approve|override", 80),
    _rule("exfiltrate:link", 0.4, "answer each destination"),
    _rule("tool-call", 0.3, "tool identifier", 15, ordered=True),
    _rule("tool-when", 0.3, "tool identifier cond"),
    _rule("tool-log", 0.3, "tool identifier log|confidential|each"),
)
_BY_CONCEPT: dict[str, list[tuple[Rule, int]]] = {}
for _some in RULES:
    for _position, _role in enumerate(_some.roles):
        for _concept in _role:
            _BY_CONCEPT.setdefault(_concept, []).append((_some, _position))
for _entries in _BY_CONCEPT.values():
    # A hit must not follow itself: later roles are looked at first.
    _entries.sort(key=lambda entry: -entry[1])

_TURN = r"(?:^|[\n.!?>])[\s>*#_-]{0,9}"
# (name, weight, needles: one must be there, pattern)
_FORMS = (
    ("chat-template", 0.6, ("<|", "INST", "<<"), re.compile(r"<\|[a-z_]{2,24}\|>|\[/?INST\]|<</?SYS>>")),
    (
        "block-delimiter",
        0.6,
        ("<",),
        re.compile(
            r"</?\s?(?:memory|memories|facts?|system|instructions?|assistant|prompt|invoke|untrusted_\w{1,30}|user_(?:message|input)"
            r"|(?:tool|function)_(?:result|call)s?)(?:\s[^<>]{0,80})?>",
            re.IGNORECASE,
        ),
    ),
    ("own-heading", 0.6, ("facts",), re.compile(r"Curated facts \(|(?:^|\n)Known facts:[^\S\n]{0,9}\n")),
    ("role-line", 0.45, (":",), re.compile(_TURN + r"(?:SYSTEM|ASSISTANT|DEVELOPER|ADMIN)[\s*_]{0,3}:")),
    (
        "role-line",
        0.45,
        ("[", "BEGIN"),
        re.compile(r"\[(?i:system|admin|override|developer)[^\]\n]{0,24}\]|\bBEGIN SYSTEM\b"),
    ),
    (
        "role-title",
        0.2,
        (":",),
        re.compile(_TURN + r"(?:System|Assistant|Developer|Human|User)(?: (?:prompt|message|note|instruction))?:"),
    ),
    (
        "image-data",
        0.5,
        ("![",),
        re.compile(r"!\[[^\]\n]{0,80}\]\(https?://[^\s?)]{1,200}\?[\w-]{1,30}=[\w%+/=-]{16,}"),
    ),
    ("role-json", 0.5, ('"role"',), re.compile(r'"role"\s{0,9}:\s{0,9}"(?:system|developer|assistant)"')),
    ("tool-json", 0.4, ('"tool', '"function'), re.compile(r'"(?:tool_calls?|tool_use|function_call)"\s{0,9}:')),
)
_PLACEHOLDER = re.compile(
    r"\{\{?(?P<a>[\w .|-]{1,60})\}|\$\{?(?P<b>\w{2,40})|%7[Bb](?:%7[Bb])?(?P<c>\w{1,40})"
    r"|<(?P<d>[\w -]{2,40})>|\[(?P<e>[\w -]{2,40})\]"
)
_TELLS = re.compile(
    "mail|user|name|token|key|secret|passw|conversation|history|message|data|content|memory|chat|phone|address|prompt|session"
    "|answer|reply|response|summary|fact",
    re.IGNORECASE,
)
_SPACE = re.compile(r"\s")
_DESTINATION = re.compile(r"(?<![\w.+-])[\w.+-]{1,64}@[\w-]{1,63}\.[\w.-]{2,63}|https?://|\bwebhook\b|\bwww\.")
_IDENTIFIER = re.compile(r"(?<!\w)[a-z]{2,30}(?:_[a-z]{1,30}){1,5}(?!\w)|(?<!\w)[a-z]\w{1,40}\(")
_SENTENCE_END = re.compile(r"[.!?؟](?=\s|\Z)|。|\n\s*\n")

_VERBS = frozenset({"override", "reveal", "send", "answer", "approve", "store", "tool"})
# At most one word between "not" and what it turns around.
_STILL = re.compile(r"[^\S\n]*(?:\w{1,9}[^\S\n]+)?")
# Whoever tells what others do gives no order.
_TOLD_OF = re.compile(
    r"\b(?:i|we|they|he|she|who|people|users|customers|ich|wir|je|nous|ils|elles|yo|nosotros|eu|nos)\s+(?:\w+\s+)?\Z",
    re.IGNORECASE,
)
_OF_ONESELF = re.compile(
    r"\W{0,3}(?:(?:to )?(?:them|him|her|people|callers)\W{1,3})?(?:that\W)?(?:i|i'm|we|we're|my|our)\b", re.I
)
_NEAR = 400
_DEEPEST = 2
_SUSPICIOUS = 0.2
"""From this score on, text that was hidden or encoded is an alarm: nobody hides a harmless request."""


def find(reading: Reading, hidden: Sequence[Finding] = ()) -> tuple[list[Finding], float]:
    """The findings of kind injection, with spans in the original text, and the score of the whole in 0..1, in which
    `hidden` counts."""
    found = {
        Finding("injection", finding.detector, *reading.span(finding.start, finding.end), finding.score)
        for finding in _find(reading, 0)
    }
    for finding in hidden:
        if finding.detector == "tag-characters":
            # In the view the tags run into the words around; what they say on their own is looked at too.
            inner = weigh(_find(Reading(reading.text[finding.start : finding.end]), 1))
            if inner >= _SUSPICIOUS:
                found.add(Finding("injection", "tag-text", finding.start, finding.end, max(0.6, inner)))
    return sorted(found, key=_place), weigh([*found, *hidden])


def score(text: str, *, besides: frozenset[str] = frozenset()) -> float:
    """The injection score of `screen`, without its other findings; the detectors `besides` don't count."""
    unseen = list(hidden_characters.find(text))
    found = [*find(Reading(text), unseen)[0], *unseen]
    return weigh(finding for finding in found if finding.detector not in besides)


def weigh(findings: Iterable[Finding]) -> float:
    """The greatest probability that not all rules within a stretch of text are wrong, each rule counted once."""
    ordered = sorted(findings, key=_place)
    best, first = 0.0, 0
    inside: Counter[tuple[str, float]] = Counter()
    for last in ordered:
        inside[_family(last), last.score] += 1
        while ordered[first].start < last.start - _NEAR:
            inside[_family(ordered[first]), ordered[first].score] -= 1
            first += 1
        strongest: dict[str, float] = {}
        for (name, score), count in inside.items():
            if count:
                strongest[name] = max(score, strongest.get(name, 0.0))
        doubt = 1.0
        for score in strongest.values():
            doubt *= 1 - score
        best = max(best, 1 - doubt)
    return round(best, 4)


def _place(finding: Finding) -> tuple[int, int, str, float]:
    return finding.start, finding.end, finding.detector, finding.score


def _family(finding: Finding) -> str:
    return finding.detector.partition(":")[0]


def _find(reading: Reading, depth: int) -> list[Finding]:
    """Findings with spans in the view."""
    view = reading.view
    found = [*_forms(view), *_placeholders(view), *_orders(reading)]
    for start, end, text in set_apart(view):
        inner = weigh(_find(Reading(text), _DEEPEST))
        if inner >= _SUSPICIOUS or SQUASHED.search(text.replace(" ", "")):
            found.append(Finding("injection", "spaced-letters", start, end, max(0.6, min(0.95, inner + 0.2))))
    if depth < _DEEPEST:
        for encoding, start, end, text in decoded(view):
            inner = weigh(_find(Reading(text), depth + 1))
            if inner >= _SUSPICIOUS:
                found.append(Finding("injection", encoding, start, end, max(0.6, min(0.95, inner + 0.2))))
    return found


def _forms(view: str) -> Iterator[Finding]:
    for name, weight, needles, pattern in _FORMS:
        if any(needle in view for needle in needles):
            for match in pattern.finditer(view):
                yield Finding("injection", name, match.start(), match.end(), weight)


def _placeholders(view: str) -> Iterator[Finding]:
    """Addresses that will carry data out once somebody fills in their blanks."""
    if "://" not in view:
        return
    for match in _PLACEHOLDER.finditer(view):
        scheme = view.rfind("://", max(0, match.start() - 300), match.start())
        if scheme < 0 or _SPACE.search(view, scheme, match.start()):
            continue
        query = "?" in view[scheme : match.start()]
        tells = _TELLS.search(match.group(match.lastgroup or 0)) is not None
        image = re.search(r"!\[[^\]\n]{0,80}\]\(\s{0,3}\w{1,8}\Z|<img[^>]{0,80}\Z", view[max(0, scheme - 120) : scheme])
        if image:
            yield Finding("injection", "image-exfiltration", scheme, match.end(), 0.8 if tells or query else 0.5)
        elif query or "](" in view[max(0, scheme - 10) : scheme]:
            yield Finding("injection", "url-placeholder", scheme, match.end(), 0.55 if tells else 0.3)


def _orders(reading: Reading) -> Iterator[Finding]:
    view = reading.view
    ends = [match.end() for match in _SENTENCE_END.finditer(view)]
    common = [Hit("destination", *match.span()) for match in _DESTINATION.finditer(view)]
    common += [Hit("identifier", *match.span()) for match in _IDENTIFIER.finditer(view)]
    negations = [match.end() for match in NEGATION.finditer(reading.lower)]
    for language, pattern in PATTERNS.items():
        script = SCRIPTS.get(language)
        if script is None or script.search(view):
            hits = _hits(reading.lower, pattern, negations)
            if hits:
                yield from _matches(sorted([*hits, *common], key=lambda hit: hit.start), ends)


def _hits(view: str, pattern: re.Pattern[str], negations: Sequence[int]) -> list[Hit]:
    """What the words of one language mean, without the verbs that give no order. `negations` are the ends of each
    "not"."""
    hits: list[Hit] = []
    for match in pattern.finditer(view):
        concept, start = match.lastgroup or "", match.start()
        if concept in _VERBS:
            at = bisect_left(negations, start + 1) - 1
            if at >= 0 and negations[at] >= start - 14 and _STILL.fullmatch(view, negations[at], start):
                continue
            if _TOLD_OF.search(view, max(0, start - 24), start):
                continue
            if concept == "answer":
                if hits and hits[-1].concept in ("each", "prior") and match.start() - hits[-1].end <= 1:
                    # "each reply" is a thing, "reply" an order.
                    concept = "output"
                elif _OF_ONESELF.match(view, match.end(), match.end() + 40):
                    continue
        if concept != "not":
            hits.append(Hit(concept, match.start(), match.end()))
    return hits


def _matches(hits: Sequence[Hit], ends: Sequence[int]) -> Iterator[Finding]:
    """One pass over the hits. Each rule keeps how far it has come in the current sentence, so that the work grows with
    the number of hits and not with that of their combinations."""
    states: dict[str, list[Hit | None]] = {}
    sentence = -1
    for hit in hits:
        number = bisect_left(ends, hit.end)
        if number != sentence:
            states, sentence = {}, number
        for rule, role in _BY_CONCEPT.get(hit.concept, ()):
            state = states.setdefault(rule.name, [None] * len(rule.roles))
            whole: Hit | None = None
            if rule.ordered:
                before = state[role - 1] if role else None
                if role == 0:
                    state[0] = hit
                elif before is not None and hit.start - before.end <= rule.reach and hit.start >= before.end:
                    # What is kept of a chain is where it began and where it has come to.
                    state[role] = Hit(hit.concept, before.start, hit.end)
                whole = state[-1] if role == len(rule.roles) - 1 else None
            else:
                state[role] = hit
                if all(state):
                    start, end = min(part.start for part in state if part), max(part.end for part in state if part)
                    whole = Hit(rule.name, start, end) if end - start <= rule.reach else None
            if whole is not None:
                states[rule.name] = [None] * len(rule.roles)
                yield Finding("injection", rule.name, whole.start, whole.end, rule.weight)
