"""LoCoMo against this installation's own recall, whole: SQL, embedder and weights as an agent meets them."""

import base64
import json
from array import array
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

from apps.access.actions.create_project import create_project
from apps.access.actions.register_agent import register_agent
from apps.access.actor import system_actor
from apps.core.clock import now
from apps.core.text import norm_hash, one_line
from apps.core.transactions import bind
from apps.facts.models import Fact
from apps.inference.embeddings import Embedder, embedder
from apps.recall.actions.embed_facts import embed_facts
from apps.recall.models import WEIGHTS, RecallSettings
from apps.recall.queries import Reader, told_facts
from apps.recall.question import question_of
from apps.tenancy.actions.resolve_subject import resolve_subject
from apps.tenancy.models import Agent, Project
from apps.traces.models import Trace
from memoryplane.evaluation.locomo import Talk
from memoryplane.evaluation.peers import Peer, PeerStore, peer_database
from memoryplane.evaluation.scores import Found

AGENT = "companion"
DEEPEST = 200

WAYS: dict[str, dict[str, float] | None] = {
    "keyword only": {"keyword": 1.0},
    "semantic only": {"similarity": 1.0},
    "seed formula": {"similarity": 0.6, "recency": 0.2, "importance": 0.2},
    "words + meaning": {"similarity": 0.5, "keyword": 0.3},
    "… + who is named": {"similarity": 0.5, "keyword": 0.3, "named": 0.08},
    "… + what is beside it": {"similarity": 0.5, "keyword": 0.3, "named": 0.08, "context": 0.16},
    "hybrid (default)": None,
}
"""Weights by name, those not named being nought; None is a project's default."""


@dataclass(frozen=True)
class Stored:
    """A conversation as a project whose one agent is told every observation."""

    project: Project
    talk: Talk
    turns: dict[int, frozenset[str]]


def store(talks: list[Talk], say: Callable[[str], None]) -> list[Stored]:
    """Write each talk's observations into a project of its own, and embed them."""
    stored = []
    for number, talk in enumerate(talks, 1):
        project = create_project(actor=system_actor("setup"), slug=f"talk-{number}", name=talk.name)
        agent = register_agent(actor=system_actor("setup", project.id), project_id=project.id, name=AGENT)[0]
        stored.append(Stored(project, talk, _facts(project, agent, talk)))
    say(f"{sum(len(one.turns) for one in stored):,} facts in {len(stored)} conversations")
    if embedder() is not None:
        embed_facts(newest=None, seconds=3600)
    return stored


def _facts(project: Project, agent: Agent, talk: Talk) -> dict[int, frozenset[str]]:
    # Told through the agent, so that both speakers' facts compete; each is still its speaker's.
    turns: dict[str, frozenset[str]] = {}
    rows = []
    with bind(project.id):
        who = {name: resolve_subject(project_id=project.id, external_id=name)
               for name in {one.speaker for one in talk.observations}}  # fmt: skip
        for one in talk.observations:
            content = one_line(one.text)
            known = content in turns
            turns[content] = turns.get(content, frozenset()) | one.turns
            if not known:
                rows.append(
                    Fact(
                        project=project,
                        scope="agent",
                        scope_id=agent.name,
                        agent=agent,
                        subject=who[one.speaker],
                        content=content,
                        norm_hash=norm_hash(content),
                        observed_at=one.said_at,
                        approved_by="system",
                        source_trace_id=f"{one.session:032x}",
                    )
                )
        Trace.objects.bulk_create(
            Trace(project=project, trace_id=trace_id, agent=agent, extracted_at=now())
            for trace_id in {row.source_trace_id for row in rows if row.source_trace_id}
        )
        Fact.objects.bulk_create(rows)
        return {fact_id: turns[content] for fact_id, content in Fact.objects.values_list("id", "content")}


def weigh(project: Project, weights: dict[str, float] | None) -> None:
    with bind(project.id):
        RecallSettings.objects.filter(project=project).delete()
        if weights is not None:
            values = dict.fromkeys(WEIGHTS, 0.0) | weights
            RecallSettings.objects.create(project=project, half_life_days=90, language="english", **values)


def ask(stored: list[Stored], weights: dict[str, float] | None) -> dict[int, list[Found]]:
    """What is told for each question, by category."""
    found: dict[int, list[Found]] = {}
    for one in stored:
        weigh(one.project, weights)
        reader = Reader(
            project_id=one.project.id, key_id=None, agent=AGENT, sensitivities=["public", "internal", "personal"]
        )
        for asked in one.talk.questions:
            answer = told_facts(reader, question_of(one.project.id, asked.text), limit=DEEPEST)
            told = [one.turns[fact["id"]] for fact in json.loads(answer or b"{}")["facts"]]
            found.setdefault(asked.category, []).append(Found(asked.turns, told))
    return found


def write_vectors(stored: list[Stored], model: Embedder, path: Path) -> None:
    """The vectors of every observation and question by ``model``, for stores in other processes."""
    texts = {one_line(one.text) for talk in stored for one in talk.talk.observations}
    texts |= {asked.text for talk in stored for asked in talk.talk.questions}
    with path.open("w", encoding="utf-8") as lines:
        for text in sorted(texts):
            (vector,) = model.embed([text])
            held = base64.b64encode(array("f", vector).tobytes()).decode()
            lines.write(json.dumps({"text": text, "vector": held}) + "\n")


def ask_peer(stored: list[Stored], peer: Peer, python: Path, vectors: Path) -> dict[int, list[Found]]:
    """What another store finds for each question, by category: every observation of a conversation is added by the
    store's own call as a memory of one user, and its own search ranks. Raises PeerFault."""
    found: dict[int, list[Found]] = {}
    with peer_database(peer) as url, PeerStore(peer, python, url, vectors) as store:
        for one in stored:
            turns: dict[str, frozenset[str]] = {}
            for observation in one.talk.observations:
                content = one_line(observation.text)
                turns[content] = turns.get(content, frozenset()) | observation.turns
            store.call("add", who=one.project.slug, texts=list(turns))
            for asked in one.talk.questions:
                answer = store.call("search", who=one.project.slug, query=asked.text, limit=DEEPEST)
                found.setdefault(asked.category, []).append(
                    Found(asked.turns, [turns[text] for text in answer["texts"]])
                )
    return found
