"""`ETag` and `If-Match`: which version of a fact an answer holds, and which one a change began from."""

import re
from datetime import UTC, datetime

from rest_framework.request import Request

from apps.core.errors import DomainError, Stale

_TAG = re.compile(r'"(\d{1,19})-([0-9TZ:.-]{27})"', re.ASCII)


class Unconditional(DomainError):
    """The change has to say which version it began from."""

    status = 428


def etag_of(fact_id: int, updated_at: datetime) -> str:
    moment = updated_at.astimezone(UTC).replace(tzinfo=None).isoformat(timespec="microseconds")
    return f'"{fact_id}-{moment}Z"'


def version_seen(request: Request, fact_id: int) -> datetime | None:
    """When the version in `If-Match` was changed last; None for `*`, which is any. Raises Unconditional without the header,
    and Stale for a tag that is none of this fact's."""
    sent = request.headers.get("If-Match", "").strip()
    if not sent:
        raise Unconditional("precondition_required", "Say in If-Match which version the change began from: its ETag.")
    if sent == "*":
        return None
    for number, moment in _TAG.findall(sent):
        if int(number) == fact_id:
            try:
                return datetime.fromisoformat(moment)
            except ValueError:
                break
    raise Stale("precondition_failed", "The fact was changed since it was read; nothing was changed.")
