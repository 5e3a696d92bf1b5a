"""One readable log. It holds ids, counts and codes, never memory text, query text or keys."""

import logging.config
from collections.abc import MutableMapping
from typing import Any

import structlog

from apps.core.request_id import current_request_id


def _with_request_id(logger: Any, method: str, event: MutableMapping[str, Any]) -> MutableMapping[str, Any]:
    if request_id := current_request_id():
        event.setdefault("request_id", request_id)
    return event


def configure(options: dict[str, Any]) -> None:
    """Django's LOGGING_CONFIG: standard logging and structlog end in one stream on standard error."""
    shared: list[Any] = [
        structlog.contextvars.merge_contextvars,
        _with_request_id,
        structlog.stdlib.add_log_level,
        structlog.stdlib.add_logger_name,
        structlog.processors.TimeStamper(fmt="iso", utc=True),
        structlog.processors.format_exc_info,
    ]
    renderer: Any = (
        structlog.processors.JSONRenderer()
        if options["format"] == "json"
        else structlog.dev.ConsoleRenderer(colors=False, pad_event_to=0)
    )
    structlog.configure(
        processors=[*shared, structlog.stdlib.ProcessorFormatter.wrap_for_formatter],
        logger_factory=structlog.stdlib.LoggerFactory(),
        cache_logger_on_first_use=True,
    )
    logging.config.dictConfig(
        {
            "version": 1,
            "disable_existing_loggers": False,
            "formatters": {
                "one": {
                    "()": structlog.stdlib.ProcessorFormatter,
                    "processor": renderer,
                    "foreign_pre_chain": shared,
                }
            },
            "handlers": {"stderr": {"class": "logging.StreamHandler", "formatter": "one"}},
            "root": {"handlers": ["stderr"], "level": "INFO"},
            "loggers": {
                "django.db.backends": {"level": "WARNING"},
                "celery.beat": {"level": "WARNING"},
                "celery.app.trace": {"level": "WARNING"},
                "celery.worker.strategy": {"level": "WARNING"},
            },
        }
    )
