"""A plane of its own for tests that stop its servers, and the counts of a run in its summary."""

from collections.abc import Iterator
from pathlib import Path

import pytest
from pytest_django import DjangoDbBlocker

from tests.faults.plane import Plane, own_plane
from tests.faults.scale import WHOLE, counts


@pytest.fixture
def plane(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, django_db_blocker: DjangoDbBlocker) -> Iterator[Plane]:
    with own_plane(tmp_path, monkeypatch, django_db_blocker) as found:
        yield found


def pytest_terminal_summary(terminalreporter: pytest.TerminalReporter) -> None:
    if counts:
        terminalreporter.section("faults, whole" if WHOLE else "faults, in short")
        for line in counts:
            terminalreporter.write_line(line)
