"""Settings: webhooks. Made here, their secret shown once; what each sent, and sent again."""

from typing import Any
from uuid import UUID

from django.http import HttpResponse, HttpResponseRedirect
from django.shortcuts import render
from django.urls import reverse
from django.views.decorators.http import require_http_methods, require_safe

from apps.console.forms.errors import show_errors
from apps.console.forms.webhooks import WebhookForm
from apps.console.hx import ConsoleRequest, done, project_page, wants_fragment
from apps.console.names import actor_names
from apps.console.shaping.links import with_query
from apps.console.shaping.settings import sections
from apps.console.shaping.webhooks import EVENT_LABELS, STATE_LABELS, HookRow, answer, delivery_row, off
from apps.core.errors import Conflict, Invalid
from apps.core.keyset import keyset_page
from apps.exchange.actions.add_webhook import add_webhook
from apps.exchange.actions.change_webhook import change_webhook
from apps.exchange.actions.delete_webhook import delete_webhook
from apps.exchange.actions.redeliver import redeliver
from apps.exchange.actions.roll_webhook_secret import roll_webhook_secret
from apps.exchange.actions.switch_webhook import switch_webhook
from apps.exchange.actions.try_webhook import try_webhook
from apps.exchange.hook_queries import MOST, deliveries_of, the_webhook, webhooks_of
from apps.exchange.models import Webhook

PAGE = 50


def _list_url(request: ConsoleRequest) -> str:
    return reverse("settings-webhooks", args=[request.project.slug])


def _url(request: ConsoleRequest, webhook_id: int, name: str = "webhook") -> str:
    return reverse(name, args=[request.project.slug, webhook_id])


@require_safe
@project_page("webhooks.read")
def listing(request: ConsoleRequest) -> HttpResponse:
    """`/p/<slug>/settings/webhooks`: all of them, newest first; there are few."""
    rows = [
        HookRow(one, _url(request, one.id), off(one), answer(one.last_status, one.last_error))
        for one in webhooks_of(request.project.id)
    ]
    context = {
        "rows": rows,
        # Those that a person did not switch off.
        "stopped": [row for row in rows if row.off and row.webhook.disabled_for != "person"],
        "may_add": len(rows) < MOST,
        "new_url": reverse("webhook-new", args=[request.project.slug]),
        "sections": sections(request.project.slug, "settings-webhooks", request.actor),
    }
    return render(request, "console/webhooks/list.html", context)


@require_http_methods(["GET", "HEAD", "POST"])
@project_page("webhooks.change")
def new(request: ConsoleRequest) -> HttpResponse:
    """The form, and the answer to it, which alone ever shows the secret."""
    form = WebhookForm(request.POST if request.method == "POST" else None)
    if request.method == "POST" and form.is_valid():
        try:
            webhook, secret = add_webhook(actor=request.actor, project_id=request.project.id, **form.wish())
        except (Invalid, Conflict) as error:
            show_errors(form, error)
        else:
            return _made(request, webhook, secret, "New webhook")
    return _form_page(request, form, "New webhook", "Webhooks", _list_url(request))


@require_http_methods(["GET", "HEAD", "POST"])
@project_page("webhooks.change")
def change(request: ConsoleRequest, webhook_id: int) -> HttpResponse:
    """Where it goes and what it tells."""
    webhook = the_webhook(request.project.id, webhook_id)
    form = WebhookForm(request.POST if request.method == "POST" else None, webhook=webhook)
    if request.method == "POST" and form.is_valid():
        try:
            change_webhook(actor=request.actor, project_id=request.project.id, webhook_id=webhook_id, **form.wish())
        except (Invalid, Conflict) as error:
            show_errors(form, error)
        else:
            return done(request, _url(request, webhook_id), "Saved. It holds for what happens from now on.")
    return _form_page(request, form, "Change webhook", f"Webhook {webhook_id}", _url(request, webhook_id))


def _form_page(request: ConsoleRequest, form: WebhookForm, title: str, back: str, back_url: str) -> HttpResponse:
    context = {"form": form, "title": title, "back": back, "back_url": back_url}
    return render(request, "console/webhooks/form.html", context, status=422 if form.errors else 200)


def _made(request: ConsoleRequest, webhook: Webhook, secret: str, title: str) -> HttpResponse:
    context = {"webhook": webhook, "secret": secret, "title": title, "done_url": _url(request, webhook.id)}
    return render(request, "console/webhooks/made.html", context)


@require_safe
@project_page("webhooks.read")
def detail(request: ConsoleRequest, webhook_id: int) -> HttpResponse:
    """`/p/<slug>/settings/webhooks/<number>`: how it stands, and what it sent, newest first; ``state`` narrows that."""
    project, path = request.project, _url(request, webhook_id)
    webhook = the_webhook(project.id, webhook_id)
    state = request.GET.get("state", "")
    state = state if state in STATE_LABELS else ""
    page = keyset_page(
        deliveries_of(webhook, state),
        order=("-id",),
        cursor=request.GET.get("cursor") or None,
        limit=PAGE,
        context=f"{project.id} webhook {webhook_id} {state}",
    )
    context: dict[str, Any] = {
        "slug": project.slug,
        "webhook": webhook,
        "off": off(webhook),
        "rows": [delivery_row(one, enabled=webhook.enabled) for one in page.rows],
        "state": state,
        "states": [
            {"href": with_query(path, request.GET, state=name), "label": label, "current": name == state}
            for name, label in [("", "All"), *STATE_LABELS.items()]
        ],
        "newer": page.newer and with_query(path, request.GET, cursor=page.newer),
        "older": page.older and with_query(path, request.GET, cursor=page.older),
        "pager_text": f"{len(page.rows)} on this page" if page.rows else "",
        "act_url": _url(request, webhook_id, "webhook-act"),
    }
    if wants_fragment(request, "results"):
        return render(request, "console/webhooks/_log.html", context)
    context |= {
        "events": [(event, EVENT_LABELS[event]) for event in webhook.events],
        "answer": answer(webhook.last_status, webhook.last_error),
        "made_by": actor_names([webhook.created_by], request.actor)[webhook.created_by],
        "list_url": _list_url(request),
        "change_url": _url(request, webhook_id, "webhook-change"),
        "secret_url": _url(request, webhook_id, "webhook-secret"),
        "delete_url": _url(request, webhook_id, "webhook-delete"),
    }
    return render(request, "console/webhooks/detail.html", context)


@require_http_methods(["GET", "HEAD", "POST"])
@project_page("webhooks.change")
def act(request: ConsoleRequest, webhook_id: int) -> HttpResponse:
    """``act`` of the form: on, off, test, or again with the message's ``id``."""
    if request.method != "POST":
        return HttpResponseRedirect(_url(request, webhook_id))
    who: dict[str, Any] = {"actor": request.actor, "project_id": request.project.id, "webhook_id": webhook_id}
    wanted, here = request.POST.get("act", ""), _url(request, webhook_id)
    if wanted in {"on", "off"}:
        switch_webhook(**who, enabled=wanted == "on")
        said = "Switched on: it is told what happens from now on." if wanted == "on" else "Switched off."
    elif wanted == "test":
        try_webhook(**who)
        said = "A test is on its way; the log says in a few seconds whether it arrived."
    elif wanted == "again":
        redeliver(**who, delivery_id=_delivery_id(request))
        said = "It is on its way again."
    else:
        raise Invalid("unknown_act", "Nothing like that can be done with a webhook.")
    return done(request, here, said)


def _delivery_id(request: ConsoleRequest) -> UUID:
    try:
        return UUID(request.POST.get("id", ""))
    except ValueError:
        raise Invalid("unknown_message", "The form names no message.") from None


@require_http_methods(["GET", "HEAD", "POST"])
@project_page("webhooks.change")
def secret(request: ConsoleRequest, webhook_id: int) -> HttpResponse:
    """Asks first; the answer alone shows the new secret."""
    webhook = the_webhook(request.project.id, webhook_id)
    if request.method == "POST":
        webhook, made = roll_webhook_secret(actor=request.actor, project_id=request.project.id, webhook_id=webhook_id)
        return _made(request, webhook, made, "New secret")
    context = {
        "title": "Make a new secret?",
        "text": webhook.url,
        "facts": [
            "It is shown once, on the next page.",
            "For a day messages are signed with the old one too, so that nothing is refused while you replace it.",
        ],
        "action": request.path,
        "label": "Make a new secret",
        "cancel": _url(request, webhook_id),
    }
    return render(request, "confirm.html", context)


@require_http_methods(["GET", "HEAD", "POST"])
@project_page("webhooks.change")
def delete(request: ConsoleRequest, webhook_id: int) -> HttpResponse:
    """Asks first."""
    webhook = the_webhook(request.project.id, webhook_id)
    if request.method == "POST":
        delete_webhook(actor=request.actor, project_id=request.project.id, webhook_id=webhook_id)
        return done(request, _list_url(request), "Deleted. Nothing more is sent there.")
    context = {
        "title": "Delete this webhook?",
        "text": webhook.url,
        "facts": ["What still waits is not sent.", "The log of what was sent goes with it."],
        "action": request.path,
        "label": "Delete webhook",
        "danger": True,
        "cancel": _url(request, webhook_id),
    }
    return render(request, "confirm.html", context)
