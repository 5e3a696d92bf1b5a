"""The header `Idempotency-Key`: a write that bears one is done once, and what bears it again has to ask for the same."""

import json
from collections.abc import Mapping
from typing import Any

from django.utils.crypto import salted_hmac
from rest_framework.request import Request

from apps.core.errors import Invalid
from apps.facts.once import LONGEST

HEADER = "Idempotency-Key"


def idempotency_key_of(request: Request) -> str:
    """The name that the client gave to this write, "" without one. Raises Invalid for one that is blank or too long."""
    sent = request.headers.get(HEADER)
    if sent is None:
        return ""
    if len(sent) > LONGEST:
        raise Invalid("too_long", f"Has at most {LONGEST} characters.", parameter=HEADER)
    if not sent.strip():
        raise Invalid("blank", "Has to name the request.", parameter=HEADER)
    return sent


def asked_of(body: Mapping[str, Any]) -> bytes:
    """32 bytes that are the same for the same JSON, however it was spelled; keyed, as a body may be guessed."""
    spelled = json.dumps(body, sort_keys=True, separators=(",", ":"))
    return salted_hmac("memoryplane.api.once", spelled, algorithm="sha256").digest()
