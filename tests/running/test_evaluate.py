"""`manage.py evaluate` as it is called: servers of its own, a model over HTTP, exit codes that mean something."""

import json
import os
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from tests.answering import answers_from_its_prompt
from tests.model_server import ModelServer
from tests.servers import ROOT

CASES = [
    {"name": "owner", "question": "Who is the release owner?", "expected": ["Chen"], "memories": [
        {"content": "The release owner is Mira.", "is": "stale", "betrayed_by": ["Mira"], "superseded_by": 2},
        {"content": "The release owner is Chen."}]},
    {"name": "colour", "question": "What is the colour of the van?", "expected": ["green"],
     "memories": [{"content": "The colour of the van is green."}]},
    {"name": "unsaid", "question": "What is the height of the tower?", "outcome": "unknown",
     "memories": [{"content": "The bridge is closed."}]},
]  # fmt: skip
TALK = {
    "sample_id": "talk-one",
    "conversation": {"session_1_date_time": "1:00 pm on 8 May, 2023"},
    "observation": {
        "session_1_observation": {
            "Ann": [["Ann plays the cello on Fridays.", "D1:1"], ["Ann sold her old bicycle.", "D1:3"]],
            "Bob": [["Bob is learning to bake rye bread.", ["D1:2", "D1:4"]]],
        }
    },
    "qa": [
        {"question": "Which instrument does Ann play?", "category": 4, "evidence": ["D1:1"]},
        {"question": "What is Bob learning to bake?", "category": 4, "evidence": ["D1:2"]},
    ],
}


@pytest.fixture
def server() -> Iterator[ModelServer]:
    with ModelServer() as server:
        server.script(answers_from_its_prompt)
        yield server


def evaluate(*arguments: str | Path, **environment: str) -> "subprocess.CompletedProcess[str]":
    """With the settings of the test run, as in an installation; nothing is written there."""
    return subprocess.run(
        [sys.executable, str(ROOT / "manage.py"), "evaluate", *map(str, arguments)],
        env={**os.environ, **environment},
        stdin=subprocess.DEVNULL,
        capture_output=True,
        text=True,
        timeout=180,
    )


def written(tmp_path: Path, cases: list[dict[str, Any]]) -> Path:
    path = tmp_path / "cases.jsonl"
    path.write_text("".join(json.dumps(case) + "\n" for case in cases))
    return path


def test_usefulness_is_the_difference_that_the_facts_make(tmp_path: Path, server: ModelServer) -> None:
    model = {"MEMORYPLANE_LLM_BASE_URL": server.url, "MEMORYPLANE_LLM_MODELS": "scripted=scripted-1"}
    path = written(tmp_path, CASES)
    done = evaluate("usefulness", "--cases", path, "--goal", "0.6", **model)
    lines = [line.split() for line in done.stdout.splitlines()]
    assert done.returncode == 0, done.stderr
    assert lines[0][:4] == ["3", "cases,", "model", "scripted,"]
    assert ["with", "the", "facts", "1.000", *["0"] * 6] in lines
    assert ["without", "0.333", *["0"] * 6] in lines
    assert lines[-1] == ["difference", "+0.667", "goal", ">=", "0.6", "ok"]
    assert len(server.requests) == 6


def test_a_file_or_a_model_that_won_t_do_is_refused_before_any_server_starts(tmp_path: Path) -> None:
    path = written(tmp_path, [{**CASES[0], "expected": []}, {**CASES[1], "answer": "green"}])
    done = evaluate("usefulness", "--cases", path)
    assert (done.returncode, done.stdout) == (1, "")
    assert done.stderr.splitlines() == [
        "CommandError: The file of cases can't be used as it is.",
        "Line 1: Say what a right answer holds. (/expected)",
        "Line 2: There is no such field. (/answer)",
    ]
    done = evaluate("usefulness", "--cases", written(tmp_path, CASES))
    assert (done.returncode, done.stdout) == (1, "")
    assert "No chat model is configured" in done.stderr
    assert "between 0 and 1" in evaluate("usefulness", "--goal", "7").stderr
    assert "no file" in evaluate("locomo", "--data", tmp_path / "away.json").stderr


def test_locomo_says_how_far_up_the_evidence_comes_and_leaves_out_stores_it_can_t_have(tmp_path: Path) -> None:
    path = tmp_path / "talks.json"
    path.write_text(json.dumps([TALK]))
    # A place where no environment can be made: a file.
    (tmp_path / "venvs").write_text("")
    done = evaluate("locomo", "--data", path, "--peers", PEER_VENVS=str(tmp_path / "venvs"))
    assert done.returncode == 0, done.stderr
    lines = done.stdout.splitlines()
    assert lines[0] == "3 facts in 1 conversations"
    for peer in ("fastaiagent 1.94.0", "mem0ai 2.2.1"):
        (said,) = [line for line in lines if line.startswith(f"{peer} can't be installed here: ")]
        assert said.endswith(" It is left out.")
    (hybrid,) = [line for line in lines if line.startswith("hybrid (default)")]
    assert hybrid.split()[2:6] == ["2", "1.000", "1.000", "1.000"]
