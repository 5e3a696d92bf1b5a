"""Keys that are kept to agents, categories, a sensitivity or purposes, on every route of the API that reads or writes facts:
with something beyond the grant there they are answered to the letter what they are answered without it.
"""

import json
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any
from urllib.parse import urlencode

import pytest
from django.http import HttpResponse

from apps.access.scopes import SCOPES
from apps.core.transactions import bind
from apps.facts.actions.retire_fact import retire_fact
from apps.facts.models import Fact
from apps.tenancy.models import Agent, Project
from tests.api.helpers import call
from tests.dreaming import stage as dreams
from tests.factories import make_agent, make_fact, make_key, make_project, make_subject, user_actor
from tests.isolation.swapping import steady

NOBODYS = 10**12
WORD = "pangolin"
"""Stands in all that is beyond the grant, and in nothing else."""


@dataclass
class Stage:
    """``key`` has every scope and writes directly; ``outside`` are ids of facts beyond its grant."""

    project: Project
    support: Agent
    sales: Agent
    grants: dict[str, Any]
    granted: dict[str, Any]
    marks: dict[str, Any]
    key: str = ""
    whole: str = ""
    purpose: dict[str, str] = field(default_factory=dict)
    inside: dict[str, int] = field(default_factory=dict)
    outside: dict[str, int] = field(default_factory=dict)

    def ask(self, method: str, path: str, body: Any = None, *, key: str = "", **params: Any) -> HttpResponse:
        headers = {"If-Match": "*"} if method == "PATCH" else None
        return call(method, path, key or self.key, body, headers=headers, prefix="/v1/", **params)

    @property
    def there(self) -> Agent:
        """The agent through whom what is beyond the grant is told."""
        return self.sales if "agents" in self.grants else self.support


AXES: dict[str, tuple[dict[str, Any], dict[str, Any]]] = {
    "agents": ({"agents": ["support"]}, {}),
    "categories": ({"categories": ["general"]}, {"category": "billing"}),
    "sensitivity": ({"sensitivity_ceiling": "internal"}, {"sensitivity": "special"}),
    "purposes": ({"purposes": ["support"]}, {"purposes": ["billing"]}),
}
"""What a key is kept to, and what lies beyond it. A key of agents knows those by their rows."""


@pytest.fixture(params=AXES)
def stage(request: pytest.FixtureRequest, fresh_db: str) -> Stage:
    project = make_project("acme")
    support, sales = make_agent(project, "support"), make_agent(project, "sales")
    grants, marks = AXES[request.param]
    granted = {"agents": [support]} if "agents" in grants else grants
    made = Stage(project, support, sales, grants, granted, marks)
    made.key = make_key(project, SCOPES, write_mode="direct", **{"sensitivity_ceiling": "personal"} | granted)[1]
    made.whole = make_key(project, SCOPES, write_mode="direct", sensitivity_ceiling="special")[1]
    if "purposes" in grants:
        made.purpose = {"purpose": "support"}
    user = {"user": "ada", "sensitivity": "internal"}
    made.inside = {
        "agent": make_fact(project, "Opens at nine.", agent=support).id,
        "project": make_fact(project, "Ships on Mondays.").id,
        "user": make_fact(project, "Likes tea.", agent=support, **user).id,
    }
    make_subject(project, "ada")
    put = {"agent": "support", "scope": "user:ada", "key": "cup", "value": "small"}
    # Said in the key's own name: what somebody said is no secret to him, however personal it is.
    assert made.ask("PUT", "memories", put).status_code == 201
    return made


def fill(stage: Stage) -> None:
    """What lies beyond the grant, in each scope; of each of the key's own places, but for one kept to other agents."""
    project, there, marks = stage.project, stage.there, stage.marks
    stage.outside = {
        "agent": make_fact(project, f"The {WORD} opens at ten.", agent=there, importance=0.9, **marks).id,
        "user": make_fact(project, f"Feeds a {WORD}.", user="ada", agent=there, **marks).id,
        "other": make_fact(project, f"The {WORD} is late.", scope="other", scope_id="order-7", agent=there, **marks).id,
        "held": make_fact(project, f"The {WORD} is held.", agent=there, restricted="hold", **marks).id,
        "closed": make_fact(project, f"The {WORD} was here.", agent=there, retired="stale", **marks).id,
    }
    if "agents" not in stage.grants:
        stage.outside["project"] = make_fact(project, f"The {WORD} ships.", **marks).id


def reads(stage: Stage) -> dict[str, HttpResponse]:
    """Every read of the API by this key, with its purpose where it is kept to one."""
    agent, place = {"agent_id": "support"}, {"agent": "support", "scope": "user:ada"}
    asked: list[tuple[str, dict[str, Any]]] = [
        ("memory/facts", agent),
        ("memory/facts", agent | {"user_id": "ada"}),
        ("memory/facts", agent | {"user_id": "ada", "query": f"Feeds a {WORD}.", "limit": 200, "score_threshold": 0}),
        ("memory/facts", agent | {"query": f"The {WORD} opens at ten.", "explain": "true"}),
        ("memory/facts", agent | {"category": "billing"}),
        ("memory/facts", agent | {"at": "2026-01-01T00:00:00Z"}),
        ("facts", {"count": "true"}),
        ("facts", {"count": "true", "status": "all", "waiting": "true"}),
        ("facts", {"count": "true", "status": "current", "order": "said"}),
        ("facts", {"count": "true", "q": WORD}),
        ("facts", {"count": "true", "category": "billing"}),
        ("facts", {"count": "true", "sensitivity": "special"}),
        ("facts", {"count": "true", "scope": "user", "user_id": "ada"}),
        ("facts", {"count": "true", "scope": "user", "scope_id": "*"}),
        ("facts", {"count": "true", "scope": "other", "scope_id": "order-7"}),
        ("facts", {"count": "true", "scope": "other", "scope_id": "*"}),
        ("facts", {"count": "true", "updated_since": "2026-01-01T00:00:00Z", "status": "all"}),
        ("memories", place),
        (f"memories/value?{urlencode(place | {'key': 'cup'} | stage.purpose)}", {}),
        ("memories/keys", place),
        ("memories/scopes", {"agent": "support"}),
    ]
    found = {
        f"{path} {params}": stage.ask("GET", path, **(params | stage.purpose if "?" not in path else {}))
        for path, params in asked
    }
    if "purposes" not in stage.grants:
        found["revocations"] = stage.ask("GET", "memory/revocations", since="2026-01-01T00:00:00Z")
    return found


def said(response: HttpResponse) -> tuple[int, Any]:
    """Status and document without what no two answers have in common."""
    document = json.loads(steady(response.content.decode()))
    for name in ("instance", "epoch", "next", "previous"):
        document.pop(name, None)
    return response.status_code, document


def rows(stage: Stage) -> list[dict[str, Any]]:
    with bind(stage.project.id):
        return list(Fact.objects.filter(id__in=stage.outside.values()).order_by("id").values())


def test_no_read_says_that_there_is_more(stage: Stage) -> None:
    before = {name: said(answer) for name, answer in reads(stage).items()}
    assert {status for status, _ in before.values()} == {200}
    fill(stage)
    after = reads(stage)
    for name, answer in after.items():
        assert said(answer) == before[name], name
        assert WORD not in answer.content.decode(), name
    # The same questions by a key that may know: it is there.
    listed = stage.ask("GET", "facts", key=stage.whole, q=WORD, purpose="billing", count="true", status="all")
    assert json.loads(listed.content)["total"] >= 3


def test_what_lies_beyond_is_as_if_it_were_not_there(stage: Stage) -> None:
    fill(stage)
    before, mine = rows(stage), stage.inside["agent"]
    ways: list[tuple[str, Callable[[int], tuple[str, Any]]]] = [
        ("GET", lambda number: (f"facts/{number}", None)),
        ("PATCH", lambda number: (f"facts/{number}", {"content": "Is else."})),
        ("DELETE", lambda number: (f"facts/{number}", None)),
        ("POST", lambda number: (f"facts/{number}/supersede", {"by": mine})),
        ("POST", lambda number: (f"facts/{mine}/supersede", {"by": number})),
        ("POST", lambda number: ("privacy/requests", {"kind": "correction", "user_id": "ada", "fact_id": number, "correction": "No."})),
    ]  # fmt: skip
    for method, way in ways:
        path, body = way(NOBODYS)
        nobody = stage.ask(method, path, body, **(stage.purpose if method == "GET" else {}))
        assert nobody.status_code == (422 if "privacy" in path else 404), (method, path)
        for what, number in stage.outside.items():
            path, body = way(number)
            answer = stage.ask(method, path, body, **(stage.purpose if method == "GET" else {}))
            assert said(answer) == said(nobody), (method, path, what)
    assert rows(stage) == before


def test_all_of_a_place_is_all_that_the_key_may_know(stage: Stage) -> None:
    fill(stage)
    before = rows(stage)
    there = stage.there.name
    for scope, name, gone in (("agent", "support", 1), ("agent", there, 0), ("user", "ada", 1), ("other", "order-7", 0), ("project", "", 1)):  # fmt: skip
        answer = stage.ask("DELETE", "facts", scope=scope, scope_id=name, all="true")
        if "agents" in stage.grants and scope == "project":
            gone = 0  # what all agents are told is not one agent's to delete
        assert said(answer)[1]["facts"] == gone, (scope, said(answer))
    assert rows(stage) == before


def test_words_that_are_known_beyond_the_grant_wait_for_a_person(stage: Stage) -> None:
    """As everything does that is not told at once; a key of agents may not name the agent, whether there is one or not."""
    fill(stage)
    before = rows(stage)
    again = {"scope": "other", "scope_id": "order-7", "agent": stage.there.name, "content": f"The {WORD} is late."}
    propose = make_key(stage.project, SCOPES, **{"sensitivity_ceiling": "personal"} | stage.granted)[1]
    for number, key in enumerate((stage.key, propose)):
        answer = stage.ask("POST", "facts", again, key=key)
        if "agents" in stage.grants:
            nobody = stage.ask("POST", "facts", again | {"agent": "nobody"}, key=key)
            assert (answer.status_code, said(answer)) == (403, said(nobody))
            continue
        new = stage.ask("POST", "facts", again | {"content": f"The {WORD} is early, {number}."}, key=propose)
        assert (answer.status_code, new.status_code) == (202, 202)
        told, plain = (json.loads(one.content) | {"proposal_id": "#"} for one in (answer, new))
        assert told == plain == {"id": None, "created": True, "state": "waiting", "proposal_id": "#"}
        assert stage.ask("POST", "facts", again, key=key).status_code == 200
    assert rows(stage) == before
    # Who may know of it is told that it stands there.
    if "purposes" not in stage.grants:
        assert stage.ask("POST", "facts", again, key=stage.whole).status_code == 200


def test_a_value_beyond_the_grant_is_neither_read_replaced_nor_taken_out(stage: Stage) -> None:
    if "purposes" in stage.marks:
        pytest.skip("values are put for no purpose")
    place = {"agent": stage.there.name, "scope": "user:ada"}
    put = place | {"key": "secret", "value": WORD} | stage.marks
    made = stage.ask("PUT", "memories", put, key=stage.whole)
    assert made.status_code == 201
    stage.outside = {"value": json.loads(made.content)["id"]}
    before = rows(stage)
    for method, path in (("GET", "memories/value"), ("DELETE", "memories")):
        theirs, nobody = (
            stage.ask(method, f"{path}?{urlencode(place | {'key': key})}") for key in ("secret", "nobodys")
        )
        assert said(theirs) == said(nobody), method
        assert theirs.status_code == (403 if "agents" in stage.grants else 404)
    cleared = stage.ask("DELETE", "memories", **place, all="true")
    if "agents" in stage.grants:
        assert cleared.status_code == 403
    else:
        assert said(cleared) == (200, {"removed": 1, "waiting": 0, "kept": 0})  # the cup
    fields = {"value": "else", "category": "general", "sensitivity": "internal"}
    answer = stage.ask("PUT", "memories", put | fields)
    if "agents" in stage.grants:
        assert said(answer) == said(stage.ask("PUT", "memories", put | fields | {"agent": "nobody"}))
        assert answer.status_code == 403
    else:
        told = json.loads(answer.content)
        assert (answer.status_code, told["state"], told["id"], told["created"], told["changed"]) == (
            202, "waiting", None, True, True,
        )  # fmt: skip
        # Its writer reads its own word meanwhile.
        assert (
            json.loads(stage.ask("GET", f"memories/value?{urlencode(place | {'key': 'secret'})}").content)["value"]
            == "else"
        )
    assert rows(stage) == before


def test_a_dream_run_says_of_changes_what_the_key_may_know(stage: Stage) -> None:
    for day, content in enumerate(("The warehouse opens at 7:00.", "the warehouse opens at 7:00")):
        dreams.said(stage.project, content, agent=stage.support, days=day)
    for day, content in enumerate((f"The {WORD} sleeps at 7:00.", f"the {WORD} sleeps at 7:00")):
        dreams.said(stage.project, content, agent=stage.there, days=day, **stage.marks)
    run = dreams.dream(stage.project)
    answer = stage.ask("GET", f"dreams/{run.id}")
    told = json.loads(answer.content)
    assert told["counts"] == {"pending": 1}
    assert [sorted(one["content"] for one in change["before"]) for change in told["changes"]] == [
        ["The warehouse opens at 7:00.", "the warehouse opens at 7:00"]
    ]
    assert told["facts_before"] is None or "agents" in stage.grants
    assert WORD not in answer.content.decode()
    (listed,) = json.loads(stage.ask("GET", "dreams").content)["runs"]
    assert (listed["counts"], listed["facts_before"]) == ({"pending": 1}, told["facts_before"])
    if "purposes" not in stage.grants:
        beyond = dreams.dream(stage.project, "agent", "sales") if "agents" in stage.grants else run
        whole = stage.ask("GET", f"dreams/{beyond.id}", key=stage.whole)
        assert WORD in whole.content.decode()
        assert json.loads(whole.content)["counts"] == {"pending": 1 if "agents" in stage.grants else 2}


def test_a_run_is_started_for_no_other_agent(stage: Stage) -> None:
    if "agents" not in stage.grants:
        pytest.skip("of keys that are kept to agents")
    run = dreams.dream(stage.project, "agent", "sales")
    theirs, nobody = (stage.ask("POST", "dreams", {"scope": "agent", "scope_id": name}) for name in ("sales", "nobody"))
    assert (theirs.status_code, said(theirs)) == (403, said(nobody))
    theirs, nobody = (stage.ask("GET", f"dreams/{number}") for number in (run.id, NOBODYS))
    assert (theirs.status_code, said(theirs)) == (404, said(nobody))
    assert json.loads(stage.ask("GET", "dreams").content)["runs"] == []


def test_what_was_told_beyond_the_grant_is_not_withdrawn_by_name(stage: Stage) -> None:
    """An id of what was replaced or held is named to who may have been told it."""
    fill(stage)
    curator = user_actor(stage.project, "curator")
    for number in (stage.outside["agent"], stage.inside["agent"]):
        retire_fact(actor=curator, project_id=stage.project.id, fact_id=number, reason="stale")

    def named(key: str) -> set[int]:
        answer = stage.ask("GET", "memory/revocations", key=key, since="2026-01-01T00:00:00Z")
        return {row["id"] for row in json.loads(answer.content)["revocations"]}

    outside = {stage.outside[name] for name in ("agent", "held", "closed")}
    # A key that is kept to purposes hears of every id: what it may have been told for one it must drop.
    assert named(stage.key) & outside == (outside if "purposes" in stage.grants else set())
    assert stage.inside["agent"] in named(stage.key)
    assert named(stage.whole) >= outside
