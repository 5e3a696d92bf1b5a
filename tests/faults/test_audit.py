"""Many writers on one chain, what is tampered with, and a chain of a million events that is walked.

Each has a broken twin that has to fail: a chain without the lock of its head, one whose lock is taken early, one without a
second place, a walk that holds all of it at once.
"""

import json
import os
import random
import subprocess
import sys
from collections import Counter
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager, nullcontext
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import pytest
from django.conf import settings as product
from django.db import IntegrityError, OperationalError, connection, connections

from apps.access.actor import Actor
from apps.audit.actions import record as recording
from apps.audit.actions.record import record
from apps.audit.chain import GENESIS, event_hash
from apps.audit.heads import read_heads, signed_heads, write_heads
from apps.audit.models import AuditEvent, AuditHead
from apps.audit.queries import HASHED
from apps.audit.walking import walk_chain
from apps.core.errors import Conflict, Invalid
from apps.core.transactions import bind
from apps.curation.actions.change_facts import change_facts
from apps.curation.actions.edit_fact import edit_fact
from apps.facts.handling import Handling
from apps.facts.models import Fact
from apps.facts.statement import Statement
from apps.tenancy.models import Project
from tests.factories import make_fact, make_project, user_actor
from tests.faults.scale import SEED, report, scaled
from tests.servers import ROOT

WRITERS = scaled("AUDIT_WRITERS", 8, 20)
ROWS = scaled("AUDIT_ROWS", 40, 1_000)
ROUNDS = scaled("AUDIT_ROUNDS", 25, 250)
EVENTS = scaled("AUDIT_EVENTS", 20_000, 1_000_000)
MOST_MORE = 16
"""Megabytes that the long walk may take beyond the short one."""
ACTOR = Actor(kind="system", id="test")
LOCK = " FOR UPDATE"


@pytest.fixture
def project(fresh_db: str, settings: Any, tmp_path: Path) -> Project:
    settings.AUDIT_HEADS = tmp_path / "heads.jsonl"
    return make_project("acme")


def together(count: int, work: Callable[[int], Counter[str]]) -> Counter[str]:
    """What ``work`` counted in each of so many threads, with a connection each."""

    def one(number: int) -> Counter[str]:
        try:
            return work(number)
        finally:
            connections.close_all()

    with ThreadPoolExecutor(count) as pool:
        return sum(pool.map(one, range(count)), Counter())


# --- one chain, many writers -----------------------------------------------------------------------------------------


@pytest.mark.parametrize("locked", [True, False], ids=["as it is", "control: no lock on the head"])
def test_writers_make_one_chain_without_a_gap(project: Project, locked: bool) -> None:
    def unlocked(execute: Any, sql: str, params: Any, many: bool, context: Any) -> Any:
        return execute(sql.replace(LOCK, "") if "audit_audithead" in sql else sql, params, many, context)

    def work(writer: int) -> Counter[str]:
        seen: Counter[str] = Counter()
        with nullcontext() if locked else connection.execute_wrapper(unlocked):
            for number in range(ROWS):
                try:
                    with bind(project.id):
                        record(actor=ACTOR, verb="facts.add", object_type="fact", object_id=f"{writer}-{number}")
                    seen["written"] += 1
                except IntegrityError:
                    seen["refused"] += 1
        return seen

    seen = together(WRITERS, work)
    walk = walk_chain(project.id, {})
    with bind(project.id):
        numbers = list(AuditEvent.objects.order_by("seq").values_list("seq", flat=True))
        gaps = len(set(range(1, AuditHead.objects.get().seq + 1)) - set(numbers))
        objects = AuditEvent.objects.values("object_id").distinct().count()
    report(
        "audit, one chain" if locked else "audit, one chain (control: no lock)",
        writers=WRITERS,
        rows=WRITERS * ROWS,
        refused=seen["refused"],
        gaps=gaps,
        broken=int(walk.broken_at is not None),
    )
    if locked:
        assert (seen, gaps, walk.broken_at) == (Counter(written=WRITERS * ROWS), 0, None)
        assert walk.seq == objects == len(numbers) == WRITERS * ROWS
    else:
        # Two events on one predecessor are refused by the database, so that acts are lost instead of the chain.
        assert seen["refused"] > 0


@pytest.mark.parametrize("late", [True, False], ids=["as it is", "control: appended at once"])
def test_nested_verbs_on_hot_facts_never_wait_for_each_other(
    project: Project, monkeypatch: pytest.MonkeyPatch, late: bool
) -> None:
    for number in range(10):
        make_fact(project, f"Hot fact number {number}.")
    curator = user_actor(project, "curator")
    if not late:
        monkeypatch.setattr(recording, "on_before_commit", lambda append: append())
    with bind(project.id):
        before = AuditHead.objects.get().seq

    def work(writer: int) -> Counter[str]:
        seen: Counter[str] = Counter()
        dice = random.Random(SEED * 100 + writer)
        for turn in range(ROUNDS):
            with bind(project.id):
                hot = list(Fact.objects.filter(superseded_by=None).order_by("id").values_list("id", "content"))
            try:
                if dice.random() < 0.5:
                    some = [number for number, _ in dice.sample(hot, 5)]
                    kind: Any = dice.choice(["pin", "unpin", "disable", "enable"])
                    change_facts(actor=curator, project_id=project.id, fact_ids=some, wish=Handling(kind=kind))
                else:
                    # Two verbs in one transaction, each with another inside.
                    with bind(project.id):
                        for number, content in sorted(dice.sample(hot, 2)):
                            said = f"{content.split(' (')[0]} ({writer}, {turn})"
                            statement = Statement(content=said, scope="project", scope_id="acme")
                            edit_fact(actor=curator, project_id=project.id, fact_id=number, statement=statement)
                seen["done"] += 1
            except (Conflict, Invalid):
                seen["moved"] += 1
            except OperationalError as error:
                state = getattr(error.__cause__, "sqlstate", "")
                seen["deadlocks" if state == "40P01" else f"errors {state}"] += 1
        return seen

    seen = together(8, work)
    walk = walk_chain(project.id, {})
    report(
        "audit, nested verbs" if late else "audit, nested verbs (control: appended at once)",
        writers=8,
        facts=10,
        done=seen["done"],
        moved=seen["moved"],
        deadlocks=seen["deadlocks"],
    )
    assert walk.broken_at is None and walk.seq > before
    assert seen["done"] > 0
    if late:
        assert set(seen) <= {"done", "moved"}
    else:
        assert seen["deadlocks"] > 0


# --- what is tampered with -------------------------------------------------------------------------------------------

TAMPERING = {
    "flipped": (["UPDATE audit_auditevent SET object_id = '99' WHERE seq = 50"], 50),
    "deleted": (["DELETE FROM audit_auditevent WHERE seq = 50"], 50),
    "swapped": (
        [
            "UPDATE audit_auditevent SET seq = 1000 WHERE seq = 50",
            "UPDATE audit_auditevent SET seq = 50 WHERE seq = 51",
            "UPDATE audit_auditevent SET seq = 51 WHERE seq = 1000",
        ],
        50,
    ),
    "cut": (["DELETE FROM audit_auditevent WHERE seq > 80"], 81),
}


@contextmanager
def as_owner(project: Project) -> Iterator[Callable[..., None]]:
    """Statements of somebody who has the database whole."""
    with connections["owner"].cursor() as cursor:
        cursor.execute("ALTER TABLE audit_auditevent DISABLE TRIGGER USER")
        yield lambda statement, *values: cursor.execute(f"{statement} AND project_id = {project.id}", values)
        cursor.execute("ALTER TABLE audit_auditevent ENABLE TRIGGER USER")


def written(project: Project, count: int) -> None:
    for number in range(count):
        with bind(project.id):
            record(actor=ACTOR, verb="facts.add", object_type="fact", object_id=number)


def test_what_is_tampered_with_is_found(fresh_db: str, settings: Any, tmp_path: Path) -> None:
    settings.AUDIT_HEADS = tmp_path / "heads.jsonl"
    found = 0
    for what, (statements, broken_at) in TAMPERING.items():
        project = make_project(what)
        written(project, 100)
        assert walk_chain(project.id, {}).broken_at is None
        with as_owner(project) as tamper:
            for statement in statements:
                tamper(statement)
        assert walk_chain(project.id, {}).broken_at == broken_at, what
        found += 1
    report("audit, tampering", found=f"{found} of {len(TAMPERING)}")
    assert found == 4


def test_a_cut_that_moves_the_head_too_is_found_in_the_second_place(project: Project) -> None:
    written(project, 100)
    write_heads()
    with bind(project.id):
        at_80 = bytes(AuditEvent.objects.get(seq=80).hash)
    with as_owner(project) as tamper:
        tamper("DELETE FROM audit_auditevent WHERE seq > 80")
        tamper("UPDATE audit_audithead SET seq = 80, hash = %s WHERE true", at_80)
    without, with_it = walk_chain(project.id, {}), walk_chain(project.id, signed_heads(project.id))
    report(
        "audit, end cut off with its head",
        found_by_the_second_place=int(with_it.broken_at == 81),
        control_without_it=int(without.broken_at is not None),
    )
    assert (with_it.broken_at, without.broken_at) == (81, None)


def test_a_chain_written_anew_with_the_key_is_found_in_the_second_place(project: Project) -> None:
    written(project, 20)
    write_heads()
    with bind(project.id):
        events = list(AuditEvent.objects.order_by("seq"))
    previous = GENESIS
    with as_owner(project) as tamper:
        for event in events:
            values = {name: getattr(event, name) for name in HASHED} | {"at": event.at.astimezone(UTC)}
            if event.seq == 7:
                values["object_id"] = "99"
            digest = event_hash(values, previous)
            tamper(
                "UPDATE audit_auditevent SET object_id = %s, prev_hash = %s, hash = %s WHERE seq = %s",
                *(values["object_id"], previous, digest, event.seq),
            )
            previous = digest
        tamper("UPDATE audit_audithead SET hash = %s WHERE true", previous)
    without, with_it = walk_chain(project.id, {}), walk_chain(project.id, signed_heads(project.id))
    report(
        "audit, written anew with the key",
        found_by_the_second_place=int(with_it.broken_at == 20),
        control_without_it=int(without.broken_at is not None),
    )
    assert (with_it.broken_at, without.broken_at) == (20, None)
    assert [number for number, head in read_heads(product.AUDIT_HEADS) if head is None] == []


# --- a long one ------------------------------------------------------------------------------------------------------

WALK = """
import json, pathlib, sys, time
import django
django.setup()
from apps.audit import walking
if sys.argv[3] == "whole":
    walking.CHUNK = 10**9
# The first walk loads what any walk needs.
for project in map(int, sys.argv[1:3]):
    began, walk = time.monotonic(), walking.walk_chain(project, {})
    status = pathlib.Path("/proc/self/status").read_text()
    most = int(status.split("VmHWM:")[1].split()[0]) // 1024
    print(json.dumps([walk.seq, walk.broken_at, most, round(time.monotonic() - began, 1)]), flush=True)
"""


def filled(project: Project, count: int) -> None:
    """Events past the verb, as the owner: a million acts would take an hour."""
    with bind(project.id):
        head = AuditHead.objects.filter(project_id=project.id).first()
    seq, previous = (head.seq, bytes(head.hash)) if head else (0, GENESIS)
    at = datetime(2026, 1, 1, tzinfo=UTC)
    columns = f"{', '.join(HASHED)}, prev_hash, hash"
    with connections["owner"].cursor() as cursor:
        # Row-level security takes no COPY.
        cursor.execute(f"CREATE TEMP TABLE brought AS SELECT {columns} FROM audit_auditevent LIMIT 0")
        with cursor.copy(f"COPY brought ({columns}) FROM STDIN") as copy:
            for _ in range(count):
                seq += 1
                event: dict[str, Any] = {
                    "project_id": project.id,
                    "seq": seq,
                    "at": at,
                    "actor_kind": "key",
                    "actor_id": "7",
                    "verb": "traces.ingest",
                    "object_type": "batch",
                    "object_id": f"{seq:032x}",
                    "reason": "",
                    "request_id": f"{seq:016x}",
                    "result": "done",
                    "data": {"spans": seq % 50, "traces": 1},
                }
                digest = event_hash(event, previous)
                copy.write_row([*({**event, "data": json.dumps(event["data"])}).values(), previous, digest])
                previous = digest
        cursor.execute(f"INSERT INTO audit_auditevent ({columns}) SELECT {columns} FROM brought ORDER BY seq")
        cursor.execute("DROP TABLE brought")
        if head is None:
            cursor.execute(
                "INSERT INTO audit_audithead (project_id, seq, hash) VALUES (%s, %s, %s)", [project.id, seq, previous]
            )
        else:
            cursor.execute(
                "UPDATE audit_audithead SET seq = %s, hash = %s WHERE project_id = %s", [seq, previous, project.id]
            )


@pytest.mark.parametrize("how", ["pieces", "whole"], ids=["as it is", "control: all at once"])
def test_a_long_chain_is_walked_with_memory_flat(fresh_db: str, how: str) -> None:
    few, many = make_project("few"), make_project("many")
    filled(few, 2_500)
    # The control need not fill the machine to show that it grows.
    filled(many, EVENTS if how == "pieces" else min(EVENTS, 40_000))
    done = subprocess.run(
        [sys.executable, "-c", WALK, str(few.id), str(many.id), how],
        cwd=ROOT,
        env=os.environ,
        capture_output=True,
        text=True,
        check=True,
    )
    (_, _, before, _), (events, broken_at, after, seconds) = map(json.loads, done.stdout.splitlines())
    report(
        "audit, a long chain" if how == "pieces" else "audit, a long chain (control: all at once)",
        events=f"{events:,}",
        seconds=seconds,
        megabytes_before=before,
        megabytes_after=after,
    )
    assert broken_at is None and events >= min(EVENTS, 40_000)
    assert (after - before <= MOST_MORE) is (how == "pieces")
