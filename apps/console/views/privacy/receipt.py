"""The proof of what was done, to read, print and keep."""

import json
from uuid import UUID

from django.http import HttpResponse
from django.shortcuts import render
from django.utils.dateparse import parse_datetime
from django.views.decorators.http import require_safe

from apps.console.forms.privacy import METHODS
from apps.console.hx import ConsoleRequest, project_page
from apps.console.shaping.audit import names_of
from apps.console.shaping.privacy import (
    ARTICLES,
    LABELS,
    STATE_WORDS,
    backup_rows,
    checks_of,
    named_recipients,
    steps_of,
    store_label,
)
from apps.console.views.privacy.detail import request_or_404
from apps.core.errors import NotFound
from apps.privacy.models import Purge, Receipt
from apps.privacy.receipts import public_key, verify_receipt
from apps.privacy.states import ERASES, WIPE


@require_safe
@project_page("privacy.read")
def receipt(request: ConsoleRequest, request_id: UUID) -> HttpResponse:
    """The receipt of a request that ended, and what later looks found."""
    found = request_or_404(request, request_id)
    receipts = list(Receipt.objects.filter(project_id=request.project.id, request_id=found.id).order_by("id"))
    done = [one for one in receipts if one.body["kind"] != "check"]
    if not done:
        raise NotFound("not_found", "This request has no receipt: it has not ended yet.")
    last = done[-1]
    body = last.body
    people = [body.get(name) or "" for name in ("opened_by", "identity_checked_by", "approved_by")]
    names = names_of(request.project.id, set(people) - {""})
    opener, checker, approver = (names.get(one, one) for one in people)
    at = {
        name: parse_datetime(body[key])
        for name, key in (
            ("received", "received_at"),
            ("approved", "approved_at"),
            ("hidden", "suppressed_at"),
            ("live", "live_complete_at"),
            ("fully", "fully_complete_at"),
        )
        if body[key]
    }
    method = METHODS.get(body["identity_method"], "")
    happened = [
        ("Carried out" if body["kind"] not in ERASES else "Erased and verified", "", "live"),
        ("Closed" if body["kind"] == WIPE else "Hidden from every agent", "", "hidden"),
        (f"Approved by {approver}", "", "approved"),
        (f"Received, opened by {opener}", f"Identity: {method}, checked by {checker}" if checker else "", "received"),
    ]
    told = body.get("recipients")
    context = {
        "slug": request.project.slug,
        "found": found,
        "label": LABELS[found.kind],
        "state": STATE_WORDS.get(body["state"], body["state"]),
        "body": body,
        "at": at,
        "article": ARTICLES[found.kind],
        "destroys": body["kind"] in ERASES,
        "wipes": body["kind"] == WIPE,
        "steps": steps_of(found),
        "events": [
            {"text": text, "detail": detail, "at": at[name], "now": number == 0}
            for number, (text, detail, name) in enumerate(happened)
            if name in at
        ],
        "erased": sum(row["erased"] for row in body["stores"]),
        "after": sum(row["after"] for row in body["stores"]),
        "stores": [
            {**row, "label": store_label(row["store"])} for row in body["stores"] if row["before"] or row["erased"]
        ],
        "purge": Purge.objects.filter(id=found.progress.get("purge")).first() if found.progress.get("purge") else None,
        "backups": backup_rows(body.get("backups", [])),
        "recipients": named_recipients(request.project.id, told) if told is not None else None,
        "checks": [check for check in checks_of(found) if check["scanned"]],
        "later": [one for one in receipts if one.body["kind"] == "check"],
        "digest": bytes(last.digest).hex(),
        "signature": bytes(last.signature).hex(),
        "valid": verify_receipt(body, bytes(last.signature), public_key()),
        "receipt": last,
    }
    return render(request, "console/privacy/receipt.html", context)


@require_safe
@project_page("privacy.read")
def receipt_json(request: ConsoleRequest, request_id: UUID) -> HttpResponse:
    """The newest receipt as a file, for `manage.py verify-receipt`."""
    found = request_or_404(request, request_id)
    last = Receipt.objects.filter(project_id=request.project.id, request_id=found.id).order_by("-id").first()
    if last is None:
        raise NotFound("not_found", "This request has no receipt: it has not ended yet.")
    saved = {"body": last.body, "signature": bytes(last.signature).hex()}
    response = HttpResponse(json.dumps(saved, indent=1), content_type="application/json")
    response["Content-Disposition"] = f'attachment; filename="receipt-{found.number}.json"'
    return response
