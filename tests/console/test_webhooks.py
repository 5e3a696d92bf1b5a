"""Settings › Webhooks: made, their secret shown once, changed, switched, deleted; their log, and messages sent again."""

import re
from datetime import timedelta
from typing import Any

import pytest
from django.test import Client

from apps.audit.models import AuditEvent
from apps.core.clock import now
from apps.core.transactions import bind
from apps.exchange import signing
from apps.exchange.actions.take_events import take_events
from apps.exchange.hooks import EVENTS
from apps.exchange.models import Webhook, WebhookDelivery
from apps.tenancy.models import Project
from tests.console.stage import HX, login
from tests.exchange.hooks import added, log_of
from tests.exchange.hooks import fresh as reread
from tests.factories import make_fact, make_project

pytestmark = pytest.mark.django_db

LIST = "/p/acme/settings/webhooks"
SECRET = re.compile(r"whsec_[A-Za-z0-9+/=]{44}")


@pytest.fixture
def project() -> Project:
    return make_project("acme")


@pytest.fixture
def client(project: Project) -> Client:
    return login(project, "admin")


def page(client: Client, path: str, status: int = 200, **query: str) -> str:
    answer = client.get(path, query)
    assert answer.status_code == status
    return answer.content.decode()


def all_of(project: Project) -> list[Webhook]:
    with bind(project.id):
        return list(Webhook.objects.order_by("id"))


def test_one_is_made_and_its_secret_shown_once(project: Project, client: Client) -> None:
    form = client.get(f"{LIST}/new").context["form"]
    assert form["events"].value() == list(EVENTS) and form["url"].value() is None
    answer = client.post(
        f"{LIST}/new", {"url": " https://8.8.8.8/a?b=1&c=2 ", "events": ["fact.approved", "request.overdue"]}
    )
    assert answer.status_code == 200
    (webhook,) = all_of(project)
    (secret,) = SECRET.findall(answer.content.decode())
    assert signing.unseal(webhook.secret) == [secret]
    assert (webhook.url, webhook.events) == ("https://8.8.8.8/a?b=1&c=2", ["fact.approved", "request.overdue"])
    for path in (LIST, f"{LIST}/{webhook.id}", f"{LIST}/{webhook.id}/change"):
        shown = page(client, path)
        assert not SECRET.search(shown) and "https://8.8.8.8/a?b=1&amp;c=2" in shown


@pytest.mark.parametrize(
    ("url", "events", "said"),
    [
        ("http://8.8.8.8/", ["fact.approved"], "must begin with https://"),
        ("https://127.0.0.1/", ["fact.approved"], "leads into a private network"),
        ("https://8.8.8.8:22/", ["fact.approved"], "Only port 443 is allowed"),
        ("", ["fact.approved"], "This field is required."),
        ("https://8.8.8.8/", [], "Choose at least one."),
        ("https://8.8.8.8/", ["fact.invented"], "Select a valid choice."),
        ("https://8.8.8.8/taken", ["fact.approved"], "There is a webhook to this address already."),
    ],
)
def test_what_is_wrong_is_said_at_the_form(
    project: Project, client: Client, url: str, events: list[str], said: str
) -> None:
    added(project, "https://8.8.8.8/taken")
    answer = client.post(f"{LIST}/new", {"url": url, "events": events})
    assert answer.status_code == 422
    assert said in answer.content.decode()
    assert [one.url for one in all_of(project)] == ["https://8.8.8.8/taken"]


def test_it_is_changed(project: Project, client: Client) -> None:
    webhook, _ = added(project, "https://8.8.8.8/one")
    path = f"{LIST}/{webhook.id}/change"
    assert 'value="https://8.8.8.8/one"' in page(client, path)
    answer = client.post(path, {"url": "https://8.8.8.8/two", "events": ["fact.forgotten"]})
    assert (answer.status_code, answer["Location"]) == (302, f"{LIST}/{webhook.id}")
    assert (reread(webhook).url, reread(webhook).events) == ("https://8.8.8.8/two", ["fact.forgotten"])
    refused = client.post(path, {"url": "https://10.0.0.1/", "events": ["fact.forgotten"]})
    assert refused.status_code == 422 and reread(webhook).url == "https://8.8.8.8/two"


def test_a_new_secret_is_asked_for_first(project: Project, client: Client) -> None:
    webhook, old = added(project, "https://8.8.8.8/hook")
    path = f"{LIST}/{webhook.id}/secret"
    assert not SECRET.search(page(client, path))
    assert signing.unseal(reread(webhook).secret) == [old]
    (second,) = SECRET.findall(client.post(path).content.decode())
    (third,) = SECRET.findall(client.post(path).content.decode())
    now_it = reread(webhook)
    assert signing.unseal(now_it.secret) == [third]
    # Made twice within a day, the one that receivers have goes on.
    assert now_it.old_secret is not None and signing.unseal(now_it.old_secret) == [second, old]


def test_it_is_switched_off_and_on(project: Project, client: Client) -> None:
    webhook, _ = added(project, "https://8.8.8.8/hook")
    act = f"{LIST}/{webhook.id}/act"
    assert client.post(act, {"act": "off"}).status_code == 302
    assert (reread(webhook).enabled, reread(webhook).disabled_for) == (False, "person")
    shown = page(client, f"{LIST}/{webhook.id}")
    assert "somebody switched it off" in shown and "Send a test" not in shown
    # What a person did needs no alarm on the list.
    assert "Nothing is sent to" not in page(client, LIST)
    assert client.post(act, {"act": "test"}).status_code == 409
    assert log_of(webhook) == []
    assert client.post(act, {"act": "on"}).status_code == 302
    assert reread(webhook).enabled


@pytest.mark.parametrize(
    ("why", "said"),
    [("gone", "answered 410 Gone"), ("failing", "twenty attempts in a row failed"), ("unreadable", "make a new one")],
)
def test_what_the_product_switched_off_is_an_alarm(project: Project, client: Client, why: str, said: str) -> None:
    webhook, _ = added(project, "https://8.8.8.8/hook")
    with bind(project.id):
        Webhook.objects.update(enabled=False, disabled_for=why, disabled_at=now())
    shown = page(client, LIST)
    assert "Nothing is sent to https://8.8.8.8/hook" in shown and said in shown
    assert said in page(client, f"{LIST}/{webhook.id}")
    assert "A webhook was switched off" in page(client, "/p/acme/health")
    assert "A webhook was switched off" not in page(login(project, "curator"), "/p/acme/health")


def test_a_test_is_queued(project: Project, client: Client) -> None:
    webhook, _ = added(project, "https://8.8.8.8/hook")
    assert client.post(f"{LIST}/{webhook.id}/act", {"act": "test"}).status_code == 302
    (one,) = log_of(webhook)
    assert (one.event, one.object_type, one.object_id, one.seq) == ("webhook.test", "webhook", str(webhook.id), None)
    assert "webhook.test" in page(client, f"{LIST}/{webhook.id}")


@pytest.mark.parametrize(("form", "status"), [({}, 422), ({"act": "again"}, 422), ({"act": "again", "id": "7"}, 422),
                                              ({"act": "again", "id": "0" * 32}, 404)])  # fmt: skip
def test_what_is_no_act_does_nothing(project: Project, client: Client, form: dict[str, str], status: int) -> None:
    webhook, _ = added(project, "https://8.8.8.8/hook")
    assert client.post(f"{LIST}/{webhook.id}/act", form).status_code == status
    assert log_of(webhook) == [] and reread(webhook).enabled


def test_deleting_asks_first(project: Project, client: Client) -> None:
    webhook, _ = added(project, "https://8.8.8.8/hook")
    make_fact(project, "Returns take 45 days.")
    take_events()
    assert "cannot be undone" in page(client, f"{LIST}/{webhook.id}/delete")
    assert all_of(project) == [webhook]
    answer = client.post(f"{LIST}/{webhook.id}/delete")
    assert (answer.status_code, answer["Location"]) == (302, LIST)
    with bind(project.id):
        assert not WebhookDelivery.objects.exists()
        assert AuditEvent.objects.get(verb="webhooks.delete").object_id == str(webhook.id)
    assert all_of(project) == []
    assert page(client, f"{LIST}/{webhook.id}", 404)


def delivered(project: Project, webhook: Webhook, number: int, **columns: Any) -> None:
    for n in range(number):
        make_fact(project, f"Shelf {n} holds {columns.get('state', 'lamps')}.")
    take_events()
    with bind(project.id):
        WebhookDelivery.objects.filter(last_at=None).update(attempts=1, last_at=now(), **columns)


def test_the_log_is_paged_and_narrowed_by_state(project: Project, client: Client) -> None:
    webhook, _ = added(project, "https://8.8.8.8/hook")
    delivered(project, webhook, 60, state="delivered", finished_at=now(), last_status=204)
    delivered(project, webhook, 2, state="given_up", finished_at=now(), last_error="unreachable")
    path = f"{LIST}/{webhook.id}"
    ids = re.compile(r'id="d([0-9a-f-]{36})"')
    first = page(client, path)
    older = re.search(r'hx-get="([^"]+)"[^>]*>Older', first)
    assert older and len(ids.findall(first)) == 50
    with bind(project.id):
        newest = [str(one) for one in WebhookDelivery.objects.order_by("-id").values_list("id", flat=True)]
    second = client.get(older[1].replace("&amp;", "&"), **HX, HTTP_HX_TARGET="results").content.decode()
    assert ids.findall(first) + ids.findall(second) == newest
    assert "<html" not in second and "Newer" in second
    only = page(client, path, state="given_up")
    assert len(ids.findall(only)) == 2 and "no connection" in only
    assert len(ids.findall(page(client, path, state="no-such"))) == 50
    assert ids.findall(page(client, path, state="waiting")) == []


def test_a_message_is_sent_again(project: Project, client: Client) -> None:
    webhook, _ = added(project, "https://8.8.8.8/hook")
    delivered(project, webhook, 1, state="given_up", finished_at=now(), last_status=500, last_error="status")
    (one,) = log_of(webhook)
    assert 'value="again"' in page(client, f"{LIST}/{webhook.id}")
    answer = client.post(f"{LIST}/{webhook.id}/act", {"act": "again", "id": str(one.id)})
    assert answer.status_code == 302
    (one,) = log_of(webhook)
    assert (one.state, one.attempts) == ("waiting", 0)
    with bind(project.id):
        WebhookDelivery.objects.update(lease_until=now() + timedelta(minutes=1))
    assert client.post(f"{LIST}/{webhook.id}/act", {"act": "again", "id": str(one.id)}).status_code == 409
    assert 'value="again"' not in page(client, f"{LIST}/{webhook.id}")


def test_webhooks_of_another_project_are_not_there(project: Project, client: Client) -> None:
    theirs, _ = added(make_project("other"), "https://8.8.8.8/hook")
    for path in ("", "/change", "/secret", "/delete"):
        assert client.get(f"{LIST}/{theirs.id}{path}").status_code == 404
    assert client.post(f"{LIST}/{theirs.id}/delete").status_code == 404
    assert client.post(f"{LIST}/{theirs.id}/act", {"act": "off"}).status_code == 404
    assert reread(theirs).enabled


def test_an_address_is_shown_as_text(project: Project, client: Client) -> None:
    webhook, _ = added(project, "https://8.8.8.8/<script>\"'%22{{x}}|")
    for path in (LIST, f"{LIST}/{webhook.id}", f"{LIST}/{webhook.id}/change", f"{LIST}/{webhook.id}/delete"):
        shown = page(client, path)
        assert '<script>"' not in shown and "&lt;script&gt;&quot;" in shown
