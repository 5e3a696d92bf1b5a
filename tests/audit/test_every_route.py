"""Every route that changes something leaves its own verb in the audit log, and every refusal a denial."""

from collections import Counter
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

import pytest
from django.core.cache import cache
from django.db import transaction
from django.test import Client
from django.urls import URLPattern, URLResolver, get_resolver

from apps.audit.models import AuditEvent
from apps.core.transactions import bind
from apps.facts.append import Origin
from apps.privacy.actions import carry_out as at_work
from apps.privacy.models import PrivacyRequest
from apps.tenancy.models import Project
from tests.api.helpers import call
from tests.api.test_hosted import token_of
from tests.audit.acts import ACTS, ELSEWHERE, STORIES
from tests.console.test_privacy import NEW, officer_browser, only
from tests.console.test_routes import World
from tests.console.test_wipe import member
from tests.factories import PASSWORD, make_agent, make_fact, make_key, make_project, make_user
from tests.privacy.stage import learned, work
from tests.privacy.test_staff_accounts import ADDRESS, stopped
from tests.routes import API, CALLERS, CONSOLE, HOSTED, methods_of
from tests.servers import ROOT
from tests.spans import run_of

pytestmark = pytest.mark.django_db

CHANGING = [route for route, methods in CONSOLE.items() if "POST" in methods]
Row = tuple[str, str]


def rows(project: Project) -> Counter[Row]:
    """Verbs and results in the chains of a project and of the installation."""
    found: Counter[Row] = Counter()
    for number in (project.id, None):
        with bind(number):
            found.update(AuditEvent.objects.filter(project_id=number).values_list("verb", "result"))
    return found


@contextmanager
def left(project: Project) -> Iterator[list[Row]]:
    """What the block leaves in the chains, in no order."""
    before, found = rows(project), []  # type: ignore[var-annotated]
    yield found
    found += sorted((rows(project) - before).elements())


def verbs_of_views() -> dict[str, str]:
    """The verb that a page asks the policies for, by its route."""
    found = {}

    def walk(patterns: list[URLPattern | URLResolver], prefix: str = "") -> None:
        for pattern in patterns:
            route = prefix + str(pattern.pattern)
            if isinstance(pattern, URLResolver):
                walk(pattern.url_patterns, route)
            elif hasattr(pattern.callback, "verb"):
                found[route] = pattern.callback.verb

    walk(get_resolver().url_patterns)
    return found


def test_no_route_is_forgotten() -> None:
    assert set(CHANGING) == set(ACTS) | STORIES | set(ELSEWHERE) and not set(ACTS) & STORIES
    for file, verb in ELSEWHERE.values():
        said = (ROOT / file).read_text()
        assert "AuditEvent" in said and f'"{verb}"' in said, (file, verb)
    others = {route for route, methods in CONSOLE.items() if set(methods) - {"GET", "POST"}}
    assert others == set()


@pytest.mark.parametrize("route", ACTS)
def test_what_an_act_leaves(world: World, route: str) -> None:
    act = ACTS[route]
    form = act.make(world) if act.make else world.form(route)
    path = form.pop("at", None) or world.path(route)
    statuses = CONSOLE[route]["POST"]
    able = [one for one, status in zip(CALLERS, statuses, strict=True) if status in {200, 302} and one != "stranger"]
    signed_in = [one for one in able if one != "anonymous"]
    who = form.pop("who", None) or ("anonymous" if "<str:token>" in route or "login" in route else signed_in[0])
    cache.clear()
    with left(world.project) as found:
        answer = world.browsers[who].post(path, form)
    assert answer.status_code in {200, 302}, answer.content
    assert found == sorted((verb, "done") for verb in act.verbs)


def test_what_a_refusal_leaves(world: World) -> None:
    """One denial, of the page's own verb or of the act's, whoever is refused."""
    asked, verbs = 0, verbs_of_views()
    for route in CHANGING:
        for caller, status in zip(CALLERS, CONSOLE[route]["POST"], strict=True):
            if status != 403:
                continue
            cookies = world.browsers[caller].cookies.copy()
            with transaction.atomic():
                with left(world.project) as found:
                    answer = world.browsers[caller].post(world.path(route), world.form(route))
                transaction.set_rollback(True)
            world.browsers[caller].cookies = cookies
            assert answer.status_code == 403, (route, caller)
            assert [result for _, result in found] == ["denied"], (route, caller, found)
            own = verbs.get(route, "members.join")
            assert (
                found[0][0] == own
                or found[0][0].partition(".")[0] == own.partition(".")[0]
                or own in {"proposals.read"}
            ), (route, caller, found)
            asked += 1
    assert asked > 200


# --- the API ---------------------------------------------------------------------------------------------------------

SPAN = run_of("t9", "We ship on Mondays.")
API_ACTS: dict[str, tuple[tuple[str, ...], dict[str, Any]]] = {
    "POST governance/enroll": (("instances.enroll",), {}),
    "POST sdk/agents": (("agents.register",), {}),
    "POST facts": (("facts.add",), {"content": "Nobody said this before."}),
    "DELETE facts": (("facts.clear",), {}),
    "PATCH facts/<int:fact_id>": (("facts.revise",), {}),
    "DELETE facts/<int:fact_id>": (("privacy.forget_fact",), {}),
    "POST facts/<int:fact_id>/supersede": (("facts.supersede",), {}),
    "PUT memories": (("memories.put",), {}),
    "DELETE memories": (("memories.clear",), {}),
    "POST traces/ingest": (("traces.ingest",), {"spans": SPAN}),
    "POST traces": (("traces.ingest",), {}),
    "POST privacy/requests": (("privacy.open",), {}),
    "POST keys/revoke": (("keys.revoke_own",), {}),
    "POST dreams": (("dreams.start",), {}),
    "POST sessions/<path:session_id>/messages": (("sessions.write",), {}),
}
OTLP = {
    "resourceSpans": [
        {
            "scopeSpans": [
                {
                    "spans": [
                        {
                            "traceId": "5b8efff798038103d269b633813fc60c",
                            "spanId": "eee19b7ec3c1b174",
                            "name": "chat",
                            "kind": 3,
                            "startTimeUnixNano": "1764536400000000000",
                            "endTimeUnixNano": "1764536401000000000",
                            "attributes": [{"key": "gen_ai.operation.name", "value": {"stringValue": "chat"}}],
                        }
                    ]
                }
            ]
        }
    ]
}


@pytest.mark.parametrize("name", API_ACTS)
def test_what_a_key_leaves(name: str) -> None:
    method, _, path = name.partition(" ")
    route = next(row for row in methods_of(API[path]) if row.method == method)
    verbs, more = API_ACTS[name]
    project = make_project("acme")
    agent = make_agent(project, "support")
    # What a machine said: for what a person said, a person answers.
    learnt = Origin(source="learned", trust=2)
    one, two = (make_fact(project, f"Ships on {day}.", agent=agent, origin=learnt) for day in ("Mondays", "Fridays"))
    make_fact(project, "Lives in Lisbon.", user="lovelace")
    key = make_key(project, [route.scopes[-1] if path == "keys/revoke" else route.scopes[0]], write_mode="direct")[1]
    scopeless = make_key(project, [])[1]
    body = route.body if route.body is None else route.body | more
    if path == "traces":
        body = OTLP
    if "supersede" in path:
        body = {"by": two.id}
    at = path.replace("<int:fact_id>", str(one.id)).replace("<path:session_id>", "chat/7")
    with left(project) as found:
        answer = call(method, at, key, body, headers=route.headers, **(route.params or {}))
    assert answer.status_code < 300, answer.content
    assert found == sorted((verb, "done") for verb in verbs), answer.content
    with left(project) as found:
        assert call(method, at, scopeless, body, **(route.params or {})).status_code == 403
    assert [result for _, result in found] == ["denied"]


def test_no_route_of_the_api_is_forgotten() -> None:
    changing = {f"{row.method} {path}" for path, route in API.items() for row in methods_of(route)}
    assert {name for name in changing if not name.startswith("GET ")} == set(API_ACTS)
    assert {path for path, (method, _) in HOSTED.items() if method != "GET"} == {path for path, *_ in HOSTED_ACTS}


HOSTED_ACTS: list[tuple[str, str, dict[str, Any] | None, str]] = [
    ("auth/login", "users.login", {"email": "hedy@example.test", "password": PASSWORD}, ""),
    ("api-keys", "keys.issue", {"name": "bot", "domain_id": "acme", "scopes": ["facts:read"]}, "admin"),
    ("agents/<str:agent_id>/memories", "facts.add", {"content": "Nobody said this before."}, "curator"),
    ("agents/<str:agent_id>/memories/<int:fact_id>/redact", "privacy.forget_fact", None, "curator"),
]


@pytest.mark.parametrize(("path", "verb", "body", "role"), HOSTED_ACTS)
def test_what_a_person_leaves_by_the_hosted_routes(
    path: str, verb: str, body: dict[str, Any] | None, role: str
) -> None:
    cache.clear()
    project = make_project("acme")
    agent = make_agent(project, "support")
    fact = make_fact(project, "Ships on Mondays.", agent=agent)
    make_user(project, "viewer", email="hedy@example.test")
    at = path.replace("<str:agent_id>", str(agent.id)).replace("<int:fact_id>", str(fact.id))
    able = token_of(make_user(project, role)) if role else ""
    viewer = token_of(make_user(project, "viewer"))
    ask = {"method": HOSTED[path][0], "path": at, "body": body, "prefix": "/api/v1/"}
    if role:
        with left(project) as found:
            assert call(**ask, headers={"Authorization": f"Bearer {viewer}"}).status_code == 403
        assert found == [(verb, "denied")]
    with left(project) as found:
        answer = call(**ask, headers={"Authorization": f"Bearer {able}"} if able else {})
    assert answer.status_code < 300, answer.content
    assert found == [(verb, "done")]
    if not role:
        with left(project) as found:
            assert call(**ask | {"body": (body or {}) | {"password": "wrong"}}).status_code == 401
        assert found == [(verb, "denied")]


# --- what comes only after other acts -----------------------------------------------------------------------------------


def posted(project: Project, client: Client, path: str, **form: str) -> list[Row]:
    with left(project) as found:
        answer = client.post(path, form)
    assert answer.status_code in {200, 302}, answer.content
    return found


def test_a_wipe(settings: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    settings.PURGE_WAITS = False
    monkeypatch.setattr(at_work, "CLOSING_SECONDS", 0)
    project = make_project("acme", "Acme")
    admin, second = member(project, "admin"), member(project, "privacy_officer")
    base = "/p/acme/settings/wipe"
    assert posted(project, admin, f"{base}/ask", typed_name="Acme") == [("privacy.open", "done")]
    assert posted(project, second, f"{base}/approve", typed_name="Acme") == [("privacy.suppressing", "done")]
    while work(project) != ["completed"]:
        pass
    assert posted(project, admin, f"{base}/reopen") == [("project.reopen", "done")]


def test_a_package_is_fetched(settings: Any) -> None:
    settings.PURGE_WAITS = False
    project = make_project("acme")
    make_agent(project, "support")
    learned(project, "t", "I live in Lisbon.", user="ada.k")
    browser = officer_browser(project)
    browser.post("/p/acme/privacy/new", NEW | {"kind": "access"})
    act = f"/p/acme/privacy/{only(project).id}/act"
    browser.post(act, {"do": "fulfil"})
    assert work(project) == ["completed"]
    with left(project) as found:
        page = browser.post(act, {"do": "link"}).content.decode()
    assert found == [("privacy.link", "done")]
    link = page.split('value="http://testserver')[1].split('"')[0]
    assert posted(project, Client(), link) == [("privacy.fetched", "done")]


def test_an_account_of_staff_is_closed(settings: Any) -> None:
    settings.PURGE_WAITS = False
    project = make_project("acme")
    make_fact(project, "Prefers trains.", user=ADDRESS)
    sophie = make_user(project, "curator", email=ADDRESS, name="Sophie")
    path = f"/p/acme/privacy/{stopped(project).id}/account"
    found = posted(project, officer_browser(project), path, account=str(sophie.id))
    assert found == [("privacy.close_account", "done")]


def test_the_second_person_is_somebody_else(settings: Any) -> None:
    """Who may do it by his role and is refused all the same leaves a denial with the reason."""
    project = make_project("acme")
    make_agent(project, "support")
    learned(project, "t", "I live in Lisbon.", user="ada.k")
    browser = officer_browser(project)
    browser.post("/p/acme/privacy/new", NEW)
    request = only(project)
    digest = bytes(request.preview_digest or b"").hex()
    browser.post(f"/p/acme/privacy/{request.id}/act", {"do": "submit", "digest": digest, "typed_id": "ada.k"})
    with left(project) as found:
        answer = browser.post(f"/p/acme/privacy/{request.id}/approve", {"digest": digest, "typed_id": "ada.k"})
    assert answer.status_code == 403 and found == [("privacy.approve", "denied")]
    with bind(project.id):
        assert AuditEvent.objects.latest("seq").reason == "second_person"
        assert PrivacyRequest.objects.get().state == "awaiting_approval"
