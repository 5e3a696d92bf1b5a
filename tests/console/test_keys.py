"""Keys: listed without their text, shown once, revoked with a reason."""

import re
from datetime import timedelta
from html import unescape

import pytest
from django.test import Client

from apps.access.actions.authenticate_key import authenticate_key
from apps.access.models import ApiKey
from apps.access.scopes import SCOPES
from apps.audit.models import AuditEvent
from apps.core.clock import now
from apps.core.errors import NotAuthenticated
from apps.core.transactions import bind
from apps.tenancy.models import Project
from tests.console.stage import login, moved, state
from tests.console.test_traces import text
from tests.factories import make_agent, make_key, make_project, make_user

pytestmark = pytest.mark.django_db

NEW = "/p/acme/settings/keys/new"
SECRET = re.compile(r"mp_[0-9A-Za-z]{8}_[0-9A-Za-z]{43}_[0-9A-Za-z]{6}")


@pytest.fixture
def project() -> Project:
    return make_project("acme")


@pytest.fixture
def admin(project: Project) -> Client:
    return login(project, "admin", user=make_user(project, "admin", name="Ada Byron"))


def form(client: Client, **changes: object) -> dict[str, object]:
    initial = client.get(NEW).context["form"]
    fields = {name: initial[name].value() for name in initial.fields}
    return {name: value for name, value in (fields | {"name": "backend"} | changes).items() if value is not None}


def keys(project: Project) -> list[ApiKey]:
    return list(ApiKey.objects.filter(project=project).order_by("id"))


# --- the list -------------------------------------------------------------------------------------------------------


def test_the_list_has_no_secret(project: Project, admin: Client) -> None:
    agents = [make_agent(project, name) for name in ("d", "c", "b", "a")]
    _, first = make_key(project, name="live", agents=agents)
    _, second = make_key(project, ["facts:read"], name="old", expired=True, sensitivity_ceiling="internal")
    _, third = make_key(project, [], name="gone", agents=[], revoked=True, write_mode="direct")
    html = admin.get("/p/acme/settings/keys").content.decode()
    rows = [text(row.split("</tr>")[0].partition(">")[2]) for row in html.split("<tr data-row")[1:]]
    assert [row.split()[0] for row in rows] == ["gone", "old", "live"]
    day = now().strftime("%-d %b %Y")
    assert rows[0].endswith(
        f"nothing writes directly no agent public, internal and personal never revoked {day}, leaked"
    )
    assert "read an agent's and the project's facts all agents public and internal never expired" in rows[1]
    assert "facts push traces a, b, c and 1 more public, internal and personal" in rows[2]
    assert rows[2].endswith("Revoke…") and f"made {day} by the set-up" in rows[2]
    for secret in (first, second, third):
        assert secret[:11] in html and secret[11:] not in html and secret[12:30] not in html


def test_who_may_list_and_who_may_not(project: Project) -> None:
    key, _ = make_key(project)
    html = login(project, "auditor").get("/p/acme/settings/keys").content.decode()
    assert str(key) in html and "New key" not in html and "Revoke" not in html
    for role in ("viewer", "curator", "privacy_officer"):
        assert login(project, role).get("/p/acme/settings/keys").status_code == 403
    for role in ("viewer", "curator", "privacy_officer", "auditor"):
        client = login(project, role)
        before = state(project)
        assert client.get(NEW).status_code == 403
        assert client.post(NEW, {"name": "mine"}).status_code == 403
        assert client.post(f"/p/acme/settings/keys/{key.id}/revoke", {"reason": "leaked"}).status_code == 403
        assert moved(before, state(project)) == {"audit_auditevent", "audit_audithead"}


# --- a new key ------------------------------------------------------------------------------------------------------


def test_a_key_is_shown_once(project: Project, admin: Client) -> None:
    fields = form(admin)
    answer = admin.post(NEW, fields)
    html = answer.content.decode()
    (shown,) = set(SECRET.findall(html))
    assert answer.status_code == 200 and answer["Cache-Control"] == "no-store"
    assert shown not in str(answer.headers) and answer.request["QUERY_STRING"] == ""
    (key,) = keys(project)
    assert authenticate_key(shown).id == key.id
    assert (key.name, key.scopes, key.agents, key.sensitivity_ceiling, key.write_mode) == (
        "backend",
        ["agent:write", "facts:read", "traces:write"],
        None,
        "personal",
        "propose",
    )
    assert abs(key.expires_at - now() - timedelta(days=90)) < timedelta(minutes=1)
    assert str(key.created_by) == "Ada Byron"
    # Reloading the answer sends the same form: no second key, and no second look.
    again = admin.post(NEW, fields, follow=True)
    assert again.redirect_chain == [("/p/acme/settings/keys", 302)] and keys(project) == [key]
    assert "This key was made before." in again.content.decode()
    for where in ("/p/acme/settings/keys", NEW):
        assert shown[12:] not in admin.get(where).content.decode()
    with bind(project.id):
        event = AuditEvent.objects.get(verb="keys.issue")
    assert shown[12:] not in str(event.data)


def test_every_choice_of_the_form_arrives(project: Project, admin: Client) -> None:
    one, two = make_agent(project, "one"), make_agent(project, "two")
    make_agent(project, "three")
    changes = {
        "scopes": list(SCOPES),
        "reach": "some",
        "agents": [str(two.id), str(one.id)],
        "sensitivity_ceiling": "special",
        "categories": "policy, général",
        "purposes": "support",
        "write_mode": "direct",
        "rate_per_minute": "600",
        "ip_allow": "10.1.0.0/16\r\n192.0.2.7",
        "days": "365",
    }
    assert admin.post(NEW, form(admin, **changes)).status_code == 200
    (key,) = keys(project)
    assert key.scopes == sorted(SCOPES) and set(key.agents) == {one.id, two.id}
    assert (key.sensitivity_ceiling, key.write_mode) == ("special", "direct")
    assert (key.categories, key.purposes) == (["policy", "général"], ["support"])
    assert (key.rate_per_minute, key.ip_allow) == (600, ["10.1.0.0/16", "192.0.2.7/32"])
    listed = text(admin.get("/p/acme/settings/keys").content.decode())
    for words in ("only policy, général", "only for support", "600 a minute", "from 10.1.0.0/16, 192.0.2.7/32"):
        assert words in listed
    assert now() + timedelta(days=364) < key.expires_at < now() + timedelta(days=365)
    page = unescape(admin.get(NEW).content.decode())
    for scope, one in SCOPES.items():
        does = one.does
        assert f"{does[0].upper()}{does[1:]} ({scope})" in page
        assert all(f"<p>{route}</p>" in page for route in (*one.routes, *one.also))


@pytest.mark.parametrize(
    ("changes", "field", "text"),
    [
        ({"name": " "}, "name", "This field is required."),
        ({"name": "\u200b"}, "name", "A key needs a name of 1 to 120 characters."),
        ({"name": "x" * 121}, "name", "A key needs a name of 1 to 120 characters."),
        ({"scopes": None}, "scopes", "Choose at least one."),
        ({"scopes": ["everything"]}, "scopes", "Select a valid choice."),
        ({"reach": "some"}, "agents", "Tick at least one agent."),
        ({"reach": "some", "agents": ["x"]}, "agents", "Select a valid choice."),
        ({"reach": "none"}, "reach", "Select a valid choice."),
        ({"sensitivity_ceiling": "secret"}, "sensitivity_ceiling", "Select a valid choice."),
        ({"write_mode": "both"}, "write_mode", "Select a valid choice."),
        ({"rate_per_minute": "0"}, "rate_per_minute", "A limit is 1 to 100,000 a minute."),
        ({"rate_per_minute": "many"}, "rate_per_minute", "Enter a whole number."),
        ({"ip_allow": "10.1.2.3/16"}, "ip_allow", "Write addresses like 192.0.2.7"),
        ({"purposes": "x" * 61}, "purposes", "Names of 1 to 60 characters each."),
        ({"days": "0"}, "days", "A key ends in the future, within 365 days."),
        ({"days": "366"}, "days", "A key ends in the future, within 365 days."),
        ({"days": "9" * 30}, "days", "A key ends in the future, within 365 days."),
        ({"days": "-1"}, "days", "A key ends in the future, within 365 days."),
        ({"days": "soon"}, "days", "Enter a whole number."),
    ],
)
def test_what_no_key_can_be(project: Project, admin: Client, changes: dict[str, object], field: str, text: str) -> None:
    make_agent(project, "support")
    fields = form(admin, **changes)
    before = state(project)
    answer = admin.post(NEW, fields)
    assert answer.status_code == 422
    errors = answer.context["form"].errors
    assert list(errors) == [field] and errors[field][0].startswith(text)
    assert not SECRET.search(answer.content.decode())
    assert moved(before, state(project)) == set() and keys(project) == []


def test_another_projects_agent_is_no_choice(project: Project, admin: Client) -> None:
    foreign = make_agent(make_project("other"), "support")
    make_agent(project, "mine")
    answer = admin.post(NEW, form(admin, reach="some", agents=[str(foreign.id)]))
    assert answer.status_code == 422 and keys(project) == []


def test_limits_are_changed_on_their_page(project: Project, admin: Client) -> None:
    key, _ = make_key(project, name="backend", rate_per_minute=7)
    where = f"/p/acme/settings/keys/{key.id}/limits"
    assert 'value="7"' in admin.get(where).content.decode()
    before = state(project)
    for fields in ({"rate_per_minute": "0"}, {"rate_per_minute": "1e3"}, {"ip_allow": "example.com"}):
        assert admin.post(where, fields).status_code == 422
    assert moved(before, state(project)) == set()
    answer = admin.post(where, {"rate_per_minute": "", "ip_allow": "10.0.0.0/8, 2001:DB8::/32"}, follow=True)
    assert f"Changed the limits of {key}" in answer.content.decode()
    key.refresh_from_db()
    assert (key.rate_per_minute, key.ip_allow) == (None, ["10.0.0.0/8", "2001:db8::/32"])
    assert "10.0.0.0/8" in admin.get(where).content.decode()
    foreign, _ = make_key(make_project("other"))
    assert admin.post(f"/p/acme/settings/keys/{foreign.id}/limits", {"rate_per_minute": "1"}).status_code == 404
    over, _ = make_key(project, expired=True)
    assert admin.post(f"/p/acme/settings/keys/{over.id}/limits", {"rate_per_minute": "1"}).status_code == 409


def test_a_key_that_is_over_and_still_in_use_shows(project: Project, admin: Client) -> None:
    over, _ = make_key(project, name="old", expired=True)
    ApiKey.objects.filter(id=over.id).update(refused_at=now() - timedelta(minutes=3))
    assert "still tried 3 min" in text(admin.get("/p/acme/settings/keys").content.decode())


# --- the end of a key -----------------------------------------------------------------------------------------------


def test_revoke_asks_first(project: Project, admin: Client) -> None:
    key, secret = make_key(project, name="<b>backend</b>")
    where = f"/p/acme/settings/keys/{key.id}/revoke"
    before = state(project)
    page = admin.get(where).content.decode()
    assert (
        "&lt;b&gt;backend&lt;/b&gt;?" in page
        and "stops working within five seconds" in page
        and 'value="leaked"' in page
    )
    for fields in ({}, {"reason": "because"}):
        assert admin.post(where, fields).status_code == 422
    assert moved(before, state(project)) == set() and authenticate_key(secret).id == key.id
    answer = admin.post(where, {"reason": "leaked"}, follow=True)
    assert f"Revoked {key}" in answer.content.decode()
    key.refresh_from_db()
    assert (key.revoke_reason, str(key.revoked_by)) == ("leaked", "Ada Byron") and key.revoked_at is not None
    with pytest.raises(NotAuthenticated):
        authenticate_key(secret)
    before = state(project)
    assert admin.get(where).status_code == 409 and admin.post(where, {"reason": "unused"}).status_code == 409
    assert moved(before, state(project)) == set()


def test_another_projects_key_is_not_there(project: Project, admin: Client) -> None:
    key, secret = make_key(make_project("other"))
    assert admin.get(f"/p/acme/settings/keys/{key.id}/revoke").status_code == 404
    assert admin.post(f"/p/acme/settings/keys/{key.id}/revoke", {"reason": "leaked"}).status_code == 404
    assert admin.post(f"/p/other/settings/keys/{key.id}/revoke", {"reason": "leaked"}).status_code == 404
    assert authenticate_key(secret).id == key.id


def test_pages_by_position(project: Project, admin: Client, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("apps.console.views.keys.PAGE", 2)
    for name in ("a", "b", "c"):
        make_key(project, name=name)
    first = admin.get("/p/acme/settings/keys").context
    second = admin.get(first["older"]).context
    assert [row.key.name for row in (*first["rows"], *second["rows"])] == ["c", "b", "a"]
