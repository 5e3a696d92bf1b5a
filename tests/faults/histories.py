"""Clients that add, replace, forget and read facts while servers fail, the history of what they were told, and its check.

Each write has an outcome: ok (it must hold from its answer on), or not known (503 or no answer: it may hold or not, and
must not do both in turn). A read is checked against every write that was answered before it began or not asked for before
it ended.
"""

import itertools
import random
import threading
from collections import Counter
from dataclasses import dataclass, field
from typing import Any

import httpx

from apps.core.transactions import bind
from apps.facts.models import Fact
from apps.tenancy.models import Project
from tests.factories import make_agent
from tests.faults.load import Asked, Load, told_now

MIX = {"read": 20, "fact": 4, "trace": 3, "supersede": 1, "forget": 1, "page": 1}
PLACE = 120
"""Facts of one agent: fewer than a read may tell, so that every read tells all."""


@dataclass
class Story:
    """One fact: its adding, and what took it away if anybody tried to."""

    text: str
    agent: str
    added: Asked | None = None
    id: int = 0
    taken: Asked | None = None
    tries: str = ""


@dataclass(frozen=True)
class Read:
    """What one read told of an agent."""

    agent: str
    began: float
    ended: float
    told: tuple[str, ...]


@dataclass
class Histories(Load):
    """A load that keeps the history. ``lies``: every third forget is answered with 200 and never done, which the check
    has to find."""

    mix: dict[str, int] = field(default_factory=lambda: dict(MIX))
    lies: bool = False
    agents: int = 4

    def __post_init__(self) -> None:
        self.stories: dict[str, Story] = {}
        self.reads: list[Read] = []
        self.alive: list[Story] = []
        self.lock = threading.Lock()
        self.adds, self.forgets = itertools.count(), itertools.count(1)
        for number in range(self.agents):
            make_agent(self.desk.project, f"agent-{number}")

    def ask(self, client: httpx.Client, kind: str, number: int) -> Asked:
        own = threading.current_thread().__dict__
        own["story"] = own["told"] = None
        asked = super().ask(client, kind, number)
        story = own["story"]
        with self.lock:
            if kind == "fact":
                story.added = asked
                if asked.ok:
                    self.alive.append(story)
            elif kind in {"supersede", "forget"} and story is not None:
                story.taken = asked
            elif kind == "read" and asked.ok:
                self.reads.append(Read(own["told"][0], asked.began, asked.began + asked.seconds, own["told"][1]))
        return asked

    def place(self) -> str:
        return f"agent-{min(next(self.adds) // PLACE, self.agents - 1)}"

    def ask_fact(self, client: httpx.Client, name: str, number: int) -> httpx.Response:
        story = Story(f"Parcel {name} goes by rail.", self.place())
        with self.lock:
            self.stories[story.text] = story
        threading.current_thread().__dict__["story"] = story
        body = {"scope": "agent", "agent": story.agent, "scope_id": story.agent, "content": story.text}
        answer = client.post(f"{self.server.url}/v1/facts", json=body)
        if answer.is_success:
            story.id = answer.json()["id"]
        return answer

    def picked(self, others: int) -> list[Story]:
        """One to take away, and others of its place; none of them is picked by anybody else meanwhile."""
        with self.lock:
            for story in random.sample(self.alive, min(20, len(self.alive))):
                beside = [one for one in self.alive if one.agent == story.agent and one is not story][:others]
                if len(beside) == others:
                    for one in (story, *beside):
                        self.alive.remove(one)
                    return [story, *beside]
        return []

    def ask_supersede(self, client: httpx.Client, name: str, number: int) -> httpx.Response:
        if not (found := self.picked(1)):
            return httpx.Response(204)
        story, by = found
        story.tries = "supersede"
        threading.current_thread().__dict__["story"] = story
        try:
            return client.post(f"{self.server.url}/v1/facts/{story.id}/supersede", json={"by": by.id})
        finally:
            with self.lock:
                self.alive.append(by)

    def ask_forget(self, client: httpx.Client, name: str, number: int) -> httpx.Response:
        if not (found := self.picked(0)):
            return httpx.Response(204)
        story = found[0]
        story.tries = "forget"
        threading.current_thread().__dict__["story"] = story
        if self.lies and next(self.forgets) % 3 == 0:
            return httpx.Response(200)
        return client.delete(f"{self.server.url}/v1/facts/{story.id}")

    def ask_read(self, client: httpx.Client, name: str, number: int) -> httpx.Response:
        agent = f"agent-{random.Random(number).randrange(self.agents)}"
        params: dict[str, Any] = {"agent_id": agent, "limit": 200}
        answer = client.get(f"{self.server.url}/public/v1/memory/facts", params=params)
        if answer.is_success:
            told = tuple(fact["content"] for fact in answer.json()["facts"])
            threading.current_thread().__dict__["told"] = (agent, told)
        return answer


def ended(asked: Asked) -> float:
    return asked.began + asked.seconds


def check_reads(load: Histories) -> list[str]:
    """Every read against the writes around it."""
    found: list[str] = []
    of_agent: dict[str, list[Story]] = {}
    for story in load.stories.values():
        of_agent.setdefault(story.agent, []).append(story)
    for read in load.reads:
        told = Counter(text for text in read.told if text.startswith("Parcel "))
        found += [f"told twice in one read: {text}" for text, count in told.items() if count > 1]
        for text in told:
            story = load.stories.get(text)
            if story is None or story.agent != read.agent:
                found.append(f"told to the wrong agent, or said by nobody: {text}")
            elif story.taken is not None and story.taken.ok and ended(story.taken) <= read.began:
                found.append(f"told after {story.tries}: {text}")
        if len(read.told) >= 200:
            continue
        for story in of_agent.get(read.agent, []):
            if story.added is None or not story.added.ok or ended(story.added) > read.began or story.text in told:
                continue
            if not story.tries or story.taken is None or story.taken.began > read.ended:
                found.append(f"promised and not told: {story.text}")
    return found


def check_end(project: Project, load: Histories) -> list[str]:
    """What is there when all is over."""
    told, found = told_now(project), []
    for text, count in told.items():
        if count > 1:
            found.append(f"there {count} times: {text}")
        if text not in load.stories:
            found.append(f"said by nobody: {text}")
    with bind(project.id):
        rows = Counter(Fact.objects.filter(content__startswith="Parcel ").values_list("content", flat=True))
    for story in load.stories.values():
        if story.added is None or not story.added.ok:
            continue
        if not story.tries and story.text not in told:
            found.append(f"lost: {story.text}")
        elif story.taken is not None and story.taken.ok:
            if story.tries == "supersede" and story.text in told:
                found.append(f"superseded and told: {story.text}")
            if story.tries == "forget" and rows[story.text]:
                found.append(f"forgotten and still there: {story.text}")
    return found
