"""What holds for every path: whose key it takes, which method, and that neither cookies nor redirects play a part."""

import json

import pytest
from django.conf import settings
from django.contrib.sessions.models import Session
from django.db import connection
from django.test import Client
from django.test.utils import CaptureQueriesContext

from apps.access.actions.revoke_key import revoke_key
from apps.access.keys import make_key as make_key_text
from apps.access.models import ApiKey
from apps.access.scopes import SCOPES
from apps.audit.models import AuditEvent
from apps.core.transactions import bind
from apps.tenancy.models import Agent, Project
from tests.api.helpers import BAD_KEY, assert_problem, call, get, told
from tests.factories import make_fact, make_key, make_user, user_actor
from tests.routes import ApiRoute, api_rows

PATHS = [(route.method, path) for path, route in api_rows()]
each_path = pytest.mark.parametrize(("method", "path"), PATHS)
CHECK = {"domain_id": "", "project_id": "acme", "scopes": ["facts:read"]}


@each_path
def test_no_key_and_every_bad_key_get_the_same_answer(project: Project, method: str, path: str) -> None:
    _, good = make_key(project, SCOPES)
    bad = {
        "missing": None,
        "empty": "",
        "foreign": "fa_k_1234567890",
        "cut": good[:-1],
        "mistyped": good[:-1] + ("a" if good[-1] != "a" else "b"),
        "unknown": make_key_text().text,
        "revoked": make_key(project, SCOPES, revoked=True)[1],
        "expired": make_key(project, SCOPES, expired=True)[1],
        "not Latin": "mp_ключ",
        "long": "mp_" + "a" * 60_000,
    }
    statements = set()
    for over in ("revoked", "expired"):
        # Once a minute it is recorded that somebody still asks with it, which only the whole key leads to.
        assert_problem(call(method, path, bad[over]), 401, "invalid_key", BAD_KEY)
    for text in bad.values():
        with CaptureQueriesContext(connection) as queries:
            response = call(method, path, text)
        assert_problem(response, 401, "invalid_key", BAD_KEY)
        assert response["WWW-Authenticate"] == 'Bearer realm="memoryplane"'
        statements.add(len(queries))
    assert statements == {1}
    assert not ApiKey.objects.exclude(last_used_at=None).exists()


def test_a_secret_that_is_not_the_keys_own_is_refused(project: Project) -> None:
    key, text = make_key(project, ["facts:read"])
    ApiKey.objects.filter(id=key.id).update(secret_hash=b"\x01" * 32)
    assert_problem(get("auth/check", text), 401, "invalid_key", BAD_KEY)


def test_a_key_may_come_in_either_header(project: Project) -> None:
    _, text = make_key(project, ["facts:read"])
    expected = {**CHECK, "domain_id": str(project.id)}
    for headers in (
        {"X-API-Key": text},
        {"Authorization": f"Bearer {text}"},
        {"Authorization": f"bearer  {text} "},
        {"X-API-Key": text, "Authorization": f"Bearer {text}"},
        {"X-API-Key": text, "Authorization": "Basic YTpi"},
    ):
        response = get("auth/check", headers=headers)
        assert (response.status_code, json.loads(response.content)) == (200, expected), headers
    assert_problem(get("auth/check", headers={"Authorization": f"Basic {text}"}), 401, "invalid_key", BAD_KEY)
    assert_problem(get("auth/check", headers={"Authorization": text}), 401, "invalid_key", BAD_KEY)


@each_path
def test_two_different_keys_are_refused(project: Project, method: str, path: str) -> None:
    one, two = make_key(project, SCOPES)[1], make_key(project, SCOPES)[1]
    for headers in (
        {"X-API-Key": one, "Authorization": f"Bearer {two}"},
        {"X-API-Key": f"{one},{two}"},
        {"Authorization": f"Bearer {one}, Bearer {two}"},
    ):
        assert_problem(call(method, path, headers=headers), 400, "two_keys", "Send one API key.")


@each_path
def test_a_key_in_the_url_is_not_read(project: Project, method: str, path: str) -> None:
    _, text = make_key(project, SCOPES)
    for name in ("api_key", "X-API-Key", "x_api_key", "access_token", "Authorization"):
        assert_problem(call(method, path, **{name: text}), 401, "invalid_key", BAD_KEY)


def test_a_key_revoked_here_dies_at_once_here(project: Project, agent: Agent) -> None:
    make_fact(project, "Refunds take five days.")
    key, text = make_key(project, ["facts:read"])
    admin = user_actor(project, "admin")
    assert told(get("memory/facts", text, agent_id="support")) == ["Refunds take five days."]
    revoke_key(actor=admin, project_id=project.id, key_id=key.id, reason="leaked")
    assert_problem(get("memory/facts", text, agent_id="support"), 401, "invalid_key", BAD_KEY)


@each_path
def test_both_prefixes_lead_to_the_same(project: Project, method: str, path: str) -> None:
    _, text = make_key(project, [])
    answers = [call(method, path, text, prefix=prefix) for prefix in ("/public/v1/", "/v1/")]
    documents = [json.loads(answer.content) for answer in answers]
    for document in documents:
        document.pop("instance", None)
    assert answers[0].status_code == answers[1].status_code
    assert documents[0] == documents[1]


@each_path
def test_a_slash_at_the_end_leads_nowhere(project: Project, method: str, path: str) -> None:
    for prefix in ("/public/v1/", "/v1/"):
        response = call(method, path.partition("?")[0] + "/", make_key(project)[1], prefix=prefix)
        assert_problem(response, 404, "not_found", "There is nothing here.")


@each_path
def test_other_methods_are_refused_with_the_one_that_works(project: Project, method: str, path: str) -> None:
    _, text = make_key(project, SCOPES)
    known = [row.method for at, row in api_rows() if at == path]
    for other in {"GET", "HEAD", "OPTIONS", "POST", "PUT", "PATCH", "DELETE", "TRACE", "PURGE"} - set(known):
        response = call(other, path, text, headers={"X-HTTP-Method-Override": method})
        assert (response.status_code, response["Allow"]) == (405, ", ".join(known)), other
        if other != "HEAD":
            assert_problem(response, 405, "method_not_allowed", "This path does not know the method.")


@pytest.mark.parametrize("prefix", ["/public/v1/", "/v1/"])
@pytest.mark.parametrize(
    "path", ["", "nothing", "policy/decide", "traces/%0a", "memory/facts/1", "../v1/policy/x", "%00"]
)
def test_an_unknown_path_is_a_problem_document(prefix: str, path: str, db: None) -> None:
    for method in ("GET", "POST"):
        assert_problem(call(method, path, prefix=prefix), 404, "not_found", "There is nothing here.")


@each_path
def test_cookies_change_nothing_and_none_are_set(project: Project, method: str, path: str) -> None:
    _, text = make_key(project, [])
    without = call(method, path, text)
    for value in ("x", "a" * 32, '"; drop'):
        client = Client()
        for name in (settings.SESSION_COOKIE_NAME, settings.CSRF_COOKIE_NAME, "messages"):
            client.cookies[name] = value
        with CaptureQueriesContext(connection) as queries:
            response = client.generic(method, f"/public/v1/{path}", headers={"X-API-Key": text})
        assert response.status_code == without.status_code
        assert not response.cookies
        assert "Cookie" not in response.get("Vary", "")
        assert not [query for query in queries if "django_session" in query["sql"]]
    assert not without.cookies
    assert not Session.objects.exists()


def test_a_session_is_no_key(project: Project) -> None:
    client = Client()
    client.force_login(make_user(project, "admin"), "allauth.account.auth_backends.AuthenticationBackend")
    assert_problem(client.get("/public/v1/auth/check"), 401, "invalid_key", BAD_KEY)


def test_a_foreign_host_is_refused_as_a_problem(project: Project) -> None:
    _, text = make_key(project)
    response = get("auth/check", text, headers={"Host": "evil.example"})
    assert (response.status_code, response["Content-Type"]) == (400, "application/problem+json")
    assert b"evil" not in response.content


def test_a_charset_in_a_header_does_not_change_how_the_query_is_read(project: Project, agent: Agent) -> None:
    _, text = make_key(project, ["facts:read"])
    make_fact(project, "Größe zählt.")
    for charset in ("utf-16", "latin-1", "utf-7", "nonsense"):
        response = get(
            "memory/facts", text, agent_id="support", query="Größe", content_type=f"text/plain; charset={charset}"
        )
        assert told(response) == ["Größe zählt."], charset


def test_an_answer_is_json_whatever_is_accepted(project: Project) -> None:
    _, text = make_key(project)
    for accept in ("text/html", "application/xml;q=1", "", "image/*, */*;q=0"):
        response = get("auth/check", text, headers={"Accept": accept}, format="xml")
        assert (response.status_code, response["Content-Type"]) == (200, "application/json")


def test_the_request_id_of_the_client_comes_back(project: Project) -> None:
    response = get("auth/check", headers={"X-Request-ID": "my-request-0001"})
    assert json.loads(response.content)["instance"] == "my-request-0001"
    assert response["X-Request-ID"] == "my-request-0001"


@pytest.mark.parametrize(("path", "route"), [(p, r) for p, r in api_rows() if set(r.scopes) != set(SCOPES)])
def test_a_missing_scope_is_named_and_recorded(project: Project, path: str, route: ApiRoute) -> None:
    key, text = make_key(project, [])
    before = AuditEvent.objects.count()
    detail = f"This needs a key with the scope {' or '.join(sorted(route.scopes))}."
    assert_problem(call(route.method, path, text), 403, "not_allowed", detail)
    # The SDK takes "tier" in a detail for a limit of the plan and "scope" for a missing right.
    assert "scope" in detail and "tier" not in detail
    with bind(project.id):
        events = list(AuditEvent.objects.order_by("seq").values("project_id", "actor_kind", "actor_id", "result"))
    assert len(events) == before + 1
    assert events[-1] == {"project_id": project.id, "actor_kind": "key", "actor_id": str(key.id), "result": "denied"}


def test_a_key_notes_its_use_once_a_minute(project: Project) -> None:
    key, text = make_key(project)
    get("auth/check", text)
    first = ApiKey.objects.get(id=key.id).last_used_at
    assert first is not None
    get("auth/check", text)
    assert ApiKey.objects.get(id=key.id).last_used_at == first


def test_too_many_parameters_are_refused(project: Project, agent: Agent) -> None:
    _, text = make_key(project, ["facts:read"])
    many = {f"p{number}": "1" for number in range(2000)}
    assert_problem(get("memory/facts", text, agent_id="support", **many), 400, "bad_request", None)
