"""What memory is worth: cases answered by the configured model with the facts it is told, and without.

Each case's memories become facts of a project of its own, through the verb that screens them; its question goes through
the product's own read, and the model sees the block as an agent would. What the counts mean: docs/evaluation.md.
"""

import json
import random
import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from datetime import datetime, timedelta
from typing import Any

from apps.access.actions.create_project import create_project
from apps.access.actions.issue_key import issue_key
from apps.access.actions.register_agent import register_agent
from apps.access.actor import system_actor
from apps.access.models import ApiKey
from apps.core.clock import now
from apps.core.errors import Invalid
from apps.core.text import normalise
from apps.core.transactions import bind
from apps.facts.actions.add_fact import add_fact
from apps.facts.append import Origin, supersede
from apps.facts.models import Fact
from apps.facts.statement import Statement
from apps.inference.calls import call_with_retries
from apps.inference.chat import ChatModel
from apps.inference.embeddings import embedder
from apps.inference.errors import ModelAnswerInvalid
from apps.recall.actions.embed_facts import embed_facts
from apps.recall.cases import OUTCOMES, Case, Memory
from apps.recall.dates import days_in
from apps.recall.queries import reader_for, told_facts
from apps.recall.question import Question, question_of
from apps.recall.rendering import within_budget
from apps.tenancy.models import Project

COUNTS = ["stale", "conflicting", "other_subject", "secret", "unsupported", "unreadable"]
SEED = 4

PROMPT = """You are {agent}, an assistant. Today is {today}. Answer the user from what stands in this prompt. Nothing \
else is known to you about the people, teams, orders and rules that are asked about: do not guess.
- If the prompt holds the answer, `kind` is "answer" and `text` is the answer, in one or two sentences.
- If it does not, `kind` is "unknown" and `text` says so.
- If it holds statements about what is asked that can't all be true, `kind` is "ask" and `text` names each side and \
asks which one holds."""
SCHEMA = {
    "type": "object",
    "properties": {"kind": {"type": "string", "enum": OUTCOMES}, "text": {"type": "string"}},
    "required": ["kind", "text"],
    "additionalProperties": False,
}


@dataclass(frozen=True)
class Stored:
    """A case as a project; ``later`` is how far its moments were moved, so that its now is ours. ``refused`` counts the
    secrets that were not taken as facts."""

    case: Case
    key: ApiKey
    later: timedelta
    refused: int


@dataclass(frozen=True)
class Answer:
    """``kind`` is one of OUTCOMES, or "" when the model's answer could not be read."""

    kind: str
    text: str


@dataclass(frozen=True)
class Judged:
    """One answer. ``faults`` are those of COUNTS that it shows."""

    case: Case
    answer: Answer
    success: bool
    faults: frozenset[str]


def store(cases: Sequence[Case]) -> list[Stored]:
    """Write each case's memories as facts, and embed them. Raises Invalid, naming the case, for a memory the product
    does not take though nothing says that it is a secret."""
    stored = [_store(number, case) for number, case in enumerate(cases, 1)]
    if embedder() is not None:
        embed_facts(newest=None, seconds=3600)
    return stored


def _store(number: int, case: Case) -> Stored:
    project, elsewhere = _project(f"case-{number}", case), None
    if any(memory.elsewhere for memory in case.memories):
        elsewhere = _project(f"case-{number}-elsewhere", case)
    moment = now()
    later = moment - (case.now or moment)
    facts: dict[int, Fact] = {}
    for place, memory in enumerate(case.memories, 1):
        where = elsewhere if elsewhere is not None and memory.elsewhere else project
        fact = _fact(where, case, place, memory, later)
        if fact is not None:
            facts[place] = fact
    for place, memory in enumerate(case.memories, 1):
        if memory.superseded_by in facts and place in facts:
            with bind(facts[place].project_id):
                supersede([facts[place]], facts[memory.superseded_by].id)
    key, _ = issue_key(
        actor=system_actor("setup", project.id),
        project_id=project.id,
        name="evaluation",
        scopes=["facts:read", "facts:read:user"],
    )
    return Stored(case, key, later, len(case.memories) - len(facts))


def _project(slug: str, case: Case) -> Project:
    project = create_project(actor=system_actor("setup"), slug=slug, name=slug)
    for name in {case.agent} | {memory.agent for memory in case.memories} - {""}:
        register_agent(actor=system_actor("setup", project.id), project_id=project.id, name=name)
    return project


def _fact(project: Project, case: Case, place: int, memory: Memory, later: timedelta) -> Fact | None:
    """The fact of one memory with its marks; None for a secret that was refused."""

    def moved(moment: datetime | None) -> datetime | None:
        return moment + later if moment else None

    statement = Statement(
        content=memory.content,
        scope=memory.scope,
        scope_id=memory.user,
        agent_name=memory.agent or (case.agent if memory.scope == "agent" else ""),
        attribute=memory.attribute or None,
        category=memory.category,
        memory_type=memory.memory_type,
        importance=memory.importance,
        confidence=memory.confidence,
        sensitivity=memory.sensitivity,
        valid_from=moved(memory.valid_from),
        valid_to=moved(memory.valid_to),
    )
    origin = Origin(speaker="user", observed_at=moved(memory.said_at))
    actor = system_actor("setup", project.id)
    try:
        fact = add_fact(actor=actor, project_id=project.id, statement=statement, origin=origin).fact
    except Invalid as error:
        codes = {one.code for one in error.errors}
        if memory.kind == "secret" and codes == {"secret"}:
            return None
        said = " ".join(one.detail for one in error.errors) or error.detail
        raise Invalid("unfit_memory", f"Case {case.name}, memory {place}: {said}") from None
    # Written past the verbs: nobody may add what is over already, and the marks are those of a later moment.
    marks: dict[str, dict[str, Any]] = {
        "retired": {"retired_at": now(), "retired_reason": "stale"},
        "restricted": {"restricted_at": now(), "restricted_reason": "hold"},
        "contested": {"contested_at": now()},
        "current": {},
    }
    changes = marks[memory.state] | ({"expires_at": moved(memory.expires_at)} if memory.expires_at else {})
    if changes:
        with bind(project.id):
            Fact.objects.filter(project_id=project.id, id=fact.id).update(**changes)
    return fact


def served(stored: Stored) -> list[str]:
    """What the product tells the case's agent for its question, best first, as much as its budget holds."""
    case = stored.case
    answer = told_facts(
        reader_for(stored.key, case.agent, case.user or None, None), question_at(stored), limit=case.limit
    )
    contents = [fact["content"] for fact in json.loads(answer or b'{"facts": []}')["facts"]]
    return contents if case.budget is None else within_budget(case.agent, contents, case.budget)


def question_at(stored: Stored) -> Question:
    """The question as if it were asked at the case's now: the days that it names move with its memories."""
    question = question_of(stored.key.project_id, stored.case.question)
    days = days_in(question.text, now() - stored.later)
    return replace(question, dates=[(begin + stored.later, end + stored.later) for begin, end in days])


def others(blocks: Sequence[list[str]]) -> list[list[str]]:
    """To each case the facts told in another one, by a fixed shuffle; none where there is no other."""
    order = list(range(len(blocks)))
    random.Random(SEED).shuffle(order)  # noqa: S311  (a shuffle, no secret)
    return [blocks[order[(order.index(n) + 1) % len(order)]] if len(order) > 1 else [] for n in range(len(blocks))]


def ask(model: ChatModel, case: Case, block: str, timeout: float) -> Answer:
    """The model's answer to the case's question. Raises ModelError when it gave none in three tries."""
    moment = case.now or now()
    system = PROMPT.format(agent=case.agent, today=f"{moment:%A}, {moment.day} {moment:%B %Y}")
    try:
        result = call_with_retries(
            lambda left: model.complete(
                system=f"{system}\n\n{block}".strip(),
                messages=[{"role": "user", "content": case.question}],
                schema=SCHEMA,
                max_tokens=400,
                timeout=min(left, timeout),
            ),
            deadline=3 * timeout,
        )
    except ModelAnswerInvalid:
        return Answer("", "")
    raw = json.loads(result.text)
    return Answer(raw["kind"] if raw["kind"] in OUTCOMES else "", raw["text"])


def judge(case: Case, answer: Answer, block: str) -> Judged:
    """Whether it is right, and what it shows of memories that should not have been used."""
    faults = {
        memory.kind
        for memory in case.memories
        # Who asks back may well name both sides.
        if (memory.kind != "conflicting" or answer.kind == "answer")
        and any(says(answer.text, word) for word in memory.betrayed_by)
    }
    prompt = f"{block}\n{case.question}"
    said = [any(says(answer.text, word) for word in part) for part in case.expected]
    held = [any(says(prompt, word) for word in part) for part in case.expected]
    rests = any(one and other for one, other in zip(said, held, strict=True))
    if answer.kind == "answer" and not faults and (case.outcome != "answer" or not rests):
        faults.add("unsupported")
    forbidden = any(says(answer.text, word) for word in case.must_not)
    success = answer.kind == case.outcome and all(said) and not forbidden and not faults - {"unsupported"}
    if not answer.kind:
        faults.add("unreadable")
    return Judged(case, answer, success, frozenset(faults))


def told_wrongly(case: Case, contents: Iterable[str]) -> set[str]:
    """Which kinds of memories stand in a block that must not: all but the conflicting, which are to be told."""
    told = {normalise(content) for content in contents}
    return {memory.kind for memory in case.memories if normalise(memory.content) in told} - {"", "conflicting"}


def says(text: str, words: str) -> bool:
    """Whether ``words`` stand in ``text`` as words, whatever their case, width and white space."""
    wanted = normalise(words)
    # A boundary only where there is one: "14" is not in "140", and scripts without spaces have none.
    begin = r"(?<![^\W_])" if wanted[:1].isascii() and wanted[:1].isalnum() else ""
    end = r"(?![^\W_])" if wanted[-1:].isascii() and wanted[-1:].isalnum() else ""
    return re.search(f"{begin}{re.escape(wanted)}{end}", normalise(text)) is not None


def share(judged: Sequence[Judged]) -> float:
    """The share of right answers, 0..1."""
    return sum(one.success for one in judged) / len(judged)
