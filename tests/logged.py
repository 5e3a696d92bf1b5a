"""What our own loggers wrote during a test."""

from typing import Any

import pytest


def told(caplog: pytest.LogCaptureFixture) -> list[dict[str, Any]]:
    """The lines in order, each with its `event`. Read from standard logging: a logger of structlog keeps the processors
    that were set up when it first spoke, so structlog's own `capture_logs` misses it after any test that sets logs up."""
    return [record.msg for record in caplog.records if isinstance(record.msg, dict)]
