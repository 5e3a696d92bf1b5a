"""A view of an agent's memory as a test case for `manage.py evaluate usefulness`."""

import re

from apps.console.forms.agent_view import Asked
from apps.console.shaping.agent_view import View
from apps.core.clock import now
from apps.core.errors import Invalid
from apps.facts.models import Fact
from apps.recall.cases import Case, Memory, parse_cases
from apps.tenancy.models import Agent


def case_of(view: View, asked: Asked, *, name: str, expected: str, must_not: str) -> Case:
    """The facts that are told, in their order, with the question. ``expected`` has one part a line, its wordings parted
    by |; ``must_not`` one a line."""
    told = [view.facts[fact["id"]] for fact in view.told if fact["id"] in view.facts]
    parts = (tuple(filter(None, map(str.strip, line.split("|")))) for line in expected.splitlines())
    return Case(
        name=name.strip() or asked.question.strip()[:120],
        question=asked.question.strip(),
        memories=tuple(_memory(fact, view.agent) for fact in told),
        expected=tuple(part for part in parts if part),
        must_not=tuple(filter(None, map(str.strip, must_not.splitlines()))),
        agent=view.agent.name,
        user=asked.user,
        # A case that is asked next year is asked as of today: what is recent, and what "yesterday" is, stays as it is.
        now=asked.at or now().replace(microsecond=0),
        budget=asked.budget if "budget" in asked.given else None,
        limit=asked.limit,
    )


def _memory(fact: Fact, agent: Agent) -> Memory:
    return Memory(
        content=fact.content,
        scope=fact.scope,
        agent=agent.name if fact.scope == "user" and fact.agent_id else "",
        user=fact.scope_id if fact.scope == "user" else "",
        said_at=fact.observed_at,
        attribute=fact.attribute or "",
        category=fact.category,
        memory_type=fact.memory_type,
        importance=fact.importance,
        confidence=fact.confidence,
        sensitivity=fact.sensitivity,
        expires_at=fact.expires_at,
        valid_from=fact.valid_from,
        valid_to=fact.valid_to,
        state="contested" if fact.contested_at else "current",
    )


def faults_of(line: str) -> list[str]:
    """What keeps the case from being run, a sentence each; empty when it is complete."""
    try:
        parse_cases(line.encode())
    except Invalid as error:
        return [f"{one.pointer.strip('/') or 'file'}: {one.detail.removeprefix('Line 1: ')}" for one in error.errors]
    return []


def file_name(case: Case) -> str:
    """Of letters that every system takes."""
    words = re.sub(r"[^a-z0-9]+", "-", case.name.lower()).strip("-")[:60].strip("-")
    return f"case-{words or 'unnamed'}.jsonl"
