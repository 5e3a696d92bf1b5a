"""What was done, in a form that proves it to somebody who has nothing but the receipt and the public key."""

import hashlib
import hmac
import json
from datetime import datetime
from typing import Any

from cryptography.exceptions import InvalidSignature
from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey, Ed25519PublicKey
from django.conf import settings

from apps.audit.models import AuditHead
from apps.core.clock import now
from apps.privacy.backups import backups_holding
from apps.privacy.models import PrivacyRequest, Receipt
from apps.privacy.reach import Reach
from apps.privacy.states import ERASES, WIPE
from apps.privacy.stores import STORES
from apps.privacy.verification import Report
from apps.privacy.wiping import WIPED
from apps.tenancy.tombstones import KEY_VERSION

FORMAT = 1


def issue_receipt(request: PrivacyRequest, reach: Reach) -> Receipt:
    """Write the receipt of a request that has just ended; the project is bound and the request locked. It names staff by
    their row ids, and nobody else."""
    return _signed(request, body_of(request, reach))


def issue_check(request: PrivacyRequest, report: Report, checked_by: str) -> Receipt:
    """Write what a later look for the person found; as `issue_receipt`."""
    found = report.as_dict()
    body = {
        "format": FORMAT,
        "product": f"memoryplane {settings.VERSION}",
        "receipt": f"R-{request.project_id}-{request.number}",
        "request": str(request.id),
        "kind": "check",
        "state": "clear" if report.hits == 0 else "found",
        "checked_at": _time(now()),
        "checked_by": checked_by,
        "verification": {
            "checks": len(report.checks),
            "hits": report.hits,
            "digest": hashlib.sha256(canonical(found)).hexdigest(),
        },
        "not_checked": report.not_checked,
        "public_key": public_key(),
    }
    return _signed(request, body)


def _signed(request: PrivacyRequest, body: dict[str, Any]) -> Receipt:
    plain = canonical(body)
    return Receipt.objects.create(
        project_id=request.project_id,
        request=request,
        body=body,
        digest=hashlib.sha256(plain).digest(),
        signature=_key().sign(plain),
        issued_at=now(),
    )


def body_of(request: PrivacyRequest, reach: Reach) -> dict[str, Any]:
    head = AuditHead.objects.filter(project_id=request.project_id).first()
    erased, progress = request.progress.get("erased", {}), request.progress
    before = progress.get("before", {})
    backups = backups_holding(request.finished_at)
    last = max((datetime.fromisoformat(row["expires_at"]) for row in backups), default=None)
    return {
        "format": FORMAT,
        "product": f"memoryplane {settings.VERSION}",
        "receipt": f"R-{request.project_id}-{request.number}",
        "request": str(request.id),
        "kind": request.kind,
        "state": request.state,
        "received_at": _time(request.received_at),
        "due_at": _time(request.extended_until or request.due_at),
        "opened_by": request.opened_by,
        "identity_checked_by": request.identity_checked_by,
        "identity_method": request.identity_method,
        "approved_by": request.approved_by,
        "approved_at": _time(request.approved_at),
        "single_operator": request.single_operator,
        "approved_digest": bytes(request.approved_digest or b"").hex(),
        "suppressed_at": _time(request.suppressed_at),
        "live_complete_at": _time(request.finished_at),
        # Of what backups hold until they expire.
        "fully_complete_at": _time(max(filter(None, [last, request.finished_at]))),
        "backups": backups if request.kind in ERASES else [],
        "stores": [
            {"store": store.name, "before": before.get(store.name, 0), "erased": erased.get(store.name, 0), "after": 0}
            for store in (WIPED if request.kind == WIPE else STORES)
        ],
        "matched": sum(before.values()),
        "shared_kept": progress.get("shared", 0),
        "exceptions": [
            {"what": "fact", "count": 1, "ground": ground}
            for ground in (*reach.held.values(), *reach.excepted.values())
        ]
        + [{"what": "staff account", "count": 1, "ground": ground} for ground in request.accounts.values()]
        + ([{"what": "trace", "count": len(reach.held_traces), "ground": "hold"}] if reach.held_traces else []),
        # Copies that agents may keep until they ask again: by key and agent, with counts and times. None: not one person's.
        "recipients": progress.get("recipients"),
        # Rows by table that name the person and are the operator's own: agents, keys, members.
        "operators_own": request.verification.get("operators", {}),
        "verification": {
            "checks": len(request.verification.get("checks", [])),
            "hits": request.verification.get("hits", 0),
            "digest": hashlib.sha256(canonical(request.verification)).hexdigest(),
        },
        "not_checked": request.verification.get("not_checked", []) + progress.get("purged", {}).get("not_checked", []),
        "tombstone_key_version": KEY_VERSION,
        "audit_position": head.seq if head else 0,
        "public_key": public_key(),
    }


def verify_receipt(body: dict[str, Any], signature: bytes, key: str) -> bool:
    """Whether a receipt is just what the holder of the key (hex) signed; needs no database."""
    try:
        Ed25519PublicKey.from_public_bytes(bytes.fromhex(key)).verify(signature, canonical(body))
    except (InvalidSignature, ValueError):
        return False
    return True


def public_key() -> str:
    """32 bytes in hex; the same for the whole life of an installation's audit key."""
    return _key().public_key().public_bytes_raw().hex()


def canonical(body: dict[str, Any]) -> bytes:
    """Sorted keys, no white space, UTF-8."""
    return json.dumps(body, sort_keys=True, separators=(",", ":"), ensure_ascii=False).encode()


def _key() -> Ed25519PrivateKey:
    seed = hmac.new(settings.AUDIT_KEY.encode(), b"memoryplane.receipts", hashlib.sha256).digest()
    return Ed25519PrivateKey.from_private_bytes(seed)


def _time(moment: datetime | None) -> str | None:
    return moment.isoformat(timespec="seconds") if moment else None
