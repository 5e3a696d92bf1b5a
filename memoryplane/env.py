"""Typed settings from the environment.

A value comes from the process environment, then from ``secrets.env`` in the var folder, which ``manage.py up`` writes.
A missing or unreadable value raises ``EnvError``: one sentence that names the variable and never shows its value.
"""

import os
import re
from pathlib import Path
from urllib.parse import parse_qs, unquote, urlsplit

BASE = Path(__file__).resolve().parent.parent

# What this product reads. Any other MEMORYPLANE_ name is a typing error and refuses to start.
KNOWN = {
    "MEMORYPLANE_VAR",
    "MEMORYPLANE_DEBUG",
    "MEMORYPLANE_HTTPS",
    "MEMORYPLANE_ALLOWED_HOSTS",
    "MEMORYPLANE_PUBLIC_URL",
    "MEMORYPLANE_TRUSTED_PROXIES",
    "MEMORYPLANE_SESSION_HOURS",
    "MEMORYPLANE_SESSION_IDLE_MINUTES",
    "MEMORYPLANE_REQUIRE_TOTP",
    "MEMORYPLANE_OIDC_ISSUER",
    "MEMORYPLANE_OIDC_CLIENT_ID",
    "MEMORYPLANE_OIDC_CLIENT_SECRET",
    "MEMORYPLANE_OIDC_NAME",
    "MEMORYPLANE_KEY_PEPPER",
    "MEMORYPLANE_AUDIT_KEY",
    "MEMORYPLANE_TOMBSTONE_KEY",
    "MEMORYPLANE_SINGLE_OPERATOR",
    "MEMORYPLANE_PURGE_WAITS",
    "MEMORYPLANE_PURGE_WINDOW",
    "MEMORYPLANE_PURGE_LOCK_SECONDS",
    "MEMORYPLANE_ERASURE_LOG",
    "MEMORYPLANE_AUDIT_HEADS",
    "MEMORYPLANE_TOMBSTONE_DAYS",
    "MEMORYPLANE_LOG_FORMAT",
    "MEMORYPLANE_SETTLE_SECONDS",
    "MEMORYPLANE_QUIET_SECONDS",
    "MEMORYPLANE_EXTRACT_SLOTS",
    "MEMORYPLANE_EXTRACT_CONNECTIONS",
    "MEMORYPLANE_EXTRACT_MESSAGE_CHARACTERS",
    "MEMORYPLANE_EXTRACT_TRACE_CHARACTERS",
    "MEMORYPLANE_LLM_BASE_URL",
    "MEMORYPLANE_LLM_API_KEY",
    "MEMORYPLANE_LLM_MODELS",
    "MEMORYPLANE_LLM_TIMEOUT",
    "MEMORYPLANE_INJECTION_JUDGE",
    "MEMORYPLANE_EMBEDDER",
    "MEMORYPLANE_EMBED_THREADS",
    "MEMORYPLANE_EMBED_BASE_URL",
    "MEMORYPLANE_EMBED_API_KEY",
    "MEMORYPLANE_EMBED_MODEL",
    "MEMORYPLANE_EMBED_TIMEOUT",
    "MEMORYPLANE_PREVIOUS_EMBED_MODEL",
    "MEMORYPLANE_PREVIOUS_EMBED_BASE_URL",
    "MEMORYPLANE_PREVIOUS_EMBED_API_KEY",
    "MEMORYPLANE_QUERY_EMBED_TIMEOUT",
    "MEMORYPLANE_WEBHOOK_HOSTS",
}
# What `up` prints for an agent's shell. They may stand in the same shell; the server does not read them.
CLIENT = {
    "MEMORYPLANE_URL",
    "MEMORYPLANE_API_KEY",
    "MEMORYPLANE_AGENT",
    "MEMORYPLANE_KEY_NO_FACTS",
}

# An operator's name for a chat model, the server's name (which may hold @ and :), two prices.
MODEL = re.compile(
    r"(?P<name>[a-z0-9][a-z0-9._-]{0,63})=(?P<model>[^\s,=]{1,200}?)"
    r"(?:@(?P<price_in>\d{1,6}(?:\.\d{1,6})?)/(?P<price_out>\d{1,6}(?:\.\d{1,6})?))?"
)


def is_local(host: str | None) -> bool:
    """Whether a host of an address is this machine itself."""
    return host in {"127.0.0.1", "localhost", "::1"}


class EnvError(Exception):
    """A setting is missing or unusable; the text is for the operator."""


def var_dir() -> Path:
    """The folder of everything this installation writes (``MEMORYPLANE_VAR``, else ``var`` beside manage.py)."""
    return Path(os.environ.get("MEMORYPLANE_VAR") or BASE / "var")


def read_secrets(path: Path) -> dict[str, str]:
    """KEY=value lines of a secrets file; an absent file is empty. Raises EnvError for an unreadable one."""
    try:
        lines = path.read_text("utf-8").splitlines()
    except FileNotFoundError:
        return {}
    except OSError as error:
        raise EnvError(f"{path} can't be read: {error.strerror}.") from error
    pairs = (line.split("=", 1) for line in lines if "=" in line and not line.startswith("#"))
    return {name.strip(): value.strip() for name, value in pairs}


class Env:
    """Reader of one environment. Every getter without a default refuses to go on without the value."""

    def __init__(self, environ: dict[str, str], secrets: dict[str, str]) -> None:
        self.values = {**secrets, **{name: value for name, value in environ.items() if value != ""}}
        strangers = sorted(
            name for name in self.values if name.startswith("MEMORYPLANE_") and name not in KNOWN | CLIENT
        )
        if strangers:
            raise EnvError(f"{strangers[0]} is not a setting of memoryplane; see env.production.example.")

    def text(self, name: str, default: str | None = None) -> str:
        value = self.values.get(name, default)
        if value is None:
            if name in {"DATABASE_URL", "DATABASE_APP_URL", "REDIS_URL"}:
                raise EnvError(f"{name} is not set: memoryplane is not running here; start it with `make up`.")
            raise EnvError(f"{name} is not set; `make up` writes it, or see env.production.example.")
        if "change-me" in value:
            raise EnvError(f"{name} still holds the example's placeholder.")
        return value

    def secret(self, name: str) -> str:
        value = self.text(name)
        if len(value) < 50:
            raise EnvError(f"{name} must have at least 50 characters.")
        return value

    def boolean(self, name: str, default: bool) -> bool:
        value = self.values.get(name)
        if value is None:
            return default
        if value not in {"0", "1"}:
            raise EnvError(f"{name} must be 0 or 1.")
        return value == "1"

    def seconds(self, name: str, default: float) -> float:
        value = self.values.get(name)
        if value is None:
            return default
        try:
            number = float(value)
        except ValueError:
            number = -1.0
        if not 0 <= number <= 3600:
            raise EnvError(f"{name} must be a number of seconds from 0 to 3600.")
        return number

    def whole(self, name: str, default: int, *, least: int, most: int) -> int:
        value = self.values.get(name)
        if value is None:
            return default
        number = int(value) if value.isascii() and value.isdigit() and len(value) <= 9 else -1
        if not least <= number <= most:
            raise EnvError(f"{name} must be a whole number from {least} to {most}.")
        return number

    def hours(self, name: str) -> tuple[int, int] | None:
        """A part of the day, "2-5" or over midnight "22-4", as (from, to) in whole hours; None when nothing is said."""
        value = self.text(name, "")
        if not value:
            return None
        first, _, last = value.partition("-")
        if not (first.isdecimal() and last.isdecimal() and value.isascii() and len(value) <= 5):
            raise EnvError(f"{name} must look like 2-5: two hours of the day.")
        begin, end = int(first), int(last) % 24
        if begin > 23 or int(last) > 24 or begin == end:
            raise EnvError(f"{name} must name two different hours from 0 to 24.")
        return begin, end

    def choice(self, name: str, default: str, choices: tuple[str, ...]) -> str:
        value = self.values.get(name, default)
        if value not in choices:
            raise EnvError(f"{name} must be one of {', '.join(choices)}.")
        return value

    def names(self, name: str, default: list[str]) -> list[str]:
        value = self.values.get(name)
        if value is None:
            return default
        return [part.strip() for part in value.split(",") if part.strip()]

    def url(self, name: str, default: str) -> str:
        """An http(s) address without a slash at its end; a name and password in it would end up in logs."""
        value = self.text(name, default).rstrip("/")
        url = urlsplit(value)
        if value and (url.scheme not in {"http", "https"} or not url.hostname or "@" in url.netloc):
            raise EnvError(f"{name} must look like https://host/v1, without a user and password in it.")
        return value

    def models(self, name: str) -> list[tuple[str, str, float | None, float | None]]:
        """``name=model@in/out,…`` as (name, model, price in, price out); prices are per million tokens, or left out."""
        models: list[tuple[str, str, float | None, float | None]] = []
        for part in self.names(name, []):
            match = MODEL.fullmatch(part)
            if not match or match["name"] in {known for known, *_ in models}:
                raise EnvError(f"{name} must look like fast=model-a@0.15/0.60,good=model-b, each name once.")
            price_in, price_out = (float(price) if price else None for price in match.group("price_in", "price_out"))
            models.append((match["name"], match["model"], price_in, price_out))
        return models

    def database(self, name: str) -> dict[str, object]:
        """A ``postgresql://`` URL as Django's settings; ``?host=/dir`` names a socket folder."""
        url = urlsplit(self.text(name))
        if url.scheme not in {"postgres", "postgresql"} or not url.path.strip("/"):
            raise EnvError(f"{name} must look like postgresql://user:password@host:5432/database.")
        options = {key: values[-1] for key, values in parse_qs(url.query).items()}
        host = options.pop("host", "") or url.hostname or ""
        port = options.pop("port", "") or str(url.port or "")
        return {
            "ENGINE": "django.db.backends.postgresql",
            "NAME": unquote(url.path.lstrip("/")),
            "USER": unquote(url.username or ""),
            "PASSWORD": unquote(url.password or ""),
            "HOST": host,
            "PORT": port,
            "OPTIONS": options,
        }


def load() -> Env:
    """The environment of this process on top of the installation's secrets file."""
    return Env(dict(os.environ), read_secrets(var_dir() / "secrets.env"))
