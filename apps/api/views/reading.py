"""What every read of facts takes from a query string, and who may ask for it."""

import re
from collections.abc import Mapping
from datetime import datetime, timedelta

from django.http import QueryDict

from apps.access.actor import Actor
from apps.access.models import ApiKey
from apps.access.policies import Refused, require
from apps.core import values
from apps.core.clock import now
from apps.core.errors import Invalid
from apps.core.fields import query_choice, query_int, query_text
from apps.core.text import normalise
from apps.core.values import Unfit
from apps.facts.models import MEMORY_TYPES
from apps.recall.queries import Reader, reader_for

# Clients print small numbers as 1e-05.
_NUMBER = re.compile(r"[0-9]{1,18}(\.[0-9]{1,18})?(e[+-]?[0-9]{1,3})?", re.IGNORECASE)
_BOOLEANS: Mapping[str, bool] = {"true": True, "1": True, "false": False, "0": False}
MOST_DAYS = 36_500


def reader_of(params: QueryDict, actor: Actor, key: ApiKey, agent: str) -> Reader:
    """The key's grants, narrowed by `user_id`, `category`, `memory_type`, `max_age_days`, `purpose`, `task_type`, and for
    a key that may read history by `at`."""
    days = query_int(params, "max_age_days", None, 1, MOST_DAYS)
    return reader_for(
        key,
        agent,
        _user(params, actor, key),
        query_text(params, "category", None, max_length=60, allow_blank=False),
        _purpose(params, actor, key),
        memory_type=query_choice(params, "memory_type", None, MEMORY_TYPES),
        since=now() - timedelta(days=days) if days is not None else None,
        task_type=query_text(params, "task_type", None, max_length=60, allow_blank=False),
        at=_at(params, actor, key),
    )


def single(params: QueryDict, name: str) -> str | None:
    """The parameter as it was sent: what the user typed is matched or searched, never judged."""
    sent = params.getlist(name)
    if len(sent) > 1:
        raise Invalid("repeated_parameter", "May be given once only.", parameter=name)
    return sent[0] if sent else None


def required(params: QueryDict, name: str) -> str:
    value = (single(params, name) or "").strip()
    if not value:
        raise Invalid("required", "Is required.", parameter=name)
    return value


def moment(params: QueryDict, name: str) -> datetime | None:
    """An RFC 3339 time that is not ahead of the clock. Raises Invalid with the codes of `Reader.timestamp`."""
    sent = single(params, name)
    if sent is None:
        return None
    try:
        found = values.timestamp(sent)
        if found > now():
            raise Unfit("out_of_range", "Lies in the future.")
    except Unfit as bad:
        raise Invalid(bad.code, bad.detail, parameter=name) from None
    return found


def flag(params: QueryDict, name: str) -> bool:
    sent = single(params, name)
    if sent is None:
        return False
    if sent.lower() not in _BOOLEANS:
        raise Invalid("unknown_choice", "Is true or false.", parameter=name)
    return _BOOLEANS[sent.lower()]


def threshold(params: QueryDict) -> float:
    sent = single(params, "score_threshold")
    if sent is None:
        return 0.0
    if not (_NUMBER.fullmatch(sent) and 0 <= float(sent) <= 1):
        raise Invalid("out_of_range", "Has to be a number from 0 to 1.", parameter="score_threshold")
    return float(sent)


def query(params: QueryDict) -> str | None:
    sent = single(params, "query")
    return sent if sent and normalise(sent) else None


def _user(params: QueryDict, actor: Actor, key: ApiKey) -> str | None:
    user = single(params, "user_id")
    if user is None:
        return None
    require(actor, "facts.read_user", project_id=key.project_id)
    if not normalise(user) or user.strip() == "*":
        # Blank would mean nobody or everybody, `*` everybody: neither is a user.
        raise Invalid("subject_required", "Has to name one user.", parameter="user_id")
    if len(user) > 255:
        raise Invalid("too_long", "May have at most 255 characters.", parameter="user_id")
    return user


def _purpose(params: QueryDict, actor: Actor, key: ApiKey) -> str:
    purpose: str = query_text(params, "purpose", "", max_length=60)
    if key.purposes is not None and purpose not in key.purposes:
        raise Refused(actor, "facts.read", "This key may not read for this purpose.", key.project_id)
    return purpose


def _at(params: QueryDict, actor: Actor, key: ApiKey) -> datetime | None:
    at = moment(params, "at")
    if at is not None:
        require(actor, "facts.history", project_id=key.project_id)
    return at
