"""Who may call what: every route of the product, one row each. tests/api/test_routes.py walks the URL configuration
and fails for a route that has no row here, and for a row that has no route.

API rows say which scopes open a route for a key; every other key gets 403, nobody 401, every other method 405.
CONSOLE rows say the status each caller gets, in the order of CALLERS, for each method a route knows; every other
method gets 405 from whoever gets past the door.
"""

from dataclasses import dataclass
from typing import Any

from apps.access.scopes import SCOPES


@dataclass(frozen=True, kw_only=True)
class ApiRoute:
    """`ok` is the status for a key that may, asking with `params` and `body`; `scopeless`: so may a key without any
    scope. `at` is the path that is asked where the route has parts, `other` what a second method of it does, and so on;
    `again` what another key is answered that asks for the same, where that is not what follows from `ok`."""

    method: str
    scopes: tuple[str, ...]
    ok: int = 200
    scopeless: bool = False
    params: dict[str, str] | None = None
    headers: dict[str, str] | None = None
    body: Any = None
    at: str = ""
    other: "ApiRoute | None" = None
    write_mode: str = "propose"
    again: int = 0


ANY_SCOPE = tuple(SCOPES)

# Relative to /public/v1/ and /v1/, which are one configuration.
API: dict[str, ApiRoute] = {
    "auth/check": ApiRoute(method="GET", scopes=ANY_SCOPE, scopeless=True),
    "policy": ApiRoute(method="GET", scopes=ANY_SCOPE, scopeless=True),
    "governance/enroll": ApiRoute(
        method="POST", scopes=("agent:write", "facts:read", "traces:write"), body={"instance_id": "e5be95db"}
    ),
    "sdk/agents": ApiRoute(method="POST", scopes=("agent:write",), ok=201, body={"name": "another"}),
    "memory/facts": ApiRoute(method="GET", scopes=("facts:read",), params={"agent_id": "support"}),
    "memory/revocations": ApiRoute(method="GET", scopes=("facts:read",), params={"since": "2026-01-01T00:00:00Z"}),
    "facts": ApiRoute(
        method="GET",
        scopes=("facts:read",),
        other=ApiRoute(
            method="POST",
            scopes=("facts:write", "proposals:write"),
            ok=202,
            body={"scope": "agent", "scope_id": "support", "content": "Refunds take five days."},
            other=ApiRoute(
                method="DELETE",
                scopes=("facts:clear",),
                params={"scope": "user", "scope_id": "lovelace", "all": "true"},
                write_mode="direct",
            ),
        ),
    ),
    # There is no such fact: whoever may not ask hears that first.
    "facts/<int:fact_id>": ApiRoute(
        method="GET",
        scopes=("facts:read",),
        ok=404,
        at="facts/7",
        other=ApiRoute(
            method="PATCH",
            scopes=("facts:write", "proposals:write"),
            ok=404,
            body={"content": "Refunds take six days."},
            headers={"If-Match": "*"},
            other=ApiRoute(method="DELETE", scopes=("facts:write", "proposals:write"), ok=404),
        ),
    ),
    "facts/<int:fact_id>/supersede": ApiRoute(
        method="POST", scopes=("facts:write", "proposals:write"), ok=404, at="facts/7/supersede", body={"by": 8}
    ),
    "memories": ApiRoute(
        method="GET",
        scopes=("facts:read:user",),
        params={"agent": "support", "scope": "user:lovelace"},
        other=ApiRoute(
            method="PUT",
            scopes=("facts:write", "proposals:write"),
            ok=202,
            again=202,
            body={"agent": "support", "scope": "user:lovelace", "key": "city", "value": "London"},
            other=ApiRoute(
                method="DELETE",
                scopes=("facts:clear",),
                params={"agent": "support", "scope": "user:lovelace", "all": "true"},
                write_mode="direct",
            ),
        ),
    ),
    # There is no such key: whoever may not ask hears that first.
    "memories/value": ApiRoute(
        method="GET",
        scopes=("facts:read:user",),
        ok=404,
        at="memories/value?agent=support&scope=user:lovelace&key=city",
    ),
    "memories/keys": ApiRoute(
        method="GET", scopes=("facts:read:user",), params={"agent": "support", "scope": "user:lovelace"}
    ),
    "memories/scopes": ApiRoute(method="GET", scopes=("facts:read:user",), params={"agent": "support"}),
    "traces/ingest": ApiRoute(method="POST", scopes=("traces:write",), body={"spans": []}),
    "traces": ApiRoute(method="POST", scopes=("traces:write",), body={"resourceSpans": []}),
    "privacy/requests": ApiRoute(
        method="POST", scopes=("privacy:open",), ok=201, body={"kind": "access", "user_id": "ada"}
    ),
    "privacy/opened": ApiRoute(method="GET", scopes=("privacy:open",)),
    "keys/revoke": ApiRoute(method="POST", scopes=ANY_SCOPE, body={}),
    "dreams": ApiRoute(
        method="GET",
        scopes=("dreams:write",),
        other=ApiRoute(method="POST", scopes=("dreams:write",), ok=202, body={"scope": "project"}),
    ),
    # There is no such run: whoever may not ask hears that first.
    "dreams/<int:run_id>": ApiRoute(method="GET", scopes=("dreams:write",), ok=404, at="dreams/7"),
    "sessions/<path:session_id>/messages": ApiRoute(
        method="POST",
        scopes=("traces:write", "dreams:write"),
        at="sessions/chat/7/messages",
        body={"messages": [{"role": "user", "content": "Hello."}]},
    ),
}


# Relative to /api/v1/: the hosted plane's routes for people with a token. Method, and the status for each of CALLERS.
HOSTED: dict[str, tuple[str, tuple[int, ...]]] = {
    "auth/login": ("POST", (401, *[200] * 6)),
    "users/me/domains": ("GET", (401, *[200] * 6)),
    "domains/<str:domain_id>/projects": ("GET", (401, 404, *[200] * 5)),
    "api-keys": ("POST", (401, 404, 403, 403, 403, 201, 403)),
    "agents/<str:agent_id>/memories": ("POST", (401, 404, 403, 201, 403, 403, 403)),
    "agents/<str:agent_id>/memories/<int:fact_id>/redact": ("DELETE", (401, 404, 403, 200, 200, 403, 403)),
}


def api_rows() -> list[tuple[str, ApiRoute]]:
    """Each method of each route, with the path that is asked."""
    return [(route.at or path, row) for path, route in API.items() for row in methods_of(route)]


def methods_of(route: ApiRoute) -> list[ApiRoute]:
    """Its rows, one a method."""
    return [route, *(methods_of(route.other) if route.other else [])]


# Answered to anybody, with no more said than whether the process works.
OPEN = {"healthz": ("GET", 200), "readyz": ("GET", 200)}

CALLERS = ("anonymous", "stranger", "viewer", "curator", "privacy_officer", "admin", "auditor")

# Route as Django spells it → method → the status for each of CALLERS.
Statuses = tuple[int, int, int, int, int, int, int]

ANYBODY: Statuses = (200,) * 7
LOGGED_IN: Statuses = (302, *[200] * 6)
LOGGED_OUT: Statuses = (200, *[302] * 6)
ONWARD: Statuses = (302,) * 7
#                        anonymous, stranger, viewer, curator, privacy officer, admin, auditor
MEMBERS: Statuses = (302, 404, *[200] * 5)
READERS: Statuses = (302, 404, 200, 200, 200, 200, 403)
OFFICERS: Statuses = (302, 404, 403, 403, 200, 403, 403)
PRIVACY_READERS: Statuses = (302, 404, 403, 403, 200, 403, 200)
REVIEWERS: Statuses = (302, 404, 403, 200, 200, 403, 403)
CURATORS: Statuses = (302, 404, 403, 200, 403, 403, 403)
ADMINS: Statuses = (302, 404, 403, 403, 403, 200, 403)
FIGURES: Statuses = (302, 404, 403, 200, 200, 200, 403)
FILERS: Statuses = (302, 404, 403, 200, 403, 200, 403)
SETTLERS: Statuses = (302, 404, 403, 200, 200, 200, 200)
GATEKEEPERS: Statuses = (302, 404, 403, 200, 403, 200, 403)
KEY_READERS: Statuses = (302, 404, 403, 403, 403, 200, 200)
AUDITORS: Statuses = (302, 404, 403, 403, 200, 200, 200)


def then(opens: Statuses, status: int) -> Statuses:
    """The same callers, answered with `status` where the form was taken."""
    anonymous, *rest = (status if one == 200 else one for one in opens)
    return anonymous, *rest  # type: ignore[return-value]


CONSOLE: dict[str, dict[str, Statuses]] = {
    # Where the only project of a member is, or the list of them; nobody's own page for a stranger.
    "": {"GET": (302, 200, 302, 302, 302, 302, 302)},
    "account/login/": {"GET": LOGGED_OUT, "POST": ONWARD},
    "account/logout/": {"GET": LOGGED_IN, "POST": ONWARD},
    # Without a password the form comes back.
    "account/reauthenticate/": {"GET": LOGGED_IN, "POST": then(LOGGED_IN, 422)},
    "account/password/change/": {"GET": LOGGED_IN, "POST": ONWARD},
    "account/inactive/": {"GET": ANYBODY},
    # No identity provider is configured.
    "account/oidc/begin": {"POST": (404,) * 7},
    "account/oidc/callback": {"GET": (404,) * 7},
    "me/unlink": {"POST": then(LOGGED_IN, 404)},
    # Nobody has given a password that waits for its code.
    "account/code/": {"GET": (302,) * 7, "POST": (302,) * 7},
    # Without a code the form comes back.
    "me/two-step": {"GET": LOGGED_IN, "POST": then(LOGGED_IN, 422)},
    "me": {"GET": LOGGED_IN, "POST": ONWARD},
    "me/set": {"POST": ONWARD},
    "me/sign-out-elsewhere": {"POST": ONWARD},
    # Sign-up is closed: a page that says so.
    "account/signup/": {"GET": LOGGED_OUT, "POST": LOGGED_OUT},
    "next/agents/<str:agent_id>": {"GET": (302, 404, 302, 302, 302, 302, 302)},
    "p/<slug:slug>": {"GET": (302, 404, 200, 200, 200, 200, 302)},
    "p/<slug:slug>/seen": {"GET": (302, 404, *[302] * 5), "POST": then(MEMBERS, 302)},
    # Reached by GET only after a login in between; then it leads to the project.
    "p/<slug:slug>/undo/<uuid:change_id>": {"GET": then(CURATORS, 302), "POST": then(CURATORS, 302)},
    "p/<slug:slug>/go": {"GET": MEMBERS},
    # It asks by itself, so it is told to stop and never sent anywhere.
    "p/<slug:slug>/jobs": {"GET": (286, 286, 200, 200, 200, 200, 200)},
    "p/<slug:slug>/pulse": {"GET": (286, 286, 200, 200, 200, 200, 200)},
    "p/<slug:slug>/facts": {"GET": READERS},
    "p/<slug:slug>/facts/export": {"POST": REVIEWERS},
    # A file has to be there; a form alone is refused to those who may send one, and to whom reads alone too.
    "p/<slug:slug>/imports": {"GET": FIGURES, "POST": (302, 404, 403, 422, 403, 422, 403)},
    "p/<slug:slug>/imports/<int:import_id>": {"GET": FIGURES, "POST": then(FILERS, 302)},
    "p/<slug:slug>/facts/facets": {"GET": READERS},
    "p/<slug:slug>/facts/masking": {"POST": then(REVIEWERS, 302)},
    "p/<slug:slug>/facts/views": {"GET": READERS, "POST": then(READERS, 302)},
    # One that somebody else shares: nobody else changes it, and administrators tidy up.
    "p/<slug:slug>/facts/views/<int:view_id>": {"GET": then(READERS, 404), "POST": then(READERS, 404)},
    "p/<slug:slug>/facts/views/<int:view_id>/delete": {
        "GET": (302, 404, 404, 404, 404, 200, 403),
        "POST": (302, 404, 404, 404, 404, 302, 403),
    },
    "p/<slug:slug>/facts/new": {"GET": CURATORS, "POST": then(CURATORS, 302)},
    # Reached by GET only after a login in between; then it leads to the list.
    "p/<slug:slug>/facts/bulk": {"GET": then(CURATORS, 302), "POST": then(CURATORS, 302)},
    "p/<slug:slug>/facts/<int:fact_id>": {"GET": READERS},
    "p/<slug:slug>/facts/<int:fact_id>/edit": {"GET": CURATORS, "POST": then(CURATORS, 302)},
    # Who restores a version is asked by the verb; a world with one version has none to restore.
    "p/<slug:slug>/facts/<int:fact_id>/history": {"GET": READERS, "POST": (302, 404, 400, 400, 400, 400, 403)},
    "p/<slug:slug>/facts/<int:fact_id>/forget": {"GET": REVIEWERS, "POST": then(REVIEWERS, 302)},
    "p/<slug:slug>/facts/duplicates": {"GET": REVIEWERS},
    # Of no group there is nothing to ask, and nothing to do.
    "p/<slug:slug>/facts/duplicates/keep": {"GET": then(CURATORS, 302), "POST": then(CURATORS, 302)},
    "p/<slug:slug>/facts/duplicates/<int:group_id>": {"GET": REVIEWERS, "POST": then(CURATORS, 422)},
    "p/<slug:slug>/conflicts": {"GET": REVIEWERS},
    # Without a verdict the form comes back.
    "p/<slug:slug>/conflicts/<int:conflict_id>": {"GET": REVIEWERS, "POST": then(CURATORS, 422)},
    "p/<slug:slug>/dreams": {"GET": REVIEWERS},
    "p/<slug:slug>/dreams/new": {"GET": CURATORS, "POST": then(CURATORS, 302)},
    "p/<slug:slug>/dreams/<int:run_id>": {"GET": REVIEWERS, "POST": then(CURATORS, 302)},
    "p/<slug:slug>/review": {"GET": REVIEWERS},
    "p/<slug:slug>/review/<uuid:proposal_id>": {"GET": REVIEWERS},
    "p/<slug:slug>/review/<uuid:proposal_id>/meaning": {"GET": REVIEWERS},
    "p/<slug:slug>/review/<uuid:proposal_id>/approve": {"GET": CURATORS, "POST": then(CURATORS, 302)},
    # Reached by GET only after a login in between; then it leads to the proposal.
    "p/<slug:slug>/review/<uuid:proposal_id>/reject": {"GET": then(CURATORS, 302), "POST": then(CURATORS, 302)},
    "p/<slug:slug>/review/<uuid:proposal_id>/snooze": {"GET": then(CURATORS, 302), "POST": then(CURATORS, 302)},
    "p/<slug:slug>/review/<uuid:proposal_id>/assign": {"GET": then(CURATORS, 302), "POST": then(CURATORS, 302)},
    "p/<slug:slug>/review/batch": {"GET": then(CURATORS, 302), "POST": then(CURATORS, 302)},
    "p/<slug:slug>/subjects": {"GET": READERS},
    "p/<slug:slug>/subjects/<int:subject_id>": {"GET": READERS},
    # By GET they lead to the subject.
    "p/<slug:slug>/subjects/<int:subject_id>/aliases": {"GET": then(REVIEWERS, 302), "POST": then(REVIEWERS, 302)},
    "p/<slug:slug>/subjects/<int:subject_id>/aliases/<int:alias_id>/remove": {
        "GET": then(REVIEWERS, 302),
        "POST": then(REVIEWERS, 302),
    },
    "p/<slug:slug>/sessions": {"GET": REVIEWERS},
    "p/<slug:slug>/sessions/<int:session_id>": {"GET": REVIEWERS},
    "p/<slug:slug>/traces": {"GET": REVIEWERS},
    "p/<slug:slug>/traces/learn": {"GET": CURATORS, "POST": then(CURATORS, 302)},
    "p/<slug:slug>/traces/<str:trace_id>": {"GET": REVIEWERS},
    "p/<slug:slug>/traces/<str:trace_id>/preview": {"GET": then(CURATORS, 302), "POST": CURATORS},
    "p/<slug:slug>/traces/<str:trace_id>/extract": {"GET": then(CURATORS, 302), "POST": then(CURATORS, 302)},
    "p/<slug:slug>/agents": {"GET": READERS},
    "p/<slug:slug>/agents/<uuid:agent_id>": {"GET": READERS},
    "p/<slug:slug>/agent-view": {"GET": READERS},
    # A bare address asks no question, and there is no case of none.
    "p/<slug:slug>/agent-view/case": {"GET": (302, 404, 400, 400, 400, 400, 403)},
    "p/<slug:slug>/time-travel": {"GET": READERS},
    "p/<slug:slug>/health": {"GET": FIGURES},
    "p/<slug:slug>/health/retry": {"GET": then(CURATORS, 302), "POST": then(CURATORS, 302)},
    "p/<slug:slug>/health/gates/<int:gate_id>/open": {"GET": then(GATEKEEPERS, 302), "POST": then(GATEKEEPERS, 302)},
    "p/<slug:slug>/settings/extraction": {"GET": ADMINS, "POST": then(ADMINS, 302)},
    "p/<slug:slug>/settings/categories": {"GET": FIGURES},
    "p/<slug:slug>/settings/categories/add": {"GET": then(FILERS, 302), "POST": then(FILERS, 302)},
    "p/<slug:slug>/settings/categories/rename": {"GET": then(FILERS, 404), "POST": then(FILERS, 404)},
    "p/<slug:slug>/settings/categories/retire": {"POST": then(FILERS, 302)},
    "p/<slug:slug>/settings/categories/enable": {"POST": then(FILERS, 409)},
    "p/<slug:slug>/settings/dreaming": {"GET": ADMINS, "POST": then(ADMINS, 302)},
    "p/<slug:slug>/settings/recall": {"GET": ADMINS, "POST": then(ADMINS, 302)},
    "p/<slug:slug>/privacy": {"GET": PRIVACY_READERS},
    "p/<slug:slug>/privacy/new": {"GET": REVIEWERS, "POST": then(REVIEWERS, 422)},
    "p/<slug:slug>/privacy/holds": {"GET": PRIVACY_READERS, "POST": (302, 404, 403, 403, 422, 403, 422)},
    "p/<slug:slug>/privacy/holds/<int:hold_id>/release": {"GET": then(OFFICERS, 302), "POST": then(OFFICERS, 302)},
    "p/<slug:slug>/privacy/<uuid:request_id>": {"GET": PRIVACY_READERS},
    # Without a word what to do, nothing is done; by GET they lead to the request.
    "p/<slug:slug>/privacy/<uuid:request_id>/act": {"GET": then(OFFICERS, 302), "POST": then(OFFICERS, 400)},
    # Who became an officer today approves nothing.
    "p/<slug:slug>/privacy/<uuid:request_id>/account": {"GET": then(OFFICERS, 302), "POST": then(OFFICERS, 422)},
    "p/<slug:slug>/privacy/<uuid:request_id>/approve": {"GET": then(OFFICERS, 302), "POST": then(OFFICERS, 403)},
    "p/<slug:slug>/privacy/<uuid:request_id>/receipt": {"GET": then(PRIVACY_READERS, 404)},
    "p/<slug:slug>/privacy/<uuid:request_id>/receipt.json": {"GET": then(PRIVACY_READERS, 404)},
    # For somebody without an account; a link that is none gives nothing.
    "package/<str:token>": {"GET": ANYBODY, "POST": (404,) * 7},
    "p/<slug:slug>/audit": {"GET": (302, 404, 403, 200, 200, 200, 200)},
    "p/<slug:slug>/audit/export": {"POST": AUDITORS},
    "p/<slug:slug>/audit/verify": {"GET": then(AUDITORS, 302), "POST": then(AUDITORS, 302)},
    "p/<slug:slug>/audit/chain": {"GET": AUDITORS},
    "p/<slug:slug>/settings": {"GET": then(SETTLERS, 302)},
    "p/<slug:slug>/settings/keys": {"GET": KEY_READERS},
    # The answer to the form is the one page that shows the key.
    "p/<slug:slug>/settings/keys/new": {"GET": ADMINS, "POST": ADMINS},
    "p/<slug:slug>/settings/keys/<int:key_id>/roll": {"GET": ADMINS, "POST": ADMINS},
    "p/<slug:slug>/settings/keys/<int:key_id>/limits": {"GET": ADMINS, "POST": then(ADMINS, 302)},
    "p/<slug:slug>/settings/keys/<int:key_id>/revoke": {"GET": ADMINS, "POST": then(ADMINS, 302)},
    "p/<slug:slug>/settings/members": {"GET": KEY_READERS},
    "p/<slug:slug>/settings/members/invite": {"GET": ADMINS, "POST": ADMINS},
    "p/<slug:slug>/settings/members/<int:user_id>": {"GET": ADMINS, "POST": then(ADMINS, 302)},
    "p/<slug:slug>/settings/members/<int:user_id>/remove": {"GET": ADMINS, "POST": then(ADMINS, 302)},
    "p/<slug:slug>/settings/members/invitations/<int:invitation_id>/withdraw": {
        "GET": ADMINS,
        "POST": then(ADMINS, 302),
    },
    "p/<slug:slug>/settings/retention": {"GET": AUDITORS, "POST": AUDITORS},
    "p/<slug:slug>/settings/retention/change": {"GET": ADMINS, "POST": then(ADMINS, 302)},
    "p/<slug:slug>/settings/webhooks": {"GET": ADMINS},
    # The answer to the form is the one page that shows the secret.
    "p/<slug:slug>/settings/webhooks/new": {"GET": ADMINS, "POST": ADMINS},
    "p/<slug:slug>/settings/webhooks/<int:webhook_id>": {"GET": ADMINS},
    "p/<slug:slug>/settings/webhooks/<int:webhook_id>/change": {"GET": ADMINS, "POST": then(ADMINS, 302)},
    "p/<slug:slug>/settings/webhooks/<int:webhook_id>/act": {"GET": then(ADMINS, 302), "POST": then(ADMINS, 302)},
    "p/<slug:slug>/settings/webhooks/<int:webhook_id>/secret": {"GET": ADMINS, "POST": ADMINS},
    "p/<slug:slug>/settings/webhooks/<int:webhook_id>/delete": {"GET": ADMINS, "POST": then(ADMINS, 302)},
    "p/<slug:slug>/settings/wipe": {"GET": AUDITORS},
    # Something is held and somebody's request is open; nothing was asked for yet; the project is open.
    "p/<slug:slug>/settings/wipe/ask": {
        "GET": (302, 404, 403, 403, 302, 302, 403),
        "POST": (302, 404, 403, 403, 409, 409, 403),
    },
    "p/<slug:slug>/settings/wipe/approve": {"GET": then(OFFICERS, 302), "POST": then(OFFICERS, 404)},
    "p/<slug:slug>/settings/wipe/reopen": {"GET": then(ADMINS, 302), "POST": then(ADMINS, 409)},
    # Whoever is signed in as somebody else than the invited one reads that, and may not join.
    "invitations/<str:token>": {"GET": ANYBODY, "POST": (302, *[403] * 6)},
}

# What is posted where a form needs more than its token; `{fact_id}` and the like stand for the route's own values.
FACT = {
    "content": "Ships on Tuesdays.",
    "scope": "project",
    "category": "general",
    "memory_type": "semantic",
    "sensitivity": "internal",
    "confidence": "1",
    "importance": "0.5",
}
CONSOLE_FORMS: dict[str, dict[str, str]] = {
    "p/<slug:slug>/facts/export": {"as": "csv"},
    "p/<slug:slug>/imports/<int:import_id>": {"act": "cancel"},
    "account/login/": {"login": "curator@example.test", "password": "{password}"},
    "account/password/change/": {
        "oldpassword": "{password}",
        "password1": "otter-91-Quiet-bay",
        "password2": "otter-91-Quiet-bay",
    },
    "me": {"time_zone": "Europe/Berlin"},
    "me/set": {"theme": "dark"},
    "p/<slug:slug>/facts/views": {"name": "Learned", "list": "?source=learned"},
    "p/<slug:slug>/facts/new": FACT,
    "p/<slug:slug>/facts/<int:fact_id>/edit": FACT | {"content": "Ships on Fridays.", "seen": "{seen}"},
    "p/<slug:slug>/facts/bulk": {"act": "pin", "ids": "{fact_id}"},
    "p/<slug:slug>/facts/<int:fact_id>/forget": {"facts": "1", "superseded": "0", "evidence": "0", "proposals": "0"},
    "p/<slug:slug>/review/<uuid:proposal_id>/reject": {"reason": "vague"},
    "p/<slug:slug>/review/<uuid:proposal_id>/snooze": {"snooze": "tomorrow"},
    "p/<slug:slug>/review/<uuid:proposal_id>/assign": {"assignee": "0"},
    "p/<slug:slug>/review/batch": {"ids": "{proposal_id}", "act": "approve"},
    "p/<slug:slug>/subjects/<int:subject_id>/aliases": {"external_id": "ada@example.test"},
    "p/<slug:slug>/traces/learn": {"hours": "24"},
    "p/<slug:slug>/settings/extraction": {"extractor": "rules", "max_per_trace": "10", "max_learned": ""},
    "p/<slug:slug>/settings/categories/add": {"name": "shipping"},
    "p/<slug:slug>/settings/categories/retire": {"name": "policy"},
    "p/<slug:slug>/settings/categories/enable": {"name": "policy"},
    "p/<slug:slug>/settings/recall": {"reset": "1"},
    "p/<slug:slug>/settings/dreaming": {
        "engine": "rules",
        "settle_seconds": "60",
        "retire_percent": "10",
        "stale_days": "180",
        "max_tokens": "60000",
        "max_seconds": "600",
    },
    "p/<slug:slug>/dreams/new": {"scope": "project"},
    "p/<slug:slug>/dreams/<int:run_id>": {"act": "cancel"},
    "p/<slug:slug>/settings/keys/new": {
        "nonce": "one",
        "name": "backend",
        "scopes": "facts:read",
        "reach": "all",
        "sensitivity_ceiling": "personal",
        "write_mode": "propose",
        "days": "90",
    },
    "p/<slug:slug>/settings/keys/<int:key_id>/roll": {"nonce": "two", "hours": "24"},
    "p/<slug:slug>/settings/keys/<int:key_id>/limits": {"rate_per_minute": "60", "ip_allow": "10.0.0.0/8"},
    "p/<slug:slug>/settings/keys/<int:key_id>/revoke": {"reason": "leaked"},
    "p/<slug:slug>/settings/members/invite": {"email": "another@example.test", "roles": "viewer"},
    "p/<slug:slug>/settings/members/<int:user_id>": {"roles": "curator"},
    "p/<slug:slug>/settings/webhooks/new": {"url": "https://8.8.4.4/hook", "events": "fact.approved"},
    "p/<slug:slug>/settings/webhooks/<int:webhook_id>/change": {
        "url": "https://8.8.8.8/other",
        "events": "fact.forgotten",
    },
    "p/<slug:slug>/settings/webhooks/<int:webhook_id>/act": {"act": "off"},
    "p/<slug:slug>/settings/wipe/ask": {"typed_name": "Acme"},
    "p/<slug:slug>/settings/wipe/approve": {"typed_name": "Acme"},
    "p/<slug:slug>/settings/retention/change": {"store": "traces", "keep_days": "90", "sure": "1"},
    "invitations/<str:token>": {"name": "New", "password": "{password}", "again": "{password}"},
}
