"""A restored backup serves nothing until it has forgotten again what was erased after it was taken."""

from collections.abc import Iterator
from io import StringIO
from pathlib import Path
from typing import Any

import pytest
from django.core.management import CommandError, call_command
from django.db import connections

from apps.access.actor import Actor
from apps.core.transactions import bind
from apps.facts.models import Fact
from apps.privacy.actions.forget_fact import forget_fact
from apps.privacy.erasure_log import read_log, write_log
from apps.privacy.models import Backup, Restoration
from apps.tenancy.models import Subject
from apps.traces.models import Message
from memoryplane.startup import refusal
from tests.conftest import use_database
from tests.extraction.test_extract_trace import mine, push
from tests.factories import make_agent, make_fact, make_project, user_actor
from tests.privacy.stage import approved, learned, work
from tests.servers import database_urls, drop, execute
from tests.spans import run_of


@pytest.fixture
def empty_db(fresh_db: str) -> Iterator[str]:
    name = f"{fresh_db}_restored"
    execute("CREATE DATABASE {}", name)
    yield name
    use_database(fresh_db)
    drop(name)


def point_at(name: str, monkeypatch: pytest.MonkeyPatch) -> None:
    use_database(name)
    for variable, url in database_urls(name).items():
        monkeypatch.setenv(variable, url)


def test_drill(empty_db: str, tmp_path: Path, settings: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    settings.PURGE_WAITS, settings.ERASURE_LOG = False, tmp_path / "erasures.jsonl"
    project = make_project()
    make_agent(project, "support")
    learned(project, "t", "I live in Lisbon.", user="lovelace")
    learned(project, "u", "I live in Rome.", user="bo")
    private = make_fact(project, "The safe is behind the painting.")
    said = StringIO()
    call_command("backup", to=tmp_path, keep=35, stdout=said)
    backup = Backup.objects.using("owner").get()
    assert said.getvalue().startswith(f"Backed up to {backup.place}")

    # Erased and forgotten after the backup was taken.
    approved(project, "lovelace")
    assert work(project) == ["completed"]
    curator: Actor = user_actor(project, "curator")
    forget_fact(actor=curator, project_id=project.id, fact_id=private.id)
    assert write_log() == 1
    assert {entry.kind for entry in read_log(settings.ERASURE_LOG)} == {"subject", "fact", "trace"}
    assert b"lovelace" not in settings.ERASURE_LOG.read_bytes()

    with pytest.raises(CommandError, match="not empty"):
        call_command("restore", backup.place, stdout=StringIO())
    for alias in ("default", "owner"):
        connections[alias].close()
    point_at(empty_db, monkeypatch)
    call_command("restore", backup.place, stdout=StringIO())
    # The drill proves itself: before the replay everything is there again.
    with bind(project.id):
        assert Subject.objects.filter(external_id="lovelace").exists()
        assert Message.objects.filter(content="I live in Lisbon.").exists()
        assert Fact.objects.filter(content="The safe is behind the painting.").exists()
    assert "restored from a backup" in refusal()

    said = StringIO()
    call_command("restore", replay=True, stdout=said)
    assert said.getvalue() == "Erased again: 1 subjects, 1 facts, 0 traces.\n"
    with bind(project.id):
        assert not Subject.objects.filter(external_id="lovelace").exists()
        assert not Message.objects.filter(content="I live in Lisbon.").exists()
        assert list(Fact.objects.values_list("scope_id", flat=True)) == ["bo"]
    assert refusal() == ""
    assert Restoration.objects.get().report["residue"] == 0
    # And it does not come back.
    push(project, run_of("t", "I live in Lisbon.", user="lovelace"))
    mine(project)
    with bind(project.id):
        assert not Subject.objects.filter(external_id="lovelace").exists()
    said = StringIO()
    call_command("restore", replay=True, stdout=said)
    assert said.getvalue() == "Erased again: 0 subjects, 0 facts, 0 traces.\n"


def test_without_the_log_a_replay_is_refused(fresh_db: str, tmp_path: Path) -> None:
    with pytest.raises(CommandError, match="no erasure log"):
        call_command("restore", replay=True, log=tmp_path / "none.jsonl", stdout=StringIO())


def test_a_spoilt_line_is_named_and_a_cut_last_one_is_left_out(tmp_path: Path) -> None:
    good = '{"project": 1, "kind": "fact", "digest": "00", "key_version": 1, "until": "2026-01-01T00:00:00+00:00", "permanent": false}'
    path = tmp_path / "log.jsonl"
    path.write_text(f"{good}\n{good[:30]}")
    assert len(list(read_log(path))) == 1
    path.write_text(f"{good}\nnonsense\n{good}\n")
    with pytest.raises(ValueError, match="Line 2"):
        list(read_log(path))
