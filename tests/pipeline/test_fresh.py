"""Every process tells a change at its very next read."""

import json
import urllib.request
from collections.abc import Iterator
from datetime import timedelta
from pathlib import Path

import pytest

from apps.core.clock import now
from apps.core.transactions import bind
from apps.facts.actions.retire_fact import retire_fact
from apps.facts.actions.revise_fact import revise_fact
from apps.facts.models import Fact
from apps.facts.statement import Statement
from apps.privacy.actions.forget_fact import forget_fact
from tests.factories import make_agent, make_fact, make_key, make_project, user_actor
from tests.live import Live, run_server


@pytest.fixture
def servers(fresh_db: str, tmp_path: Path) -> Iterator[list[Live]]:
    folders = [tmp_path / "first", tmp_path / "second"]
    live: list[Live] = []
    try:
        for folder in folders:
            folder.mkdir()
            live.append(run_server(fresh_db, folder))
        yield live
    finally:
        for server in live:
            server.stop()


def test_a_change_is_in_the_next_answer_of_every_process(servers: list[Live]) -> None:
    project = make_project()
    make_agent(project, "support")
    curator = user_actor(project, "curator")
    _, key = make_key(project, ["facts:read"])
    names = ("superseded", "retired", "expired", "held", "forgotten", "ended", "raised")
    facts = {name: make_fact(project, f"To be {name}.") for name in names}

    def told() -> list[set[str]]:
        answers = []
        for server in servers:
            request = urllib.request.Request(
                f"{server.url}/public/v1/memory/facts?agent_id=support", headers={"X-API-Key": key}
            )
            with urllib.request.urlopen(request, timeout=20) as response:
                assert response.headers["Cache-Control"] == "no-store"
                answers.append({fact["content"] for fact in json.load(response)["facts"]})
        return answers

    left = {f"To be {name}." for name in names}
    assert told() == [left, left]

    def mark(name: str, **columns: object) -> None:
        with bind(project.id):
            Fact.objects.filter(id=facts[name].id).update(**columns)

    words = Statement(content="The new words.", scope="project")
    changes = {
        "superseded": lambda fact: revise_fact(actor=curator, project_id=project.id, fact_id=fact.id, statement=words),
        "retired": lambda fact: retire_fact(actor=curator, project_id=project.id, fact_id=fact.id, reason="stale"),
        "expired": lambda fact: mark("expired", expires_at=now()),
        "held": lambda fact: mark("held", restricted_at=now(), restricted_reason="hold"),
        "forgotten": lambda fact: forget_fact(actor=curator, project_id=project.id, fact_id=fact.id),
        "raised": lambda fact: mark("raised", sensitivity="special"),
    }
    for name, change in changes.items():
        change(facts[name])
        left -= {f"To be {name}."}
        if name == "superseded":
            left |= {"The new words."}
        assert told() == [left, left], name
    assert left == {"The new words.", "To be ended."}

    # By the clock alone, while nobody writes.
    soon = now() + timedelta(seconds=1)
    added = make_fact(project, "Over in a second.", expires_at=soon)
    while (moment := now()) < soon:
        answers = told()
        if now() < soon:
            assert answers == [left | {added.content}] * 2, moment
    assert told() == [left, left]
