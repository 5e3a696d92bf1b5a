"""The client for Python against a real web process: the frameworks' stores, and what it does when something goes wrong."""

import asyncio
import threading
from collections.abc import Callable, Iterator
from typing import Any

import pytest
from fastaiagent import Memory
from fastaiagent.learn import Fact as SdkFact
from fastaiagent.learn import FactStore as Protocol
from memoryplane_client import (
    AsyncClient,
    Client,
    Conflict,
    Invalid,
    KeyRefused,
    NoSuchKey,
    NotAllowed,
    NotFound,
    NotReachable,
    TimedOut,
    Unavailable,
    UnexpectedAnswer,
    WaitsForReview,
)
from memoryplane_client.fastaiagent import FactStore

from apps.core.transactions import bind
from apps.facts.models import Fact
from apps.tenancy.models import Agent, Project
from tests.clients.strange import Answer, strange, tells
from tests.factories import make_fact, make_key, make_project
from tests.live import Live

ALL = [
    "agent:write", "facts:read", "facts:read:user", "facts:read:all", "facts:history", "facts:write", "facts:clear",
    "dreams:write",
]  # fmt: skip


@pytest.fixture
def project(server: Live) -> Project:
    return make_project("acme")


@pytest.fixture
def plane(server: Live, project: Project) -> Iterator[Client]:
    with Client(server.url, make_key(project, ALL, write_mode="direct")[1]) as client:
        yield client


def test_a_fact_store_keeps_the_sdks_promises(project: Project, plane: Client) -> None:
    store = FactStore(plane)
    assert isinstance(store, Protocol)
    old = store.add(
        SdkFact(scope="user", scope_id="lovelace", fact="Prefers email.", confidence=0.6, created_at=1000.5)
    )
    assert store.add(SdkFact(scope="user", scope_id="lovelace", fact="Prefers email.", created_at=9.0)) == old
    assert store.get(old) == SdkFact(
        scope="user", scope_id="lovelace", fact="Prefers email.", confidence=0.6, created_at=1000.5, id=old
    )
    learned = SdkFact(scope="user", scope_id="lovelace", fact="Prefers chat.", source="learned", created_at=0.0)
    new = store.add(learned)
    assert [one.id for one in store.list_active("user", "lovelace")] == [old, new]
    store.supersede(old, new)
    assert [(one.fact, one.source) for one in store.list_active("user", "lovelace")] == [("Prefers chat.", "learned")]
    superseded = store.get(old)
    assert superseded is not None and superseded.superseded_by == new
    # Replaced words are not brought back by saying them again.
    assert store.add(SdkFact(scope="user", scope_id="lovelace", fact="Prefers email.")) == old
    for ids in ((old, 10**9), (10**9, old)):
        with pytest.raises(ValueError, match="There is no fact"):
            store.supersede(*ids)
    assert store.list_active("user", "") == store.list_active("user", "lovelace", limit=0) == []
    with pytest.raises(ValueError, match="Name whose"):
        store.delete("user", "")
    assert store.delete("user", "lovelace", fact="Prefers email.") == 1
    assert store.delete("user", "lovelace") == 1
    assert (store.get(new), store.get(0), store.list_active("user", "*")) == (None, None, [])


def test_scopes_of_the_sdk_are_scopes_of_the_plane(project: Project, plane: Client) -> None:
    store = FactStore(plane)
    store.add(SdkFact(scope="project", scope_id="acme", fact="Told to all."))
    store.add(SdkFact(scope="project", scope_id="elsewhere", fact="Of another."))
    store.add(SdkFact(scope="agent", scope_id="новый", fact="Of a new agent.", project_id="A"))
    with bind(project.id):
        places = set(Fact.objects.values_list("scope", "scope_id", "label"))
        assert places == {("project", "acme", ""), ("other", "project:elsewhere", ""), ("agent", "новый", "A")}
        assert Agent.objects.filter(name="новый").exists()
    assert [one.scope_id for one in store.list_active("project", "elsewhere")] == ["elsewhere"]
    assert {(one.scope, one.scope_id) for one in store.list_active("project", "*")} == {
        ("project", "acme"),
        ("project", "elsewhere"),
    }
    assert store.list_active("agent", "") == []
    assert [one.fact for one in store.list_active("agent", "", project_id="A")] == ["Of a new agent."]
    assert store.delete("project", "*") == 2
    with pytest.raises(ValueError, match="A scope is one of"):
        store.add(SdkFact(scope="team", scope_id="x", fact="Words."))  # type: ignore[arg-type]


def test_the_sdks_memory_persists_updates_and_forgets(plane: Client) -> None:
    memory = Memory(location=FactStore(plane), agent_id="support")
    memory.persist("Return policy is 30 days", tier="global")
    memory.persist("Prefers email", tier="user", id="lovelace")
    memory.update("Prefers Slack", old="Prefers email", tier="user", id="lovelace")
    assert [one.fact for one in memory.retrieve(tier="user", id="lovelace")] == ["Prefers Slack"]
    assert [one.fact for one in memory.retrieve(tier="global")] == ["Return policy is 30 days"]
    assert memory.forget(tier="user", id="lovelace") == 2


def test_what_a_key_proposes_is_seen_by_its_writer_alone(server: Live, project: Project, plane: Client) -> None:
    with Client(server.url, make_key(project, ALL)[1]) as proposer:
        store = FactStore(proposer)
        assert store.add(SdkFact(scope="user", scope_id="lovelace", fact="Prefers email.")) == 0
        assert [(one.id, one.fact) for one in store.list_active("user", "lovelace")] == [(None, "Prefers email.")]
        assert FactStore(plane).list_active("user", "lovelace") == []
        with pytest.raises(WaitsForReview, match="This waits"):
            FactStore(proposer, raise_waiting=True).add(SdkFact(scope="user", scope_id="lovelace", fact="Another."))
        kept = proposer.put_memory("support", "pr:456", "k", [1])
        assert (kept.state, proposer.get_memory("support", "pr:456", "k").waits) == ("waiting", True)
        with pytest.raises(NoSuchKey):
            plane.get_memory("support", "pr:456", "k")


def test_pages_are_followed_to_their_end(plane: Client) -> None:
    for number in range(203):
        plane.put_memory("support", "many", f"k{number:03}", number)
    assert plane.keys("support", "many") == [f"k{number:03}" for number in range(203)]
    assert [one.value for one in plane.memories("support", "many")] == list(range(203))
    assert plane.clear_memories("support", "many").removed == 203


def test_named_errors_say_what_a_model_may_read(server: Live, project: Project, plane: Client) -> None:
    with pytest.raises(Invalid) as secret:
        plane.put_memory("support", "default", "note", "password: hunter2-Zebra!9")
    assert (secret.value.code, "hunter2" in str(secret.value)) == ("secret", False)
    with pytest.raises(Invalid, match="/scope_id: A fact of scope user needs an id"):
        plane.add_fact("Words.", scope="user")
    with pytest.raises(NotFound):
        plane.get_fact(10**9)
    curated = make_fact(project, "Prefers letters.", user="lovelace")
    with pytest.raises(Conflict, match="A person answers for"):
        plane.forget_fact(curated.id)
    with pytest.raises(TypeError):
        plane.put_memory("support", "default", "note", object())
    with Client(server.url, "mp_wrong") as stranger, pytest.raises(KeyRefused):
        stranger.check()
    with (
        Client(server.url, make_key(project, ["facts:read"])[1]) as narrow,
        pytest.raises(NotAllowed, match="facts:write"),
    ):
        narrow.add_fact("Words.", scope="user", scope_id="lovelace")


AWAY = Answer(503, b"<html>", {"Retry-After": "0"})
BREAKS, SLEEPS = Answer(kind="breaks"), Answer(kind="sleeps")
DONE = tells({"state": "told", "id": 7, "proposal_id": None, "created": True, "changed": True, "scopes": []})
CALLS: dict[str, Callable[[Client], Any]] = {
    "read": lambda client: client.scopes("support"),
    "named write": lambda client: client.put_memory("support", "default", "k", 1, name="call-1"),
    "write": lambda client: client.put_memory("support", "default", "k", 1),
    "addition": lambda client: client.add_fact("Words.", scope="user", scope_id="lovelace"),
    "removal": lambda client: client.remove_memory("support", "default", "k"),
}


@pytest.mark.parametrize("name", CALLS)
@pytest.mark.parametrize(("answer", "error"), [(AWAY, Unavailable), (BREAKS, NotReachable), (SLEEPS, TimedOut)])
def test_no_write_is_sent_twice_that_might_be_done_twice(name: str, answer: Answer, error: type[Exception]) -> None:
    with strange(answer) as there, Client(there.url, "mp_x", timeout=0.5) as client, pytest.raises(error):
        CALLS[name](client)
    assert len(there.sent) == (3 if name in {"read", "named write"} else 1)
    assert len({headers.get("Idempotency-Key") for headers in there.sent}) == 1


@pytest.mark.parametrize("name", CALLS)
def test_where_nobody_listens_nothing_was_written(name: str) -> None:
    with strange(DONE) as there:
        url = there.url
    with Client(url, "mp_x") as client, pytest.raises(NotReachable) as error:
        CALLS[name](client)
    assert error.value.code == "not_connected"


def test_what_may_be_repeated_comes_through() -> None:
    with strange(AWAY, BREAKS, DONE) as there, Client(there.url, "mp_x") as client:
        assert client.put_memory("support", "default", "k", 1, name="call-1").fact_id == 7
    assert len(there.sent) == 3

    async def asking(url: str) -> None:
        async with AsyncClient(url, "mp_x") as client:
            assert await client.scopes("support") == []

    with strange(AWAY, DONE) as there:
        asyncio.run(asking(there.url))
    assert len(there.sent) == 2


@pytest.mark.parametrize(
    "answer",
    [
        Answer(404, b"<html>not here</html>"),
        tells({"detail": "Not Found"}, 404),
        Answer(301, b"", {"Location": "https://elsewhere.test/"}),
        Answer(200, b"<html>"),
        tells([]),
    ],
)
def test_a_strangers_answer_is_no_missing_key(answer: Answer) -> None:
    with strange(answer) as there, Client(there.url, "mp_x") as client, pytest.raises(UnexpectedAnswer):
        client.get_memory("support", "default", "k")


def test_many_processes_add_one_fact_and_write_one_key(server: Live, project: Project) -> None:
    """Threads here, each with a connection of its own: what they meet is the server's."""
    text = make_key(project, ALL, write_mode="direct")[1]
    gate, ids, values = threading.Barrier(16), list[int | None](), list[int]()

    def write(number: int) -> None:
        with Client(server.url, text, timeout=60) as client:
            gate.wait()
            ids.append(client.add_fact("Said at once.", scope="agent", scope_id="support").id)
            client.put_memory("support", "default", "k", number)
            values.append(number)

    threads = [threading.Thread(target=write, args=(number,)) for number in range(16)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert (len(ids), len(set(ids)), sorted(values)) == (16, 1, list(range(16)))
    with bind(project.id):
        rows = list(Fact.objects.filter(key="k").order_by("id"))
        assert sorted(row.value for row in rows) == list(range(16))
        assert [row.superseded_by_id for row in rows] == [row.id for row in rows[1:]] + [None]
    with Client(server.url, text) as client:
        assert client.get_memory("support", "default", "k").value == rows[-1].value


def test_an_async_client_serves_several_event_loops(server: Live, project: Project) -> None:
    client = AsyncClient(server.url, make_key(project, ALL, write_mode="direct")[1])

    async def work(number: int) -> list[Any]:
        await asyncio.gather(*(client.put_memory("support", f"s{number}", f"k{n}", n) for n in range(5)))
        found = await client.memories("support", f"s{number}")
        await client.aclose()
        return [one.value for one in found]

    assert [asyncio.run(work(number)) for number in range(3)] == [[0, 1, 2, 3, 4]] * 3
