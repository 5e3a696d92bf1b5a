"""Helpers for tests of how the product is started: programs of their own, on data folders of their own."""

import os
import shutil
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

from memoryplane.embedded.home import ROOTS_HOME
from tests.servers import PREFIXES, ROOT


@pytest.fixture
def var(tmp_path: Path) -> Iterator[Path]:
    """A var folder; what root's servers keep for it elsewhere goes after the test."""
    folder = tmp_path / "var"
    yield folder
    data = (folder / "data").resolve()
    if data.parent == ROOTS_HOME:
        shutil.rmtree(data)


def bare_environment(var: Path, **more: str) -> dict[str, str]:
    """No setting of the test run reaches the program."""
    rest = {name: value for name, value in os.environ.items() if not name.startswith(PREFIXES)}
    return {**rest, "MEMORYPLANE_VAR": str(var), **more}


def up(var: Path, *arguments: str, **environment: str) -> "subprocess.CompletedProcess[str]":
    """`manage.py up` to its end: for starts that are refused."""
    return subprocess.run(
        [sys.executable, str(ROOT / "manage.py"), "up", *arguments],
        env=bare_environment(var, **environment),
        stdin=subprocess.DEVNULL,
        capture_output=True,
        text=True,
        timeout=60,
    )
