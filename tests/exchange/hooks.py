"""A receiver of webhooks that listens for real, and the shortest way to one that is told something."""

import base64
import hashlib
import hmac
import json
import threading
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any

from apps.access.actor import Actor
from apps.core.transactions import bind
from apps.exchange.actions.add_webhook import add_webhook
from apps.exchange.actions.deliver_hooks import deliver_hooks
from apps.exchange.actions.take_events import take_events
from apps.exchange.hooks import EVENTS
from apps.exchange.models import Webhook, WebhookDelivery
from apps.tenancy.models import Project
from tests.factories import user_actor


@dataclass
class Receiver:
    """``url`` is where it listens; it answers the next of ``statuses``, the last one for ever, with ``headers`` and
    ``body``, once as many others ``meet`` it as that wants."""

    url: str
    port: int
    statuses: list[int] = field(default_factory=lambda: [204])
    headers: dict[str, str] = field(default_factory=dict)
    body: bytes = b""
    meet: threading.Barrier | None = None
    got: list[tuple[str, dict[str, str], bytes]] = field(default_factory=list)

    @property
    def said(self) -> list[dict[str, Any]]:
        return [json.loads(body) for _, _, body in self.got]

    def things(self) -> list[tuple[str, str, str]]:
        """What was told, sorted: event, kind of thing, its id."""
        return sorted((one["type"], one["object"]["type"], one["object"]["id"]) for one in self.said)


@contextmanager
def receiver(settings: Any) -> Iterator[Receiver]:
    """Its host is one that the operator allows."""

    class Handler(BaseHTTPRequestHandler):
        def do_POST(self) -> None:
            body = self.rfile.read(int(self.headers["Content-Length"]))
            with lock:
                it.got.append((self.path, {name.lower(): value for name, value in self.headers.items()}, body))
                status = it.statuses.pop(0) if len(it.statuses) > 1 else it.statuses[0]
            if it.meet is not None:
                it.meet.wait(30)
            self.send_response(status)
            for name, value in it.headers.items():
                self.send_header(name, value)
            self.send_header("Content-Length", str(len(it.body)))
            self.end_headers()
            self.wfile.write(it.body)

        def log_message(self, format: str, *args: object) -> None:
            """Nothing on the terminal."""

    lock = threading.Lock()
    server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    port = server.server_address[1]
    it = Receiver(f"http://127.0.0.1:{port}/hook?a=1", port)
    settings.WEBHOOK_HOSTS = [f"127.0.0.1:{port}"]
    thread = threading.Thread(target=server.serve_forever, kwargs={"poll_interval": 0.01}, daemon=True)
    thread.start()
    try:
        yield it
    finally:
        server.shutdown()
        server.server_close()
        thread.join(10)


def admin(project: Project) -> Actor:
    return user_actor(project, "admin")


def added(project: Project, url: str, events: Iterable[str] = EVENTS) -> tuple[Webhook, str]:
    return add_webhook(actor=admin(project), project_id=project.id, url=url, events=list(events))


def sent() -> int:
    """Queue what is told and post what is due."""
    take_events()
    return deliver_hooks()


def fresh(webhook: Webhook) -> Webhook:
    with bind(webhook.project_id):
        return Webhook.objects.get(id=webhook.id)


def log_of(webhook: Webhook) -> list[WebhookDelivery]:
    """In the order of what happened."""
    with bind(webhook.project_id):
        return list(WebhookDelivery.objects.filter(webhook_id=webhook.id).order_by("seq", "event", "object_id"))


def told(webhook: Webhook) -> list[tuple[str, str, str]]:
    return [(one.event, one.object_type, one.object_id) for one in log_of(webhook)]


def make_due(webhook: Webhook) -> None:
    """The time of every message that waits has come."""
    with bind(webhook.project_id):
        WebhookDelivery.objects.filter(webhook_id=webhook.id).update(not_before=None)


def verified(secret: str, headers: dict[str, str], body: bytes) -> bool:
    """As a receiver checks it, written down from the standard and not from our code."""
    signed = f"{headers['webhook-id']}.{headers['webhook-timestamp']}.".encode() + body
    key = base64.b64decode(secret.split("_", 1)[1])
    wanted = base64.b64encode(hmac.new(key, signed, hashlib.sha256).digest()).decode()
    given = [one.partition(",") for one in headers["webhook-signature"].split(" ")]
    return any(version == "v1" and hmac.compare_digest(value, wanted) for version, _, value in given)
