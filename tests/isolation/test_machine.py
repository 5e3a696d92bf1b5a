"""Three projects, four keys each, everything a client can do in any order, over HTTP alone: no answer to one holds a word of
another, and nothing one does moves a row of another.

100 steps; 10,000 in `make faults`.
"""

import json
import re
from collections import Counter
from collections.abc import Iterator
from typing import Any

import httpx
import pytest
from django.conf import settings as django_settings
from hypothesis import HealthCheck, Phase, settings
from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, rule, run_state_machine_as_test
from pytest_django import DjangoDbBlocker

from apps.access.keys import KEY_PATTERN
from tests.api.helpers import make_span
from tests.conftest import own_database
from tests.dreaming import stage as dreams
from tests.faults.scale import report, scaled
from tests.isolation.world import Digests, Tenant, tenants
from tests.live import Live, run_server

RUNS, STEPS = scaled("RUNS", 4, 50), scaled("STEPS", 25, 200)
CSRF = "c" * 32

who, other = st.integers(0, 2), st.integers(1, 2)
keys = st.sampled_from(["direct", "propose", "reader", "pusher"])
marks = st.sampled_from(["", " daily", " at noon", " — 本", " %_\\", " '; --"])
scopes = st.sampled_from(["agent", "user", "project", "other"])


class Stage:
    """Three tenants behind a live server, and what is known of each."""

    def __init__(self, server: Live, made: list[Tenant]) -> None:
        self.server, self.tenants = server, made
        self.digests = Digests()
        self.api = httpx.Client(base_url=f"{server.url}/v1/", timeout=60)
        self.pages = []
        for one in made:
            name = django_settings.SESSION_COOKIE_NAME
            cookies = {name: one.browser.cookies[name].value, django_settings.CSRF_COOKIE_NAME: CSRF}
            self.pages.append(httpx.Client(base_url=server.url, timeout=60, cookies=cookies))
        self.facts: list[list[int]] = [[int(one.values["fact_id"])] for one in made]
        self.proposals: list[list[str]] = [[one.values["proposal_id"]] for one in made]
        self.done = Counter[str]()
        self.kinds = Counter[int]()
        self.state = self.now()

    def now(self) -> dict[tuple[str, int], tuple[int, int]]:
        return self.digests.of(*(one.project.id for one in self.tenants))

    def look(self, number: int, what: str, answer: httpx.Response) -> httpx.Response:
        """What the invariant asks of every answer to the tenant ``number``."""
        self.done[what] += 1
        self.kinds[answer.status_code] += 1
        assert answer.status_code < 500, (what, answer.status_code, answer.text[:300])
        said = answer.text + "".join(f"{name}: {value}\n" for name, value in answer.headers.items())
        for place, one in enumerate(self.tenants):
            assert place == number or one.canary not in said, f"{what}: {one.canary} in the answer to project {number}"
        after, mine = self.now(), self.tenants[number].project.id
        moved = {
            place for place in self.state | after if self.state.get(place) != after.get(place) and place[1] != mine
        }
        assert moved == set(), f"{what} by project {number} moved {moved}"
        self.state = after
        return answer

    def call(self, number: int, key: str, method: str, path: str, body: Any = None, **params: str) -> httpx.Response:
        sent = {"X-API-Key": self.tenants[number].keys[key]}
        answer = self.api.request(method, path, json=body, params=params or None, headers=sent)
        return self.look(number, f"{method} {re.sub(r'[0-9]+', '#', path)}", answer)

    def post(self, number: int, path: str, **form: str) -> httpx.Response:
        one = self.tenants[number]
        path = f"/p/{one.project.slug}/{path}"
        answer = self.pages[number].post(path, data=form, headers={"X-CSRFToken": CSRF, "Origin": self.server.url})
        return self.look(number, f"POST {re.sub(r'[0-9a-f-]{4,}|[0-9]+', '#', path)}", answer)

    def close(self) -> None:
        for client in (self.api, *self.pages):
            client.close()
        self.digests.close()


class Machine(RuleBasedStateMachine):
    stage: Stage

    @rule(number=who, key=keys, scope=scopes, mark=marks)
    def add(self, number: int, key: str, scope: str, mark: str) -> None:
        one = self.stage.tenants[number]
        names = {
            "agent": one.values["agent"],
            "user": one.values["user"],
            "project": "",
            "other": f"thing-{one.canary}",
        }
        body = {"scope": scope, "scope_id": names[scope], "content": f"The {one.canary} walks{mark}."}
        answer = self.stage.call(number, key, "POST", "facts", body)
        if answer.is_success and (found := answer.json()["id"]):
            self.stage.facts[number].append(found)
        elif answer.is_success:
            self.stage.proposals[number].append(answer.json()["proposal_id"])

    @rule(number=who, key=keys, mark=marks)
    def put(self, number: int, key: str, mark: str) -> None:
        one = self.stage.tenants[number]
        body = {
            "agent": one.values["agent"],
            "scope": f"user:{one.values['user']}",
            "key": f"k{mark}",
            "value": one.canary,
        }
        self.stage.call(number, key, "PUT", "memories", body)

    @rule(number=who, key=keys, trace=st.integers(1, 50))
    def push(self, number: int, key: str, trace: int) -> None:
        one = self.stage.tenants[number]
        said = {
            "agent.name": one.values["agent"],
            "agent.input": f"Where is the {one.canary}?",
            "agent.output": "Here.",
        }
        # The same trace and span in every project: ids of one are free in another.
        self.stage.call(number, key, "POST", "traces/ingest", {"spans": [make_span(trace, trace, attributes=said)]})

    @rule(number=who, step=other, key=keys, named=st.booleans())
    def search(self, number: int, step: int, key: str, named: bool) -> None:
        one, theirs = self.stage.tenants[number], self.stage.tenants[(number + step) % 3]
        user = {"user_id": theirs.values["user"]} if named else {}
        agent = (theirs if named else one).values["agent"]
        asked = {
            "agent_id": agent,
            "query": f"Where does the {theirs.canary} walk?",
            "limit": "200",
            "score_threshold": "0",
        }
        self.stage.call(number, key, "GET", "memory/facts", **asked, **user)

    @rule(number=who, step=other, key=keys)
    def lists(self, number: int, step: int, key: str) -> None:
        theirs = self.stage.tenants[(number + step) % 3]
        self.stage.call(number, key, "GET", "facts", limit="200", status="all", waiting="true", count="true")
        self.stage.call(number, key, "GET", "facts", scope="user", scope_id="*", limit="200")
        self.stage.call(
            number, key, "GET", "memories", agent=theirs.values["agent"], scope=f"user:{theirs.values['user']}"
        )
        self.stage.call(number, key, "GET", "dreams", limit="200")

    @rule(number=who, step=other, key=keys, place=st.integers(0, 99))
    def swap(self, number: int, step: int, key: str, place: int) -> None:
        theirs = self.stage.facts[(number + step) % 3]
        for method in ("GET", "DELETE"):
            answer = self.stage.call(number, key, method, f"facts/{theirs[place % len(theirs)]}")
            assert answer.status_code in {403, 404}

    @rule(number=who)
    def approve(self, number: int) -> None:
        if self.stage.proposals[number]:
            self.stage.post(number, f"review/{self.stage.proposals[number].pop()}/approve")

    @rule(number=who, step=other)
    def approve_anothers(self, number: int, step: int) -> None:
        for proposal in self.stage.proposals[(number + step) % 3][-1:]:
            assert self.stage.post(number, f"review/{proposal}/approve").status_code == 404

    @rule(number=who, key=keys)
    def dream(self, number: int, key: str) -> None:
        self.stage.call(
            number, key, "POST", "dreams", {"scope": "agent", "scope_id": self.stage.tenants[number].values["agent"]}
        )

    @rule()
    def work(self) -> None:
        """A worker carries on whatever waits, of any project."""
        dreams.go_on(self.stage.tenants[0].project, phases=3)
        self.stage.state = self.stage.now()

    @rule(number=who, kind=st.sampled_from(["csv", "jsonl"]))
    def export(self, number: int, kind: str) -> None:
        self.stage.post(number, "facts/export", **{"as": kind})

    @rule(number=who, key=keys, place=st.integers(0, 99))
    def erase(self, number: int, key: str, place: int) -> None:
        mine = self.stage.facts[number]
        if mine:
            self.stage.call(number, key, "DELETE", f"facts/{mine[place % len(mine)]}")

    @rule(number=who, step=other, key=keys)
    def erase_anothers(self, number: int, step: int, key: str) -> None:
        theirs = self.stage.tenants[(number + step) % 3]
        self.stage.call(number, key, "DELETE", "facts", scope="user", scope_id=theirs.values["user"], all="true")

    @rule(number=who, name=st.sampled_from(["direct", "propose", "reader", "pusher"]))
    def rotate(self, number: int, name: str) -> None:
        one = self.stage.tenants[number]
        key_id = one.shapes.get(name)
        if key_id is None:
            return
        nonce = f"n{sum(self.stage.done.values())}"
        answer = self.stage.post(number, f"settings/keys/{key_id}/roll", nonce=nonce, hours="24")
        if found := KEY_PATTERN.search(answer.text):
            one.keys[name] = found[0]
            one.shapes[name] = key_of(found[0])


def key_of(text: str) -> int:
    from apps.access.models import ApiKey

    return ApiKey.objects.values_list("id", flat=True).get(public_id=text.split("_")[1])


@pytest.fixture
def stage(django_db_blocker: DjangoDbBlocker, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Stage]:
    with pytest.MonkeyPatch.context() as patch, own_database(django_db_blocker, patch) as name:
        made = tenants(3)
        for one in made:
            one.shapes.update({key: key_of(text) for key, text in one.keys.items()})
        server = run_server(name, tmp_path_factory.mktemp("machine"))
        stage = Stage(server, made)
        try:
            yield stage
        finally:
            stage.close()
            server.stop()


def test_whatever_is_done_stays_in_its_project(stage: Stage) -> None:
    class Here(Machine):
        pass

    Here.stage = stage
    run_state_machine_as_test(  # type: ignore[no-untyped-call]
        Here,
        settings=settings(
            max_examples=RUNS,
            stateful_step_count=STEPS,
            derandomize=True,
            deadline=None,
            database=None,
            phases=[Phase.generate],
            suppress_health_check=list(HealthCheck),
        ),
    )
    report(
        "stateful machine",
        steps=f"{sum(stage.done.values()):,}",
        statuses=json.dumps(dict(sorted(stage.kinds.items()))),
        kinds_of_requests=len(stage.done),
        leaks=0,
        rows_of_others_moved=0,
    )
    assert sum(stage.done.values()) >= RUNS * STEPS // 2
    assert {200, 201, 403, 404} <= set(stage.kinds)
