"""Where chains end, written down outside the database; and the command that compares."""

import json
from collections.abc import Iterator
from contextlib import contextmanager
from io import StringIO
from pathlib import Path
from typing import Any

import pytest
from django.core.management import CommandError, call_command
from django.db import DatabaseError, connection, connections, transaction

from apps.audit.actions.check_chain import check_chain
from apps.audit.actions.record import record
from apps.audit.chain import GENESIS
from apps.audit.heads import heads, read_heads, signed_heads, write_heads
from apps.audit.models import AuditEvent, AuditHead, ChainCheck
from apps.audit.walking import walk_chain
from apps.core.transactions import bind
from apps.tenancy.models import Project
from tests.factories import make_project, setup_actor


@pytest.fixture
def file(settings: Any, tmp_path: Path) -> Path:
    settings.AUDIT_HEADS = tmp_path / "second" / "heads.jsonl"
    return settings.AUDIT_HEADS


def write(project: Project | None, count: int) -> None:
    for number in range(count):
        with bind(project.id if project else None):
            record(actor=setup_actor(project), verb="facts.add", object_type="fact", object_id=number)


def lines(file: Path) -> list[tuple[int | None, int]]:
    return [(head.project_id, head.seq) for _, head in read_heads(file) if head is not None]


def verify(**options: Any) -> tuple[int, list[str]]:
    """Exit code and lines."""
    out = StringIO()
    try:
        call_command("audit", "verify", stdout=out, **options)
    except SystemExit as end:
        assert isinstance(end.code, int)
        return end.code, out.getvalue().splitlines()
    return 0, out.getvalue().splitlines()


@contextmanager
def as_owner() -> Iterator[Any]:
    with connections["owner"].cursor() as cursor:
        cursor.execute("ALTER TABLE audit_auditevent DISABLE TRIGGER USER")
        yield cursor.execute
        cursor.execute("ALTER TABLE audit_auditevent ENABLE TRIGGER USER")


@pytest.mark.django_db
def test_each_head_that_moved_is_written_once(file: Path) -> None:
    first, second = make_project("acme"), make_project("globex")
    write(first, 3)
    write(second, 1)
    installation = next(seq for project, seq in heads() if project is None)
    assert write_heads() == 3
    assert lines(file) == [(None, installation), (first.id, 3), (second.id, 1)]
    assert file.stat().st_mode & 0o777 == 0o600
    assert write_heads() == 0
    write(first, 1)
    assert write_heads() == 1 and lines(file)[3:] == [(first.id, 4)]
    with bind(first.id):
        assert dict(signed_heads(first.id)) == {
            event.seq: bytes(event.hash) for event in AuditEvent.objects.filter(seq__in=[3, 4])
        }
        assert AuditHead.objects.get().signed_seq == 4
    # Where it was lost, all of them are written anew.
    file.unlink()
    assert write_heads() == 3 and signed_heads(first.id).keys() == {4}


@pytest.mark.django_db
def test_a_line_that_was_cut_short_costs_no_other(file: Path) -> None:
    project = make_project("acme")
    write(project, 1)
    write_heads()
    with file.open("ab") as half:
        half.write(b'{"at": "2026-')
    before = lines(file)
    write(project, 1)
    write_heads()
    assert lines(file) == [*before, (project.id, 2)]
    assert [number for number, head in read_heads(file) if head is None] == [len(before) + 1]


@pytest.mark.django_db
@pytest.mark.parametrize(
    "line",
    [
        b"",
        b"nonsense",
        b"[]",
        b"{}",
        b"null",
        b'{"mac": 1}',
        b'{"at": "2026-01-01T00:00:00+00:00", "hash": "00", "project": 1, "seq": 9, "mac": "00"}',
        b"\xff\xfe",
    ],
)
def test_what_nobody_with_the_key_wrote_is_no_head(file: Path, line: bytes) -> None:
    file.parent.mkdir()
    file.write_bytes(line + b"\n")
    assert lines(file) == [] and dict(signed_heads(1)) == {}


@pytest.mark.django_db
def test_one_digit_changed_and_the_line_is_none_of_ours(file: Path) -> None:
    project = make_project("acme")
    write(project, 5)
    write_heads()
    whole = file.read_text().splitlines()
    fields = json.loads(whole[-1])
    file.write_text("\n".join([*whole[:-1], json.dumps(fields | {"seq": 4})]) + "\n")
    code, said = verify()
    assert code == 1
    assert said[0] == "BROKEN  heads.jsonl, line 2: not written by this installation"
    assert said[2] == "ok      acme: 5 events, 0 of them as written down elsewhere"


@pytest.mark.django_db
def test_the_command_says_which_chains_are_whole_and_that_it_looked(file: Path) -> None:
    project = make_project("acme")
    write(project, 3)
    write_heads()
    installation = next(seq for number, seq in heads() if number is None)
    assert verify() == (
        0,
        [
            f"ok      installation: {installation:,} events, 1 of them as written down elsewhere".replace(
                "1 events", "one event"
            ),
            "ok      acme: 3 events, 1 of them as written down elsewhere",
        ],
    )
    with bind(project.id):
        event = AuditEvent.objects.latest("seq")
        assert (event.verb, event.actor_kind, event.actor_id) == ("audit.verify", "system", "operator")
        assert event.data == {"events": 3}
    assert verify(project="acme")[1] == ["ok      acme: 4 events, 1 of them as written down elsewhere"]


@pytest.mark.django_db
def test_what_it_cant_tell(file: Path) -> None:
    make_project("acme")
    code, said = verify()
    assert code == 0 and said[0].startswith("?       ") and "would not be found" in said[0]
    for options in ({"project": "nobody"}, {"heads": file.parent / "absent"}):
        with pytest.raises(CommandError) as refused:
            call_command("audit", "verify", **options)
        assert refused.value.returncode == 2


TAMPERING = {
    "rewritten": (["UPDATE audit_auditevent SET object_id = '99' WHERE seq = 2 AND project_id = {id}"], 2, "changed"),
    "gone": (["DELETE FROM audit_auditevent WHERE seq = 2 AND project_id = {id}"], 2, "missing"),
    "end cut off": (["DELETE FROM audit_auditevent WHERE seq > 3 AND project_id = {id}"], 4, "cut off"),
    "end and head cut off": (
        [
            "DELETE FROM audit_auditevent WHERE seq > 3 AND project_id = {id}",
            "UPDATE audit_audithead h SET seq = 3, hash = e.hash FROM audit_auditevent e"
            " WHERE h.project_id = {id} AND e.project_id = {id} AND e.seq = 3",
        ],
        4,
        "written down outside",
    ),
    "all of it": (
        ["DELETE FROM audit_auditevent WHERE project_id = {id}", "DELETE FROM audit_audithead WHERE project_id = {id}"],
        1,
        "written down outside",
    ),
    "head alone": (["DELETE FROM audit_audithead WHERE project_id = {id}"], 6, "cut off"),
}


@pytest.mark.parametrize("how", TAMPERING)
def test_the_command_says_where_a_chain_is_broken(fresh_db: str, file: Path, how: str) -> None:
    project, other = make_project("acme"), make_project("globex")
    write(project, 5)
    write(other, 2)
    write_heads()
    statements, broken_at, why = TAMPERING[how]
    with as_owner() as execute:
        for statement in statements:
            execute(statement.format(id=project.id))
    code, said = verify()
    assert code == 1
    (broken,) = [line for line in said if line.startswith("BROKEN")]
    assert broken.startswith(f"BROKEN  acme: at event {broken_at}: ") and why in broken
    assert "ok      globex: 2 events, 1 of them as written down elsewhere" in said
    # The page finds the same.
    with bind(project.id):
        check = ChainCheck.objects.create(project_id=project.id, asked_by="user:1", total=5, hash=GENESIS)
    if how not in {"all of it", "head alone", "end cut off", "end and head cut off"}:
        done = check_chain(project_id=project.id, check_id=check.id, seconds=5)
        assert done is not None and done.broken_at == broken_at


def test_the_chain_of_a_project_that_is_gone_is_walked_all_the_same(fresh_db: str, file: Path) -> None:
    project = make_project("acme")
    write(project, 4)
    write_heads()
    with connections["owner"].cursor() as cursor:
        cursor.execute("DELETE FROM tenancy_project WHERE id = %s", [project.id])
    code, said = verify()
    assert code == 0
    assert f"ok      deleted project {project.id}: 4 events, 1 of them as written down elsewhere" in said


@pytest.mark.django_db
def test_the_log_as_a_file(file: Path) -> None:
    project, other = make_project("acme"), make_project("globex")
    write(project, 3)
    write(other, 2)
    out = StringIO()
    call_command("audit", "export", project="acme", stdout=out)
    rows = [json.loads(line) for line in out.getvalue().splitlines()]
    assert [(row["project_id"], row["seq"]) for row in rows] == [(project.id, 1), (project.id, 2), (project.id, 3)]
    assert [row["prev_hash"] for row in rows] == [GENESIS.hex(), rows[0]["hash"], rows[1]["hash"]]
    with bind(project.id):
        event = AuditEvent.objects.latest("seq")
        assert (event.seq, event.verb, event.actor_id) == (4, "audit.export", "operator")
        assert event.data == {"up_to": 3, "filtered": False}


@pytest.mark.django_db
@pytest.mark.parametrize(
    "statement",
    [
        "TRUNCATE audit_auditevent CASCADE",
        "TRUNCATE audit_audithead",
        "TRUNCATE audit_auditevent, audit_audithead",
        "ALTER TABLE audit_auditevent DISABLE TRIGGER ALL",
        "ALTER TABLE audit_auditevent NO FORCE ROW LEVEL SECURITY",
        "DROP TABLE audit_auditevent",
        "INSERT INTO audit_auditevent SELECT * FROM audit_auditevent ON CONFLICT (id) DO UPDATE SET verb = 'x'",
        "SET session_replication_role = replica",
    ],
)
def test_the_application_can_only_append(statement: str) -> None:
    project = make_project()
    write(project, 2)
    refused = pytest.raises(DatabaseError, match=r"permission denied|must be owner")
    with bind(project.id), refused, transaction.atomic(), connection.cursor() as cursor:
        cursor.execute(statement)
    assert walk_chain(project.id, {}).seq == 2
