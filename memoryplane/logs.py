"""One readable log. It holds ids, counts and codes, never memory text, query text or keys."""

import logging.config
import re
import sys
import traceback
from collections.abc import Iterator, MutableMapping
from typing import Any

import structlog

from apps.core.request_id import current_request_id, traceable


def _with_request_id(logger: Any, method: str, event: MutableMapping[str, Any]) -> MutableMapping[str, Any]:
    if request_id := current_request_id():
        event.setdefault("request_id", traceable(request_id))
    return event


FRAMES = 25


class WithoutText(logging.Filter):
    """Takes out of what libraries log whatever somebody may have sent: Django's paths give way to their routes, Celery's
    account of an exception to its kind, and its account of a message that no task takes to that task's name."""

    def filter(self, record: logging.LogRecord) -> bool:
        if record.name.startswith("django.security."):
            # Its words repeat the host or the path that was asked for; its name is the kind of the refusal.
            record.msg, record.args = "refused: %s", (record.name.rpartition(".")[2],)
        request = getattr(record, "request", None)
        if request is not None and isinstance(record.args, tuple):
            route = getattr(getattr(request, "resolver_match", None), "route", None)
            record.args = tuple(
                (f"/{route}" if route else "a path that leads nowhere") if _is_path(one, request) else one
                for one in record.args
            )
        elif isinstance(record.args, dict) and "exc" in record.args:
            kind = record.exc_info[0] if record.exc_info else None
            named = kind.__name__ if kind else str(record.args["exc"]).partition("(")[0]
            record.args = {**record.args, "exc": named, "traceback": "", "args": "", "kwargs": ""}
        elif record.name == "celery.worker.consumer.consumer" and "message body" in str(record.msg):
            name = str(record.args[0]).strip("'\"") if isinstance(record.args, tuple) and record.args else ""
            record.msg, record.exc_info = "A message was thrown away that no task here takes: %s", None
            record.args = (name if re.fullmatch(r"[a-z_.]{1,80}", name) else "unreadable",)
        return True


def _is_path(value: object, request: Any) -> bool:
    path = getattr(request, "path", "")
    return isinstance(value, str) and bool(path) and path.encode("unicode_escape").decode("ascii") in value


def where(logger: Any, method: str, event: MutableMapping[str, Any]) -> MutableMapping[str, Any]:
    """Where an error came from, and never what it says: its text may repeat what somebody told. Codes stay."""
    given = event.pop("exc_info", None)
    error = (
        given if isinstance(given, BaseException) else (sys.exc_info() if given is True else given or (None,) * 3)[1]
    )
    if isinstance(error, BaseException):
        event["exception"] = "\n".join(_lines(error))
    return event


def _lines(error: BaseException | None) -> Iterator[str]:
    seen: set[int] = set()
    while error is not None and id(error) not in seen:
        seen.add(id(error))
        yield f"{type(error).__module__}.{type(error).__qualname__}{''.join(f' {one}' for one in _codes(error))}"
        for frame in traceback.extract_tb(error.__traceback__)[-FRAMES:]:
            yield f"  {frame.filename}:{frame.lineno} in {frame.name}"
        error = error.__cause__ or (None if error.__suppress_context__ else error.__context__)


def _codes(error: BaseException) -> Iterator[str]:
    """Ours, and the database's: an SQLSTATE and the name of a constraint."""
    diagnosis = getattr(error, "diag", None)
    for code in (
        getattr(error, "code", None),
        getattr(error, "sqlstate", None),
        getattr(diagnosis, "constraint_name", None),
    ):
        if isinstance(code, str) and re.fullmatch(r"\w{1,80}", code):
            yield code


def configure(options: dict[str, Any]) -> None:
    """Django's LOGGING_CONFIG: standard logging and structlog end in one stream on standard error."""
    shared: list[Any] = [
        structlog.contextvars.merge_contextvars,
        _with_request_id,
        structlog.stdlib.add_log_level,
        structlog.stdlib.add_logger_name,
        structlog.processors.TimeStamper(fmt="iso", utc=True),
        where,
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
            "filters": {"without_text": {"()": WithoutText}},
            "handlers": {"stderr": {"class": "logging.StreamHandler", "formatter": "one", "filters": ["without_text"]}},
            "root": {"handlers": ["stderr"], "level": "INFO"},
            "loggers": {
                "django.db.backends": {"level": "WARNING"},
                "celery.beat": {"level": "WARNING"},
                "celery.app.trace": {"level": "WARNING"},
                "celery.worker.strategy": {"level": "WARNING"},
            },
        }
    )
