"""The proof of what was done, to read, print and keep."""

import json
from uuid import UUID

from django.http import HttpResponse
from django.shortcuts import render
from django.views.decorators.http import require_safe

from apps.console.hx import ConsoleRequest, project_page
from apps.console.shaping.privacy import LABELS, STATE_WORDS
from apps.console.views.privacy.detail import request_or_404
from apps.core.errors import NotFound
from apps.privacy.models import Receipt
from apps.privacy.receipts import public_key, verify_receipt
from apps.privacy.stores import BY_NAME


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
    context = {
        "slug": request.project.slug,
        "found": found,
        "label": LABELS[found.kind],
        "state": STATE_WORDS.get(body["state"], body["state"]),
        "body": body,
        "stores": [
            {**row, "label": BY_NAME[row["store"]].label if row["store"] in BY_NAME else row["store"]}
            for row in body["stores"]
            if row["before"] or row["erased"]
        ],
        "checks": [check for check in found.verification.get("checks", []) if check["scanned"]],
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
