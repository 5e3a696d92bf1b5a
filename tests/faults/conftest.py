"""The counts of a run in its summary."""

import pytest

from tests.faults.scale import WHOLE, counts


def pytest_terminal_summary(terminalreporter: pytest.TerminalReporter) -> None:
    if counts:
        terminalreporter.section("faults, whole" if WHOLE else "faults, in short")
        for line in counts:
            terminalreporter.write_line(line)
