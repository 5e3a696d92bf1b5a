"""Who holds this key?"""

import hmac
from collections.abc import Callable
from datetime import datetime, timedelta

from django.db.models import Q

from apps.access import key_cache
from apps.access.keys import hash_key, public_id_of
from apps.access.models import ApiKey
from apps.audit.actions.record import record
from apps.core.address import kind_of
from apps.core.clock import now
from apps.core.errors import NotAllowed, NotAuthenticated
from apps.core.transactions import bind

NOBODY = b"\x00" * 32


MINUTE = timedelta(minutes=1)


def authenticate_key(text: str, address: Callable[[], str] = str) -> ApiKey:
    """The live key of this text, as the database had it at most `key_cache.SECONDS` ago; to be read only. Raises
    NotAuthenticated, in the same words and with the same work, for a key that is malformed, unknown, wrong, revoked
    or expired; and NotAllowed ``project_closed`` for one whose project was wiped and not opened since.

    Notes its use at most once a minute, so that a busy key does not write a row a request, with the network around
    what ``address`` then answers. As often it records that somebody still asks with a key whose time is over: a program that was forgotten
    when the key was rolled, or whoever found it.
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
    if key is None or not matches:
        raise _refusal()
    if key.revoked_at is not None or key.expires_at <= at:
        _note_dead(key, at)
        raise _refusal()
    if key.project.closed_at is not None:
        _note_dead(key, at)
        raise NotAllowed("project_closed", "This project is closed.")
    if key.last_used_at is None or key.last_used_at < at - MINUTE:
        _once_a_minute(key, "last_used_at", at, last_ip_class=kind_of(address()))
    key_cache.put(text, key, since)
    return key


def _refusal() -> NotAuthenticated:
    return NotAuthenticated("invalid_key", "The API key is missing or not valid.")


def _note_dead(key: ApiKey, at: datetime) -> None:
    """Of a key that opens nothing any more. Only whoever has the whole key comes here, so that it takes longer tells him nothing."""
    if key.refused_at is not None and key.refused_at >= at - MINUTE:
        return
    with bind(key.project_id):
        if _once_a_minute(key, "refused_at", at):
            record(
                actor=key.actor,
                verb="keys.use",
                object_type="key",
                object_id=key.id,
                reason=key.revoke_reason or ("expired" if key.expires_at <= at else "project_closed"),
                result="denied",
            )


def _once_a_minute(key: ApiKey, name: str, at: datetime, **columns: str) -> bool:
    """Whether this process is the one that noted it in this minute."""
    due = Q(**{name: None}) | Q(**{f"{name}__lt": at - MINUTE})
    return bool(ApiKey.objects.filter(due, id=key.id).update(**{name: at}, **columns))
