"""Who holds this key?"""

import hmac
from datetime import timedelta

from django.db.models import Q

from apps.access.keys import hash_key, public_id_of
from apps.access.models import ApiKey
from apps.core.clock import now
from apps.core.errors import NotAuthenticated

NOBODY = b"\x00" * 32


def authenticate_key(text: str) -> ApiKey:
    """The live key of this text. Raises NotAuthenticated, in the same words and with the same work, for a key that
    is malformed, unknown, wrong, revoked or expired.

    Notes its use at most once a minute, so that a busy key does not write a row a request.
    """
    public_id = public_id_of(text)
    key = ApiKey.objects.select_related("project").filter(public_id=public_id or "").first()
    stored = bytes(key.secret_hash) if key else NOBODY
    matches = hmac.compare_digest(stored, hash_key(text))
    at = now()
    if key is None or not matches or key.revoked_at is not None or key.expires_at <= at:
        raise NotAuthenticated("invalid_key", "The API key is missing or not valid.")
    if key.last_used_at is None or key.last_used_at < at - timedelta(minutes=1):
        ApiKey.objects.filter(Q(last_used_at=None) | Q(last_used_at__lt=at - timedelta(minutes=1)), id=key.id).update(
            last_used_at=at
        )
    return key
