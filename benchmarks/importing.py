"""A hundred thousand lines brought in: memory stays flat, nothing twice, nothing lost, and what was forgotten stays so.

Goals: the process that reads and writes grows by at most 48 MB over what it took after the first batch; as many facts as the file
has different lines; exported and brought into an empty project: equal sets; of people erased after the export: 0 facts come
back; at most a statement for twenty lines that are told at once, those for people who are met for the first time among them, and half
of the CPU that one by one takes; no batch reads what came before it. Controls that have to fail: `held` keeps every batch in memory,
`unburied` asks no tombstone, `doubled` forgets its position, `single` appends fact by fact, `planned` keeps the plans of an empty
table.
"""

import argparse
import json
import os
import sys
import tempfile
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from results import Board, write  # type: ignore[import-not-found]
from servers import migrated  # type: ignore[import-not-found]

PEOPLE = 500
MOST_MB = 48
MOST_STATEMENTS, MOST_CPU = 0.05, 0.5
MOST_ENTRIES = 100
"""Entries of indexes of facts: some for each line. Each of the first thousand reads those before it, so that a short run has more."""
TOPICS = ["tea", "trains", "email", "jazz", "chess", "rowing", "lamps", "maps", "bread", "rain"]


def lines(many: int) -> Iterator[dict[str, Any]]:
    """Different statements of some people and of the project; each hundredth says the one before it again."""
    for n in range(many):
        said = n - 1 if n % 100 == 99 else n
        person = said % PEOPLE
        yield {
            "content": f"Note {said}: prefers {TOPICS[said % 10]} on day {said % 365}.",
            "scope": "project" if said % 10 == 0 else "user",
            "scope_id": "bench" if said % 10 == 0 else f"person-{person}",
            "observed_at": "2026-01-05T09:00:00+00:00",
            "sensitivity": "internal",
        }


def resident() -> float:
    """MB that this process has in memory now."""
    pages = int(Path("/proc/self/statm").read_text().split()[1])
    return pages * os.sysconf("SC_PAGE_SIZE") / 2**20


def bring_in(project: Any, path: Path, watch: list[float], control: str, sent: list[int] | None = None) -> Any:
    """From the file to the last batch, as the command does it; ``watch`` gets the memory after the file was read and after each
    batch, ``sent`` the number of statements of the run itself."""
    from django.db import connection

    from apps.access.actor import system_actor
    from apps.core.transactions import bind
    from apps.exchange.actions.check_import import check_import
    from apps.exchange.actions.start_import import start_import
    from apps.exchange.actions.upload_import import upload_import
    from apps.exchange.actions.work_import import work_import
    from apps.exchange.leases import claim_import
    from apps.exchange.models import Import
    from apps.exchange.queries import the_import

    begun = time.monotonic()
    kept: list[Any] = []

    def note(upload: Any) -> None:
        watch.append(resident())
        if control == "held":
            kept.append([f"{upload.position} {n}" * 10 for n in range(10_000)])
        if control == "doubled" and upload.state == "running" and upload.position == 1_000 and not kept:
            kept.append("once")
            with bind(project.id):
                Import.objects.filter(id=upload.id).update(position=500)

    actor = system_actor("exchange", project.id)
    who = {"actor": actor, "project_id": project.id}
    with path.open("rb") as file:
        upload = upload_import(**who, name=path.name, file=file)
    for step in (check_import, start_import):
        options = {"direct": True} if step is check_import else {}
        step(**who, import_id=upload.id, **options)  # type: ignore[operator]
        claim = claim_import(project_id=project.id, import_id=upload.id)
        assert claim is not None
        if sent is None or step is check_import:
            work_import(claim=claim, seconds=float("inf"), progress=note)
            continue
        sent.append(0)

        def counted(execute: Any, *given: Any) -> Any:
            sent[0] += 1
            return execute(*given)

        with connection.execute_wrapper(counted):
            work_import(claim=claim, seconds=float("inf"), progress=note)
    print(f"  {path.name}: {upload.lines:,} lines in {time.monotonic() - begun:.0f} s", flush=True)
    with bind(project.id):
        return the_import(project.id, upload.id)


def entries_read() -> int:
    """By everything since the servers began; foreign keys are looked up too."""
    from django.db import connection

    with connection.cursor() as cursor:
        # This session tells what it read with its next transaction.
        cursor.execute("SELECT pg_stat_force_next_flush()")
        cursor.execute("SELECT sum(idx_tup_read)::bigint FROM pg_stat_user_indexes WHERE relname = 'facts_fact'")
        return int(cursor.fetchone()[0])


def one_by_one(*, project_id: int, rows: Any, approved_by: str) -> list[tuple[int, bool]]:
    """What `append_facts` does, fact by fact."""
    from apps.facts.append import append_row

    return [append_row(project_id=project_id, row=row, approved_by=approved_by) for row in rows]


def of_the_cpu(project: Any) -> float:
    """What Python spends on facts that are appended together, of what it spends on them one by one; in turns."""
    from apps.core.transactions import bind
    from apps.exchange import writing
    from apps.facts.append import Origin, Placed, Row
    from apps.facts.statement import Statement

    spent = [0.0, 0.0]
    for turn in range(8):
        placed = Placed(project.slug, None, None)
        rows = [
            Row(Statement(content=f"Turn {turn} of note {n}.", scope="project"), placed, Origin(source="import"))
            for n in range(500)
        ]
        way = (writing.append_facts, one_by_one)[turn % 2]
        begun = time.process_time()
        with bind(project.id):
            way(project_id=project.id, rows=rows, approved_by="system:bench")
        spent[turn % 2] += time.process_time() - begun
    return spent[0] / spent[1]


def contents(project: Any) -> set[tuple[str, str, str]]:
    """What is told, place and words; the project's own slug apart."""
    from apps.core.transactions import bind
    from apps.facts.models import Fact

    with bind(project.id):
        rows = Fact.objects.in_project(project.id).active().values_list("scope", "scope_id", "content")
        return {(scope, "" if scope == "project" else scope_id, said) for scope, scope_id, said in rows.iterator()}


def export(project: Any, path: Path) -> None:
    """As `manage.py export` writes it."""
    from apps.core.transactions import bind
    from apps.exchange.export import as_lines, rows_of
    from apps.facts.models import Fact

    with bind(project.id):
        ids = list(Fact.objects.in_project(project.id).active().order_by("id").values_list("id", flat=True))
    with path.open("w", encoding="utf-8") as file:
        file.writelines(as_lines(rows_of(project.id, ids, ("public", "internal", "personal", "special"))))


def run(many: int, control: str) -> Board:
    """Every figure beside its goal."""
    from apps.access.actions.create_project import create_project
    from apps.access.actor import system_actor
    from apps.core.clock import now
    from apps.core.transactions import bind, local_setting
    from apps.exchange import judging, writing
    from apps.exchange.actions import carry_on_import
    from apps.facts.models import Fact
    from apps.tenancy import tombstones

    board = Board()
    first, second = (
        create_project(actor=system_actor("setup"), slug=slug, name=slug.title()) for slug in ("bench", "empty")
    )
    new = many - many // 100
    with tempfile.TemporaryDirectory() as folder:
        path, taken = Path(folder, "lines.jsonl"), Path(folder, "taken.jsonl")
        with path.open("w", encoding="utf-8") as file:
            file.writelines(json.dumps(line) + "\n" for line in lines(many))
        watch: list[float] = []
        sent: list[int] = []
        if control == "single":
            writing.append_facts = one_by_one
        if control == "planned":
            carry_on_import._plan_anew = lambda: None
        upload = bring_in(first, path, watch, control, sent)
        board.at_most("statements a line of the run", sent[0] / many, MOST_STATEMENTS)
        board.at_most("entries of indexes of facts that a line reads", entries_read() / many, MOST_ENTRIES)
        board.at_most(f"memory grown over {many:,} lines", max(watch) - watch[0], MOST_MB, unit="MB")
        told = contents(first)
        board.at_most("lines whose statement is not told, or more than the file has", abs(new - len(told)), 0)
        board.at_most(
            "lines counted wrong", abs(upload.counts["new"] - new) + abs(upload.counts["known"] - many + new), 0
        )
        export(first, taken)
        bring_in(second, taken, [], "")
        board.at_most("facts that differ after export and import", len(told ^ contents(second)), 0)
        gone = {f"person-{n}" for n in range(1, PEOPLE, 10)}
        with bind(first.id), local_setting("app.erasing", "request:0"):
            digests = {tombstones.subject_digest(first.id, "user", name) for name in gone}
            tombstones.bury(first.id, "subject", digests, until=now())
            erased = Fact.objects.filter(project_id=first.id, scope_id__in=gone)._raw_delete("default")
        if control == "unburied":
            judging.buried = lambda project_id, digests: set()
        suppressed = suppressed_of(first, taken)
        board.note(f"facts that {len(gone)} people had when they were erased", erased)
        back = sum(scope_id in gone for _, scope_id, _ in contents(first))
        board.at_most("of these, that came back from the export", back, 0)
        board.at_most("lines of theirs that were not counted as suppressed", abs(erased - suppressed), 0)
        board.at_most("CPU of facts appended together, of one by one", of_the_cpu(second), MOST_CPU)
    return board


def suppressed_of(project: Any, path: Path) -> int:
    """Once more, where all but what was erased is known."""
    from apps.core.errors import Conflict
    from apps.core.transactions import bind
    from apps.exchange.models import Import

    try:
        upload = bring_in(project, path, [], "")
    except Conflict:
        # Nothing in it would be taken in: what the dry run said is the answer.
        with bind(project.id):
            upload = Import.objects.latest("id")
    return int((upload.counts or upload.forecast)["suppressed"])


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--lines", type=int, default=100_000)
    parser.add_argument(
        "--control", nargs="?", const="held", default="", choices=["held", "unburied", "doubled", "single", "planned"]
    )
    given = parser.parse_args()
    with migrated():
        board = run(given.lines, given.control)
        write("importing", board, 0, control=bool(given.control))
    return 1 if board.failed else 0


if __name__ == "__main__":
    sys.exit(main())
