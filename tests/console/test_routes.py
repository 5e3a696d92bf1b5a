"""Role × URL × method on the console, from the table in tests/routes.py."""

import functools
import re
from collections.abc import Callable
from dataclasses import dataclass, field
from datetime import timedelta

import pytest
from django.contrib.auth.hashers import make_password
from django.core.cache import cache
from django.db import transaction
from django.test import Client

from apps.access.actions.add_alias import add_alias
from apps.access.actions.grant_role import grant_role
from apps.access.actions.invite_member import invite_member
from apps.access.actor import system_actor
from apps.access.models import User
from apps.core.clock import now
from apps.core.transactions import bind
from apps.curation.actions.edit_fact import edit_fact
from apps.curation.changes import marks_seen
from apps.dreaming.actions.start_dream import start_dream
from apps.dreaming.models import DreamGate
from apps.exchange.actions.add_webhook import add_webhook
from apps.facts.statement import Statement
from apps.insight.actions.save_view import save_view
from apps.privacy.actions.open_request import open_request
from apps.privacy.actions.place_hold import place_hold
from apps.tenancy.models import Project
from apps.traces.actions.add_session_messages import NewMessage, add_session_messages
from tests.console.stage import digests, give_password, learn
from tests.exchange.stage import as_file, line, uploaded
from tests.factories import (
    PASSWORD,
    make_agent,
    make_fact,
    make_key,
    make_project,
    make_subject,
    make_user,
    setup_actor,
    user_actor,
)
from tests.filled import disputes
from tests.routes import CALLERS, CONSOLE, CONSOLE_FORMS
from tests.spans import trace_id

pytestmark = pytest.mark.django_db

METHODS = ("GET", "HEAD", "POST", "PUT", "PATCH", "DELETE")


@dataclass
class World:
    """A project with one of each thing, and a browser for each caller."""

    project: Project
    values: dict[str, str]
    browsers: dict[str, Client] = field(default_factory=dict)

    def path(self, route: str) -> str:
        """The address of a route with the world's own values in it."""
        filled = re.sub(r"<\w+:(\w+)>", lambda match: self.values[match[1]], route)
        filled = re.sub(r"\(\?P<(\w+)>[^)]*\)", lambda match: self.values[match[1]], filled)
        return "/" + filled.replace("^", "").replace("$", "")

    def form(self, route: str) -> dict[str, str]:
        return {name: value.format(**self.values) for name, value in CONSOLE_FORMS.get(route, {}).items()}

    def ask(self, caller: str, method: str, route: str) -> int:
        """The status of one request, of which nothing stays."""
        browser = self.browsers[caller]
        send: Callable[..., object] = getattr(browser, method.lower())
        cookies = browser.cookies.copy()
        cache.clear()  # the login counts how often it is asked
        with transaction.atomic():
            answer = send(self.path(route), self.form(route)) if method == "POST" else send(self.path(route))
            transaction.set_rollback(True)
        browser.cookies = cookies
        return answer.status_code  # type: ignore[attr-defined]


@functools.cache
def hashed() -> str:
    """A good hash takes its time; one is enough for all callers."""
    return make_password(PASSWORD)


@pytest.fixture
def world(db: None) -> World:
    project = make_project("acme")
    agent = make_agent(project, "support")
    fact = make_fact(project, "Refunds take five days.", agent=agent)
    kept = make_fact(project, "Refunds were slower once.", agent=agent)
    key, _ = make_key(project)
    (proposal,) = learn(project, "t", "Our refund window is 30 days.", user="ada")
    member = make_user(project, "viewer")
    invitation, token = invite_member(
        actor=setup_actor(project), project_id=project.id, email="new@example.test", roles=["viewer"]
    )
    ada = make_subject(project, "ada")
    alias = add_alias(
        actor=user_actor(project, "curator"), project_id=project.id, subject_id=ada.id, external_id="crm:7"
    )
    asked = open_request(
        actor=user_actor(project, "privacy_officer"), project_id=project.id, kind="access", external_id="ada"
    )
    held = place_hold(
        actor=user_actor(project, "privacy_officer"),
        project_id=project.id,
        object_type="fact",
        object_id=str(kept.id),
        ground="a lawsuit",
        review_on=(now() + timedelta(days=9)).date(),
    )
    view = save_view(
        actor=user_actor(project, "curator"),
        project_id=project.id,
        name="Manual",
        query={"source": ["manual"]},
        shared=True,
    )
    waits = start_dream(
        actor=user_actor(project, "curator"), project_id=project.id, scope="agent", scope_id="support"
    ).run
    brought = uploaded(project, as_file(line("Ships on Tuesdays.")))
    webhook, _ = add_webhook(
        actor=user_actor(project, "admin"),
        project_id=project.id,
        url="https://8.8.8.8/hook",
        events=["fact.approved"],
    )
    session = add_session_messages(
        actor=system_actor("demo", project.id),
        project_id=project.id,
        session="chat",
        messages=[NewMessage(external_id="1", role="user", content="Hello.")],
    ).session
    with bind(project.id):
        gate = DreamGate.objects.create(
            project_id=project.id,
            scope="agent",
            scope_id="support",
            failures=3,
            closed_at=now(),
            last_error="model_timeout",
        )
    world = World(
        project,
        {
            **disputes(project),
            "request_id": str(asked.id),
            "hold_id": str(held.id),
            "seen": marks_seen(fact),
            "view_id": str(view.id),
            "run_id": str(waits.id),
            "import_id": str(brought.id),
            "session_id": str(session.id),
            "gate_id": str(gate.id),
            "slug": "acme",
            "fact_id": str(fact.id),
            "proposal_id": str(proposal.id),
            "trace_id": trace_id("t"),
            "subject_id": str(ada.id),
            "alias_id": str(alias.pk),
            "agent_id": str(agent.id),
            "key_id": str(key.id),
            "webhook_id": str(webhook.id),
            "user_id": str(member.id),
            "invitation_id": str(invitation.id),
            "token": token,
            "key": "nonsense",
            "uidb36": "1",
            "password": PASSWORD,
        },
    )
    for caller in CALLERS:
        world.browsers[caller] = Client()
        if caller == "anonymous":
            continue
        user = User.objects.create(email=f"{caller}@example.test", password=hashed())
        if caller != "stranger":
            grant_role(actor=setup_actor(project), project_id=project.id, user=user, role=caller)
        world.browsers[caller].force_login(user)
        if caller == "curator":
            # Only whoever made a change takes it back.
            other = make_fact(project, "Returns are free.", agent=agent)
            actor = user_actor(project, "curator", user=user)
            said = Statement(content="Returns are free of charge.", scope="agent", scope_id="support")
            _, change = edit_fact(actor=actor, project_id=project.id, fact_id=other.id, statement=said)
            world.values["change_id"] = str(change.id)
        give_password(world.browsers[caller], user)
    return world


@pytest.mark.parametrize("route", CONSOLE)
def test_who_gets_what(world: World, route: str) -> None:
    found = {
        method: tuple(world.ask(caller, method, route) for caller in CALLERS) for method in METHODS if method != "HEAD"
    }
    expected = CONSOLE[route]
    assert {method: found[method] for method in expected} == expected
    # allauth takes a PUT for a POST, and says that sign-up is closed whatever is asked.
    for method in set() if route.startswith("account/") else set(found) - set(expected):
        # Whoever is not let in may hear that first.
        assert set(found[method]) <= {405, 302, 403, 404}, method
        let_in = [caller for caller, status in zip(CALLERS, expected.get("GET", ()), strict=False) if status == 200]
        assert {world.ask(caller, method, route) for caller in let_in} <= {405}, method


@pytest.mark.parametrize("caller", ["curator", "admin", "privacy_officer", "auditor"])
def test_reading_changes_nothing(world: World, caller: str) -> None:
    def tables() -> dict[str, tuple[int, str]]:
        with bind(world.project.id):
            return digests()

    browser = world.browsers[caller]
    browser.get("/p/acme/audit")  # that somebody reads it is an event, once an hour
    before = tables()
    for route, methods in CONSOLE.items():
        if "GET" in methods and methods["GET"][CALLERS.index(caller)] == 200:
            for extra in ({}, {"HTTP_HX_REQUEST": "true", "HTTP_HX_TARGET": "results"}):
                assert browser.get(world.path(route), **extra).status_code == 200, route  # type: ignore[arg-type]
            browser.head(world.path(route))
    assert tables() == before
