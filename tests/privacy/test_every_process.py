"""Who is being erased is told to nobody any more, by any process, while her rows still wait to be deleted."""

import json
import time
import urllib.request
from collections.abc import Iterator
from pathlib import Path

import pytest

from apps.access.actor import system_actor
from apps.core.transactions import bind
from apps.facts.models import Fact
from apps.privacy.actions import carry_out
from apps.privacy.claims import claim_requests
from apps.tenancy.models import Project
from tests.browserless import Person
from tests.factories import PASSWORD, make_agent, make_fact, make_key, make_project, make_user
from tests.live import Live, run_server
from tests.privacy.stage import approved, work

HERS = "Prefers the window seat of the night train."
ALSO = "The night train leaves at ten."


@pytest.fixture
def servers(fresh_db: str, tmp_path: Path) -> Iterator[list[Live]]:
    live: list[Live] = []
    try:
        for name in ("first", "second"):
            (tmp_path / name).mkdir()
            live.append(run_server(fresh_db, tmp_path / name))
        yield live
    finally:
        for server in live:
            server.stop()


def test_a_suppressed_person_is_gone_from_every_answer_within_five_seconds(servers: list[Live]) -> None:
    project = make_project()
    make_agent(project, "support")
    # Not masked on the screen, so that it can be looked for there.
    hers = make_fact(project, HERS, user="ada.lovelace", sensitivity="internal")
    make_fact(project, ALSO)
    _, key = make_key(project, ["facts:read", "facts:read:user"])
    reader = make_user(project, "privacy_officer", "curator")
    people = [Person(server.url, reader.email, PASSWORD) for server in servers]

    def answers() -> list[dict[str, str]]:
        return [read(server, person, project, key, hers.id) for server, person in zip(servers, people, strict=True)]

    for answer in answers():
        for name, text in answer.items():
            assert HERS in text, name
    approved(project, "ada.lovelace")
    (claim,) = claim_requests()
    assert carry_out._step(claim, system_actor("privacy", project.id)) == "erasing"
    # Two servers and fourteen pages take less than what a suppression may take to be everywhere.
    hidden = time.monotonic()
    while any(HERS in text for answer in answers() for text in answer.values()):
        assert time.monotonic() - hidden < 5
    for answer in answers():
        for name, text in answer.items():
            assert HERS not in text, name
            assert ALSO in text or name in NAMED, name
    with bind(project.id):
        # Only hidden yet.
        assert Fact.objects.get(content=HERS).restricted_reason == "erasure"
    assert carry_out.carry_out(claim) == "waits"
    assert work(project) == []
    for answer in answers():
        for name, text in answer.items():
            assert HERS not in text, name


NAMED = {"told to the user", "list of the user", "its page"}


def read(server: Live, person: Person, project: Project, key: str, number: int) -> dict[str, str]:
    """What one process answers on every way by which facts are read."""

    def api(path: str) -> str:
        request = urllib.request.Request(f"{server.url}{path}", headers={"X-API-Key": key})
        with urllib.request.urlopen(request, timeout=20) as response:
            found = json.load(response)
        return json.dumps(found, ensure_ascii=False)

    console = f"/p/{project.slug}/facts"
    listed = "q=night+train"
    return {
        "told to the user": api("/public/v1/memory/facts?agent_id=support&user_id=ada.lovelace"),
        "told by words": api("/v1/memory/facts?agent_id=support&user_id=ada.lovelace&q=night+train"),
        "list of the user": api("/v1/facts?scope=user&user_id=ada.lovelace"),
        "its page": person.http.get(f"{console}/{number}").text,
        "console list": person.get(console).text,
        "console search": person.get(f"{console}?{listed}").text,
        "export as CSV": person.post(f"{console}/export", {"as": "csv", "list": listed}).text,
        "export as JSON Lines": person.post(f"{console}/export", {"as": "jsonl", "list": ""}).text,
    }
