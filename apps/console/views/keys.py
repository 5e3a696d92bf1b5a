"""Settings: API keys. Made here, shown once, rolled, ended here."""

from dataclasses import dataclass
from datetime import timedelta
from typing import Any
from uuid import UUID

from django.contrib import messages
from django.http import HttpResponse, HttpResponseRedirect
from django.shortcuts import render
from django.urls import reverse
from django.views.decorators.http import require_http_methods, require_safe

from apps.access.actions.issue_key import issue_key
from apps.access.actions.limit_key import limit_key
from apps.access.actions.revoke_key import revoke_key
from apps.access.actions.roll_key import roll_key
from apps.access.models import ApiKey
from apps.access.policies import allowed
from apps.access.scopes import ANY_KEY, ANY_SCOPE, SCOPES
from apps.console.forms.errors import show_errors
from apps.console.forms.keys import CEILINGS, Limits, NewKey, RevokeKey, RollKey
from apps.console.hx import ConsoleRequest, done, project_page
from apps.console.queries import agent_names
from apps.console.shaping.connect import snippet
from apps.console.shaping.links import with_query
from apps.console.shaping.settings import sections
from apps.core.clock import now
from apps.core.errors import Conflict, Invalid, NotFound
from apps.core.keyset import keyset_page

PAGE = 50
FEW = 3
SOON = timedelta(days=14)


@dataclass(frozen=True)
class Row:
    """A key as the list shows it."""

    key: ApiKey
    agents: str
    ceiling: str
    scopes: list[tuple[str, str]]
    limits: list[str]
    state: str
    ends_soon: bool


@require_safe
@project_page("keys.read")
def listing(request: ConsoleRequest) -> HttpResponse:
    """Keys, newest first. Of a key's text only its public part is known here."""
    project, path = request.project, reverse("settings-keys", args=[request.project.slug])
    page = keyset_page(
        ApiKey.objects.filter(project_id=project.id).select_related("created_by", "rotated_from"),
        order=("-id",),
        cursor=request.GET.get("cursor") or None,
        limit=PAGE,
        context=f"{project.id} keys",
    )
    wanted = {agent_id for key in page.rows for agent_id in key.agents or []}
    names = agent_names(project.id, wanted)
    context = {
        "slug": project.slug,
        "rows": [_row(key, names) for key in page.rows],
        "newer": page.newer and with_query(path, request.GET, cursor=page.newer),
        "older": page.older and with_query(path, request.GET, cursor=page.older),
        "pager_text": f"{len(page.rows)} on this page" if page.rows else "",
        "may_issue": allowed(request.actor, "keys.issue"),
        "may_revoke": allowed(request.actor, "keys.revoke"),
        "may_roll": allowed(request.actor, "keys.roll"),
        "may_limit": allowed(request.actor, "keys.limit"),
        "sections": sections(project.slug, "settings-keys", request.actor),
        "new_url": reverse("key-new", args=[project.slug]),
    }
    return render(request, "console/keys/list.html", context)


def _row(key: ApiKey, agent_names: dict[UUID, str]) -> Row:
    names = [agent_names.get(agent_id, "a deleted agent") for agent_id in key.agents or []]
    if key.agents is None:
        agents = "all agents"
    elif len(names) > FEW:
        agents = f"{', '.join(sorted(names)[:FEW])} and {len(names) - FEW} more"
    else:
        agents = ", ".join(sorted(names)) or "no agent"
    state = "revoked" if key.revoked_at else "expired" if key.expires_at <= now() else "active"
    scopes = [(scope, SCOPES[scope].does if scope in SCOPES else scope) for scope in key.scopes]
    soon = state == "active" and key.expires_at - now() < SOON
    return Row(key, agents, CEILINGS[key.sensitivity_ceiling], scopes, _limits(key), state, soon)


def _limits(key: ApiKey) -> list[str]:
    """What narrows a key beside its agents and its ceiling, in words."""
    said = []
    if key.categories is not None:
        said.append(f"only {_few(key.categories, 'no category')}")
    if key.purposes is not None:
        said.append(f"only for {_few(key.purposes, 'no purpose')}")
    if key.rate_per_minute is not None:
        said.append(f"{key.rate_per_minute:,} a minute")
    if key.ip_allow is not None:
        said.append(f"from {_few(key.ip_allow, 'nowhere')}")
    return said


def _few(names: list[str], none: str) -> str:
    more = f" and {len(names) - FEW} more" if len(names) > FEW else ""
    return f"{', '.join(names[:FEW])}{more}" if names else none


@require_http_methods(["GET", "HEAD", "POST"])
@project_page("keys.issue")
def new(request: ConsoleRequest) -> HttpResponse:
    """The form, and the answer to it, which alone ever shows the key."""
    project, agents = request.project, agent_names(request.project.id)
    if request.method != "POST":
        return render(request, "console/keys/new.html", _form_context(request, NewKey(agents)))
    form = NewKey(agents, request.POST)
    if form.is_valid():
        try:
            key, text = issue_key(
                actor=request.actor,
                project_id=project.id,
                idempotency_key=form.cleaned_data["nonce"],
                **form.grants(),
            )
        except Invalid as error:
            show_errors(form, error, {"expires_at": "days"})
        except Conflict as error:
            return _made_before(request, error)
        else:
            return render(request, "console/keys/made.html", _made_context(request, key, text))
    return render(request, "console/keys/new.html", _form_context(request, form), status=422)


def _made_before(request: ConsoleRequest, error: Conflict) -> HttpResponse:
    """The form came a second time, by a double click or a reload: a second key is not what was meant."""
    if error.code != "made_before":
        raise error
    messages.info(request, f"{error.detail} If nobody saw it, roll the key.")
    return HttpResponseRedirect(reverse("settings-keys", args=[request.project.slug]))


@require_http_methods(["GET", "HEAD", "POST"])
@project_page("keys.roll")
def roll(request: ConsoleRequest, key_id: int) -> HttpResponse:
    """Asks how long both shall work; the answer alone shows the new key."""
    key = _key(request, key_id)
    form = RollKey(request.POST if request.method == "POST" else None)
    if request.method == "POST" and form.is_valid():
        try:
            made, text = roll_key(
                actor=request.actor,
                project_id=request.project.id,
                key_id=key.id,
                overlap=form.overlap(),
                idempotency_key=form.cleaned_data["nonce"],
            )
        except Conflict as error:
            return _made_before(request, error)
        return render(request, "console/keys/made.html", _made_context(request, made, text, old=key))
    context = {
        "title": f"Roll {key.name}?",
        "facts": [
            "The new key may do and is told exactly what the old one was. Its text is shown once, on the next page.",
            "Until the old key ends both work, so that nothing stops while you replace it.",
        ],
        "action": request.path,
        "label": "Roll key",
        "cancel": reverse("settings-keys", args=[request.project.slug]),
        "form": form,
    }
    return render(request, "confirm.html", context, status=422 if form.errors else 200)


@require_http_methods(["GET", "HEAD", "POST"])
@project_page("keys.limit")
def limits(request: ConsoleRequest, key_id: int) -> HttpResponse:
    """Where a key may be used from, and how often."""
    key = _key(request, key_id)
    url = reverse("settings-keys", args=[request.project.slug])
    now_so = {"rate_per_minute": key.rate_per_minute, "ip_allow": "\n".join(key.ip_allow or [])}
    form = Limits(request.POST if request.method == "POST" else None, initial=now_so)
    if request.method == "POST" and form.is_valid():
        try:
            limit_key(actor=request.actor, project_id=request.project.id, key_id=key.id, **form.cleaned_data)
        except Invalid as error:
            show_errors(form, error)
        else:
            return done(request, url, f"Changed the limits of {key}: they hold everywhere within five seconds.")
    context = {
        "title": f"Limits of {key.name}",
        "facts": [
            "A program that runs wild, or a key that got lost, then does less harm.",
            "A key can end itself from anywhere, whatever stands here.",
        ],
        "action": request.path,
        "label": "Save limits",
        "cancel": url,
        "form": form,
    }
    return render(request, "confirm.html", context, status=422 if form.errors else 200)


def _key(request: ConsoleRequest, key_id: int) -> ApiKey:
    key = ApiKey.objects.filter(project_id=request.project.id, id=key_id).first()
    if key is None:
        raise NotFound("not_found", "There is no such key in this project.")
    return key


def _form_context(request: ConsoleRequest, form: NewKey) -> dict[str, Any]:
    return {
        "form": form,
        "list_url": reverse("settings-keys", args=[request.project.slug]),
        "scopes": SCOPES,
        "any_key": (*ANY_KEY, *ANY_SCOPE),
    }


def _made_context(request: ConsoleRequest, key: ApiKey, text: str, old: ApiKey | None = None) -> dict[str, Any]:
    if old is not None:
        old.refresh_from_db()
    names = agent_names(request.project.id, set(key.agents or [])) if key.agents else agent_names(request.project.id)
    return {
        "key": key,
        "old": old,
        "secret": text,
        "list_url": reverse("settings-keys", args=[request.project.slug]),
        "snippet": snippet(next(iter(names.values()), "support")),
    }


@require_http_methods(["GET", "HEAD", "POST"])
@project_page("keys.revoke")
def revoke(request: ConsoleRequest, key_id: int) -> HttpResponse:
    """Asks first, with a reason."""
    key = _key(request, key_id)
    if key.revoked_at:
        raise Conflict("already_revoked", "This key was revoked before.")
    url = reverse("settings-keys", args=[request.project.slug])
    form = RevokeKey(request.POST if request.method == "POST" else None)
    if request.method == "POST" and form.is_valid():
        revoke_key(
            actor=request.actor, project_id=request.project.id, key_id=key.id, reason=form.cleaned_data["reason"]
        )
        return done(request, url, f"Revoked {key}: within five seconds every request with it gets a 401.")
    context = {
        "title": f"Revoke {key.name}?",
        "facts": [
            f"The key {key} stops working within five seconds, wherever it is in use.",
            "Agents that hold it are told nothing from their next turn on. Their traces wait on their side until they"
            " get another key.",
        ],
        "action": request.path,
        "label": "Revoke key",
        "danger": True,
        "cancel": url,
        "form": form,
    }
    return render(request, "confirm.html", context, status=422 if form.errors else 200)
