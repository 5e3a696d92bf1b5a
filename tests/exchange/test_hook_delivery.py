"""Messages on their way: signed, tried again after the times of the table, given up, sent again, by ids alone."""

import json
import socket
import ssl
import threading
import time
from collections.abc import Iterator
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any
from uuid import UUID

import pytest
from cryptography import x509
from cryptography.hazmat.primitives import hashes, serialization
from cryptography.hazmat.primitives.asymmetric import ec
from cryptography.x509.oid import NameOID

from apps.audit.models import AuditEvent
from apps.core.clock import now
from apps.core.errors import Conflict, NotFound
from apps.core.transactions import bind
from apps.exchange.actions.deliver_hooks import deliver_hooks
from apps.exchange.actions.empty_hooks import empty_hooks
from apps.exchange.actions.redeliver import redeliver
from apps.exchange.actions.roll_webhook_secret import OVERLAP, roll_webhook_secret
from apps.exchange.actions.switch_webhook import switch_webhook
from apps.exchange.actions.take_events import take_events
from apps.exchange.actions.try_webhook import try_webhook
from apps.exchange.adapters import post_hook as posting
from apps.exchange.adapters.post_hook import Answer, post_hook
from apps.exchange.delivering import begin, finish
from apps.exchange.hook_leases import claim_deliveries
from apps.exchange.hooks import ATTEMPTS, BACKOFF
from apps.exchange.models import Webhook, WebhookDelivery
from apps.tenancy.models import Project
from tests.exchange.hooks import Receiver, added, admin, fresh, log_of, make_due, receiver, sent, verified
from tests.factories import make_fact, make_project

pytestmark = pytest.mark.django_db


@pytest.fixture
def project() -> Project:
    return make_project()


@pytest.fixture
def inbox(settings: Any) -> Iterator[Receiver]:
    with receiver(settings) as it:
        yield it


@pytest.fixture
def hook(project: Project, inbox: Receiver) -> tuple[Webhook, str]:
    return added(project, inbox.url)


def only(webhook: Webhook) -> WebhookDelivery:
    (found,) = log_of(webhook)
    return found


def test_a_message_holds_ids_alone_and_is_signed(project: Project, inbox: Receiver, hook: tuple[Webhook, str]) -> None:
    webhook, secret = hook
    fact = make_fact(project, "Kundin Zwetlana mag Tee.", user="zwetlana")
    begun = int(time.time())
    assert sent() == 1
    ((path, headers, body),) = inbox.got
    one = only(webhook)
    assert path == "/hook?a=1"
    assert json.loads(body) == {
        "id": str(one.id),
        "type": "fact.approved",
        "at": one.at.astimezone(UTC).strftime("%Y-%m-%dT%H:%M:%S.") + f"{one.at.microsecond // 1000:03}Z",
        "project": "acme",
        "object": {"type": "fact", "id": str(fact.id)},
    }
    assert one.id.version == 7
    assert secret.startswith("whsec_") and headers["webhook-id"] == str(one.id)
    assert begun <= int(headers["webhook-timestamp"]) <= int(time.time())
    assert headers["host"] == f"127.0.0.1:{inbox.port}" and headers["content-type"] == "application/json"
    assert verified(secret, headers, body)
    assert not verified(secret, headers, body + b" ")
    assert not verified(secret, headers | {"webhook-timestamp": "1"}, body)
    said = body.decode() + str(headers)
    assert "Zwetlana" not in said and "zwetlana" not in said
    assert (one.state, one.attempts, one.last_status, one.last_error) == ("delivered", 1, 204, "")
    assert (one.finished_at, one.lease_until, one.lease_token) == (one.last_at, None, None)
    assert (fresh(webhook).delivered_at, fresh(webhook).last_status) == (one.last_at, 204)
    assert sent() == 0 and len(inbox.got) == 1


def test_the_secret_is_not_in_the_database(project: Project, hook: tuple[Webhook, str]) -> None:
    webhook, secret = hook
    assert secret.encode() not in bytes(fresh(webhook).secret) and secret not in str(vars(fresh(webhook)))
    with bind(project.id):
        assert secret not in str(list(AuditEvent.objects.values()))


def test_for_a_day_both_secrets_sign(project: Project, inbox: Receiver, hook: tuple[Webhook, str]) -> None:
    webhook, old = hook
    _, new = roll_webhook_secret(actor=admin(project), project_id=project.id, webhook_id=webhook.id)
    make_fact(project, "Returns take 45 days.")
    sent()
    _, headers, body = inbox.got[-1]
    assert new != old and len(headers["webhook-signature"].split()) == 2
    assert verified(new, headers, body) and verified(old, headers, body)
    until = fresh(webhook).old_secret_until
    assert until is not None and abs(until - now() - OVERLAP) < timedelta(minutes=1)
    with bind(project.id):
        Webhook.objects.update(old_secret_until=now() - timedelta(seconds=1))
    make_fact(project, "Parcels leave at noon.")
    sent()
    _, headers, body = inbox.got[-1]
    assert verified(new, headers, body) and not verified(old, headers, body)


def test_it_is_tried_again_after_the_times_of_the_table_and_then_given_up(
    project: Project, inbox: Receiver, hook: tuple[Webhook, str]
) -> None:
    webhook, secret = hook
    inbox.statuses = [500]
    make_fact(project, "Returns take 45 days.")
    waits = []
    for attempt in range(1, ATTEMPTS + 1):
        assert sent() == 1
        one = only(webhook)
        assert (one.attempts, one.last_status, one.last_error) == (attempt, 500, "status")
        if one.state == "waiting":
            assert one.not_before is not None and one.last_at is not None
            waits.append(int((one.not_before - one.last_at).total_seconds()))
            assert sent() == 0  # not due yet
            make_due(webhook)
    assert waits == list(BACKOFF) == [30, 120, 600, 3600, 21600, 86400]
    assert (only(webhook).state, only(webhook).not_before) == ("given_up", None)
    make_due(webhook)
    assert sent() == 0
    # One message, whatever number of times: the same id and body, each time signed anew.
    assert len({headers["webhook-id"] for _, headers, _ in inbox.got}) == len({body for _, _, body in inbox.got}) == 1
    assert len(inbox.got) == ATTEMPTS and all(verified(secret, headers, body) for _, headers, body in inbox.got)


@pytest.mark.parametrize("status", [301, 302, 307, 308, 400, 404, 429, 503])
def test_only_2xx_is_delivered_and_redirects_are_not_followed(
    project: Project, inbox: Receiver, hook: tuple[Webhook, str], status: int
) -> None:
    webhook, _ = hook
    inbox.statuses, inbox.headers = [status], {"Location": f"http://127.0.0.1:{inbox.port}/elsewhere"}
    make_fact(project, "Returns take 45 days.")
    sent()
    assert [path for path, _, _ in inbox.got] == ["/hook?a=1"]
    assert (only(webhook).state, only(webhook).last_status, only(webhook).last_error) == ("waiting", status, "status")


def test_an_answer_is_read_to_its_beginning_and_not_kept(
    project: Project, inbox: Receiver, hook: tuple[Webhook, str]
) -> None:
    inbox.statuses, inbox.body = [500], b"Zwetlana " * 1_000_000
    make_fact(project, "Returns take 45 days.")
    sent()
    assert "Zwetlana" not in str(vars(only(hook[0]))) + str(vars(fresh(hook[0])))


def test_a_receiver_that_is_gone_switches_it_off(project: Project, inbox: Receiver, hook: tuple[Webhook, str]) -> None:
    webhook, _ = hook
    inbox.statuses = [410]
    make_fact(project, "Returns take 45 days.")
    sent()
    now_it = fresh(webhook)
    assert (now_it.enabled, now_it.disabled_for, only(webhook).state) == (False, "gone", "waiting")
    make_due(webhook)
    assert sent() == 0 and len(inbox.got) == 1
    with bind(project.id):
        event = AuditEvent.objects.get(verb="webhooks.disable")
    assert (event.actor_kind, event.actor_id, event.reason) == ("system", "exchange", "gone")
    with pytest.raises(Conflict, match="webhook_off"):
        try_webhook(actor=admin(project), project_id=project.id, webhook_id=webhook.id)
    with pytest.raises(Conflict, match="webhook_off"):
        redeliver(actor=admin(project), project_id=project.id, webhook_id=webhook.id, delivery_id=only(webhook).id)
    # Switched on again what waits is sent, from its first attempt on.
    inbox.statuses = [200]
    switch_webhook(actor=admin(project), project_id=project.id, webhook_id=webhook.id, enabled=True)
    assert sent() == 1
    assert (only(webhook).state, only(webhook).attempts) == ("delivered", 1)


@pytest.mark.parametrize(("minutes", "stays"), [(59, True), (61, False)])
def test_twenty_failures_in_a_row_over_an_hour_switch_it_off(
    project: Project, inbox: Receiver, hook: tuple[Webhook, str], minutes: int, stays: bool
) -> None:
    webhook, _ = hook
    inbox.statuses = [500]
    make_fact(project, "Returns take 45 days.")
    with bind(project.id):
        Webhook.objects.update(failures=18, failing_since=now() - timedelta(minutes=minutes))
    sent()
    assert (fresh(webhook).failures, fresh(webhook).enabled) == (19, True)
    make_due(webhook)
    sent()
    assert (fresh(webhook).failures, fresh(webhook).enabled) == (20, stays)
    assert fresh(webhook).disabled_for == ("" if stays else "failing")


def test_one_that_arrives_ends_the_row(project: Project, inbox: Receiver, hook: tuple[Webhook, str]) -> None:
    webhook, _ = hook
    inbox.statuses = [500, 200]
    make_fact(project, "Returns take 45 days.")
    sent()
    assert fresh(webhook).failures == 1 and fresh(webhook).failing_since == only(webhook).last_at
    make_due(webhook)
    sent()
    assert (fresh(webhook).failures, fresh(webhook).failing_since) == (0, None)


@pytest.mark.parametrize("state", ["delivered", "given_up", "waiting"])
def test_sent_once_more_under_the_same_id(
    project: Project, inbox: Receiver, hook: tuple[Webhook, str], state: str
) -> None:
    webhook, secret = hook
    inbox.statuses = [200] if state == "delivered" else [500]
    make_fact(project, "Returns take 45 days.")
    for _ in range(ATTEMPTS if state == "given_up" else 1):
        sent()
        make_due(webhook)
    assert only(webhook).state == state
    before, inbox.statuses = len(inbox.got), [200]
    redeliver(actor=admin(project), project_id=project.id, webhook_id=webhook.id, delivery_id=only(webhook).id)
    assert (only(webhook).state, only(webhook).attempts, only(webhook).finished_at) == ("waiting", 0, None)
    assert sent() == 1 and len(inbox.got) == before + 1
    _, headers, body = inbox.got[-1]
    assert headers["webhook-id"] == inbox.got[0][1]["webhook-id"] and verified(secret, headers, body)
    assert (only(webhook).state, only(webhook).attempts) == ("delivered", 1)


def test_what_is_not_its_own_is_not_sent(project: Project, inbox: Receiver, hook: tuple[Webhook, str]) -> None:
    webhook, _ = hook
    other, _ = added(project, inbox.url + "&b=1")
    make_fact(project, "Returns take 45 days.")
    sent()
    for number, delivery in [(other.id, only(webhook).id), (webhook.id, UUID(int=7)), (9_999_999, only(webhook).id)]:
        with pytest.raises(NotFound):
            redeliver(actor=admin(project), project_id=project.id, webhook_id=number, delivery_id=delivery)
    assert len(inbox.got) == 2 and only(webhook).state == "delivered"


def test_a_test_is_about_the_webhook_itself(project: Project, inbox: Receiver, hook: tuple[Webhook, str]) -> None:
    webhook, secret = hook
    try_webhook(actor=admin(project), project_id=project.id, webhook_id=webhook.id)
    try_webhook(actor=admin(project), project_id=project.id, webhook_id=webhook.id)
    assert sent() == 2
    assert inbox.things() == [("webhook.test", "webhook", str(webhook.id))] * 2
    assert all(verified(secret, headers, body) for _, headers, body in inbox.got)


def test_who_was_paused_beyond_the_lease_notes_nothing(
    project: Project, inbox: Receiver, hook: tuple[Webhook, str]
) -> None:
    webhook, _ = hook
    make_fact(project, "Returns take 45 days.")
    take_events()
    (slow,) = claim_deliveries(seconds=0)
    letter = begin(slow)
    assert letter is not None
    (quick,) = claim_deliveries()
    second = begin(quick)
    assert second is not None and second.body == letter.body
    assert finish(second, Answer(200)) is True
    assert finish(letter, Answer(500, "status")) is False
    one = only(webhook)
    assert (one.state, one.attempts, one.last_status) == ("delivered", 2, 200)
    assert begin(slow) is None


def test_one_whose_worker_died_each_time_is_given_up(project: Project, hook: tuple[Webhook, str]) -> None:
    webhook, _ = hook
    make_fact(project, "Returns take 45 days.")
    take_events()
    for attempt in range(1, ATTEMPTS + 1):
        (claim,) = claim_deliveries(seconds=0)
        assert begin(claim) is not None
        assert only(webhook).attempts == attempt
    (claim,) = claim_deliveries(seconds=0)
    assert begin(claim) is None
    assert (only(webhook).state, only(webhook).last_at) == ("given_up", None)


def test_a_slow_receiver_takes_a_few_of_a_workers_places(project: Project, inbox: Receiver) -> None:
    first, _ = added(project, inbox.url, ["fact.approved"])
    for number in range(10):
        make_fact(project, f"Shelf {number} holds lamps.")
    second, _ = added(project, inbox.url + "&b=1", ["fact.approved"])
    make_fact(project, "Returns take 45 days.")
    take_events()
    claims = {claim.delivery_id for claim in claim_deliveries()}
    with bind(project.id):
        rows = WebhookDelivery.objects.filter(id__in=claims)
        assert [rows.filter(webhook_id=one.id).count() for one in (first, second)] == [4, 1]
    # While these are on their way nothing more goes to either.
    assert claim_deliveries() == []


def test_its_address_is_looked_at_again_before_each_attempt(
    project: Project, inbox: Receiver, hook: tuple[Webhook, str], settings: Any
) -> None:
    make_fact(project, "Returns take 45 days.")
    settings.WEBHOOK_HOSTS = []
    sent()
    assert (only(hook[0]).last_status, only(hook[0]).last_error, inbox.got) == (None, "https_only", [])


def test_a_secret_that_cannot_be_opened_any_more_switches_it_off_until_there_is_a_new_one(
    project: Project, inbox: Receiver, hook: tuple[Webhook, str], settings: Any
) -> None:
    webhook, _ = hook
    make_fact(project, "Returns take 45 days.")
    settings.SECRET_KEY = "another-key-" * 5
    sent()
    assert (fresh(webhook).enabled, fresh(webhook).disabled_for, inbox.got) == (False, "unreadable", [])
    who = admin(project)
    with pytest.raises(Conflict, match="unreadable"):
        switch_webhook(actor=who, project_id=project.id, webhook_id=webhook.id, enabled=True)
    _, secret = roll_webhook_secret(actor=who, project_id=project.id, webhook_id=webhook.id)
    assert sent() == 1
    _, headers, body = inbox.got[0]
    assert verified(secret, headers, body) and len(headers["webhook-signature"].split()) == 1


def test_nobody_listening(project: Project, inbox: Receiver, settings: Any) -> None:
    with socket.socket() as closed:
        closed.bind(("127.0.0.1", 0))
        port = closed.getsockname()[1]
    settings.WEBHOOK_HOSTS = [f"127.0.0.1:{port}"]
    assert post_hook(f"http://127.0.0.1:{port}/", {}, b"{}") == Answer(None, "unreachable")


@pytest.mark.parametrize("drip", [b"HTTP/1.1 200 OK\r\nX: ", b"HTTP/1.1 200 OK\r\n\r\n"])
def test_one_that_speaks_for_ever_is_left_in_time(drip: bytes, settings: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(posting, "SECONDS", 0.6)
    with socket.create_server(("127.0.0.1", 0)) as server:
        port = server.getsockname()[1]

        def serve() -> None:
            stream, _ = server.accept()
            with stream:
                stream.sendall(drip)
                try:
                    for _ in range(200):
                        stream.sendall(b"a")
                        time.sleep(0.05)
                except OSError:
                    left.set()

        left = threading.Event()
        thread = threading.Thread(target=serve, daemon=True)
        thread.start()
        settings.WEBHOOK_HOSTS = [f"127.0.0.1:{port}"]
        assert post_hook(f"http://127.0.0.1:{port}/", {}, b"{}") == Answer(None, "timeout")
        assert left.wait(20)
        thread.join(20)


def test_what_is_no_http_is_broken_off(settings: Any) -> None:
    with socket.create_server(("127.0.0.1", 0)) as server:
        port = server.getsockname()[1]

        def serve() -> None:
            stream, _ = server.accept()
            with stream:
                stream.recv(4096)
                stream.sendall(b"220 mail.example.test ESMTP\r\n\r\n")

        thread = threading.Thread(target=serve, daemon=True)
        thread.start()
        settings.WEBHOOK_HOSTS = [f"127.0.0.1:{port}"]
        assert post_hook(f"http://127.0.0.1:{port}/", {}, b"{}") == Answer(None, "broken_off")
        thread.join(20)


def certificate(folder: Path, name: str) -> tuple[Path, Path]:
    key = ec.generate_private_key(ec.SECP256R1())
    subject = x509.Name([x509.NameAttribute(NameOID.COMMON_NAME, name)])
    made = (
        x509.CertificateBuilder()
        .subject_name(subject)
        .issuer_name(subject)
        .public_key(key.public_key())
        .serial_number(7)
        .not_valid_before(datetime(2020, 1, 1, tzinfo=UTC))
        .not_valid_after(datetime(2090, 1, 1, tzinfo=UTC))
        .add_extension(x509.SubjectAlternativeName([x509.DNSName(name)]), critical=False)
        .add_extension(x509.BasicConstraints(ca=True, path_length=None), critical=True)
        .sign(key, hashes.SHA256())
    )
    public, private = folder / f"{name}.pem", folder / f"{name}.key"
    public.write_bytes(made.public_bytes(serialization.Encoding.PEM))
    private.write_bytes(
        key.private_bytes(serialization.Encoding.PEM, serialization.PrivateFormat.PKCS8, serialization.NoEncryption())
    )
    return public, private


@pytest.mark.parametrize(("name", "answer"), [("localhost", Answer(204)), ("elsewhere.test", Answer(None, "tls"))])
def test_tls_asks_for_the_name_and_believes_only_its_certificate(
    name: str, answer: Answer, tmp_path: Path, settings: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    public, private = certificate(tmp_path, name)
    monkeypatch.setenv("SSL_CERT_FILE", str(public))
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    context.load_cert_chain(public, private)
    asked: list[str | None] = []
    context.sni_callback = lambda _socket, host, _context: asked.append(host)
    heard: list[bytes] = []
    with socket.create_server(("127.0.0.1", 0)) as server:
        port = server.getsockname()[1]

        def serve() -> None:
            stream, _ = server.accept()
            try:
                with context.wrap_socket(stream, server_side=True) as secured:
                    # All of it: what is closed with something unread in it is broken off.
                    said = b""
                    while not said.endswith(b"{}"):
                        said += secured.recv(4096)
                    heard.append(said)
                    secured.sendall(b"HTTP/1.1 204 No Content\r\n\r\n")
            except ssl.SSLError:
                stream.close()

        thread = threading.Thread(target=serve, daemon=True)
        thread.start()
        settings.WEBHOOK_HOSTS = [f"localhost:{port}"]
        # The name leads to both families on most machines; the server listens on one.
        monkeypatch.setattr(
            socket, "getaddrinfo", lambda host, port, *a, **o: [(socket.AF_INET, 1, 6, "", ("127.0.0.1", port))]
        )
        assert post_hook(f"https://localhost:{port}/hook", {"A": "1"}, b"{}") == answer
        thread.join(20)
    assert asked == ["localhost"]
    if not answer.error:
        assert f"Host: localhost:{port}".encode() in heard[0]


def test_the_log_is_kept_for_thirty_days(project: Project, inbox: Receiver, hook: tuple[Webhook, str]) -> None:
    webhook, _ = hook
    for number in range(3):
        make_fact(project, f"Shelf {number} holds lamps.")
    sent()
    old, older, young = log_of(webhook)
    with bind(project.id):
        for one, days in ((old, 31), (older, 40), (young, 29)):
            WebhookDelivery.objects.filter(id=one.id).update(finished_at=now() - timedelta(days=days))
    make_fact(project, "Returns take 45 days.")
    take_events()
    assert empty_hooks() == 2
    assert {one.state for one in log_of(webhook)} == {"delivered", "waiting"} and len(log_of(webhook)) == 2
    assert empty_hooks() == 0
    with bind(project.id):
        assert AuditEvent.objects.get(verb="webhooks.empty").data == {"rows": 2}


def test_a_wait_that_is_over_is_seen_by_the_database(
    project: Project, inbox: Receiver, hook: tuple[Webhook, str]
) -> None:
    webhook, _ = hook
    inbox.statuses = [500]
    make_fact(project, "Returns take 45 days.")
    sent()
    with bind(project.id):
        WebhookDelivery.objects.update(not_before=now() + timedelta(seconds=60))
    assert deliver_hooks() == 0
    with bind(project.id):
        WebhookDelivery.objects.update(not_before=now() - timedelta(seconds=1))
    assert deliver_hooks() == 1
    assert only(webhook).attempts == 2
