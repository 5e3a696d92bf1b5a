"""Processes that write at the same moment, each with a client of its own, over HTTP: a fact is there once, and of the values of one
key the last counts and none is lost."""

import json
import os
import subprocess
import sys
from contextlib import ExitStack
from itertools import pairwise
from typing import Any

from memoryplane_client import Client

from apps.core.transactions import bind
from apps.facts.models import Fact
from tests.factories import make_key, make_project
from tests.faults import writer
from tests.faults.scale import report, scaled
from tests.live import Live
from tests.servers import ROOT

SCOPES = ["agent:write", "facts:read", "facts:read:user", "facts:read:all", "facts:history", "facts:write"]


def at_once(url: str, key: str, processes: int, values: int, first: int = 0) -> list[dict[str, Any]]:
    """What each of them was answered; none begins before all of them are there."""
    with ExitStack() as stack:
        there = [
            stack.enter_context(
                subprocess.Popen(
                    [sys.executable, "-m", "tests.faults.writer", url, str(number), str(values)],
                    cwd=ROOT,
                    env={**os.environ, "MP_KEY": key, "PYTHONPATH": str(ROOT / "clients" / "python")},
                    stdin=subprocess.PIPE,
                    stdout=subprocess.PIPE,
                    text=True,
                )
            )
            for number in range(first, first + processes)
        ]
        for one in there:
            assert one.stdout is not None and one.stdout.readline() == "ready\n"
        for one in there:
            assert one.stdin is not None
            one.stdin.write("now\n")
            one.stdin.flush()
        said = [json.loads(one.communicate()[0]) for one in there]
        assert [one.returncode for one in there] == [0] * processes
    return said


def test_one_fact_and_one_key_for_all_of_them(server: Live) -> None:
    processes, values = scaled("PROCESSES", 8, 50), scaled("VALUES", 2, 8)
    project = make_project("acme")
    key = make_key(project, SCOPES, write_mode="direct")[1]
    said = at_once(server.url, key, processes, values)
    writes = sorted((write for one in said for write in one["writes"]), key=lambda write: write[1])
    with bind(project.id):
        facts = list(Fact.objects.in_project(project.id).filter(content=writer.FACT).values_list("id", flat=True))
        rows = list(Fact.objects.in_project(project.id).filter(key=writer.PLACE[2]).order_by("id"))
        assert [(row.superseded_by_id, row.retired_at) for row in rows] == [
            *((row.id, None) for row in rows[1:]),
            (None, None),
        ]
    assert len(facts) == 1 and {one["id"] for one in said} == set(facts)
    # Each value is a version, once.
    assert sorted(row.value for row in rows) == sorted(value for value, *_ in writes)
    # Whoever began after somebody else was done stands after him.
    place = {row.value: number for number, row in enumerate(rows)}
    turned = [
        (earlier[0], later[0])
        for number, later in enumerate(writes)
        for earlier in writes[:number]
        if earlier[2] < later[1] and place[earlier[0]] > place[later[0]]
    ]
    assert turned == []
    with Client(server.url, key) as client:
        assert client.get_memory(*writer.PLACE).value == rows[-1].value
    overlapping = sum(a[2] > b[1] for a, b in pairwise(writes))
    assert overlapping > 0
    report(
        "many processes at once",
        processes=processes,
        ids_of_one_fact=len(facts),
        values=len(writes),
        lost=len(writes) - len(rows),
        out_of_order=len(turned),
        that_overlapped=overlapping,
    )


def test_tool_calls_of_one_turn_on_one_key(server: Live) -> None:
    """A model's parallel calls, each a process: sixteen of them, turn after turn."""
    turns = scaled("TURNS", 1, 10)
    project = make_project("acme")
    key = make_key(project, SCOPES, write_mode="direct")[1]
    for turn in range(turns):
        said = at_once(server.url, key, 16, 1, first=16 * turn)
        with bind(project.id):
            rows = list(Fact.objects.in_project(project.id).filter(key=writer.PLACE[2]).order_by("id"))
        made, here = [row.value for row in rows], {one["writes"][0][0] for one in said}
        assert len(made) == 16 * (turn + 1) and set(made[-16:]) == here
        assert [row.superseded_by_id for row in rows] == [*(row.id for row in rows[1:]), None]
        with Client(server.url, key) as client:
            assert client.get_memory(*writer.PLACE).value == made[-1]
    report("tool calls at once", calls=16 * turns, versions=len(rows), lost=16 * turns - len(rows))
