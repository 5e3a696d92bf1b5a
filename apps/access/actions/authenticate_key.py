"""Who holds this key?"""

import hmac
from datetime import timedelta

from django.db.models import Q

from apps.access import key_cache
from apps.access.keys import hash_key, public_id_of
from apps.access.models import ApiKey
from apps.core.clock import now
from apps.core.errors import NotAllowed, NotAuthenticated

NOBODY = b"\x00" * 32


def authenticate_key(text: str) -> ApiKey:
    """The live key of this text, as the database had it at most `key_cache.SECONDS` ago; to be read only. Raises
    NotAuthenticated, in the same words and with the same work, for a key that is malformed, unknown, wrong, revoked
    or expired; and NotAllowed ``project_closed`` for one whose project was wiped and not opened since.

    Notes its use at most once a minute, so that a busy key does not write a row a request.
    """
    at = now()
    known = key_cache.get(text)
    if known is not None and known.expires_at > at:
        return known
    since = key_cache.clock()
    public_id = public_id_of(text)
    key = ApiKey.objects.select_related("project").filter(public_id=public_id or "").first()
    stored = bytes(key.secret_hash) if key else NOBODY
    matches = hmac.compare_digest(stored, hash_key(text))
    if key is None or not matches or key.revoked_at is not None or key.expires_at <= at:
        raise NotAuthenticated("invalid_key", "The API key is missing or not valid.")
    if key.project.closed_at is not None:
        raise NotAllowed("project_closed", "This project is closed.")
    minute_ago = at - timedelta(minutes=1)
    if key.last_used_at is None or key.last_used_at < minute_ago:
        ApiKey.objects.filter(Q(last_used_at=None) | Q(last_used_at__lt=minute_ago), id=key.id).update(last_used_at=at)
    key_cache.put(text, key, since)
    return key
