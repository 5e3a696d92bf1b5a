"""The write policy: one table that says what becomes a proposal, what waits for a person, and what is left out.

`judge` reads the table from top to bottom for each candidate of any extractor. The first ``drop`` that meets leaves it
out; then the first ``keep`` that meets names its kind (none: it is left out as ``no-durable``); then the first ``hold``
that meets makes it wait, quarantined, until somebody has looked.
"""

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, replace
from typing import Literal

from apps.core.text import norm_hash
from apps.extraction.candidates import MAX_PER_TRACE, Candidate, Conversation, MemoryType
from apps.extraction.case import Case, Papers
from apps.extraction.reasons import EXPLAINED

Outcome = Literal["kept", "held", "dropped"]
TRUST = {"user": 3, "assistant": 2}
"""What somebody says of himself, and what a model makes of it."""


@dataclass(frozen=True)
class PolicyRule:
    """``does`` is drop, keep or hold. A kept kind may fix the ``memory_type``; ``flags`` go onto the proposal."""

    does: Literal["drop", "keep", "hold"]
    id: str
    meets: Callable[[Case], bool]
    memory_type: MemoryType | None = None
    flags: tuple[str, ...] = ()


@dataclass(frozen=True)
class Verdict:
    """What becomes of one candidate and by which rule. ``candidate`` is as the message bears it out: exact quote and
    span, the speaker who really said it. ``start`` and ``end`` are 0 where there is no witness, ``message_id`` is null
    where there is no such message."""

    candidate: Candidate
    outcome: Outcome
    rule: str
    message_id: int | None
    trust: int
    flags: tuple[str, ...] = ()


def drop(rule: str, meets: Callable[[Case], bool]) -> PolicyRule:
    return PolicyRule("drop", rule, meets)


def keep(rule: str, meets: Callable[[Case], bool], memory_type: MemoryType | None = None) -> PolicyRule:
    return PolicyRule("keep", rule, meets, memory_type)


def hold(rule: str, meets: Callable[[Case], bool], *flags: str) -> PolicyRule:
    return PolicyRule("hold", rule, meets, flags=flags)


TABLE: tuple[PolicyRule, ...] = (
    # Nobody said it.
    drop("unknown-message", lambda case: case.turn is None),
    drop("no_witness", lambda case: case.span is None),
    drop("invented", lambda case: bool(case.strangers)),
    # It must never be kept, whoever said it.
    drop("secret", lambda case: case.has_secret),
    drop("injection-refused", lambda case: case.injection >= case.REFUSE),
    # Not the speaker's own words, or no words of a speaker at all.
    drop("served", lambda case: case.is_served),
    drop("restated-prompt", lambda case: case.restates_prompt),
    drop("code-or-quote", lambda case: case.passage.reason is not None),
    drop("tool-dump", lambda case: case.shows("LOG_LINE")),
    drop("system-text", lambda case: case.shows("SYSTEM_TEXT")),
    drop("restated", lambda case: case.restates_turn),
    drop("recalled", lambda case: case.shows("RECALLED")),
    drop("repeated", lambda case: case.is_repeated),
    # Belongs to the runtime: wrong a minute later.
    drop("state-task-id", lambda case: case.shows("TASK_ID")),
    drop("state-retries", lambda case: case.shows("RETRIES")),
    drop("state-approval", lambda case: case.shows("PENDING")),
    drop("state-plan", lambda case: case.shows("PLAN_STEP")),
    drop("state-tool", lambda case: case.shows("TOOL_IN_USE")),
    # Says nothing that could be told later.
    drop("question", lambda case: case.left_out_as("question")),
    drop("refusal", lambda case: case.shows("REFUSAL")),
    drop("acknowledgement", lambda case: case.shows("ACKNOWLEDGEMENT")),
    drop("greeting", lambda case: case.left_out_as("greeting", "small-talk")),
    drop("command", lambda case: case.left_out_as("command") or case.shows("ORDER")),
    # Somebody else's, or nobody's.
    drop("general", lambda case: case.shows("GENERAL")),
    drop("third-party", lambda case: case.is_third_party),
    drop("reported", lambda case: case.is_quoted or case.shows("REPORTED")),
    # Not meant, not certain, not for long.
    drop("joke", lambda case: case.left_out_as("joke") or case.shows("SARCASM")),
    drop("hypothetical", lambda case: case.shows("HYPOTHETICAL")),
    drop("uncertain", lambda case: case.left_out_as("uncertain") or case.shows("UNSURE")),
    drop("past", lambda case: case.shows("PAST")),
    drop("one-off", lambda case: case.left_out_as("no-durable") or case.shows("ONE_OFF") or case.shows("HAPPENING")),
    drop("assistant-said", lambda case: case.is_idle_claim),
    # What is worth remembering, by kind.
    keep("model-inference", lambda case: case.speaks_of_user),
    keep("requested", lambda case: case.is_asked),
    keep("procedure", lambda case: case.is_kind("procedural"), "procedural"),
    keep("event", lambda case: case.is_kind("episodic"), "episodic"),
    keep("preference", lambda case: case.is_kind("preference"), "preference"),
    keep("lasting-fact", lambda case: case.is_kind("semantic"), "semantic"),
    # Kept, and a person looks first.
    hold("injection", lambda case: case.injection >= case.QUARANTINE, "injection"),
    hold("special", lambda case: case.sensitivity == "special", "personal"),
    hold("named-person", lambda case: case.names_somebody, "low_evidence"),
    hold("unsupported", lambda case: case.is_unsupported, "low_evidence"),
    hold("whole-project", lambda case: case.scope == "project"),
    hold("model-inference", lambda case: case.speaks_of_user, "low_evidence"),
)


def judge(
    candidates: Iterable[Candidate],
    conversation: Conversation,
    *,
    cap: int = MAX_PER_TRACE,
    table: tuple[PolicyRule, ...] = TABLE,
    raised: Mapping[int, float] | None = None,
) -> list[Verdict]:
    """A verdict for each candidate, in order. At most ``cap`` are kept or held, the rest is dropped as ``cap``. Pure: no
    database, and the same candidates always get the same verdicts. ``raised`` gives candidates, by their place, an injection score that counts where it is
    over the rules' own."""
    papers = Papers(conversation)
    verdicts: list[Verdict] = []
    said: set[bytes] = set()
    for place, candidate in enumerate(candidates):
        case = Case(candidate, papers, frozenset(said), (raised or {}).get(place, 0.0))
        verdict = _verdict(case, table)
        if verdict.outcome != "dropped":
            if len(said) >= cap:
                verdict = replace(verdict, outcome="dropped", rule="cap", flags=())
            else:
                said.add(norm_hash(verdict.candidate.statement))
        verdicts.append(verdict)
    return verdicts


def explain(rule: str) -> str:
    """One sentence for people: why a candidate was kept, held or left out. Knows the policy's rules, the reasons of the
    offline rules and those of the queue; an unknown one is said as it stands."""
    return EXPLAINED.get(rule, rule.replace("-", " ").replace("_", " ").capitalize() + ".")


def _verdict(case: Case, table: tuple[PolicyRule, ...]) -> Verdict:
    kind: PolicyRule | None = None
    for rule in table:
        if rule.does == "drop" and rule.meets(case):
            return _told(case, "dropped", rule.id)
        if rule.does == "keep" and kind is None and rule.meets(case):
            kind = rule
        if rule.does == "hold" and kind is not None and rule.meets(case):
            return _told(case, "held", rule.id, kind, rule.flags)
    if kind is None:
        return _told(case, "dropped", "no-durable")
    return _told(case, "kept", kind.id, kind)


def _told(
    case: Case, outcome: Outcome, rule: str, kind: PolicyRule | None = None, flags: tuple[str, ...] = ()
) -> Verdict:
    candidate = case.borne_out()
    if kind is not None and kind.memory_type is not None:
        candidate = replace(candidate, memory_type=kind.memory_type)
    return Verdict(
        candidate=candidate,
        outcome=outcome,
        rule=rule,
        message_id=case.turn.message_id if case.turn else None,
        trust=TRUST[candidate.speaker],
        flags=flags,
    )
