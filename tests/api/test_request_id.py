"""What a client calls its request may name somebody: it comes back to the client, and is kept nowhere as it is."""

import json
import logging

import pytest

from apps.audit.models import AuditEvent
from apps.core.ids import uuid7_text
from apps.core.request_id import request_id_set, traceable
from apps.core.transactions import bind
from apps.tenancy.models import Project
from memoryplane.logs import _with_request_id
from tests.api.helpers import post
from tests.factories import make_key

CLIENTS = "ticket-of-grace-hopper"


@pytest.fixture
def key(project: Project) -> str:
    return make_key(project, ["traces:write"])[1]


def recorded(project: Project, key: str, request_id: str) -> tuple[str, str]:
    """The id that came back, and the one in the audit of what was done and of what was refused, which is the same."""
    said = {"messages": [{"id": request_id, "role": "user", "content": "Hello."}]}
    done = post("sessions/chat-1/messages", key, said, headers={"X-Request-ID": request_id})
    assert done.status_code == 200, done.content
    denied = post("dreams", key, {"scope": "project"}, headers={"X-Request-ID": request_id})
    assert denied.status_code == 403
    assert json.loads(denied.content)["instance"] == request_id
    with bind(project.id):
        ids = list(AuditEvent.objects.order_by("-seq").values_list("result", "request_id")[:2])
    assert [result for result, _ in ids] == ["denied", "done"] and len({one for _, one in ids}) == 1, ids
    return done["X-Request-ID"], ids[0][1]


def test_the_audit_has_a_keyed_digest_of_a_clients_id_and_our_own_as_it_is(
    project: Project, key: str, settings: object
) -> None:
    back, kept = recorded(project, key, CLIENTS)
    assert back == CLIENTS
    assert kept == traceable(CLIENTS) and len(kept) == 32 and "hopper" not in kept
    ours = uuid7_text()
    assert recorded(project, key, ours) == (ours, ours)
    settings.AUDIT_KEY = "another"  # type: ignore[attr-defined]
    assert traceable(CLIENTS) != kept and traceable(ours) == ours and traceable("") == ""


def test_a_log_line_has_the_same_digest(project: Project) -> None:
    with request_id_set(CLIENTS):
        assert _with_request_id(logging.getLogger(), "info", {})["request_id"] == traceable(CLIENTS)
    with request_id_set(""):
        assert "request_id" not in _with_request_id(logging.getLogger(), "info", {})
