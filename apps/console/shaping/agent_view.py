"""Agent view: what an agent would be told, why each of these facts, and why none of the others."""

import json
from collections.abc import Iterable
from dataclasses import dataclass, replace
from typing import Any

from django.urls import reverse

from apps.access.actor import Actor
from apps.access.models import SENSITIVITIES, ApiKey
from apps.console.forms.agent_view import CEILING, Asked
from apps.console.hx import visible_sensitivities
from apps.console.masking import HIDDEN, hides
from apps.console.queries import waiting_about
from apps.console.shaping.prompt import Prompt, prompt_of, veiled
from apps.console.shaping.scores import KINDS, Part, Score, columns_of, score_of
from apps.console.shaping.verdicts import Verdict, verdict_on_candidate, verdict_on_left_out
from apps.core.clock import now
from apps.core.errors import NotFound
from apps.curation.models import Proposal
from apps.facts.models import Fact
from apps.recall.models import WEIGHTS
from apps.recall.queries import Reader, reader_for, told_facts
from apps.recall.question import Question, question_of
from apps.tenancy.models import Agent, Project, Subject

SHOWN = 20
"""Of the candidates that are not told, so many are listed."""


@dataclass(frozen=True)
class Row:
    """One fact and what became of it. ``rank`` is null for one that has no place in the order; ``other`` leads to the
    fact that the verdict names, as far as the reader may see it; ``question`` is what an agent may ask about a dispute."""

    rank: int | None
    fact: Fact
    told: bool
    verdict: Verdict
    score: Score | None
    cells: list[Part | None]
    href: str
    other: str
    question: str


@dataclass(frozen=True, kw_only=True)
class Served:
    """What the agent is told: ``told`` are the facts as it gets them, ``prompt`` what the SDK makes of them."""

    agent: Agent
    prompt: Prompt
    told: list[dict[str, Any]]
    degraded: str


@dataclass(frozen=True, kw_only=True)
class View(Served):
    """The same with its reasons. ``unlisted`` candidates came after those shown. ``waiting`` is None for who may not read
    proposals; ``facts`` are those that the rows name, by id."""

    rows: list[Row]
    unlisted: int
    left_out: list[Row]
    waiting: list[Proposal] | None
    columns: list[str]
    weights: dict[str, Any]
    path: str
    without_vector: int
    facts: dict[int, Fact]

    @property
    def headings(self) -> list[tuple[str, str]]:
        """The columns with their colours."""
        return [(name, KINDS[name]) for name in self.columns]

    @property
    def many(self) -> bool:
        """Whether the columns would leave no room for the statements on a usual screen."""
        return len(self.columns) > 7

    @property
    def weighed(self) -> list[tuple[str, float]]:
        """Each part's weight, as the project has them."""
        return [(name, self.weights[name]) for name in WEIGHTS]


def ceiling_of(asked: Asked, key: ApiKey | None) -> str:
    """The highest sensitivity of this read: what is asked for, and no more than the key may be told."""
    own = key.sensitivity_ceiling if key else asked.ceiling or CEILING
    return min(own, asked.ceiling or own, key=SENSITIVITIES.index)


def hidden_from(actor: Actor, ceiling: str) -> list[str]:
    """Sensitivities that the read is told and this person is not."""
    visible = visible_sensitivities(actor)
    return [one for one in SENSITIVITIES[: SENSITIVITIES.index(ceiling) + 1] if one not in visible]


def refusal(key: ApiKey, agent: Agent, asked: Asked) -> str:
    """Why an agent that holds this key would be told nothing at all; "" where it would be."""
    if key.revoked_at is not None:
        return "This key was revoked: every read with it is refused."
    if key.expires_at <= now():
        return "This key has expired: every read with it is refused."
    if "facts:read" not in key.scopes:
        return "This key lacks the scope facts:read: every read with it is refused."
    if key.agents is not None and agent.id not in key.agents:
        return f"This key may not name the agent {agent.name}: the read is answered as if there were no such agent."
    if asked.user and "facts:read:user" not in key.scopes:
        return "This key lacks the scope facts:read:user: a read that names a user is refused."
    if key.purposes is not None and asked.purpose not in key.purposes:
        allowed = ", ".join(purpose or "none" for purpose in key.purposes) or "none at all"
        return f"This key may not read for this purpose, only for: {allowed}."
    return ""


def served_of(project: Project, actor: Actor, agent: Agent, asked: Asked, *, key: ApiKey | None) -> Served:
    """The read as the agent would make it, except that the person who looks leaves no trace of it in the ledger. Three
    statements at most."""
    question = question_of(project.id, asked.question)
    reader = _reader(project, agent, asked, key, visible_sensitivities(actor))
    answer = _answer(reader, question, asked)
    hidden = _hidden(reader, question, asked, answer["facts"])
    return Served(
        agent=agent,
        prompt=veiled(_prompt(agent, asked, answer), hidden),
        told=answer["facts"],
        degraded=answer.get("degraded", ""),
    )


def view_of(
    project: Project,
    actor: Actor,
    agent: Agent,
    asked: Asked,
    *,
    key: ApiKey | None,
    subject: Subject | None,
    with_proposals: bool,
) -> View:
    """The same read explained. ``subject`` is whom the question names, where he is known. Four statements at most."""
    visible = visible_sensitivities(actor)
    question = question_of(project.id, asked.question)
    reader = _reader(project, agent, asked, key, visible)
    answer = _answer(reader, question, asked, explained_to=visible)
    explain = answer["explain"]
    told = [one for one in explain["candidates"] if one["verdict"] == "told"]
    others = [one for one in explain["candidates"] if one["verdict"] != "told"]
    shown = [*told, *others[:SHOWN], *explain["left_out"]]
    facts = _facts(project.id, shown, visible)
    shown = [one for one in shown if one["id"] in facts]
    prompt = _prompt(agent, asked, answer)
    scores = _scores(shown, explain["weights"], facts, flat=explain["path"] == "importance")
    columns = [] if explain["path"] == "importance" else columns_of(scores.values())
    verdict = _Judge(asked, prompt, facts, ceiling_of(asked, key), key.categories if key else None)
    asks = {fact["id"]: fact["conflict"]["question"] for fact in answer["facts"] if fact["conflict"]}
    rows = [
        Row(
            rank=found.get("rank"),
            fact=facts[found["id"]],
            told=found.get("verdict") == "told",
            verdict=(said_of := verdict.on(found)),
            score=scores[found["id"]],
            cells=score.in_columns(columns) if (score := scores[found["id"]]) else [None] * len(columns),
            href=reverse("fact", args=[project.slug, found["id"]]),
            other=reverse("fact", args=[project.slug, said_of.fact_id]) if said_of.fact_id in facts else "",
            question=asks.get(found["id"], ""),
        )
        for found in shown
    ]
    compared = question.vector is not None
    return View(
        agent=agent,
        prompt=veiled(prompt, {number for number, fact in facts.items() if hides(fact.sensitivity)}),
        rows=[row for row, found in zip(rows, shown, strict=True) if "verdict" in found],
        unlisted=max(0, len(others) - SHOWN),
        left_out=[row for row, found in zip(rows, shown, strict=True) if "reason" in found],
        waiting=_waiting(project, agent, subject, question, visible) if with_proposals else None,
        columns=columns,
        weights=explain["weights"],
        path=explain["path"],
        degraded=answer.get("degraded", ""),
        without_vector=sum(one["parts"]["similarity"] is None for one in explain["candidates"]) if compared else 0,
        told=answer["facts"],
        facts=facts,
    )


def _answer(
    reader: Reader, question: Question, asked: Asked, explained_to: tuple[str, ...] | None = None
) -> dict[str, Any]:
    said = told_facts(reader, question, limit=asked.limit, threshold=asked.threshold, explained_to=explained_to)
    if said is None:
        raise NotFound("not_found", "There is no such agent in this project.")
    answer: dict[str, Any] = json.loads(said)
    return answer


def _hidden(reader: Reader, question: Question, asked: Asked, told: list[dict[str, Any]]) -> set[int]:
    """The facts of these whose words are masked."""
    ids = {fact["id"] for fact in told}
    shown = [one for one in reader.sensitivities if not hides(one)]
    if not ids or len(shown) == len(reader.sensitivities):
        return set()
    if question.text:
        rows = Fact.objects.in_project(reader.project_id).filter(id__in=ids, sensitivity__in=HIDDEN)
        return set(rows.values_list("id", flat=True))
    # A read of the others alone costs less than to look each up: what may be shown is among the first of that one too.
    answer = _answer(replace(reader, sensitivities=shown), question, asked)
    return ids - {fact["id"] for fact in answer["facts"]}


def _prompt(agent: Agent, asked: Asked, answer: dict[str, Any]) -> Prompt:
    return prompt_of(agent.name, [(fact["id"], fact["content"]) for fact in answer["facts"]], asked.budget)


@dataclass(frozen=True)
class _Judge:
    """Puts the outcome of each fact in words."""

    asked: Asked
    prompt: Prompt
    facts: dict[int, Fact]
    ceiling: str
    key_categories: list[str] | None

    def on(self, found: dict[str, Any]) -> Verdict:
        if "reason" in found:
            fact = self.facts[found["id"]]
            return verdict_on_left_out(
                found, fact, self.asked, ceiling=self.ceiling, key_categories=self.key_categories
            )
        place = next((n for n, line in enumerate(self.prompt.lines, 1) if line.fact_id == found["id"]), None)
        beyond = place is not None and self.prompt.lines[place - 1].beyond
        return verdict_on_candidate(found, self.asked, line=place, beyond=beyond)


def _facts(project_id: int, shown: list[dict[str, Any]], visible: tuple[str, ...]) -> dict[int, Fact]:
    """The facts of these and those that their outcomes name, as far as the person may see them."""
    ids = {one[name] for one in shown for name in ("id", "duplicate_of", "successor") if one.get(name)}
    return Fact.objects.in_project(project_id).filter(sensitivity__in=visible).in_bulk(ids)


def _scores(
    shown: list[dict[str, Any]], weights: dict[str, Any], facts: dict[int, Fact], *, flat: bool
) -> dict[int, Score | None]:
    if flat:
        # Importance alone orders, and what was left out has it too.
        shown = [one | {"parts": {"importance": facts[one["id"]].importance}} for one in shown]
    best = max((one["score"] or 0 for one in shown), default=0)
    return {one["id"]: score_of(one, weights, best=best, flat=flat) for one in shown}


def _reader(project: Project, agent: Agent, asked: Asked, key: ApiKey | None, visible: Iterable[str]) -> Reader:
    ceiling = ceiling_of(asked, key)
    sensitivities = [one for one in SENSITIVITIES[: SENSITIVITIES.index(ceiling) + 1] if one in visible]
    category, memory_type = asked.category or None, asked.memory_type or None
    if key is not None:
        reader = reader_for(
            key,
            str(agent.id),
            asked.user or None,
            category,
            asked.purpose,
            memory_type=memory_type,
            task_type=asked.task_type or None,
            at=asked.at,
        )
        return replace(reader, key_id=None, sensitivities=sensitivities)
    return Reader(
        project_id=project.id,
        key_id=None,
        agent=str(agent.id),
        user=asked.user or None,
        sensitivities=sensitivities,
        categories=[category] if category else None,
        memory_types=[memory_type] if memory_type else None,
        purpose=asked.purpose,
        task_type=asked.task_type or None,
        at=asked.at,
    )


def _waiting(
    project: Project, agent: Agent, subject: Subject | None, question: Question, visible: tuple[str, ...]
) -> list[Proposal]:
    return waiting_about(
        project.id,
        agent_id=agent.id,
        subject_id=subject.id if subject else None,
        text=question.text,
        pieces=question.pieces,
        sensitivities=visible,
    )
